// @ts-check
/** What it costs to start: CPU of short commands beside that of a node process that does nothing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onCore, readProcessMicros } from './machine.mjs';
import { medianRatio, quantile } from './statistics.mjs';

/** @typedef {import('./checks.mjs').Row} Row */

const REPETITIONS = 15;
const QUICK_REPETITIONS = 4;
/** Starts a reading: the shell's clock has a millisecond's grain. */
const STARTS = 3;
/** The files of the bundle that a listing loads and that are large enough to be kept compiled. */
const CHUNKS_KEPT = 2;
// The shell reads what the kernel counted for the children it waited for: user and system time, all threads, to the end.
const SCRIPT = `TIMEFORMAT='%3U %3S'; time for i in ${'x '.repeat(STARTS)}; do "$@" </dev/null >/dev/null 2>&1; done`;

/** @type {Row} */
export const startUpRow = {
  name: 'start-up',
  async measure({ workshop, isQuick }) {
    // CommonJS, since the loader of modules costs 5 ms more: the barest process there is.
    const empty = join(workshop.directory, 'empty.cjs');
    const emptyModule = join(workshop.directory, 'empty.mjs');
    for (const path of [empty, emptyModule]) writeFileSync(path, '');
    const upstream = workshop.upstream(['tiny']);
    const stdio = workshop.command('doorward', upstream);
    const bare = stdio.slice(0, 2);
    // A stand-in for doorward has no such commands.
    const commands = workshop.subject ? [] : ['--version', '--help'];
    /** @type {Record<string, number[]>} */
    const millis = Object.fromEntries(['empty', 'empty module', ...commands, 'stdio'].map((name) => [name, []]));
    /** @param {string} name @param {number} value */
    const note = (name, value) => millis[name]?.push(value);
    await leaveTraces(workshop, upstream);
    for (let turn = 0; turn < (isQuick ? QUICK_REPETITIONS : REPETITIONS); turn++) {
      note('empty', commandMillis(workshop.env, [process.execPath, empty]));
      for (const command of commands) note(command, commandMillis(workshop.env, [...bare, command]));
      note('empty module', commandMillis(workshop.env, [process.execPath, emptyModule]));
      let sum = 0;
      for (let start = 0; start < STARTS; start++) sum += await startOnce(workshop, upstream);
      note('stdio', sum / STARTS);
    }
    const figures = Object.fromEntries(
      Object.entries(millis).map(([name, values]) => [
        name,
        { cpuMs: quantile(values, 0.25), medianMs: quantile(values, 0.5), mostMs: quantile(values, 1) },
      ]),
    );
    /** @param {string} name @param {string} label @param {number} bar @param {number} [goal] @returns {import('./checks.mjs').Check} */
    const check = (name, label, bar, goal) => ({
      name: label,
      figure: `${figures[name]?.cpuMs?.toFixed(1)} ms`,
      against: `empty node process ${figures.empty?.cpuMs?.toFixed(1)} ms`,
      value: medianRatio(millis[name] ?? [], millis.empty ?? []),
      bar,
      goal,
    });
    return {
      figures,
      checks: [
        ...commands.map((command) =>
          command === '--version' ? check(command, command, 1.2, 1.1) : check(command, command, 1.25),
        ),
        check('stdio', 'stdio until initialize is answered', 1.6, 1.3),
      ],
    };
  },
};

/**
 * Leaves on disk what every start but the first finds there: the catalog, and the compiled code, which is written when
 * the start is long over.
 *
 * @param {import('./middles.mjs').Workshop} workshop @param {readonly string[]} upstream
 */
async function leaveTraces(workshop, upstream) {
  const caller = await workshop.start('doorward', upstream);
  await caller.listNames();
  const code = join(workshop.env.XDG_CACHE_HOME, 'doorward', 'code');
  const isKept = () => existsSync(code) && readdirSync(code).length >= CHUNKS_KEPT;
  // A stand-in for doorward leaves nothing.
  for (let tries = 0; tries < 100 && !workshop.subject && !isKept(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (!workshop.subject && !isKept()) throw new Error(`no compiled code was kept in ${code}`);
  await caller.close();
}

/** @param {NodeJS.ProcessEnv} env @param {readonly string[]} argv @returns {number} milliseconds of CPU for one start */
function commandMillis(env, argv) {
  const { stderr, status } = spawnSync('bash', ['-c', SCRIPT, 'bash', ...onCore('middle', argv)], { env });
  const [user, system] = stderr.toString().trim().split(' ').map(Number);
  if (status !== 0 || user === undefined || system === undefined || Number.isNaN(user + system)) {
    throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  }
  return ((user + system) * 1000) / STARTS;
}

/**
 * @param {import('./middles.mjs').Workshop} workshop @param {readonly string[]} upstream
 * @returns {Promise<number>} milliseconds of CPU until the answer to initialize has come
 */
async function startOnce(workshop, upstream) {
  const caller = await workshop.start('doorward', upstream);
  const micros = readProcessMicros(caller.pid);
  await caller.close();
  return micros / 1000;
}
