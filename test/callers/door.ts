/** `doorward serve` before feature servers, with a token for each name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Era } from './http-caller.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVER = join(ROOT, 'test', 'fixtures', 'feature-server.mjs');
const STARTS_WITHIN_MS = 15_000;
const ENDS_WITHIN_MS = 3_000;

export const CLI = join(ROOT, 'dist', 'cli.cjs');

export interface Upstream {
  readonly id: string;
  readonly era: Era;
  readonly transport: 'stdio' | 'http';
}

export class Door {
  readonly url: string;
  readonly tokens: ReadonlyMap<string, string>;
  readonly #folder: string;
  readonly #children: readonly ChildProcess[];

  private constructor(url: string, tokens: ReadonlyMap<string, string>, folder: string, children: ChildProcess[]) {
    this.url = url;
    this.tokens = tokens;
    this.#folder = folder;
    this.#children = children;
  }

  static async open({ names, upstreams }: { names: readonly string[]; upstreams: readonly Upstream[] }): Promise<Door> {
    const folder = mkdtempSync(join(tmpdir(), 'doorward-callers-'));
    const children: ChildProcess[] = [];
    const tokens = new Map(names.map((name) => [name, randomBytes(24).toString('hex')]));
    try {
      const mcpServers: Record<string, object> = {};
      for (const { id, era, transport } of upstreams) {
        const args = [SERVER, '--era', era, '--transport', transport];
        const isHttp = transport === 'http';
        mcpServers[id] = isHttp
          ? { type: 'http', url: await serve(args, folder, children) }
          : { command: process.execPath, args };
      }
      const auth = { tokens: names.map((name) => ({ name, sha256: digest(tokens.get(name) ?? '') })) };
      const config = join(folder, 'doorward.json');
      writeFileSync(config, JSON.stringify({ mcpServers, http: { port: 0, auth } }));
      const url = await serve([CLI, 'serve', '--config', config], folder, children);
      return new Door(url, tokens, folder, children);
    } catch (error) {
      await endAll(children);
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The process that is doorward. */
  get pid(): number {
    return this.#children.at(-1)?.pid ?? 0;
  }

  token(name: string): string {
    const token = this.tokens.get(name);
    if (token === undefined) throw new Error(`nobody is named ${name}`);
    return token;
  }

  async close(): Promise<void> {
    await endAll(this.#children);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Starts a process of node that says under which address it serves. */
async function serve(args: readonly string[], folder: string, children: ChildProcess[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  children.push(child);
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const why = (what: string) => new Error(`${args.join(' ')} ${what}: ${said.slice(-500)}`);
      timer = setTimeout(() => reject(why('named no address in time')), STARTS_WITHIN_MS);
      child.once('exit', () => reject(why('ended at once')));
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          if (said.length < 10_000) said += String(chunk);
          const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0];
          if (url) resolve(url);
        });
      }
    });
  } finally {
    clearTimeout(timer);
  }
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(children.map(end));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
