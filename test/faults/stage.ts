/** Where a row plays: a real `doorward stdio` with one hostile and one healthy upstream, and everything that is watched. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DoorClient, type Received } from '../fixtures/door-client.js';
import { Journal, nowMs } from './journal.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The built command line; another build can be named, so that a run holds still while the tree is being worked on. */
export const CLI = process.env.DOORWARD_CLI ?? join(ROOT, 'dist', 'cli.cjs');
const UPSTREAM = fileURLToPath(new URL('hostile-upstream.mjs', import.meta.url));

/** An entry of `mcpServers`, or a part of one. */
export type ServerEntry = Readonly<Record<string, unknown>>;

/** One upstream on the stage. */
export interface Actor {
  /** Behaviours from the start, separated by spaces; `stage.heal` takes them away. */
  readonly mood?: string;
  /** Fields of its entry beside command, args and env. */
  readonly entry?: ServerEntry;
  /** Started by a shell that stays in between, as wrappers do. */
  readonly isWrapped?: boolean;
}

export interface StageOptions {
  readonly actors: Readonly<Record<string, Actor>>;
  /** The rest of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What the caller declares. */
  readonly capabilities?: object;
}

/** One entry of `doorward://status`. */
export interface StatusEntry {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly action?: string;
  readonly since?: unknown;
  readonly retryAtMs?: unknown;
}

/** What became of one request. */
export interface Outcome {
  readonly answer: Received;
  readonly tookMs: number;
  /** When the answer came, on the machine's monotonic clock. */
  readonly atMs: number;
}

export interface CallChoices {
  readonly behave?: string;
  readonly ms?: number;
  readonly count?: number;
  /** Padding of each of `count`. */
  readonly bytes?: number;
  readonly tag?: string;
  readonly progressToken?: string;
  readonly timeoutMs?: number;
}

/** What a harness waits for an answer at most; the promises are shorter. */
const PATIENCE_MS = 15_000;
const STATUS_URI = 'doorward://status';

export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'doorward-faults-'));
  readonly door: DoorClient;
  readonly misses: string[] = [];
  /** How many of the misses are figures past their bound, and nothing else. */
  late = 0;
  readonly measured: string[] = [];
  readonly #capabilities: object;
  readonly #doorStartedMs: number;
  readonly #ids: string[] = [];
  #count = 0;

  constructor({ actors, config = {}, capabilities = {} }: StageOptions) {
    this.#capabilities = capabilities;
    const mark = `DOORWARD_FAULTS_MARK=${this.folder.slice(-6)}-${process.pid}`;
    const [name = '', value = ''] = mark.split('=');
    for (const [id, { mood = '' }] of Object.entries(actors)) this.setMood(id, mood);
    const mcpServers = Object.fromEntries(
      Object.entries(actors).map(([id, actor]) => [id, this.#entryOf(id, actor, { [name]: value })]),
    );
    const configPath = join(this.folder, 'doorward.json');
    writeFileSync(configPath, JSON.stringify({ mcpServers, ...config }, null, 2));
    const folders = { XDG_CACHE_HOME: join(this.folder, 'cache'), XDG_CONFIG_HOME: join(this.folder, 'config') };
    const args = [CLI, 'stdio', '--config', configPath];
    this.door = new DoorClient({
      command: process.execPath,
      args,
      env: { ...folders, [name]: value },
      cwd: this.folder,
      mark,
    });
    this.#doorStartedMs = nowMs() - this.door.elapsedMs;
  }

  /** The first request of every caller. */
  async initialize(): Promise<void> {
    const clientInfo = { name: 'faults', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: this.#capabilities, clientInfo };
    await this.request('initialize', params);
    this.door.notify('notifications/initialized');
  }

  journal(id = 'hostile'): Journal {
    return new Journal(join(this.folder, `${id}.jsonl`));
  }

  /** Changes what an upstream does from its next message on. */
  setMood(id: string, mood: string): void {
    writeFileSync(this.#moodPath(id), mood);
  }

  /** The upstream, or the next process of it, behaves from now on. */
  heal(id = 'hostile'): void {
    this.setMood(id, '');
  }

  async request(method: string, params?: unknown, timeoutMs = PATIENCE_MS): Promise<Outcome> {
    const id = `f${++this.#count}`;
    this.#ids.push(id);
    const sentAtMs = nowMs();
    this.door.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const answer = await this.door.answer(id, timeoutMs);
    const atMs = this.#doorStartedMs + answer.atMs;
    return { answer, tookMs: atMs - sentAtMs, atMs };
  }

  /** Calls the one tool of an upstream. */
  call(id: string, { timeoutMs, progressToken, ...choices }: CallChoices = {}): Promise<Outcome> {
    const tag = choices.tag ?? `${id}-${this.#count + 1}`;
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
    return this.request('tools/call', { name: `${id}__work`, arguments: { ...choices, tag }, ...meta }, timeoutMs);
  }

  hostile(behave: string, choices: CallChoices = {}): Promise<Outcome> {
    return this.call('hostile', { behave, ...choices });
  }

  /** Lists, and calls once: what is loaded and compiled at first use is not what a row measures. */
  async prime(): Promise<void> {
    await this.list();
    await this.call('hostile', { tag: 'before' });
  }

  /** Names of the tools listed now, and how long that took. */
  async list(): Promise<Pick<Outcome, 'tookMs' | 'atMs'> & { readonly names: readonly string[] }> {
    const { answer, tookMs, atMs } = await this.request('tools/list');
    const tools = answer.message?.result?.tools as readonly { readonly name: string }[] | undefined;
    return { names: (tools ?? []).map(({ name }) => name), tookMs, atMs };
  }

  /** What `doorward://status` says; nothing where it cannot be read. */
  async status(): Promise<readonly StatusEntry[]> {
    const { answer } = await this.request('resources/read', { uri: STATUS_URI });
    const contents = answer.message?.result?.contents as readonly { readonly text?: string }[] | undefined;
    const text = contents?.[0]?.text;
    return text === undefined ? [] : (JSON.parse(text) as { upstreams: StatusEntry[] }).upstreams;
  }

  async isStatusListed(): Promise<boolean> {
    const { answer } = await this.request('resources/list');
    const resources = answer.message?.result?.resources as readonly { readonly uri: string }[] | undefined;
    return (resources ?? []).some(({ uri }) => uri === STATUS_URI);
  }

  /** Waits until the status says of an upstream what is wanted. @returns how long it took; undefined: it never did */
  async whenStatus(
    wants: (entry: StatusEntry | undefined) => boolean,
    withinMs: number,
    id = 'hostile',
  ): Promise<number | undefined> {
    const beganAtMs = nowMs();
    for (;;) {
      if (wants((await this.status()).find((entry) => entry.id === id))) return nowMs() - beganAtMs;
      if (nowMs() - beganAtMs > withinMs) return undefined;
      await sleep(50);
    }
  }

  /** Waits for something outside of the door. @returns how long it took; undefined: it never came */
  async until(holds: () => boolean, withinMs: number): Promise<number | undefined> {
    const beganAtMs = nowMs();
    while (!holds()) {
      if (nowMs() - beganAtMs > withinMs) return undefined;
      await sleep(10);
    }
    return nowMs() - beganAtMs;
  }

  /** A figure for the table. Past its bound it is a miss; so is one that never came. */
  measure(what: string, ms: number | undefined, boundMs: number): void {
    const said = ms === undefined ? 'never' : `${Math.round(ms)} ms`;
    this.measured.push(`${what} ${said}`);
    if (ms === undefined || ms > boundMs) this.misses.push(`${what}: ${said}, promised within ${boundMs} ms`);
    if (ms !== undefined && ms > boundMs) this.late++;
  }

  note(fact: string): void {
    this.measured.push(fact);
  }

  expect(holds: boolean, claim: string, seen?: unknown): void {
    if (holds) return;
    const shown = seen === undefined ? '' : `, but: ${(JSON.stringify(seen) ?? 'undefined').slice(0, 400)}`;
    this.misses.push(`${claim}${shown}`);
  }

  /** Requests that were not answered exactly once. */
  unevenAnswers(): string[] {
    const counts = new Map<unknown, number>();
    for (const { message } of this.door.lines) {
      if (message?.id === undefined || message.method !== undefined) continue;
      counts.set(message.id, (counts.get(message.id) ?? 0) + 1);
    }
    const own = this.#ids.filter((id) => counts.get(id) !== 1).map((id) => `${id}: ${counts.get(id) ?? 0} answers`);
    const foreign = [...counts.keys()].filter((id) => !this.#ids.includes(String(id)));
    return [...own, ...foreign.map((id) => `an answer to ${JSON.stringify(id)}, which was never asked`)];
  }

  clear(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #moodPath(id: string): string {
    return join(this.folder, `${id}.mood`);
  }

  #entryOf(id: string, { entry = {}, isWrapped = false }: Actor, env: Readonly<Record<string, string>>): ServerEntry {
    const args = [UPSTREAM, '--journal', this.journal(id).path, '--mood', this.#moodPath(id), '--name', id];
    const direct = { command: process.execPath, args };
    // Two commands, or the shell would put itself in the other's place and be no wrapper.
    const wrapped = { command: 'sh', args: ['-c', '"$0" "$@"; exit $?', process.execPath, ...args] };
    return { ...(isWrapped ? wrapped : direct), env, ...entry };
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
