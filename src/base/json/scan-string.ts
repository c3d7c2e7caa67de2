import { BACKSLASH, isUtf8, QUOTE, SPACE, skipUtf8Sequence } from './bytes.js';
import { HIGH_BITS, isHexDigit, oddities, specials } from './tokens.js';

/** 1 for the bytes at which a string ends or must be checked: quote, backslash, control characters, multi-byte. */
export const NEEDS_LOOK = new Uint8Array(256).map((_, c) =>
  c < SPACE || c >= 0x80 || c === QUOTE || c === BACKSLASH ? 1 : 0,
);

/** Asking the platform whether a text is UTF-8 costs as much as looking at so many bytes. */
const WORTH_ASKING = 512;
/** Having the platform look for a byte pays where so many words are left: a shorter text may have many strings. */
const WORTH_SEEKING = 2_048;
const PLAIN_BEFORE_SEEKING = 64;
/** So many words are looked at one by one before it goes by fours: in source code the next escape is that near. */
const NEAR_WORDS = 12;
/** 1 for the bytes that are an escape with the backslash before them alone. */
const SIMPLE_ESCAPES = new Uint8Array(256).map((_, c) => ('nrtbf"\\/'.includes(String.fromCharCode(c)) ? 1 : 0));

/** Walks over the insides of strings, and checks their escapes and their UTF-8. */
export class StringScanner {
  fault: 'syntax' | 'utf-8' = 'syntax';
  /** Offset of the first byte that does not fit. */
  faultAt = 0;

  #bytes: Uint8Array = EMPTY;
  #end = 0;
  #words: Int32Array | undefined;
  /** The high bits of bytes that are not ASCII count, unless the rest of the text is known to be UTF-8. */
  #foreign = HIGH_BITS;
  #isUtf8Asked = false;
  /** Where the next quote and the next backslash stand, as far as they were looked for. */
  #quoteAt = -1;
  #backslashAt = -1;

  /** The strings to come are in this text. */
  begin(bytes: Uint8Array, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    this.#words = undefined;
    this.#foreign = HIGH_BITS;
    this.#isUtf8Asked = false;
    this.#quoteAt = -1;
    this.#backslashAt = -1;
  }

  /**
   * Skips the rest of a string, a word at a time. One function, for the sake of texts that have an escape in every line:
   * calling and coming back for each of them cost as much as looking.
   *
   * @returns the index behind the closing quote, or -1
   */
  skip(at: number): number {
    const bytes = this.#bytes;
    const offset = bytes.byteOffset;
    const end = this.#end;
    this.#words ??= new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2);
    const words = this.#words;
    const limit = (offset + end) >> 2;
    let i = at;
    for (;;) {
      let w = (offset + i) >> 2;
      let hits = 0;
      if (w < limit) {
        // The bytes before `i` in its word do not count; a borrow from them can only make a byte be looked at in vain.
        hits = specials(words[w]!, this.#foreign) & HIGH_BITS & (-1 << (((offset + i) & 3) << 3));
        if (hits === 0) {
          const near = Math.min(w + NEAR_WORDS, limit);
          const foreign = this.#foreign;
          for (w++; w < near; w++) {
            hits = specials(words[w]!, foreign) & HIGH_BITS;
            if (hits !== 0) break;
          }
          if (hits === 0) {
            w = this.#plainWords(w, limit);
            for (; w < limit; w++) {
              hits = specials(words[w]!, foreign) & HIGH_BITS;
              if (hits !== 0) break;
            }
          }
        }
      }
      if (hits !== 0) i = (w << 2) - offset + ((31 - Math.clz32(hits & -hits)) >> 3);
      else {
        i = Math.max(i, (w << 2) - offset);
        while (i < end && NEEDS_LOOK[bytes[i]!] === 0) i++;
        if (i >= end) return this.#fail('syntax', end);
      }
      const c = bytes[i]!;
      if (c === BACKSLASH) {
        i = SIMPLE_ESCAPES[bytes[i + 1]!] === 1 ? i + 2 : this.#skipEscape(i + 1);
        if (i < 0) return -1;
      } else if (c === QUOTE) return i + 1;
      else if (c < SPACE) return this.#fail('syntax', i);
      else if (c < 0x80 || this.#isKnownUtf8(i)) i++;
      else {
        i = this.#skipUtf8(i);
        if (i < 0) return -1;
      }
    }
  }

  /** Whether all that is left is UTF-8, as far as the platform was asked: once a text, where much is left. */
  #isKnownUtf8(at: number): boolean {
    if (this.#foreign === 0) return true;
    if (this.#isUtf8Asked || this.#end - at < WORTH_ASKING) return false;
    this.#isUtf8Asked = true;
    if (!isUtf8(this.#bytes.subarray(at, this.#end))) return false;
    this.#foreign = 0;
    return true;
  }

  /** Skips words, many at a time, that have nothing to be looked at. @returns at most `limit` */
  #plainWords(from: number, limit: number): number {
    const words = this.#words!;
    const foreign = this.#foreign;
    const stop = limit - from < WORTH_SEEKING ? limit : from + PLAIN_BEFORE_SEEKING;
    let w = from;
    while (w + 4 <= stop) {
      const four =
        specials(words[w]!, foreign) |
        specials(words[w + 1]!, foreign) |
        specials(words[w + 2]!, foreign) |
        specials(words[w + 3]!, foreign);
      if ((four & HIGH_BITS) !== 0) return w;
      w += 4;
    }
    return stop === limit ? w : this.#plainWordsOfMany(w, limit);
  }

  /** The same where much is left: the platform finds quote and backslash, so that only the rest has to be looked for. */
  #plainWordsOfMany(from: number, limit: number): number {
    const words = this.#words!;
    const foreign = this.#foreign;
    const stop = Math.min(limit, this.#seek(from << 2) >> 2);
    let w = from;
    while (w + 8 <= stop) {
      const eight =
        oddities(words[w]!, foreign) |
        oddities(words[w + 1]!, foreign) |
        oddities(words[w + 2]!, foreign) |
        oddities(words[w + 3]!, foreign) |
        oddities(words[w + 4]!, foreign) |
        oddities(words[w + 5]!, foreign) |
        oddities(words[w + 6]!, foreign) |
        oddities(words[w + 7]!, foreign);
      if ((eight & HIGH_BITS) !== 0) break;
      w += 8;
    }
    return w;
  }

  /** @returns where in the buffer the next quote or backslash stands; each is looked for only once it has been passed */
  #seek(from: number): number {
    const bytes = this.#bytes.length === this.#end ? this.#bytes : this.#bytes.subarray(0, this.#end);
    const at = from - bytes.byteOffset;
    if (this.#quoteAt < at) this.#quoteAt = indexOrEnd(bytes, QUOTE, at);
    if (this.#backslashAt < at) this.#backslashAt = indexOrEnd(bytes, BACKSLASH, at);
    return Math.min(this.#quoteAt, this.#backslashAt) + bytes.byteOffset;
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

  #fail(fault: 'syntax' | 'utf-8', at: number): -1 {
    this.fault = fault;
    this.faultAt = at;
    return -1;
  }
}

const EMPTY = new Uint8Array(0);

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}
