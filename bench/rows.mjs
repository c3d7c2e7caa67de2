// @ts-check
/**
 * Every row of the bench with its bounds. A row measures and returns figures to show and checks to hold.
 * The bounds are those of the hot path's table (they replace the first issue's where the two differ).
 */
import { largeResultRow, listRow, memoryRow } from './footprint.mjs';
import { measureRounds, summarise } from './rounds.mjs';
import { startUpRow } from './start-up.mjs';
import { lowestQuartile, medianDifference, medianRatio } from './statistics.mjs';

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
/** @typedef {{ name: string, kind?: string, inFlight?: number, measure: (context: Context) => Promise<Measured> }} Row `kind` and `inFlight` where it can be profiled */
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

/** @param {Record<string, Series>} series */
function summariseAll(series) {
  return Object.fromEntries(Object.entries(series).map(([name, one]) => [name, summarise(one)]));
}

/** @param {number} micros */
const showMicros = (micros) => `${micros < 100 ? micros.toFixed(2) : Math.round(micros)} us`;

/** @param {Record<string, Series>} series @param {string} name @returns {Series} */
function seriesOf(series, name) {
  const one = series[name];
  if (!one) throw new Error(`the row measured no ${name}`);
  return one;
}

/** @param {Record<string, Series>} series @param {string} name @param {{ baseline: string, bar: number, goal?: number | undefined }} bounds @returns {Check} */
function costCheck(series, name, { baseline, bar, goal }) {
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

/** @param {Record<string, Series>} series @returns {Check} */
function speedCheck(series) {
  const subject = seriesOf(series, 'doorward').callsPerSecond;
  const base = seriesOf(series, 'relay').callsPerSecond;
  return {
    name: 'calls/s at 32',
    figure: `${Math.round(medianOf(subject) / 1000)} k/s`,
    against: `relay ${Math.round(medianOf(base) / 1000)} k/s`,
    value: medianRatio(subject, base),
    bar: 0.65,
    goal: 0.8,
    kind: 'least',
  };
}

/** @param {readonly number[]} values */
const medianOf = (values) =>
  medianRatio(
    values,
    values.map(() => 1),
  );

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
  speedCheck(series),
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
];
