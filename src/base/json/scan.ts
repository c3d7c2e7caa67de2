import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DOT,
  LINE_FEED,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
  resized,
  SPACE,
  type Span,
  spells,
  TAB,
  ZERO,
} from './bytes.js';
import { KeyTable } from './key-table.js';
import { MemberIndex, SCAN } from './member-index.js';
import { NEEDS_LOOK, StringScanner } from './scan-string.js';
import { HASH_FACTOR, TokenList } from './token-list.js';
import { misfitOfLiteral, skipDigits, skipZeros } from './tokens.js';

export type ScanFault = 'syntax' | 'utf-8' | 'depth';
export type RootKind = 'object' | 'array' | 'scalar';

export interface ScanLimits {
  /** Deeper nesting than this is a fault. */
  readonly maxDepth: number;
  /** Deeper nesting than this raises `SCAN.deep`. */
  readonly nestingLimit: number;
}

const LONG_STRING = 65_536;
/** Strings shorter than this are walked byte by byte; a longer rest is walked four bytes at a time. */
const SHORT_WALK = 16;
/** Room for more members than this is given back when the next text comes. */
const KEPT_MEMBERS = 4_096;
/** The depth of content blocks: message, result, content, block. */
const BLOCK_DEPTH = 4;
const MAX_BLOCKS = 16;
const TRUE = 0x65757274;
const NULL = 0x6c6c756e;

/**
 * Indexes the first two levels of a JSON text in one pass over its bytes, and checks the grammar (RFC 8259) and the
 * UTF-8 of everything, also of what it skips. No strings are made, nothing is recursive, time is linear.
 *
 * The index lives in the scanner and is overwritten by the next scan: read what you need before you wait for anything.
 */
export class JsonScanner extends MemberIndex {
  /**
   * Objects four deep, which is where a result has its content blocks, and where their `type` values begin: lets a
   * reader see the usual blocks without a second pass. Positions beyond the first 16 are counted, not kept.
   */
  blockCount = 0;
  typeCount = 0;
  readonly blockStart = new Int32Array(MAX_BLOCKS);
  readonly typeStart = new Int32Array(MAX_BLOCKS);

  /** String values of more than 64 KiB, quotes included, in order. */
  longStrings: readonly Span[] = NO_SPANS;

  /** Every name and every value; `token` of a member is its value's number. */
  readonly tokens = new TokenList();

  root: RootKind = 'scalar';
  /** `SCAN.duplicateName` where the root itself may hold a name twice. */
  rootFlags = 0;
  fault: ScanFault | undefined;
  /** Offset of the first byte that does not fit. */
  faultAt = 0;

  readonly #limits: ScanLimits;
  readonly #keys = new KeyTable();
  readonly #strings = new StringScanner();
  /** Per open container: 0 for an array, else the number its object has in the key table. */
  #serials = new Int32Array(64);
  #marks = new Int32Array(64);
  /** The token of each open container. */
  #opened = new Int32Array(64);
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  /** The member whose value is being read, at level 1 and 2; -1 outside. */
  #first = -1;
  #second = -1;

  constructor(limits: Partial<ScanLimits> = {}) {
    super();
    const { maxDepth = 10_000, nestingLimit = 514 } = limits;
    // Depth is only looked at from the nesting limit on, so that must not lie beyond the bound.
    this.#limits = { maxDepth, nestingLimit: Math.min(nestingLimit, maxDepth) };
  }

  /** @returns false when the text is not JSON; `fault` and `faultAt` say why and where */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.#end = end;
    this.#strings.begin(bytes, end);
    this.count = 0;
    this.blockCount = 0;
    this.typeCount = 0;
    this.longStrings = NO_SPANS;
    this.rootFlags = 0;
    this.fault = undefined;
    this.#first = -1;
    this.#second = -1;
    this.#keys.reset();
    this.tokens.begin();
    if (this.level.length > KEPT_MEMBERS) this.resize(32);
    const at = this.#skipSpace(start);
    const first = at < end ? bytes[at] : undefined;
    this.root = first === OPEN_BRACE ? 'object' : first === OPEN_BRACKET ? 'array' : 'scalar';
    const behind = first === undefined ? this.#fail('syntax', at) : this.#walk(at);
    // Nothing keeps the text alive once it has been read: an idle scanner must not pin a 64 KiB chunk.
    this.#bytes = EMPTY;
    this.#strings.begin(EMPTY, 0);
    return behind >= 0;
  }

  /** Walks the value at `at` and everything in it. @returns the index behind the text, or -1 */
  #walk(at: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    const { tokens } = this;
    let depth = 0;
    let i = at;
    for (;;) {
      // One value begins at i.
      const c = bytes[i]!;
      let opened = false;
      if (c === QUOTE) {
        const from = i;
        i = this.#skipString(i + 1);
        tokens.add(from, i);
        if (i - from - 2 > LONG_STRING) this.#noteLongString(from, i);
      } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        if (depth >= this.#limits.nestingLimit && this.#tooDeep(depth, i)) return -1;
        this.#open(++depth, c === OPEN_BRACE, tokens.add(i, 0));
        if (depth === BLOCK_DEPTH && c === OPEN_BRACE) this.#noteBlock(i);
        i++;
        if (bytes[i]! <= SPACE) i = this.#skipSpace(i);
        if (i < end && bytes[i] === c + 2) {
          i++;
          this.#close(depth--);
        } else opened = true;
      } else {
        const from = i;
        i = c === MINUS || (c >= ZERO && c <= NINE) ? this.#skipNumber(i) : this.#skipLiteral(i, c);
        tokens.add(from, i);
      }
      if (i < 0) return -1;

      if (!opened) {
        // A value ended: close what ends with it.
        for (;;) {
          if (depth <= 2) this.#endMember(depth, i);
          if (bytes[i]! <= SPACE) i = this.#skipSpace(i);
          if (depth === 0) return i === end ? i : this.#fail('syntax', i);
          if (i >= end) return this.#fail('syntax', i);
          const next = bytes[i]!;
          if (next === COMMA) {
            i++;
            if (bytes[i]! <= SPACE) i = this.#skipSpace(i);
            break;
          }
          if (next !== (this.#serials[depth] === 0 ? CLOSE_BRACKET : CLOSE_BRACE)) return this.#fail('syntax', i);
          i++;
          this.#close(depth--);
        }
      }
      if (i >= end) return this.#fail('syntax', i);
      if (this.#serials[depth] !== 0) {
        i = this.#readName(i, depth);
        if (i < 0) return -1;
      }
    }
  }

  #tooDeep(depth: number, at: number): boolean {
    if (depth >= this.#limits.maxDepth) {
      this.#fail('depth', at);
      return true;
    }
    this.#raise(SCAN.deep);
    return false;
  }

  #open(depth: number, isObject: boolean, token: number): void {
    if (depth >= this.#serials.length) {
      this.#serials = resized(this.#serials, depth * 2);
      this.#marks = resized(this.#marks, depth * 2);
      this.#opened = resized(this.#opened, depth * 2);
    }
    this.#opened[depth] = token;
    this.#serials[depth] = isObject ? this.#keys.begin() : 0;
    this.#marks[depth] = this.#keys.mark;
  }

  #close(depth: number): void {
    this.tokens.close(this.#opened[depth]!);
    if (this.#serials[depth] !== 0) this.#keys.close(this.#marks[depth]!);
  }

  /** A value at `depth` ended at `end`: if it was an indexed member's, note where. */
  #endMember(depth: number, end: number): void {
    if (depth === 1 && this.#first >= 0) {
      this.valueEnd[this.#first] = end;
      this.#first = -1;
      this.#second = -1;
    } else if (depth === 2 && this.#second >= 0) {
      this.valueEnd[this.#second] = end;
      this.#second = -1;
    }
  }

  /** Reads `"name" :` at `at` in the object at `depth`. @returns the start of the value, or -1 */
  #readName(at: number, depth: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    if (bytes[at] !== QUOTE) return this.#fail('syntax', at);
    let i = at + 1;
    let hash = 0;
    let flags = 0;
    for (; i < end; i++) {
      const c = bytes[i]!;
      if (NEEDS_LOOK[c] !== 0) break;
      hash = (Math.imul(hash, HASH_FACTOR) + c) | 0;
    }
    if (bytes[i] === QUOTE) i++;
    else {
      i = this.#skipString(i);
      if (i < 0) return -1;
      // The same name can be spelled in several ways: only an exact look can tell.
      if (bytes.subarray(at, i).indexOf(BACKSLASH) >= 0) {
        flags = SCAN.escapedName;
        this.#raiseDuplicate(depth);
      }
      hash = 0;
      for (let k = at + 1; k < i - 1; k++) hash = (Math.imul(hash, HASH_FACTOR) + bytes[k]!) | 0;
    }
    if (i > end) return this.#fail('syntax', end);
    const nameEnd = i;
    this.tokens.add(at, hash);
    if (this.#keys.add(this.#serials[depth]!, this.#marks[depth]!, hash)) this.#raiseDuplicate(depth);
    if (bytes[i]! <= SPACE) i = this.#skipSpace(i);
    if (i >= end || bytes[i] !== COLON) return this.#fail('syntax', i);
    i++;
    if (bytes[i]! <= SPACE) i = this.#skipSpace(i);
    if (i >= end) return this.#fail('syntax', i);
    if (depth <= 2) this.#addMember(depth, at, nameEnd, i, flags);
    else if (depth === BLOCK_DEPTH) this.#noteType(at, nameEnd, i);
    return i;
  }

  #addMember(depth: number, nameStart: number, nameEnd: number, valueStart: number, flags: number): void {
    // Level 2 counts only below a member of the root, not inside an array at the root.
    if (depth === 2 && this.#first < 0) return;
    const index = this.count++;
    if (index === this.level.length) this.resize(index * 2);
    this.level[index] = depth;
    this.nameStart[index] = nameStart;
    this.nameEnd[index] = nameEnd;
    this.valueStart[index] = valueStart;
    this.flags[index] = flags;
    this.token[index] = this.tokens.count;
    if (depth === 1) this.#first = index;
    else this.#second = index;
  }

  #noteLongString(start: number, end: number): void {
    this.#raise(SCAN.longString);
    this.longStrings = [...this.longStrings, { start, end }];
  }

  #noteBlock(at: number): void {
    if (this.blockCount < MAX_BLOCKS) this.blockStart[this.blockCount] = at;
    this.blockCount++;
  }

  #noteType(nameStart: number, nameEnd: number, valueStart: number): void {
    if (nameEnd - nameStart !== 6 || !spells(this.#bytes, nameStart, nameEnd, '"type"')) return;
    if (this.typeCount < MAX_BLOCKS) this.typeStart[this.typeCount] = valueStart;
    this.typeCount++;
  }

  #raise(flag: number): void {
    if (this.#first >= 0) this.flags[this.#first]! |= flag;
    else this.rootFlags |= flag;
    if (this.#second >= 0) this.flags[this.#second]! |= flag;
  }

  /** A name may occur twice in the object at `depth`: it is the fault of the member whose value that object is in. */
  #raiseDuplicate(depth: number): void {
    if (depth === 1) this.rootFlags |= SCAN.duplicateName;
    else this.#raise(SCAN.duplicateName);
  }

  #fail(fault: ScanFault, at: number): -1 {
    this.fault = fault;
    this.faultAt = Math.min(at, this.#end);
    return -1;
  }

  #skipSpace(at: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let i = at;
    while (i < end) {
      const c = bytes[i]!;
      if (c > SPACE) break;
      if (c === LINE_FEED || c === CARRIAGE_RETURN) this.#raise(SCAN.lineBreak);
      else if (c !== SPACE && c !== TAB) break;
      i++;
    }
    return i;
  }

  /** Skips a string whose opening quote is behind us. @returns the index behind its closing quote, or -1 */
  #skipString(at: number): number {
    const bytes = this.#bytes;
    const stop = Math.min(at + SHORT_WALK, this.#end);
    let i = at;
    while (i < stop && NEEDS_LOOK[bytes[i]!] === 0) i++;
    if (i < stop && bytes[i] === QUOTE) return i + 1;
    const behind = this.#strings.skip(i);
    return behind < 0 ? this.#fail(this.#strings.fault, this.#strings.faultAt) : behind;
  }

  #skipNumber(at: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let i = bytes[at] === MINUS ? at + 1 : at;
    const whole = i;
    i = skipDigits(bytes, i, end);
    if (i === whole) return this.#fail('syntax', whole);
    if (bytes[whole] === ZERO && i > whole + 1) return this.#fail('syntax', whole + 1);
    let digits = i - whole;
    let isRisky = digits > 15;
    if (i < end && bytes[i] === DOT) {
      const fraction = i + 1;
      i = skipDigits(bytes, fraction, end);
      if (i === fraction) return this.#fail('syntax', i);
      // Zeros in front are not significant: 0.1234567890123456 has 16 digits, as doubles are commonly written.
      const leading = digits === 1 && bytes[whole] === ZERO ? 1 + skipZeros(bytes, fraction, i) - fraction : 0;
      digits += i - fraction - leading;
      // A whole part past 2^53 is not made safe by its point, nor a tail of zeros that ends near or below 1e-308.
      isRisky ||= digits > 17 || i - fraction > 300;
    }
    if (i < end && (bytes[i]! | 0x20) === 0x65) {
      i++;
      if (i < end && (bytes[i] === PLUS || bytes[i] === MINUS)) i++;
      const exponent = i;
      i = skipDigits(bytes, i, end);
      if (i === exponent) return this.#fail('syntax', i);
      isRisky = true;
    }
    if (isRisky) this.#raise(SCAN.riskyNumber);
    return i;
  }

  #skipLiteral(at: number, first: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    if (at + 4 <= end) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      if (word === TRUE || word === NULL) return at + 4;
    }
    if (first === 0x66 && at + 5 <= end && spells(bytes, at, at + 5, 'false')) return at + 5;
    return this.#fail('syntax', misfitOfLiteral(bytes, at, end));
  }
}

const EMPTY = new Uint8Array(0);
const NO_SPANS: readonly Span[] = Object.freeze([]);
