// @ts-check
/** Paired rounds: in each, every middle is started anew, warmed, and then driven by turns in short slices. */
import { microsBetween, readThreadMicros } from './machine.mjs';
import { KINDS } from './payloads.mjs';
import { lowestQuartile, median, quantile } from './statistics.mjs';

/** @typedef {import('./middles.mjs').Middle} Middle */
/**
 * @typedef {object} Driver one column of a row
 * @property {Middle | import('./middles.mjs').HttpMiddle} middle
 * @property {string} kind payload kind
 * @property {number} [share] of the row's calls; for what carries no bound, or is slow enough to be exact with few
 * @property {number} [warmShare] of the calls that warm it up; `share`, but half of them at least, unless said
 */
/**
 * @typedef {object} Series one figure a round
 * @property {number[]} cpuMicros CPU of the middle, all threads, a call
 * @property {number[]} callsPerSecond
 * @property {number[]} p50Ms
 * @property {number[]} p99Ms
 * @property {number[]} aloneP50Ms with one call in flight
 * @property {number[]} aloneP99Ms
 */

/** @typedef {import('./load.mjs').Caller | import('./http-load.mjs').HttpCaller} AnyCaller */
/** @typedef {(workshop: import('./middles.mjs').Workshop, driver: Driver) => Promise<AnyCaller>} Start */

const SLICES = 5;

/**
 * @param {import('./middles.mjs').Workshop} workshop
 * @param {{ drivers: Readonly<Record<string, Driver>>, rounds: number, calls: number, warmCalls: number, inFlight: number, aloneCalls: number, start?: Start }} plan `start` puts a middle before its upstream; over pipes unless said
 * @returns {Promise<Record<string, Series>>}
 */
export async function measureRounds(workshop, plan) {
  /** @type {Record<string, Series>} */
  const series = {};
  for (const name of Object.keys(plan.drivers)) {
    series[name] = { cpuMicros: [], callsPerSecond: [], p50Ms: [], p99Ms: [], aloneP50Ms: [], aloneP99Ms: [] };
  }
  for (let round = 0; round < plan.rounds; round++) {
    const entries = Object.entries(plan.drivers);
    // Whoever goes first in a round differs from round to round.
    const order = [...entries.slice(round % entries.length), ...entries.slice(0, round % entries.length)];
    await measureRound(workshop, plan, order, series);
  }
  return series;
}

/**
 * @param {import('./middles.mjs').Workshop} workshop
 * @param {{ calls: number, warmCalls: number, inFlight: number, aloneCalls: number, start?: Start }} plan
 * @param {readonly (readonly [string, Driver])[]} order
 * @param {Record<string, Series>} series
 */
async function measureRound(workshop, { calls, warmCalls, inFlight, aloneCalls, start = startPiped }, order, series) {
  const running = [];
  try {
    for (const [name, driver] of order) {
      const { kind, share = 1, warmShare = Math.max(share, 0.5) } = driver;
      const caller = await start(workshop, driver);
      const entry = {
        name,
        caller,
        share,
        pool: workshop.pool(kind),
        tool: '',
        micros: 0,
        seconds: 0,
        calls: 0,
        latencies: /** @type {Float64Array[]} */ ([]),
      };
      running.push(entry);
      entry.tool = await caller.findName(/** @type {{ tool: string }} */ (KINDS[kind]).tool);
      await caller.drive({
        name: entry.tool,
        pool: entry.pool,
        calls: Math.max(inFlight, Math.ceil(warmCalls * warmShare)),
        inFlight,
      });
    }
    for (let slice = 0; slice < SLICES; slice++) {
      for (const entry of running) {
        const count = Math.max(inFlight, Math.round((calls * entry.share) / SLICES));
        const before = readThreadMicros(entry.caller.pid);
        const driven = await entry.caller.drive({ name: entry.tool, pool: entry.pool, calls: count, inFlight });
        entry.micros += microsBetween(before, readThreadMicros(entry.caller.pid));
        entry.seconds += driven.seconds;
        entry.calls += count;
        entry.latencies.push(driven.latenciesMs);
      }
    }
    for (const entry of running) {
      const one = /** @type {Series} */ (series[entry.name]);
      const latencies = joinArrays(entry.latencies);
      one.cpuMicros.push(entry.micros / entry.calls);
      one.callsPerSecond.push(entry.calls / entry.seconds);
      one.p50Ms.push(quantile(latencies, 0.5));
      one.p99Ms.push(quantile(latencies, 0.99));
      const alone = await entry.caller.drive({ name: entry.tool, pool: entry.pool, calls: aloneCalls, inFlight: 1 });
      one.aloneP50Ms.push(quantile(alone.latenciesMs, 0.5));
      one.aloneP99Ms.push(quantile(alone.latenciesMs, 0.99));
    }
  } finally {
    for (const { caller } of running) await caller.close();
  }
}

/** @type {Start} */
function startPiped(workshop, { middle, kind }) {
  return workshop.start(/** @type {Middle} */ (middle), workshop.upstream([kind]));
}

/** @param {readonly Float64Array[]} parts */
function joinArrays(parts) {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Series} series @returns {Record<string, number>} one figure each: lowest quartile of costs, median of the rest */
export function summarise(series) {
  return {
    cpuMicros: lowestQuartile(series.cpuMicros),
    callsPerSecond: median(series.callsPerSecond),
    p50Ms: median(series.p50Ms),
    p99Ms: median(series.p99Ms),
    aloneP50Ms: median(series.aloneP50Ms),
    aloneP99Ms: median(series.aloneP99Ms),
  };
}
