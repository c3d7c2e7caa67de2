// @ts-check
/** Where the time goes: runs doorward under V8's sampling profiler for one row and lists the functions by their own time. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinLoad } from './machine.mjs';
import { Workshop } from './middles.mjs';
import { KINDS } from './payloads.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const CACHE = join(ROOT, 'node_modules', '.cache');
const INTERVAL_MICROS = 100;
const FUNCTIONS_SHOWN = 40;

/**
 * @typedef {object} CpuProfile what V8 writes; times in microseconds of the monotonic clock
 * @property {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[]} nodes
 * @property {number[]} samples
 * @property {number[]} timeDeltas
 * @property {number} startTime
 */

/**
 * @param {{ kind: string, calls: number, inFlight: number, http?: import('./http-load.mjs').Era | undefined, middle?: readonly string[] | undefined, say: (text: string) => void }} options
 */
export async function profileRow({ kind, calls, inFlight, http, middle, say }) {
  pinLoad();
  mkdirSync(CACHE, { recursive: true });
  // Beside node_modules, so that packages outside the bundle are still found.
  const directory = mkdtempSync(join(CACHE, 'doorward-profile-'));
  const flags = ['--cpu-prof', `--cpu-prof-dir=${directory}`, `--cpu-prof-interval=${INTERVAL_MICROS}`];
  const subject = middle ?? [
    process.execPath,
    await bundleReadably(directory),
    http ? 'serve' : 'stdio',
    '--config',
    '{config}',
  ];
  const [node = '', ...rest] = subject;
  // Not pinned: the sampling thread needs a core of its own, or it samples only while the main thread sleeps.
  const workshop = new Workshop({ subject: [node, ...flags, ...rest], isPinned: false });
  try {
    const caller = http
      ? await workshop.startHttp('doorward', http, [kind])
      : await workshop.start('doorward', workshop.upstream([kind]));
    const name = await caller.findName(/** @type {{ tool: string }} */ (KINDS[kind]).tool);
    const pool = workshop.pool(kind);
    await caller.drive({ name, pool, calls: Math.ceil(calls / 4), inFlight });
    const fromMicros = nowMicros();
    await caller.drive({ name, pool, calls, inFlight });
    const toMicros = nowMicros();
    await caller.close();
    const file = readdirSync(directory).find((one) => one.endsWith('.cpuprofile'));
    if (!file)
      throw new Error(`no profile was written; the process must end by itself at the end of stdin: ${caller.stderr}`);
    const profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    say(renderProfile(profile, { fromMicros, toMicros, calls }));
  } finally {
    workshop.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The published bundle is minified; its names would say nothing. @param {string} directory @returns {Promise<string>} path of the entry */
async function bundleReadably(directory) {
  const { rolldown } = await import('rolldown');
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const outside = Object.keys({ ...dependencies, ...peerDependencies });
  const build = await rolldown({
    input: { cli: join(ROOT, 'src/cli/main.ts') },
    platform: 'node',
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    resolve: { mainFields: ['module', 'main'], extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'node20.19' },
    logLevel: 'silent',
  });
  await build.write({ dir: directory, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await build.close();
  return join(directory, 'cli.mjs');
}

const nowMicros = () => Number(process.hrtime.bigint() / 1000n);

/** @param {CpuProfile} profile @param {{ fromMicros: number, toMicros: number, calls: number }} window @returns {string} */
function renderProfile({ nodes, samples, timeDeltas, startTime }, { fromMicros, toMicros, calls }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  /** @type {Map<string, number>} */
  const own = new Map();
  let total = 0;
  let atMicros = startTime;
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    atMicros += delta;
    // Start-up and warming lie before the window; V8's clock and ours are the same one.
    if (atMicros < fromMicros || atMicros > toMicros) continue;
    const frame = frames.get(id);
    if (!frame || frame.functionName === '(idle)') continue;
    const file = frame.url.split('/').slice(-2).join('/');
    const label = `${frame.functionName || '(anonymous)'}  ${file}${file ? `:${frame.lineNumber + 1}` : ''}`;
    own.set(label, (own.get(label) ?? 0) + delta);
    total += delta;
  }
  const lines = [...own]
    .sort(([, a], [, b]) => b - a)
    .slice(0, FUNCTIONS_SHOWN)
    .map(([label, micros]) => {
      const share = `${((100 * micros) / total).toFixed(1)} %`;
      return `${share.padStart(7)}  ${(micros / calls).toFixed(3).padStart(9)} us  ${label}`;
    });
  return [
    `${(total / calls).toFixed(2)} us a call on the main thread, the profiler's own cost included`,
    ...lines,
  ].join('\n');
}
