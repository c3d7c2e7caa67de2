import { resized } from './bytes.js';

const INITIAL_TOKENS = 256;
/** Room for more than this is given back when the next text comes: a megabyte of records has about as many. */
const KEPT_TOKENS = 131_072;
const MAX_TOKENS = 262_144;

/**
 * Where each name and each value of a text stands, in order, as a scanner found them: whoever knows what to look for can
 * walk over a value without parsing it. Holds until the scanner's next text.
 */
export class TokenList {
  /** The first byte of each. */
  start = new Int32Array(INITIAL_TOKENS);
  /**
   * Of a scalar, the offset behind it. Of an array or an object, the number of the token behind all that is in it. Of a
   * name, its `hashOfName`.
   */
  more = new Int32Array(INITIAL_TOKENS);
  count = 0;
  /** Counts the texts, so that whoever remembers a token can tell whether it is still there. */
  text = 0;
  /** False where the text has more tokens than are worth keeping: then none of them is to be used. */
  isWhole = true;

  /** Starts a new text. */
  begin(): void {
    this.text++;
    this.count = 0;
    this.isWhole = true;
    if (this.start.length > KEPT_TOKENS) this.#resize(INITIAL_TOKENS);
  }

  /** @returns the token's number */
  add(start: number, more: number): number {
    if (this.count === this.start.length) this.#grow();
    const index = this.count++;
    this.start[index] = start;
    this.more[index] = more;
    return index;
  }

  /** All that is in the array or object of this token has been added. */
  close(index: number): void {
    this.more[index] = this.count;
  }

  #grow(): void {
    if (this.count < MAX_TOKENS) return this.#resize(this.count * 2);
    // What follows is written over what nobody is going to read.
    this.isWhole = false;
    this.count = 0;
  }

  #resize(length: number): void {
    this.start = resized(this.start, length);
    this.more = resized(this.more, length);
  }
}

/** The hash of a name's bytes, as they are written between the quotes. */
export function hashOfName(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, HASH_FACTOR) + byte) | 0;
  return hash;
}

export const HASH_FACTOR = 31;
