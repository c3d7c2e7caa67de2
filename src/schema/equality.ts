import { ExactNumber } from '../base/index.js';
import { compareNumbers, isJsonNumber } from './decimal.js';
import type { Spend } from './work.js';

/**
 * Whether two JSON values are equal: member order and the way a number is written do not matter.
 *
 * @throws {RangeError} where both are nested far deeper than any judge allows
 */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return isJsonNumber(left) && isJsonNumber(right) && compareNumbers(left, right) === 0;
  }
  if (left instanceof ExactNumber || right instanceof ExactNumber) {
    return isJsonNumber(left) && isJsonNumber(right) && compareNumbers(left, right) === 0;
  }
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every(
    (name) => Object.hasOwn(right, name) && isEqual((left as Members)[name], (right as Members)[name]),
  );
}

type Members = Readonly<Record<string, unknown>>;

/** Drawn anew in each process, so that nobody can prepare values whose hashes meet. */
const SEED = Math.trunc(Math.random() * 2 ** 32);
const FACTOR = Math.trunc(Math.random() * 2 ** 32) | 1;
const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, FACTOR);
  return mixed ^ (mixed >>> 15);
}

function hashText(text: string, start: number): number {
  let hash = mix(SEED, start);
  for (let at = 0; at < text.length; at += 1) hash = mix(hash, text.charCodeAt(at));
  return hash;
}

function hashNumber(value: number): number {
  // Most numbers are small and whole. -0 is 0 here.
  if (value === (value | 0)) return mix(mix(SEED, 1), value | 0);
  double[0] = value;
  return mix(mix(SEED, halves[0]!), halves[1]!);
}

function hashExact(value: ExactNumber): number {
  if (value.plain !== undefined) return hashNumber(value.plain);
  const { digits, exponent } = value.decimal;
  return mix(hashText(digits, 7), exponent);
}

/** Hashes values so that equal ones get equal hashes, as long as they have no more parts than there is room for. */
class Hasher {
  /** Parts of the last value: members, items, and every few characters. */
  size = 0;
  #room = 0;

  hash(value: unknown, room: number): number {
    this.size = 0;
    this.#room = room;
    return this.#hash(value);
  }

  #hash(value: unknown): number {
    this.size += 1;
    if (this.size > this.#room) return 0;
    if (typeof value === 'number') return hashNumber(value);
    if (typeof value === 'string') {
      this.size += value.length >> 3;
      return hashText(value, 2);
    }
    if (typeof value !== 'object' || value === null) return hashText(String(value), 3);
    if (Array.isArray(value)) return this.#hashItems(value);
    return value instanceof ExactNumber ? hashExact(value) : this.#hashMembers(value as Members);
  }

  #hashItems(items: readonly unknown[]): number {
    let hash = mix(SEED, 4);
    for (let index = 0; index < items.length && this.size <= this.#room; index += 1) {
      const item = items[index];
      // Most items are numbers: those need no call.
      if (typeof item === 'number') this.size += 1;
      hash = mix(hash, typeof item === 'number' ? hashNumber(item) : this.#hash(item));
    }
    return hash;
  }

  /** Added up, so that the order of members does not matter. */
  #hashMembers(members: Members): number {
    let hash = mix(SEED, 5);
    for (const name of Object.keys(members)) {
      if (this.size > this.#room) break;
      this.size += name.length >> 3;
      hash = (hash + mix(hashText(name, 6), this.#hash(members[name]))) | 0;
    }
    return hash;
  }
}

/** Values that a Set compares just as JSON does: all but arrays, objects and numbers past a double. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function asPlain(value: unknown): unknown {
  return value instanceof ExactNumber ? (value.plain ?? value) : value;
}

/** The values of an `enum` or a `const`: a lookup costs the same among one and among ten thousand. */
export class ValueSet {
  readonly #hasher = new Hasher();
  readonly #plain = new Set<unknown>();
  readonly #others = new Map<number, unknown>();
  /** Further values whose hash is that of another: chance makes hardly any. */
  readonly #more: unknown[] = [];
  #largest = 0;

  constructor(values: Iterable<unknown> = []) {
    for (const value of values) this.add(value);
  }

  /** @returns how large the value is; undefined where an equal one was there already */
  add(value: unknown): number | undefined {
    const plain = asPlain(value);
    if (isPlain(plain)) {
      if (this.#plain.has(plain)) return undefined;
      this.#plain.add(plain);
      return 1;
    }
    const hash = this.#hasher.hash(plain, Number.POSITIVE_INFINITY);
    const { size } = this.#hasher;
    if (!this.#others.has(hash)) this.#others.set(hash, plain);
    else if (this.#isAmong(hash, plain)) return undefined;
    else this.#more.push(plain);
    this.#largest = Math.max(this.#largest, size);
    return size;
  }

  /** Whether an equal value is in the set. A large value costs no more than the largest in the set. */
  has(value: unknown, spend?: Spend): boolean {
    const plain = asPlain(value);
    if (isPlain(plain)) return this.#plain.has(plain);
    if (this.#others.size === 0) return false;
    const hash = this.#hasher.hash(plain, this.#largest);
    spend?.(this.#hasher.size);
    return this.#hasher.size <= this.#largest && this.#others.has(hash) && this.#isAmong(hash, plain);
  }

  #isAmong(hash: number, value: unknown): boolean {
    return isEqual(this.#others.get(hash), value) || this.#more.some((other) => isEqual(other, value));
  }
}

/** Finds the first item that equals an earlier one. @returns its index; -1 where all differ */
export function findDuplicate(items: readonly unknown[], spend?: Spend): number {
  const seen = new ValueSet();
  for (let index = 0; index < items.length; index += 1) {
    const size = seen.add(items[index]);
    if (size === undefined) return index;
    spend?.(size);
  }
  return -1;
}
