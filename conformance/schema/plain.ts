import { ExactNumber, parseJson } from '../../src/base/index.js';

/** Marks text that plain JavaScript cannot hold: other engines have no fair chance at it. */
export const NOT_PLAIN: unique symbol = Symbol('not plain');

/** The value of JSON text as other engines take it; `NOT_PLAIN` where a double would change one of its numbers. */
export function plainValue(text: string): unknown {
  const value = parseJson(text);
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next instanceof ExactNumber) return NOT_PLAIN;
    if (typeof next === 'object' && next !== null) pending.push(...Object.values(next));
  }
  return value;
}
