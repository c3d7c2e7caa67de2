import { decodeText, resized, spells } from './bytes.js';

/** What the scanner noticed inside a member's value, as bits of `JsonScanner.flags`. */
export const SCAN = {
  /** A number that a double may not hold: over 15 digits before the point, over 17 in all, or any exponent. */
  riskyNumber: 1,
  /** A name that may occur twice in one object; `findDuplicateName` decides. */
  duplicateName: 2,
  /** A carriage return or line feed between tokens. */
  lineBreak: 4,
  /** Nested deeper than `nestingLimit` below the text's root. */
  deep: 8,
  /** A string value of more than 64 KiB; `longStrings` says where. */
  longString: 16,
  /** The member's own name is spelled with escapes. */
  escapedName: 32,
} as const;

/** The members that a scan found on the first two levels, and where they lie in its bytes. */
export class MemberIndex {
  /** Members found, of the root (level 1) and of objects that are values of the root's members (level 2). */
  count = 0;
  level = new Uint8Array(32);
  nameStart = new Int32Array(32);
  nameEnd = new Int32Array(32);
  valueStart = new Int32Array(32);
  valueEnd = new Int32Array(32);
  flags = new Uint8Array(32);
  /** The number of each member's value among the scanner's `tokens`. */
  token = new Int32Array(32);

  /**
   * Finds a member of the root by its name (ASCII), or a member of the root's member `of`.
   *
   * @returns its index, or -1; the last one where the name occurs twice
   */
  find(name: string, bytes: Uint8Array, of?: number): number {
    const from = of === undefined ? 0 : of + 1;
    const level = of === undefined ? 1 : 2;
    let found = -1;
    for (let i = from; i < this.count; i++) {
      const at = this.level[i]!;
      if (at === level && this.#isNamed(i, bytes, name)) found = i;
      else if (at < level) break;
    }
    return found;
  }

  #isNamed(index: number, bytes: Uint8Array, name: string): boolean {
    const start = this.nameStart[index]! + 1;
    const end = this.nameEnd[index]! - 1;
    if (spells(bytes, start, end, name)) return true;
    if ((this.flags[index]! & SCAN.escapedName) === 0) return false;
    return JSON.parse(decodeText(bytes, start - 1, end + 1)) === name;
  }

  /** Makes room for `size` members. */
  protected resize(length: number): void {
    this.level = resized(this.level, length);
    this.nameStart = resized(this.nameStart, length);
    this.nameEnd = resized(this.nameEnd, length);
    this.valueStart = resized(this.valueStart, length);
    this.valueEnd = resized(this.valueEnd, length);
    this.flags = resized(this.flags, length);
    this.token = resized(this.token, length);
  }
}
