import { ExactNumber, numberOfToken } from '../base/index.js';
import { numberKey } from './decimal.js';

/** The work of comparing, told while it is done; throws to end it. */
type Spend = (work: number) => void;

/** Values that a Set compares just as JSON does: everything but arrays and objects, and numbers past a double. */
function asPlain(value: unknown): unknown {
  return value instanceof ExactNumber ? numberOfToken(value.text) : value;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Writes values as text: equal values, and only they, as equal texts. Stops where a text grows past its room. */
class KeyWriter {
  readonly #parts: string[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** @returns false where there was no room */
  write(value: unknown): boolean {
    if (typeof value === 'string') return this.#add(JSON.stringify(value));
    if (typeof value === 'number' || value instanceof ExactNumber) return this.#add(numberKey(value));
    if (typeof value !== 'object' || value === null) return this.#add(String(value));
    if (Array.isArray(value))
      return this.#add('[') && value.every((item) => this.write(item) && this.#add(',')) && this.#add(']');
    const names = Object.keys(value).sort();
    const record = value as Readonly<Record<string, unknown>>;
    const writeMember = (name: string): boolean =>
      this.#add(JSON.stringify(name)) && this.#add(':') && this.write(record[name]) && this.#add(',');
    return this.#add('{') && names.every(writeMember) && this.#add('}');
  }

  get text(): string {
    return this.#parts.join('');
  }

  #add(part: string): boolean {
    this.#parts.push(part);
    this.#room -= part.length;
    return this.#room >= 0;
  }
}

/**
 * One text for all equal JSON values: member order and the way a number is written do not matter. The platform hashes
 * texts with a secret, so nobody can make lookups slow.
 *
 * @returns undefined where the text would be longer than `room`
 */
export function equalityKey(value: unknown, room = Number.POSITIVE_INFINITY): string | undefined {
  const writer = new KeyWriter(room);
  return writer.write(value) ? writer.text : undefined;
}

/** The values of an `enum` or a `const`: a lookup costs the same among one and among ten thousand. */
export class ValueSet {
  readonly values: readonly unknown[];
  readonly #plain = new Set<unknown>();
  readonly #keys = new Set<string>();
  #longestKey = 0;

  constructor(values: readonly unknown[]) {
    this.values = values;
    for (const value of values) {
      const plain = asPlain(value);
      if (isPlain(plain)) this.#plain.add(plain);
      else this.#addKey(equalityKey(plain)!);
    }
  }

  #addKey(key: string): void {
    this.#keys.add(key);
    this.#longestKey = Math.max(this.#longestKey, key.length);
  }

  /** Whether an equal value is in the set. A large value costs no more than the largest in the set. */
  has(value: unknown): boolean {
    const plain = asPlain(value);
    if (isPlain(plain)) return this.#plain.has(plain);
    if (this.#keys.size === 0) return false;
    const key = equalityKey(plain, this.#longestKey);
    return key !== undefined && this.#keys.has(key);
  }
}

/** Finds the first item that equals an earlier one. @returns its index; -1 where all differ */
export function findDuplicate(items: readonly unknown[], spend?: Spend): number {
  const plains = new Set<unknown>();
  const keys = new Set<string>();
  for (let index = 0; index < items.length; index += 1) {
    const plain = asPlain(items[index]);
    if (isPlain(plain)) {
      if (plains.has(plain)) return index;
      plains.add(plain);
    } else {
      const key = equalityKey(plain)!;
      spend?.(key.length >> 3);
      if (keys.has(key)) return index;
      keys.add(key);
    }
  }
  return -1;
}
