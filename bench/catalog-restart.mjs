// @ts-check
/**
 * `npm run bench:restart`: what it costs doorward to list ten upstreams' tools from disk while none of them is up. Warms the
 * catalog with upstreams that answer at once, then starts doorward anew before the same ones asleep; exits 1 over 100 ms of
 * CPU beyond an empty configuration, or where the list is not the one that was kept.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Caller } from './load.mjs';
import { describeMachine, onCore, pinLoad, readProcessMicros } from './machine.mjs';
import { DIST, Workshop } from './middles.mjs';
import { median, medianDifference } from './statistics.mjs';
import { listedTool } from './tool-list.mjs';

const UPSTREAMS = 10;
const TOOLS_EACH = 30;
const ROUNDS = 7;
const BAR_MS = 100;
const WARM_TRIES = 200;
/** Of the bundle, `stdio` keeps the code of its start and of its gateway. */
const CHUNKS_KEPT = 2;
const WARM_PAUSE_MS = 50;

const HERE = dirname(fileURLToPath(import.meta.url));
/** Names that need no digest behind their mount's, so that a public name can be foretold. */
const PLAIN_NAME = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

/** @typedef {{ readonly tools: readonly { readonly name: string }[], readonly stale: readonly string[], readonly cpuMs: number, readonly wallMs: number }} Started */

process.exitCode = await main();

async function main() {
  if (!existsSync(DIST)) {
    process.stderr.write('There is no dist/cli.cjs: run `npm run build` first.\n');
    return 2;
  }
  pinLoad();
  const { tools, origin } = readTools();
  process.stdout.write(`${describeMachine()}\n${tools.length} tools, ${origin}\n`);
  const workshop = new Workshop();
  try {
    return await measure(workshop, tools);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    workshop.close();
  }
}

/** @param {Workshop} workshop @param {readonly object[]} tools */
async function measure(workshop, tools) {
  const { config, empty, flag } = writeConfigs(workshop, tools);
  const kept = await warm(workshop, config);
  writeFileSync(flag, '');
  /** @type {{ empty: number[], restart: number[], wall: number[] }} */
  const rounds = { empty: [], restart: [], wall: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const nothing = await startOnce(workshop, empty);
    const restart = await startOnce(workshop, config);
    check(restart, kept);
    rounds.empty.push(nothing.cpuMs);
    rounds.restart.push(restart.cpuMs);
    rounds.wall.push(restart.wallMs);
  }
  const value = medianDifference(rounds.restart, rounds.empty);
  const ms = (/** @type {number} */ figure) => `${figure.toFixed(1)} ms`;
  process.stdout.write(
    [
      `CPU until the list has come, ${ROUNDS} rounds, medians:`,
      `  ${UPSTREAMS} upstreams from disk  ${ms(median(rounds.restart))} (${rounds.restart.map((one) => one.toFixed(0)).join(' ')})`,
      `  empty configuration    ${ms(median(rounds.empty))} (${rounds.empty.map((one) => one.toFixed(0)).join(' ')})`,
      `  difference             ${ms(value)}, bar ${BAR_MS} ms: ${value <= BAR_MS ? 'ok' : 'MISS'}`,
      `  the caller waited      ${ms(median(rounds.wall))}`,
      '',
    ].join('\n'),
  );
  return value <= BAR_MS ? 0 : 1;
}

/** Tools of real servers; made-up ones of their size where the data is not there. */
function readTools() {
  const named = process.env.DOORWARD_TEST_DATA;
  const folder = join(named ? resolve(named) : join(HERE, '..', '..', 'shared', 'json-schema'), 'real-tools');
  const count = UPSTREAMS * TOOLS_EACH;
  if (!existsSync(folder)) {
    return { tools: Array.from({ length: count }, (_, index) => listedTool(index)), origin: `made up: no ${folder}` };
  }
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const all = files.sort().flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).tools);
  const tools = all.filter(({ name }) => PLAIN_NAME.test(name) && name.length < 50).slice(0, count);
  if (tools.length < count) throw new Error(`${folder} holds ${tools.length} tools, ${count} are needed`);
  return { tools, origin: `as real servers list them, ${Math.round(JSON.stringify(tools).length / 1024)} KiB` };
}

/** @param {Workshop} workshop @param {readonly object[]} tools */
function writeConfigs({ directory }, tools) {
  const flag = join(directory, 'asleep');
  /** @type {Record<string, { command: string | undefined, args: string[] }>} */
  const mcpServers = {};
  for (let index = 0; index < UPSTREAMS; index++) {
    const file = join(directory, `tools-${index}.json`);
    writeFileSync(file, JSON.stringify(tools.slice(index * TOOLS_EACH, (index + 1) * TOOLS_EACH)));
    const [command, ...args] = onCore('load', [process.execPath, join(HERE, 'catalog-upstream.mjs'), file, flag]);
    mcpServers[`s${index}`] = { command, args };
  }
  const config = join(directory, 'ten.json');
  const empty = join(directory, 'none.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  writeFileSync(empty, JSON.stringify({ mcpServers: {} }));
  return { config, empty, flag };
}

/** Lists everything once from upstreams that answer, and stays until what a start keeps is kept, its code as well. @param {Workshop} workshop @param {string} config @returns {Promise<Started['tools']>} */
async function warm(workshop, config) {
  const folder = join(workshop.env.XDG_CACHE_HOME ?? '', 'doorward', 'catalog');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, '..'), { recursive: true, mode: 0o700 });
  const caller = startDoorward(workshop, config);
  try {
    await caller.initialize();
    for (let tries = 0; tries < WARM_TRIES; tries++) {
      const { tools, stale } = await list(caller);
      const isKept = countFiles(folder, '.json') === UPSTREAMS;
      const hasCode = countFiles(join(folder, '..', 'code')) >= CHUNKS_KEPT;
      if (tools.length === UPSTREAMS * TOOLS_EACH && stale.length === 0 && isKept && hasCode) return tools;
      await sleep(WARM_PAUSE_MS);
    }
    throw new Error(`the catalog was not kept in ${folder}: ${caller.stderr}`);
  } finally {
    await caller.close();
  }
}

/** @param {string} folder */
function countFiles(folder, ending = '') {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)).length : 0;
}

/** @param {Workshop} workshop @param {string} config @returns {Promise<Started>} */
async function startOnce(workshop, config) {
  const startedMs = performance.now();
  const caller = startDoorward(workshop, config);
  try {
    await caller.initialize();
    const answer = await list(caller);
    const cpuMs = readProcessMicros(caller.pid) / 1000;
    return { ...answer, cpuMs, wallMs: performance.now() - startedMs };
  } finally {
    await caller.close();
  }
}

/** @param {Workshop} workshop @param {string} config */
function startDoorward(workshop, config) {
  const argv = [process.execPath, DIST, 'stdio', '--config', config];
  return new Caller(argv, { env: workshop.env, core: 'middle' });
}

/** @param {Caller} caller */
async function list(caller) {
  const { result = {}, error } = await caller.request('tools/list');
  if (error) throw new Error(`tools/list: ${error.message}`);
  const tools = /** @type {Started['tools']} */ (result.tools ?? []);
  const meta = /** @type {Record<string, unknown>} */ (result._meta ?? {});
  return { tools, stale: /** @type {string[]} */ (meta['doorward/stale'] ?? []) };
}

/** @param {Started} restart @param {Started['tools']} kept @throws {Error} where the list is not what was kept, or not said to be that */
function check({ tools, stale }, kept) {
  if (JSON.stringify(tools) !== JSON.stringify(kept)) {
    throw new Error(`${tools.length} tools were listed, and they are not the ${kept.length} that were kept`);
  }
  const mounts = Array.from({ length: UPSTREAMS }, (_, index) => `s${index}`);
  if (JSON.stringify([...stale].sort()) !== JSON.stringify(mounts)) {
    throw new Error(`stale is said of ${JSON.stringify(stale)}, not of ${JSON.stringify(mounts)}`);
  }
}
