// @ts-check
/**
 * Every row of the bench with its bounds. A row measures and returns figures to show and checks to hold.
 * The bounds are those of the hot path's table (they replace the first issue's where the two differ).
 */
import { costCheck, seriesOf, showMicros, speedCheck, summariseAll } from './checks.mjs';
import { largeResultRow, listRow, memoryRow } from './footprint.mjs';
import { HTTP_ROWS } from './http-rows.mjs';
import { measureRounds } from './rounds.mjs';
import { startUpRow } from './start-up.mjs';
import { lowestQuartile, medianDifference } from './statistics.mjs';

/** @typedef {import('./checks.mjs').Check} Check */
/** @typedef {import('./checks.mjs').Row} Row */
/** @typedef {import('./rounds.mjs').Series} Series */

const ROUNDS = 7;
const QUICK_ROUNDS = 3;
const SMALL_IN_FLIGHT = 32;
/** A caller may leave 8 MiB unread before its calls are held back: more would measure the waiting. */
const LARGE_IN_FLIGHT = 4;

/** @param {string} name @param {string} kind @param {(series: Record<string, Series>) => Check[]} check @param {{ hasSdk?: boolean, extra?: Record<string, import('./rounds.mjs').Driver> }} [options] @returns {Row} */
function smallRow(name, kind, check, { hasSdk = false, extra = {} } = {}) {
  return {
    name,
    kind,
    inFlight: SMALL_IN_FLIGHT,
    async measure({ workshop, isQuick }) {
      const series = await measureRounds(workshop, {
        drivers: {
          direct: { middle: 'direct', kind, share: 0.1 },
          pipe: { middle: 'pipe', kind, share: 0.2 },
          relay: { middle: 'relay', kind },
          doorward: { middle: 'doorward', kind },
          ...(hasSdk ? { sdk: { middle: 'sdk', kind, share: 0.1 } } : {}),
          ...extra,
        },
        rounds: isQuick ? QUICK_ROUNDS : ROUNDS,
        calls: isQuick ? 10_000 : 50_000,
        warmCalls: isQuick ? 5_000 : 10_000,
        inFlight: SMALL_IN_FLIGHT,
        aloneCalls: 300,
      });
      return { checks: check(series), figures: summariseAll(series) };
    },
  };
}

/** @param {string} name @param {string} kind @param {{ bar: number, goal?: number, baseline?: 'relay' | 'parse-stringify' }} bounds @returns {Row} */
function largeRow(name, kind, { bar, goal, baseline = 'relay' }) {
  return {
    name,
    kind,
    inFlight: LARGE_IN_FLIGHT,
    async measure({ workshop, isQuick }) {
      const series = await measureRounds(workshop, {
        drivers: {
          relay: { middle: 'relay', kind },
          doorward: { middle: 'doorward', kind },
          ...(baseline === 'relay' ? {} : { [baseline]: { middle: baseline, kind, share: 0.3 } }),
        },
        rounds: isQuick ? QUICK_ROUNDS : ROUNDS,
        calls: isQuick ? 50 : 150,
        warmCalls: isQuick ? 20 : 50,
        inFlight: LARGE_IN_FLIGHT,
        aloneCalls: 10,
      });
      workshop.dropPool(kind);
      return { checks: [costCheck(series, 'CPU a call', { baseline, bar, goal })], figures: summariseAll(series) };
    },
  };
}

/** @param {Record<string, Series>} series @returns {Check} */
function judgingCheck(series) {
  const judged = seriesOf(series, 'doorward').cpuMicros;
  const unjudged = seriesOf(series, 'unjudged').cpuMicros;
  return {
    name: 'judging adds',
    figure: showMicros(lowestQuartile(judged)),
    against: `{"type":"object"} ${showMicros(lowestQuartile(unjudged))}`,
    value: medianDifference(judged, unjudged),
    bar: 10,
    goal: 5,
    unit: 'us',
  };
}

/** @param {Record<string, Series>} series @returns {Check[]} */
const textChecks = (series) => [
  costCheck(series, 'CPU a call', { baseline: 'relay', bar: 2, goal: 1.5 }),
  costCheck(series, 'CPU a call', { baseline: 'sdk', bar: 0.2, goal: 0.15 }),
  speedCheck(series, { bar: 0.65, goal: 0.8 }),
];

/** @type {readonly Row[]} */
export const ROWS = [
  smallRow('10 B', 'tiny', textChecks, { hasSdk: true }),
  smallRow('1 KB text', 'text-1k', textChecks, { hasSdk: true }),
  smallRow(
    '1 KB structured',
    'structured-1k',
    (series) => [costCheck(series, 'CPU a call', { baseline: 'relay', bar: 3, goal: 2.2 }), judgingCheck(series)],
    { extra: { unjudged: { middle: 'doorward', kind: 'structured-1k-unjudged' } } },
  ),
  largeRow('1 MB text result', 'text-1m-result', { bar: 1.4, goal: 1.15 }),
  largeRow('1 MB text both ways', 'text-1m-both', { bar: 2, goal: 1.4 }),
  largeRow('1 MB escaped both ways', 'escaped-1m-both', { bar: 3.5, goal: 2.5 }),
  largeRow('1 MB structured both ways', 'structured-1m-both', { bar: 0.7, goal: 0.5, baseline: 'parse-stringify' }),
  largeRow('1 MB arguments', 'arguments-1m', { bar: 5 }),
  startUpRow,
  memoryRow,
  listRow,
  largeResultRow,
  ...HTTP_ROWS,
];
