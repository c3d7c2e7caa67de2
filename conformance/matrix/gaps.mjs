// @ts-check
/** Which cells are registered gaps. The reasons stand in conformance/gaps.json, under the same ids. */
import { readFileSync } from 'node:fs';

/** @typedef {{ id: string, feature: string, holds: (pair: import('./stage.mjs').Pair) => boolean }} Gap */

/** @type {readonly Gap[]} */
const GAPS = [];

/** @param {string} feature @param {import('./stage.mjs').Pair} pair @returns {string | undefined} the gap's id */
export function findGap(feature, pair) {
  return GAPS.find((gap) => gap.feature === feature && gap.holds(pair))?.id;
}

/** @returns {Map<string, string>} reasons by id @throws where a gap has none */
export function readReasons() {
  /** @type {{ id: string, why: string }[]} */
  const registry = JSON.parse(readFileSync(new URL('../gaps.json', import.meta.url), 'utf8'));
  return new Map(
    GAPS.map(({ id }) => {
      const why = registry.find((entry) => entry.id === id)?.why;
      if (!why) throw new Error(`conformance/gaps.json gives no reason for ${id}`);
      return [id, why];
    }),
  );
}
