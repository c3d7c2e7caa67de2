// @ts-check
/** What is not a cost a call: memory after load, listing many tools, results too large for comfort. */
import { readMegabytes, readProcessMicros } from './machine.mjs';
import { KINDS } from './payloads.mjs';
import { lowestQuartile } from './statistics.mjs';

/** @typedef {import('./checks.mjs').Row} Row */
/** @typedef {import('./checks.mjs').Check} Check */
/** @typedef {import('./load.mjs').Caller} Caller */

const CALLS_BEFORE_RSS = 10_000;
const LIST_SIZES = [10, 100, 1000, 5000];
const LISTS_AGAIN = 20;
const QUIET_MS = 300;
const QUIET_MICROS = 2000;

/** @type {Row} */
export const memoryRow = {
  name: 'memory',
  async measure({ workshop }) {
    /** @type {Record<string, Record<string, number>>} */
    const figures = {};
    for (const middle of /** @type {const} */ (['relay', 'doorward'])) {
      const kinds = ['text-1k', 'structured-1k'];
      const caller = await workshop.start(middle, workshop.upstream(kinds));
      try {
        for (const kind of kinds) {
          const name = await caller.findName(toolOf(kind));
          await caller.drive({ name, pool: workshop.pool(kind), calls: CALLS_BEFORE_RSS / kinds.length, inFlight: 32 });
        }
        figures[middle] = { rssMb: readMegabytes(caller.pid, 'VmRSS'), mostMb: readMegabytes(caller.pid, 'VmHWM') };
      } finally {
        await caller.close();
      }
    }
    const rssMb = figures.doorward?.rssMb ?? Number.NaN;
    /** @type {Check} */
    const check = {
      name: `RSS after ${CALLS_BEFORE_RSS} calls at 1 KB`,
      figure: `${rssMb.toFixed(1)} MB (the issue's bar: 90 MB)`,
      against: `relay ${figures.relay?.rssMb?.toFixed(1)} MB`,
      value: rssMb,
      bar: 110,
      goal: 80,
      unit: 'MB',
    };
    return { figures, checks: [check] };
  },
};

/** @type {Row} */
export const listRow = {
  name: 'tools/list',
  async measure({ workshop, isQuick }) {
    /** @type {Record<string, Record<string, number>>} */
    const figures = {};
    for (const size of LIST_SIZES) {
      const first = [];
      const again = [];
      for (let turn = 0; turn < (isQuick || size !== 1000 ? 1 : 4); turn++) {
        const caller = await workshop.start('doorward', workshop.upstream(['tiny'], size));
        try {
          first.push(await firstListMillis(caller, size));
          const before = readProcessMicros(caller.pid);
          for (let count = 0; count < LISTS_AGAIN; count++) await caller.listNames();
          again.push((readProcessMicros(caller.pid) - before) / 1000 / LISTS_AGAIN);
        } finally {
          await caller.close();
        }
      }
      figures[`${size} tools`] = { firstCpuMs: lowestQuartile(first), againCpuMs: lowestQuartile(again) };
    }
    const thousand = figures['1000 tools'] ?? {};
    /** @param {string} name @param {number} value @returns {Check} */
    const check = (name, value) => ({
      name,
      figure: `${value.toFixed(2)} ms`,
      against: '',
      value,
      bar: 20,
      unit: 'ms',
    });
    return {
      figures,
      checks: [
        check('1,000 tools, listed first', thousand.firstCpuMs ?? Number.NaN),
        check('1,000 tools, listed again', thousand.againCpuMs ?? Number.NaN),
      ],
    };
  },
};

/** The first listing a caller asks for, once the catalog is complete and the process has come to rest.
 * @param {Caller} caller @param {number} size */
async function firstListMillis(caller, size) {
  for (let tries = 0; tries < 20; tries++) {
    await comeToRest(caller.pid);
    const before = readProcessMicros(caller.pid);
    const names = await caller.listNames();
    const millis = (readProcessMicros(caller.pid) - before) / 1000;
    if (names.length >= size) return millis;
  }
  throw new Error(`${size} tools are never all listed: ${caller.stderr}`);
}

/** @param {number} pid */
async function comeToRest(pid) {
  for (let last = -Infinity, tries = 0; tries < 100; tries++) {
    const micros = readProcessMicros(pid);
    if (micros - last < QUIET_MICROS) return;
    last = micros;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** @type {Row} */
export const largeResultRow = {
  name: 'large results',
  async measure({ workshop }) {
    const kinds = ['tiny', 'text-16m-result', 'text-40m-result'];
    const caller = await workshop.start('doorward', workshop.upstream(kinds));
    try {
      const name = await caller.findName(toolOf('tiny'));
      const passed = await caller.drive({ name, pool: workshop.pool('text-16m-result'), calls: 3, inFlight: 1 });
      const [tooLarge] = workshop.pool('text-40m-result');
      const params = { name, arguments: JSON.parse(String(tooLarge?.arguments)) };
      const { error } = await caller.request('tools/call', params);
      await caller.drive({ name, pool: workshop.pool('tiny'), calls: 1000, inFlight: 32 });
      const passedMs = (passed.seconds * 1000) / 3;
      return {
        figures: { doorward: { ms16Mb: passedMs, mostMb: readMegabytes(caller.pid, 'VmHWM') } },
        checks: [
          {
            name: '16 MB passes',
            figure: `${passedMs.toFixed(0)} ms`,
            against: '',
            value: 1,
            bar: 1,
            kind: 'least',
            unit: '',
          },
          {
            name: '40 MB fails alone',
            figure: error ? `${error.code} ${error.message.slice(0, 40)}` : 'answered with a result',
            against: '1,000 calls after it',
            value: error ? 1 : 0,
            bar: 1,
            kind: 'least',
            unit: '',
          },
        ],
      };
    } finally {
      await caller.close();
      for (const kind of kinds.slice(1)) workshop.dropPool(kind);
    }
  },
};

/** @param {string} kind */
const toolOf = (kind) => /** @type {{ tool: string }} */ (KINDS[kind]).tool;
