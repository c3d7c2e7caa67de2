// @ts-check
/** What rows hold their figures against. */
import { summarise } from './rounds.mjs';
import { lowestQuartile, medianRatio } from './statistics.mjs';

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string} figure what was measured, for people
 * @property {string} against the baseline's figure, for people
 * @property {number} value what is held against the bound
 * @property {number} bar
 * @property {number | undefined} [goal]
 * @property {'most' | 'least'} [kind] of bound; `most` unless said
 * @property {string} [unit] of value and bar; none for ratios
 */
/** @typedef {{ checks: Check[], figures: Record<string, Record<string, number>> }} Measured */
/** @typedef {{ workshop: import('./middles.mjs').Workshop, isQuick: boolean }} Context */
/** @typedef {{ name: string, kind?: string, inFlight?: number, http?: import("./http-load.mjs").Era, measure: (context: Context) => Promise<Measured> }} Row `kind` and `inFlight` where it can be profiled */
/** @typedef {import('./rounds.mjs').Series} Series */

/** @param {Record<string, Series>} series */
export function summariseAll(series) {
  return Object.fromEntries(Object.entries(series).map(([name, one]) => [name, summarise(one)]));
}

/** @param {number} micros */
export const showMicros = (micros) => `${micros < 100 ? micros.toFixed(2) : Math.round(micros)} us`;

/** @param {Record<string, Series>} series @param {string} name @returns {Series} */
export function seriesOf(series, name) {
  const one = series[name];
  if (!one) throw new Error(`the row measured no ${name}`);
  return one;
}

/** @param {Record<string, Series>} series @param {string} name @param {{ baseline: string, bar: number, goal?: number | undefined }} bounds @returns {Check} */
export function costCheck(series, name, { baseline, bar, goal }) {
  const subject = seriesOf(series, 'doorward').cpuMicros;
  const base = seriesOf(series, baseline).cpuMicros;
  return {
    name,
    figure: showMicros(lowestQuartile(subject)),
    against: `${baseline} ${showMicros(lowestQuartile(base))}`,
    value: medianRatio(subject, base),
    bar,
    goal,
  };
}

/** @param {Record<string, Series>} series @param {{ bar: number, goal?: number }} bounds @returns {Check} */
export function speedCheck(series, { bar, goal }) {
  const subject = seriesOf(series, 'doorward').callsPerSecond;
  const base = seriesOf(series, 'relay').callsPerSecond;
  return {
    name: 'calls/s at 32',
    figure: `${Math.round(medianOf(subject) / 1000)} k/s`,
    against: `relay ${Math.round(medianOf(base) / 1000)} k/s`,
    value: medianRatio(subject, base),
    bar,
    goal,
    kind: 'least',
  };
}

/** @param {readonly number[]} values */
const medianOf = (values) =>
  medianRatio(
    values,
    values.map(() => 1),
  );
