import { NINE, ZERO } from './bytes.js';

/** As a word of 32 bits, which it is only when its sign is. */
export const HIGH_BITS = 0x80808080 | 0;

/**
 * The high bits of the result tell whether any of a word's four bytes is below 0x20, is 0x22 or 0x5c, or is not ASCII. A
 * borrow can only spoil the bytes above one that counts already, so a word without high bits has none that count.
 *
 * @param foreign `HIGH_BITS` where bytes that are not ASCII count, 0 where they do not
 */
export function specials(word: number, foreign: number): number {
  const ascii = (word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101);
  return (ascii & ~word) | (word & foreign);
}

/** The same without quote and backslash. */
export function oddities(word: number, foreign: number): number {
  return ((word - 0x20202020) & ~word) | (word & foreign);
}

export function skipDigits(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const c = bytes[i]!;
    if (c < ZERO || c > NINE) break;
    i++;
  }
  return i;
}

export function skipZeros(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && bytes[i] === ZERO) i++;
  return i;
}

export function isHexDigit(c: number): boolean {
  return (c >= ZERO && c <= NINE) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66);
}

const LITERALS = ['true', 'false', 'null'];

/** Where a token that is none of the literals stops spelling one: the first byte that does not fit. */
export function misfitOfLiteral(bytes: Uint8Array, at: number, end: number): number {
  const literal = LITERALS.find((word) => word.charCodeAt(0) === bytes[at]) ?? '';
  let i = 0;
  while (i < literal.length && at + i < end && bytes[at + i] === literal.charCodeAt(i)) i++;
  return at + i;
}
