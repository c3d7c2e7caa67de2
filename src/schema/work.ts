import { ExactNumber } from '../base/index.js';

/**
 * How much work judging a value may take. Work is counted in units of some 30 ns, so that the bound is the same on every
 * machine and in every run; a value that is large itself may take more.
 */
export const WORK_ALWAYS = 600_000;
/** For each byte that a value would take as JSON text, at the least. */
const WORK_PER_BYTE = 2;
/** Comma or colon, and a character. */
const LEAST_BYTES = 2;

/** Is told how much work was done; throws `GaveUp` where that is too much. */
export type Spend = (work: number) => void;

/** The judge stops here: going on would take too long, or the stack. Says nothing about the value. */
export class GaveUp extends Error {}

/** More work than any value is allowed: some seconds. A value that is a circle has no size of its own to go by. */
const WORK_AT_MOST = 100_000_000;

/** The work that a value of this size may take. */
export function workFor(value: unknown): number {
  let bytes = 0;
  const pending = [value];
  while (pending.length > 0 && bytes < WORK_AT_MOST) {
    const next = pending.pop();
    bytes += LEAST_BYTES;
    if (typeof next === 'string') bytes += next.length;
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (next instanceof ExactNumber) bytes += next.text.length;
    else if (typeof next === 'object' && next !== null) {
      for (const name of Object.keys(next)) {
        bytes += name.length + LEAST_BYTES;
        pending.push((next as Readonly<Record<string, unknown>>)[name]);
      }
    }
  }
  return Math.min(Math.max(WORK_ALWAYS, bytes * WORK_PER_BYTE), WORK_AT_MOST);
}
