// @ts-check
/** The rows over HTTP, in both eras: calls before a relay and an SDK proxy, memory, idle sessions. Bounds of the hot path's table. */
import { costCheck, speedCheck, summariseAll } from './checks.mjs';
import { readMegabytes } from './machine.mjs';
import { KINDS } from './payloads.mjs';
import { measureRounds } from './rounds.mjs';
import { median, medianDifference } from './statistics.mjs';

/** @typedef {import('./checks.mjs').Check} Check */
/** @typedef {import('./checks.mjs').Row} Row */
/** @typedef {import('./http-load.mjs').Era} Era */
/** @typedef {import('./middles.mjs').HttpMiddle} HttpMiddle */

const ROUNDS = 7;
const QUICK_ROUNDS = 3;
const SMALL_IN_FLIGHT = 32;
const LARGE_IN_FLIGHT = 4;
const CALLS_BEFORE_RSS = 10_000;
const IDLE_SESSIONS = 1_000;
const SPEED = { bar: 0.8, goal: 0.95 };
const ERAS = /** @type {const} */ (['handshake', 'modern']);
const YEARS = { handshake: '2025', modern: '2026' };

/**
 * @typedef {object} Plan
 * @property {string} title
 * @property {string} kind
 * @property {{ bar: number, goal: number }} cost of CPU against the relay
 * @property {boolean} [hasSdk]
 * @property {boolean} [isLarge]
 */

/** @type {readonly Plan[]} */
const PLANS = [
  { title: '10 B', kind: 'tiny', cost: { bar: 1.5, goal: 1.25 }, hasSdk: true },
  { title: '1 KB text', kind: 'text-1k', cost: { bar: 1.5, goal: 1.25 }, hasSdk: true },
  { title: '1 KB structured', kind: 'structured-1k', cost: { bar: 1.8, goal: 1.4 } },
  { title: '1 MB text both ways', kind: 'text-1m-both', cost: { bar: 2, goal: 1.5 }, isLarge: true },
];

/** @param {Plan} plan @param {Era} era @returns {Row} */
function callRow({ title, kind, cost, hasSdk = false, isLarge = false }, era) {
  return {
    name: `http ${title}, ${YEARS[era]}`,
    kind,
    inFlight: isLarge ? LARGE_IN_FLIGHT : SMALL_IN_FLIGHT,
    http: era,
    async measure({ workshop, isQuick }) {
      /** @param {HttpMiddle} middle @param {number} [share] */
      const driver = (middle, share) => ({ middle, kind, ...(share === undefined ? {} : { share }) });
      const series = await measureRounds(workshop, {
        drivers: {
          direct: driver('direct', 0.1),
          relay: driver('relay'),
          doorward: driver('doorward'),
          'stdio behind': driver('doorward, stdio behind', 0.5),
          ...(hasSdk ? { sdk: { ...driver('sdk', 0.1), warmShare: 0.2 } } : {}),
        },
        start: (shop, { middle }) => shop.startHttp(/** @type {HttpMiddle} */ (middle), era, [kind]),
        rounds: isQuick ? QUICK_ROUNDS : ROUNDS,
        ...(isLarge ? largeCounts(isQuick) : smallCounts(isQuick)),
      });
      if (isLarge) workshop.dropPool(kind);
      return {
        checks: [
          costCheck(series, 'CPU a call', { baseline: 'relay', ...cost }),
          ...(hasSdk ? [costCheck(series, 'CPU a call', { baseline: 'sdk', bar: 0.25 })] : []),
          ...(isLarge ? [] : [speedCheck(series, SPEED)]),
        ],
        figures: summariseAll(series),
      };
    },
  };
}

/** @param {boolean} isQuick */
function smallCounts(isQuick) {
  return {
    calls: isQuick ? 4_000 : 15_000,
    warmCalls: isQuick ? 6_000 : 10_000,
    inFlight: SMALL_IN_FLIGHT,
    aloneCalls: 200,
  };
}

/** @param {boolean} isQuick */
function largeCounts(isQuick) {
  return { calls: isQuick ? 50 : 150, warmCalls: isQuick ? 20 : 50, inFlight: LARGE_IN_FLIGHT, aloneCalls: 10 };
}

/** @type {Row} */
const memoryRow = {
  name: 'http memory',
  async measure({ workshop }) {
    const kinds = ['text-1k', 'structured-1k'];
    /** @type {Record<string, Record<string, number>>} */
    const figures = {};
    for (const middle of /** @type {const} */ (['relay', 'doorward'])) {
      const caller = await workshop.startHttp(middle, 'modern', kinds);
      try {
        for (const kind of kinds) await load(caller, workshop, kind, CALLS_BEFORE_RSS / kinds.length);
        figures[middle] = { rssMb: readMegabytes(caller.pid, 'VmRSS'), mostMb: readMegabytes(caller.pid, 'VmHWM') };
      } finally {
        await caller.close();
      }
    }
    const rssMb = figures.doorward?.rssMb ?? Number.NaN;
    const relay = `relay ${figures.relay?.rssMb?.toFixed(1)} MB`;
    return {
      figures,
      checks: [megabytes(`RSS after ${CALLS_BEFORE_RSS} calls at 1 KB`, rssMb, relay, { bar: 130, goal: 100 })],
    };
  },
};

/**
 * The same load twice, with the sessions opened in between and without them: what is left free in a heap that has just
 * worked would hide them otherwise.
 *
 * @type {Row}
 */
const sessionsRow = {
  name: 'http idle sessions',
  async measure({ workshop, isQuick }) {
    const ways = {
      none: { count: 0, hasStream: false },
      idle: { count: IDLE_SESSIONS, hasStream: false },
      listening: { count: IDLE_SESSIONS, hasStream: true },
    };
    /** @type {Record<string, number[]>} */
    const rss = { none: [], idle: [], listening: [] };
    for (let turn = 0; turn < (isQuick ? 1 : 3); turn++) {
      for (const [name, way] of Object.entries(ways)) rss[name]?.push(await megabytesWith(workshop, way));
    }
    const added = (/** @type {string} */ name) => medianDifference(rss[name] ?? [], rss.none ?? []);
    const figures = Object.fromEntries(Object.entries(rss).map(([name, values]) => [name, { rssMb: median(values) }]));
    const bounds = { bar: 60 };
    return {
      figures,
      checks: [
        megabytes(`${IDLE_SESSIONS} idle sessions add`, added('idle'), '', bounds),
        megabytes(`${IDLE_SESSIONS} that listen as well add`, added('listening'), '', bounds),
      ],
    };
  },
};

/** @param {import('./middles.mjs').Workshop} workshop @param {{ count: number, hasStream: boolean }} sessions @returns {Promise<number>} */
async function megabytesWith(workshop, { count, hasStream }) {
  const caller = await workshop.startHttp('doorward', 'handshake', ['text-1k']);
  try {
    await load(caller, workshop, 'text-1k', CALLS_BEFORE_RSS / 2);
    await openSessions(caller, count, hasStream);
    await load(caller, workshop, 'text-1k', CALLS_BEFORE_RSS / 2);
    return await restingMegabytes(caller.pid);
  } finally {
    await caller.close();
  }
}

/** @param {import('./http-load.mjs').HttpCaller} caller @param {import('./middles.mjs').Workshop} workshop @param {string} kind @param {number} calls */
async function load(caller, workshop, kind, calls) {
  const name = await caller.findName(/** @type {{ tool: string }} */ (KINDS[kind]).tool);
  await caller.drive({ name, pool: workshop.pool(kind), calls, inFlight: SMALL_IN_FLIGHT });
}

/**
 * Sessions as clients open them, each of which lists the tools once.
 *
 * @param {import('./http-load.mjs').HttpCaller} caller @param {number} count @param {boolean} hasStream whether each keeps the stream open for what belongs to no request
 */
async function openSessions(caller, count, hasStream) {
  const own = caller.session;
  const opened = new Set([own]);
  for (let turn = 0; turn < count; turn++) {
    caller.session = '';
    await caller.initialize();
    await caller.listNames();
    if (hasStream) await caller.listen();
    opened.add(caller.session);
  }
  if (opened.size !== count + 1) throw new Error(`${opened.size} sessions are open, not ${count + 1}`);
  caller.session = own;
}

/** The resident set once it has stopped shrinking. @param {number} pid */
async function restingMegabytes(pid) {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < 5; reading++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    least = Math.min(least, readMegabytes(pid, 'VmRSS'));
  }
  return least;
}

/** @param {string} name @param {number} value @param {string} against @param {{ bar: number, goal?: number }} bounds @returns {Check} */
function megabytes(name, value, against, bounds) {
  return { name, figure: `${value.toFixed(1)} MB`, against, value, ...bounds, unit: 'MB' };
}

export const HTTP_ROWS = [...ERAS.flatMap((era) => PLANS.map((plan) => callRow(plan, era))), memoryRow, sessionsRow];
