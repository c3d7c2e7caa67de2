// @ts-check
/** What features hold what they saw against. */
import { isDeepStrictEqual } from 'node:util';
import { memberText } from '../../test/fixtures/feature-json.mjs';

const SHOWN = 300;

/** @param {unknown} seen @param {unknown} wanted @param {string} what */
export function same(seen, wanted, what) {
  if (!isDeepStrictEqual(seen, wanted)) throw new Error(`${what}: ${show(seen)}, wanted ${show(wanted)}`);
}

/** @param {unknown} holds @param {string} what */
export function that(holds, what) {
  if (!holds) throw new Error(what);
}

/**
 * These members stand in both texts, digit for digit, and in the same order.
 *
 * @param {string | undefined} seen @param {string} wanted both an object's text @param {readonly string[]} names in the order of `wanted`
 */
export function sameMembers(seen = '{}', wanted, names) {
  let after = -1;
  for (const name of names) {
    same(memberText(seen, name), memberText(wanted, name), `member ${name}`);
    const at = seen.indexOf(`${JSON.stringify(name)}:`, after);
    that(at > after, `member ${name} has left its place`);
    after = at;
  }
}

/** @param {unknown} value */
function show(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}... (${text.length} characters)` : text;
}
