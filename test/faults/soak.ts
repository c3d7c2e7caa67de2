/**
 * Callers and upstreams at work for a while, with faults among them; then both sides' journals are compared.
 *
 *   node tools/run-ts.mjs test/faults/soak.ts [--seconds 60] [--seed N] [--callers 8] [--cli 1] [--warm-up 45] [--json] [--keep]
 *
 * `--cli N`: that many callers more, each through a `doorward stdio` of its own (dist must be built). A seed draws the same
 * decisions again, caller by caller; `--replay FOLDER` takes seed and size from a run that was kept, and says where a
 * decision differs. Some time of the same work comes first as warm-up: all of it is checked but memory, which is read once a second
 * after a forced collection in the host.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../../tools/read-options.js';
import { nowMs, type SoakCaller, sleep } from './soak-caller.js';
import { readJournals, SoakCheck } from './soak-check.js';
import { findZombies, holdingsOf, type Point } from './soak-measure.js';
import { Plan } from './soak-plan.js';
import { makeReport, printReport, type RunFacts } from './soak-report.js';
import { CLI, SoakWorld } from './soak-world.js';

/** What a kept run leaves for its replay. */
interface KeptRun {
  readonly seed: number;
  readonly seconds: number;
  readonly callers: number;
  readonly cli: number;
  readonly steps: Readonly<Record<string, number>>;
  readonly digests: Readonly<Record<string, string>>;
}

const values = readOptions(
  'npm run soak -- [--seconds N] [--seed N] [--replay FOLDER] [--callers N] [--cli N] [--warm-up S] [--keep] [--json]',
  {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    callers: { type: 'string' },
    cli: { type: 'string' },
    'warm-up': { type: 'string' },
    replay: { type: 'string' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
);
const kept =
  values.replay === undefined
    ? undefined
    : (JSON.parse(readFileSync(join(values.replay, 'run.json'), 'utf8')) as KeptRun);
const seed = Number(values.seed ?? kept?.seed ?? Math.floor(Math.random() * 1e9));
const seconds = Number(values.seconds ?? kept?.seconds ?? 60);
const callers = Number(values.callers ?? kept?.callers ?? 8);
const cliCallers = Number(values.cli ?? kept?.cli ?? (existsSync(CLI) ? 1 : 0));
/** Callers are at work for this long before the seconds asked for begin: code is compiled, pools grow. */
const warmUpSeconds = Number(values['warm-up'] ?? 45);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(): Promise<number> {
  if (!existsSync('/proc/self/fd')) {
    say('soak: reads processes and descriptors from /proc, which this system does not have');
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'doorward-soak-'));
  say(`soak: seed ${seed}, ${seconds} s, ${callers} callers on sockets and ${cliCallers} by the command line`);
  const world = new SoakWorld({ folder, seed, callers, cliCallers });
  let facts: Omit<RunFacts, 'orphans' | 'endedMs' | 'zombies'>;
  let end: Awaited<ReturnType<SoakWorld['end']>>;
  try {
    await world.start();
    compareWithKept(world);
    facts = await load(world);
  } finally {
    end = await world.end();
  }
  const processes = readJournals(world.journalFolder);
  const pids = new Set(processes.flatMap(({ pid, grandchildren }) => [pid, ...grandchildren]));
  const check = new SoakCheck(world.callers, processes);
  check.run();
  const report = makeReport(check, {
    ...facts,
    ...end,
    zombies: [...facts.zombiesWhileRunning, ...(await lastingZombies(pids))],
  });
  keep(folder, world);
  writeFileSync(
    join(folder, 'memory.json'),
    JSON.stringify({ rss: facts.rss, heap: facts.heap, buffers: facts.buffers }),
  );
  const isKept = values.keep || !report.isGood;
  const replay = `node tools/run-ts.mjs test/faults/soak.ts --replay ${folder}`;
  if (values.json)
    process.stdout.write(`${JSON.stringify({ seed, folder: isKept ? folder : undefined, replay, ...report })}\n`);
  else printReport(report, { seed, folder: isKept ? folder : undefined, replay });
  if (!isKept) rmSync(folder, { recursive: true, force: true });
  return report.isGood ? 0 : 1;
}

async function load(world: SoakWorld): Promise<Omit<RunFacts, 'orphans' | 'endedMs' | 'zombies'>> {
  // Everybody has listed, so every upstream is up: what is held now is the baseline.
  await Promise.all(world.callers.map((caller) => caller.list()));
  await sleep(500);
  await world.sample();
  const before = { ...holdingsOf(world.hostPid, callers), ...(await world.count()) };
  const beganMs = nowMs() + warmUpSeconds * 1_000;
  const untilMs = beganMs + seconds * 1_000;
  const running = Promise.all(world.callers.map((caller) => caller.run(untilMs)));
  const rss: Point[] = [];
  const heap: Point[] = [];
  const buffers: Point[] = [];
  while (nowMs() < untilMs) {
    await sleep(1_000);
    const { rssMb, heapMb, buffersMb } = await world.sample();
    const atMs = nowMs() - beganMs;
    if (atMs < 0) continue;
    rss.push({ atMs, value: rssMb });
    heap.push({ atMs, value: heapMb });
    buffers.push({ atMs, value: buffersMb });
  }
  await running;
  await Promise.all(world.callers.map((caller) => caller.whenIdle()));
  const after = await whenCalm(world, before.children);
  const suspects = findZombies(new Set([world.hostPid]));
  await sleep(300);
  const zombiesWhileRunning = findZombies(new Set([world.hostPid])).filter((pid) => suspects.includes(pid));
  return {
    seconds,
    workedSeconds: seconds + warmUpSeconds,
    callers: world.callers,
    before,
    after,
    rss,
    heap,
    buffers,
    zombiesWhileRunning,
  };
}

/** Processes that nobody reaped; whoever inherits an orphan that was killed is given a moment to do so. */
async function lastingZombies(pids: ReadonlySet<number>): Promise<number[]> {
  const untilMs = nowMs() + 5_000;
  while (findZombies(pids).length > 0 && nowMs() < untilMs) await sleep(100);
  return findZombies(pids);
}

/** What is held once upstreams of callers that vanished have ended: they are given 10 s. */
async function whenCalm(world: SoakWorld, children: number): Promise<RunFacts['after']> {
  const untilMs = nowMs() + 10_000;
  for (;;) {
    const { timers } = await world.sample();
    const holdings = holdingsOf(world.hostPid, callers);
    if (holdings.children <= children || nowMs() > untilMs) return { ...holdings, timers, ...(await world.count()) };
    await sleep(250);
  }
}

/** Leaves what a replay needs. */
function keep(folder: string, world: SoakWorld): void {
  const named = <Value>(of: (caller: SoakCaller) => Value): Record<string, Value> =>
    Object.fromEntries(world.callers.map((caller) => [caller.options.name, of(caller)]));
  const steps = named((caller) => caller.steps);
  const digests = named((caller) => caller.options.plan.digest());
  const run: KeptRun = { seed, seconds, callers, cli: cliCallers, steps, digests };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));
}

/** A plan that was changed since the kept run draws other decisions from the same seed: then this is no replay. */
function compareWithKept(world: SoakWorld): void {
  if (kept === undefined) return;
  for (const [i, { options }] of world.callers.entries()) {
    const plan = new Plan(seed, i, options.declaresElicitation);
    for (let step = 0; step < (kept.steps[options.name] ?? 0); step++) plan.next();
    if (plan.digest() === kept.digests[options.name]) continue;
    say(`soak: ${options.name} takes other decisions than in ${values.replay}: the plan has changed since`);
  }
}

process.exit(await main());
