/**
 * Do answers ever cross? 50 callers of both eras, each under a token of its own and all with the same ids, over one door:
 *
 *     npm run callers                     1,000 rounds before servers over HTTP, 200 before servers over stdio, 200 of two
 *                                         callers there, one with a session and one without
 *     npm run callers -- --rounds 100     fewer
 *     npm run callers -- --seed 7         other delays
 *
 * Then two principals try each other's sessions, states, subscriptions and ids. Exits 1 where anything reached somebody
 * it was not meant for, is missing, or told a stranger more than that there is nothing.
 */
import { existsSync } from 'node:fs';
import { readOptions } from '../../tools/read-options.js';
import { CLI, Door, type Upstream } from './door.js';
import { type Figures, runRounds } from './rounds.js';
import { compareStrangers } from './strangers.js';

const CALLERS = 50;
const ROUNDS = 1_000;
const LONGEST_WAIT_MS = 50;
const STEP = 100;

const HTTP: readonly Upstream[] = [
  { id: 'old', era: 'handshake', transport: 'http' },
  { id: 'new', era: 'modern', transport: 'http' },
];
/** One process for everybody: these callers declare nothing, so none can be asked. */
const STDIO: readonly Upstream[] = [
  { id: 'old', era: 'handshake', transport: 'stdio' },
  { id: 'new', era: 'modern', transport: 'stdio' },
];

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions('npm run callers -- [--rounds N] [--seed N]', {
    rounds: { type: 'string', default: String(ROUNDS) },
    seed: { type: 'string', default: '1' },
  });
  if (!existsSync(CLI)) return refuse(`no built bundle at ${CLI}: run "npm run build" first`);
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed))
    return refuse('--rounds and --seed take integers');
  const names = Array.from({ length: CALLERS }, (_, index) => `caller-${index}`);
  const http = await play('HTTP', {
    names,
    upstreams: HTTP,
    rounds,
    seed,
    hearsLogs: true,
    capabilities: { elicitation: {} },
  });
  const fewer = Math.ceil(rounds / 5);
  const stdio = await play('stdio', {
    names,
    upstreams: STDIO,
    rounds: fewer,
    seed,
    hearsLogs: false,
    capabilities: {},
  });
  const pair = names.slice(0, 2);
  const two = await play('stdio, two callers', {
    names: pair,
    upstreams: STDIO.slice(0, 1),
    rounds: fewer,
    seed,
    hearsLogs: false,
    capabilities: {},
  });
  const strangers = await playStrangers();
  return http && stdio && two && strangers ? 0 : 1;
}

interface Play {
  readonly names: readonly string[];
  readonly upstreams: readonly Upstream[];
  readonly rounds: number;
  readonly seed: number;
  readonly hearsLogs: boolean;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

async function play(title: string, { names, upstreams, ...options }: Play): Promise<boolean> {
  const beganAtMs = performance.now();
  const door = await Door.open({ names, upstreams });
  try {
    const tell = (round: number) => {
      if (round % STEP === 0) process.stderr.write(`${title}: ${round} of ${options.rounds} rounds\n`);
    };
    const mounts = upstreams.map(({ id }) => id);
    const figures = await runRounds({ door, names, mounts, longestWaitMs: LONGEST_WAIT_MS, tell, ...options });
    return show(`servers over ${title}`, figures, performance.now() - beganAtMs);
  } finally {
    await door.close();
  }
}

async function playStrangers(): Promise<boolean> {
  const door = await Door.open({ names: ['owner', 'stranger'], upstreams: HTTP });
  try {
    const mounts = HTTP.map(({ id }) => id);
    const { compared, told } = await compareStrangers(door, { owner: 'owner', stranger: 'stranger', mounts });
    for (const each of told) process.stdout.write(`TOLD ${each}\n`);
    process.stdout.write(`two principals: ${compared} answers compared, ${told.length} told more than of nothing\n`);
    return told.length === 0;
  } finally {
    await door.close();
  }
}

function show(title: string, { crossed, missing, ...counts }: Figures, tookMs: number): boolean {
  for (const each of crossed) process.stdout.write(`CROSSED ${each}\n`);
  for (const each of missing) process.stdout.write(`MISSING ${each}\n`);
  const figures = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  process.stdout.write(`${title}: ${figures.join(', ')}; crossed ${crossed.length}, missing ${missing.length}; `);
  process.stdout.write(`${(tookMs / 1_000).toFixed(1)} s\n`);
  return crossed.length + missing.length === 0;
}

function refuse(why: string): number {
  process.stderr.write(`callers: ${why}\n`);
  return 2;
}
