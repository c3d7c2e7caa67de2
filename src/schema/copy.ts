import { ExactNumber } from '../base/index.js';
import { DEFAULT_LIMITS, schemaInvalid, tooLarge } from './limits.js';
import { joinPointer } from './pointer.js';

/** Deeper than any schema within the limits can be nested: a level of schemas is at most three of JSON. */
const MAX_NESTING = 512;

interface Pending {
  readonly source: object;
  readonly target: Record<string, unknown> | unknown[];
  readonly pointer: string;
  readonly nesting: number;
}

/**
 * Copies a JSON value with its members in alphabetical order: equal schemas become equal texts, and nobody can change a
 * schema behind the judge's back. Does not recurse.
 *
 * @throws {DoorError} SCHEMA_INVALID for what JSON cannot say, SCHEMA_TOO_LARGE for endless nesting (a cycle, too)
 */
export function copyJson(value: unknown, maxBytes: number = DEFAULT_LIMITS.maxBytes * 16): unknown {
  const pending: Pending[] = [];
  let bytes = 0;
  const copyOne = (source: unknown, pointer: string, nesting: number): unknown => {
    bytes += typeof source === 'string' ? source.length : 1;
    if (bytes > maxBytes) throw tooLarge(`the schema has more than ${maxBytes} bytes`, '');
    if (source instanceof ExactNumber) return source;
    if (typeof source === 'object' && source !== null) {
      if (nesting >= MAX_NESTING) throw tooLarge(`the schema is nested deeper than ${MAX_NESTING}`, '');
      const target = Array.isArray(source) ? [] : {};
      pending.push({ source, target, pointer, nesting: nesting + 1 });
      return target;
    }
    if (isScalar(source)) return source;
    throw schemaInvalid(pointer, `must be JSON, is ${typeof source}`);
  };
  const copy = copyOne(value, '', 0);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target, pointer, nesting } = next;
    for (const key of Array.isArray(source) ? source.keys() : Object.keys(source).sort()) {
      const member = (source as Record<string | number, unknown>)[key];
      // As JSON.stringify has it: a member without a value is no member.
      if (member === undefined) continue;
      setOwn(target, key, copyOne(member, joinPointer(pointer, key), nesting));
    }
  }
  return copy;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function setOwn(target: object, key: string | number, value: unknown): void {
  if (key !== '__proto__') (target as Record<string | number, unknown>)[key] = value;
  // Plain assignment would set the prototype instead of an own property.
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
