import { ExactNumber } from '../base/index.js';
import { DEFAULT_LIMITS, schemaInvalid, tooLarge, tooMany } from './limits.js';
import { joinPointer } from './pointer.js';

/** Deeper than any schema within the limits can be nested: a level of schemas is at most three of JSON. */
const MAX_NESTING = 512;

/** More than the schemas and the values that any schema within the limits may hold. */
const MAX_CONTAINERS = 20_000;

interface Pending {
  readonly source: object;
  readonly target: Record<string, unknown> | unknown[];
  readonly nesting: number;
  /** Where it stands, for errors. */
  readonly key: string | number;
  readonly around: Pending | undefined;
}

/**
 * Copies a JSON value with its members in alphabetical order: equal schemas become equal texts, and nobody can change a
 * schema behind the judge's back. Does not recurse.
 *
 * @throws {DoorError} SCHEMA_INVALID for what JSON cannot say, SCHEMA_TOO_LARGE for endless nesting (a cycle, too)
 */
export function copyJson(value: unknown, maxBytes: number = DEFAULT_LIMITS.maxBytes * 16): unknown {
  return new Copier(maxBytes).copy(value);
}

class Copier {
  readonly #maxBytes: number;
  readonly #pending: Pending[] = [];
  #containers = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  copy(value: unknown): unknown {
    const copy = this.#copyOne(value, '', undefined);
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      if (Array.isArray(next.source)) this.#copyItems(next.source, next);
      else this.#copyMembers(next.source as Record<string, unknown>, next);
    }
    return copy;
  }

  #copyItems(items: readonly unknown[], around: Pending): void {
    const target = around.target as unknown[];
    for (let index = 0; index < items.length; index += 1) target.push(this.#copyOne(items[index], index, around));
  }

  #copyMembers(members: Readonly<Record<string, unknown>>, around: Pending): void {
    const target = around.target as Record<string, unknown>;
    for (const name of Object.keys(members).sort()) {
      // As JSON.stringify has it: a member without a value is no member.
      if (members[name] === undefined) continue;
      const copy = this.#copyOne(members[name], name, around);
      if (name !== '__proto__') target[name] = copy;
      // Plain assignment would set the prototype instead of an own property.
      else Object.defineProperty(target, name, { value: copy, writable: true, enumerable: true, configurable: true });
    }
  }

  #copyOne(source: unknown, key: string | number, around: Pending | undefined): unknown {
    this.#bytes += typeof source === 'string' ? source.length : 1;
    if (this.#bytes > this.#maxBytes) throw tooMany(this.#maxBytes, 'bytes', '');
    if (typeof source !== 'object' || source === null) {
      if (isScalar(source)) return source;
      throw schemaInvalid(pointerTo(key, around), `must be JSON, is ${typeof source}`);
    }
    if (source instanceof ExactNumber) return source;
    this.#containers += 1;
    if (this.#containers > MAX_CONTAINERS) throw tooMany(MAX_CONTAINERS, 'arrays and objects', '');
    const nesting = (around?.nesting ?? 0) + 1;
    if (nesting > MAX_NESTING) throw tooLarge(`the schema is nested deeper than ${MAX_NESTING}`, '');
    const target = Array.isArray(source) ? [] : {};
    this.#pending.push({ source, target, nesting, key, around });
    return target;
  }
}

function pointerTo(key: string | number, around: Pending | undefined): string {
  return around === undefined ? '' : joinPointer(pointerTo(around.key, around.around), key);
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
