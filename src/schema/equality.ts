import { ExactNumber } from '../base/index.js';
import { numberKey } from './decimal.js';

/**
 * One text for all equal JSON values: member order and the way a number is written do not matter. Strings that differ
 * make texts that differ, and the platform hashes texts with a secret, so nobody can make a lookup slow.
 *
 * @throws {RangeError} where the value is nested far deeper than any judge allows
 */
export function equalityKey(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || value instanceof ExactNumber) return numberKey(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(equalityKey).join()}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${equalityKey((value as Record<string, unknown>)[name])}`);
  return `{${members.join()}}`;
}

/** The values of an `enum` or a `const`, ready for lookups that cost the same for one value and for ten thousand. */
export class ValueSet {
  readonly values: readonly unknown[];
  readonly #plain = new Set<unknown>();
  readonly #keys = new Set<string>();

  constructor(values: readonly unknown[]) {
    this.values = values;
    for (const value of values) {
      if (isPlain(value)) this.#plain.add(value);
      else this.#keys.add(equalityKey(value));
    }
  }

  /** Whether an equal value is in the set. */
  has(value: unknown): boolean {
    if (isPlain(value)) return this.#plain.has(value);
    return this.#keys.size > 0 && this.#keys.has(equalityKey(value));
  }
}

/** Values that a Set compares as JSON does, without a text being made of them. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Finds the first item that equals an earlier one. @returns its index; -1 where all differ */
export function findDuplicate(items: readonly unknown[]): number {
  const seen = new Set<unknown>();
  const seenKeys = new Set<string>();
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const plain = isPlain(item);
    const key = plain ? item : equalityKey(item);
    const known = plain ? seen : seenKeys;
    if (known.has(key as string)) return index;
    known.add(key as string);
  }
  return -1;
}
