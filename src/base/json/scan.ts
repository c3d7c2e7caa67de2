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
  skipUtf8Sequence,
  spells,
  TAB,
  ZERO,
} from './bytes.js';
import { KeyTable } from './key-table.js';
import { MemberIndex, SCAN } from './member-index.js';
import { HIGH_BITS, isHexDigit, misfitOfLiteral, skipDigits, skipZeros, specials } from './tokens.js';

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

/** 1 for the bytes at which a string ends or must be checked: quote, backslash, control characters, multi-byte. */
const NEEDS_LOOK = new Uint8Array(256).map((_, c) =>
  c < SPACE || c >= 0x80 || c === QUOTE || c === BACKSLASH ? 1 : 0,
);

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

  root: RootKind = 'scalar';
  /** `SCAN.duplicateName` where the root itself may hold a name twice. */
  rootFlags = 0;
  fault: ScanFault | undefined;
  /** Offset of the first byte that does not fit. */
  faultAt = 0;

  readonly #limits: ScanLimits;
  readonly #keys = new KeyTable();
  /** Per open container: 0 for an array, else the number its object has in the key table. */
  #serials = new Int32Array(64);
  #marks = new Int32Array(64);
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #words: Int32Array | undefined;
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
    this.#words = undefined;
    this.count = 0;
    this.blockCount = 0;
    this.typeCount = 0;
    this.longStrings = NO_SPANS;
    this.rootFlags = 0;
    this.fault = undefined;
    this.#first = -1;
    this.#second = -1;
    this.#keys.reset();
    if (this.level.length > KEPT_MEMBERS) this.resize(32);
    const at = this.#skipSpace(start);
    const first = at < end ? bytes[at] : undefined;
    this.root = first === OPEN_BRACE ? 'object' : first === OPEN_BRACKET ? 'array' : 'scalar';
    const behind = first === undefined ? this.#fail('syntax', at) : this.#walk(at);
    // Nothing keeps the text alive once it has been read: an idle scanner must not pin a 64 KiB chunk.
    this.#bytes = EMPTY;
    this.#words = undefined;
    return behind >= 0;
  }

  /** Walks the value at `at` and everything in it. @returns the index behind the text, or -1 */
  #walk(at: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let depth = 0;
    let i = at;
    for (;;) {
      // One value begins at i.
      const c = bytes[i]!;
      let opened = false;
      if (c === QUOTE) {
        const from = i;
        i = this.#skipString(i + 1);
        if (i - from - 2 > LONG_STRING) this.#noteLongString(from, i);
      } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        if (depth >= this.#limits.nestingLimit && this.#tooDeep(depth, i)) return -1;
        this.#open(++depth, c === OPEN_BRACE);
        if (depth === BLOCK_DEPTH && c === OPEN_BRACE) this.#noteBlock(i);
        i++;
        if (bytes[i]! <= SPACE) i = this.#skipSpace(i);
        if (i < end && bytes[i] === c + 2) {
          i++;
          this.#close(depth--);
        } else opened = true;
      } else if (c === MINUS || (c >= ZERO && c <= NINE)) i = this.#skipNumber(i);
      else i = this.#skipLiteral(i, c);
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

  #open(depth: number, isObject: boolean): void {
    if (depth >= this.#serials.length) {
      this.#serials = resized(this.#serials, depth * 2);
      this.#marks = resized(this.#marks, depth * 2);
    }
    this.#serials[depth] = isObject ? this.#keys.begin() : 0;
    this.#marks[depth] = this.#keys.mark;
  }

  #close(depth: number): void {
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
      hash = (Math.imul(hash, 31) + c) | 0;
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
      for (let k = at + 1; k < i - 1; k++) hash = (Math.imul(hash, 31) + bytes[k]!) | 0;
    }
    if (i > end) return this.#fail('syntax', end);
    const nameEnd = i;
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
    return this.#skipLongString(i);
  }

  /** The rest of a string that is not both short and plain: looked at a word at a time. */
  #skipLongString(at: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let i = at;
    for (;;) {
      i = this.#nextSpecial(i);
      if (i >= end) return this.#fail('syntax', end);
      const c = bytes[i]!;
      if (c === QUOTE) return i + 1;
      if (c === BACKSLASH) i = this.#skipEscape(i + 1);
      else if (c < SPACE) return this.#fail('syntax', i);
      else if (c >= 0x80) i = this.#skipUtf8(i);
      else i++;
      if (i < 0) return -1;
    }
  }

  /** @returns where the next byte that needs a look stands, `end` where none does; rarely a byte before it */
  #nextSpecial(at: number): number {
    const bytes = this.#bytes;
    const offset = bytes.byteOffset;
    this.#words ??= new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2);
    const words = this.#words;
    const limit = (offset + this.#end) >> 2;
    let w = (offset + at) >> 2;
    if (w < limit) {
      // The bytes before `at` in its word do not count; a borrow from them can only make a byte be looked at in vain.
      let hits = specials(words[w]!) & HIGH_BITS & (-1 << (((offset + at) & 3) << 3));
      if (hits === 0) {
        w++;
        while (w + 4 <= limit) {
          const four =
            specials(words[w]!) | specials(words[w + 1]!) | specials(words[w + 2]!) | specials(words[w + 3]!);
          if ((four & HIGH_BITS) !== 0) break;
          w += 4;
        }
        while (w < limit) {
          hits = specials(words[w]!) & HIGH_BITS;
          if (hits !== 0) break;
          w++;
        }
      }
      if (hits !== 0) return (w << 2) - offset + ((31 - Math.clz32(hits & -hits)) >> 3);
    }
    let i = Math.max(at, (w << 2) - offset);
    while (i < this.#end && NEEDS_LOOK[bytes[i]!] === 0) i++;
    return i;
  }

  /** Skips a run of multi-byte sequences. Two and three bytes, nearly all there is, are checked in place. */
  #skipUtf8(at: number): number {
    const bytes = this.#bytes;
    const end = this.#end - 2;
    let i = at;
    while (i < end) {
      const c = bytes[i]!;
      if (c < 0x80) return i;
      if (c >= 0xc2 && c <= 0xdf && (bytes[i + 1]! & 0xc0) === 0x80) i += 2;
      else if (c > 0xe0 && c < 0xed && (bytes[i + 1]! & 0xc0) === 0x80 && (bytes[i + 2]! & 0xc0) === 0x80) i += 3;
      else {
        const behind = skipUtf8Sequence(bytes, i, this.#end);
        if (behind < 0) return this.#fail('utf-8', i);
        i = behind;
      }
    }
    // Too near the end for a quote to follow: the string cannot close, or closes within the next look.
    if (i < this.#end && bytes[i]! >= 0x80) {
      const behind = skipUtf8Sequence(bytes, i, this.#end);
      return behind < 0 ? this.#fail('utf-8', i) : behind;
    }
    return i;
  }

  #skipEscape(at: number): number {
    const c = at < this.#end ? this.#bytes[at]! : 0;
    // n " \ / t r b f
    if (c === 0x6e || c === QUOTE || c === BACKSLASH || c === 0x2f) return at + 1;
    if (c === 0x74 || c === 0x72 || c === 0x62 || c === 0x66) return at + 1;
    if (c !== 0x75) return this.#fail('syntax', at);
    for (let i = at + 1; i <= at + 4; i++) {
      if (i >= this.#end || !isHexDigit(this.#bytes[i]!)) return this.#fail('syntax', i);
    }
    return at + 5;
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
