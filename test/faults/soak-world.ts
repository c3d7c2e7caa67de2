/** Starts what a soak needs (the host, its upstreams, the callers) and ends it again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findMarked, type ProcessFacts } from '../fixtures/processes.js';
import { SoakCaller, sleep } from './soak-caller.js';
import type { HostCount, HostMount, HostSample } from './soak-host.js';
import { Plan, UPSTREAMS } from './soak-plan.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UPSTREAM = join(ROOT, 'test', 'faults', 'soak-upstream.mjs');
export const CLI = process.env.DOORWARD_CLI ?? join(ROOT, 'dist', 'cli.cjs');

/** A hang is over after this; the healthy upstreams' calls have all the time of a busy machine. */
const HOSTILE_TIMEOUT_MS = 1_000;
const HEALTHY_TIMEOUT_MS = 30_000;
/** What is started must be gone this long after its end. */
const GONE_WITHIN_MS = 10_000;

export interface WorldOptions {
  readonly folder: string;
  readonly seed: number;
  readonly callers: number;
  /** How many more callers start the command line for themselves. */
  readonly cliCallers: number;
}

export class SoakWorld {
  readonly callers: SoakCaller[] = [];
  hostPid = 0;
  readonly #options: WorldOptions;
  readonly #mark: string;
  #host: ChildProcess | undefined;
  #hostEnded: Promise<unknown> = Promise.resolve();
  readonly #lines: ((line: string) => void)[] = [];
  readonly #doors = new Set<ChildProcess>();
  #partial = '';

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#mark = `soak-${process.pid}-${options.seed}`;
  }

  get #distFolder(): string {
    return join(this.#options.folder, 'dist');
  }

  get journalFolder(): string {
    return join(this.#options.folder, 'upstreams');
  }

  /** Callers on the host's socket; those of the command line have a gateway of their own. */
  get hosted(): readonly SoakCaller[] {
    return this.callers.slice(0, this.#options.callers);
  }

  async start(): Promise<void> {
    mkdirSync(this.journalFolder, { recursive: true });
    // Its own copy: whoever builds meanwhile would take the door from under the callers.
    if (this.#options.cliCallers > 0) cpSync(dirname(CLI), this.#distFolder, { recursive: true });
    const socket = join(this.#options.folder, 'door.sock');
    await this.#startHost(socket);
    const { seed, callers, cliCallers } = this.#options;
    for (let i = 0; i < callers + cliCallers; i++) {
      const isCli = i >= callers;
      // Every second one can be asked, so that both ways of sharing are at work.
      const declaresElicitation = isCli || i % 2 === 1;
      const name = isCli ? `cli${i - callers}` : `caller${i}`;
      const plan = new Plan(seed, i, declaresElicitation);
      const open = isCli ? (): Promise<Duplex> => this.#openCli() : (): Promise<Duplex> => openSocket(socket);
      this.callers.push(new SoakCaller({ name, plan, declaresElicitation, connect: open }));
    }
    await Promise.all(this.callers.map((caller) => caller.connect()));
  }

  sample(): Promise<HostSample> {
    return this.#askHost<HostSample>('sample');
  }

  count(): Promise<HostCount> {
    return this.#askHost<HostCount>('count');
  }

  /** Ends everything. @returns what was still running 10 s later */
  async end(): Promise<{ readonly orphans: readonly ProcessFacts[]; readonly endedMs: number }> {
    const beganMs = performance.now();
    for (const caller of this.callers) caller.leave();
    if (this.hostPid > 0) tryKill(this.hostPid, 'SIGTERM');
    await Promise.race([this.#hostEnded, sleep(GONE_WITHIN_MS)]);
    let orphans = this.#running();
    while (orphans.length > 0 && performance.now() - beganMs < GONE_WITHIN_MS) {
      await sleep(100);
      orphans = this.#running();
    }
    for (const { pid } of orphans) tryKill(pid, 'SIGKILL');
    return { orphans, endedMs: performance.now() - beganMs };
  }

  async #askHost<Answer>(what: 'sample' | 'count'): Promise<Answer> {
    const said = this.#nextLine();
    this.#host?.stdin?.write(`${what}\n`);
    const ended = this.#hostEnded.then(() => {
      throw new Error('the host of the soak ended by itself');
    });
    return JSON.parse(await Promise.race([said, ended])) as Answer;
  }

  #running(): ProcessFacts[] {
    return findMarked(this.#mark).filter(({ pid }) => pid !== process.pid);
  }

  #mounts(): HostMount[] {
    return UPSTREAMS.map((id) => ({
      id,
      args: [UPSTREAM, id, this.journalFolder],
      env: { DOORWARD_SOAK: this.#mark },
      callTimeoutMs: id === 'hostile' ? HOSTILE_TIMEOUT_MS : HEALTHY_TIMEOUT_MS,
    }));
  }

  async #startHost(socket: string): Promise<void> {
    const script = [
      join(ROOT, 'tools', 'run-ts.mjs'),
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'test', 'faults', 'soak-host.ts'),
    ];
    const host = spawn(process.execPath, [...script, socket, JSON.stringify(this.#mounts())], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, DOORWARD_SOAK: this.#mark },
    });
    this.#host = host;
    this.#hostEnded = new Promise((resolve) => host.once('exit', resolve));
    host.stdin?.on('error', () => {});
    host.stdout?.on('data', (chunk: Buffer) => this.#take(chunk.toString()));
    const ready = await Promise.race([this.#nextLine(), this.#hostEnded.then(() => undefined)]);
    if (ready === undefined) throw new Error('the host of the soak did not start');
    this.hostPid = (JSON.parse(ready) as { pid: number }).pid;
  }

  #take(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#lines.shift()?.(line);
  }

  #nextLine(): Promise<string> {
    return new Promise((resolve) => this.#lines.push(resolve));
  }

  /** A door of the real command line, to be spoken to as a socket is. */
  async #openCli(): Promise<Duplex> {
    const config = join(this.#options.folder, 'doorward.json');
    const servers = this.#mounts().map(({ id, ...entry }) => [id, { command: process.execPath, ...entry }]);
    writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
    const cache = join(this.#options.folder, 'cache');
    const door = spawn(process.execPath, [join(this.#distFolder, basename(CLI)), 'stdio', '--config', config], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, DOORWARD_SOAK: this.#mark, XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: cache },
    });
    this.#doors.add(door);
    door.stdin.on('error', () => {});
    const stream = Duplex.from({ readable: door.stdout, writable: door.stdin });
    // As a client that crashed: its ends of the pipes are gone, and no signal is sent.
    stream.once('close', () => {
      door.stdin.destroy();
      door.stdout.destroy();
    });
    return stream;
  }
}

async function openSocket(path: string): Promise<Duplex> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}
