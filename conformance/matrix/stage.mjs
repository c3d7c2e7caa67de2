// @ts-check
/** What a feature is tried on: a caller before an upstream, straight or with doorward between the two. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_SIZE } from '../../test/fixtures/feature-world.mjs';
import { Caller } from './caller.mjs';
import { HttpLink, StdioLink } from './links.mjs';

/** @typedef {'handshake' | 'modern'} Era */
/** @typedef {'stdio' | 'http'} Wire */
/** @typedef {{ callerEra: Era, upstreamEra: Era, callerTransport: Wire, upstreamTransport: Wire, isDirect: boolean, through?: string | undefined }} Pair `through`: a script that stands before the server over stdio, where doorward does not */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVER = join(ROOT, 'test', 'fixtures', 'feature-server.mjs');
const CLI = join(ROOT, 'dist', 'cli.cjs');
const MOUNT = 'up';
const DOOR_PAGE_SIZE = 7;
const STARTS_WITHIN_MS = 15_000;
export const FULL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A feature's view of the stage. */
export class Trial {
  /** @param {Stage} stage @param {Caller} caller */
  constructor(stage, caller) {
    this.stage = stage;
    this.caller = caller;
    this.isDirect = stage.pair.isDirect;
    this.upstreamEra = stage.pair.upstreamEra;
    this.transport = { caller: stage.pair.callerTransport, upstream: stage.pair.upstreamTransport };
    this.pageSize = this.isDirect ? PAGE_SIZE : DOOR_PAGE_SIZE;
  }

  /** @param {string} own */
  name(own) {
    return this.isDirect ? own : `${MOUNT}__${own}`;
  }

  /** @param {string} name */
  ownName(name) {
    return this.isDirect ? name : name.replace(`${MOUNT}__`, '');
  }

  /** @param {string} tool @param {object | undefined} input @param {import('./caller.mjs').Sending} [sending] */
  call(tool, input, sending) {
    return this.caller.request('tools/call', this.#params(tool, input), sending);
  }

  /** @param {string} tool @param {object | undefined} input @param {import('./caller.mjs').Sending} [sending] */
  start(tool, input, sending) {
    return this.caller.start('tools/call', this.#params(tool, input), sending);
  }

  /** @param {string} tool @param {object | undefined} input */
  #params(tool, input) {
    return { name: this.name(tool), ...(input === undefined ? {} : { arguments: input }) };
  }

  /** @returns {Promise<any[]>} */
  async tools() {
    const { entries } = await this.caller.all('tools/list', 'tools');
    return entries.map((tool) => ({ ...tool, name: this.ownName(tool.name) }));
  }

  /** A trial of a caller that declares nothing. */
  async openBare() {
    return new Trial(this.stage, await this.stage.open({}));
  }
}

/** One pair's processes, and the callers before them. */
export class Stage {
  /** @type {(() => Promise<unknown>)[]} what ends, last first */
  #endings = [];
  /** @type {string | undefined} */
  #url;
  /** @type {Promise<string> | undefined} */
  #upstreamUrl;
  #stderr = () => '';

  /** @param {Pair} pair @param {string} folder */
  constructor(pair, folder) {
    this.pair = pair;
    this.folder = mkdtempSync(join(folder, 'stage-'));
  }

  /** What was last said on stderr, for who asks why. */
  get stderr() {
    return this.#stderr();
  }

  /** @param {object} capabilities @returns {Promise<Caller>} connected */
  async open(capabilities) {
    const caller = new Caller({ era: this.pair.callerEra, link: await this.#link(), capabilities });
    this.#endings.push(() => caller.close());
    await within(STARTS_WITHIN_MS, caller.open(), 'the caller to connect');
    return caller;
  }

  /** What a client of an SDK is given: an address, or a command. @returns {Promise<{ url: string } | { command: string, args: string[], env: Record<string, string> }>} */
  async place() {
    if (this.pair.callerTransport === 'http') return { url: await this.#address() };
    return this.#command();
  }

  async #link() {
    if (this.pair.callerTransport === 'http') return new HttpLink(await this.#address());
    const link = new StdioLink(await this.#command());
    this.#stderr = () => link.stderr;
    return link;
  }

  async #command() {
    const upstream = upstreamCommand(this.pair);
    const env = this.#environment();
    if (this.pair.isDirect) {
      const { through } = this.pair;
      return through === undefined
        ? { ...upstream, env }
        : { ...upstream, args: [through, upstream.command, ...upstream.args], env };
    }
    return {
      command: process.execPath,
      args: [CLI, 'stdio', '--config', await this.#config()],
      env,
    };
  }

  async #address() {
    if (this.#url !== undefined) return this.#url;
    if (this.pair.isDirect) this.#url = await this.#upstreamAddress();
    else {
      const args = [CLI, 'serve', '--config', await this.#config()];
      this.#url = await this.#startServing({ command: process.execPath, args, env: this.#environment() });
    }
    return this.#url;
  }

  #upstreamAddress() {
    this.#upstreamUrl ??= this.#startServing({ ...upstreamCommand(this.pair), env: this.#environment() });
    return this.#upstreamUrl;
  }

  async #config() {
    const { upstreamTransport } = this.pair;
    const entry =
      upstreamTransport === 'http' ? { type: 'http', url: await this.#upstreamAddress() } : upstreamCommand(this.pair);
    const config = { mcpServers: { [MOUNT]: entry }, limits: { pageSize: DOOR_PAGE_SIZE }, http: { port: 0 } };
    const path = join(this.folder, 'doorward.json');
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  #environment() {
    const cache = join(this.folder, 'cache');
    mkdirSync(cache, { recursive: true });
    return { PATH: process.env.PATH ?? '', HOME: this.folder, TMPDIR: this.folder, XDG_CACHE_HOME: cache };
  }

  /**
   * Starts a process that serves HTTP and says where.
   *
   * @param {{ command: string, args: readonly string[], env: Record<string, string> }} command
   * @returns {Promise<string>}
   */
  async #startServing({ command, args, env }) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.#endings.push(() => {
      child.stdin.end();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
      return ended.finally(() => clearTimeout(timer));
    });
    let said = '';
    this.#stderr = () => said.slice(-2_000);
    const found = new Promise((resolve, reject) => {
      const look = (/** @type {Buffer} */ chunk) => {
        said += chunk;
        const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0];
        if (url) resolve(url);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      void ended.then(() => reject(new Error(`${args[0]} ended at once: ${said.slice(-500)}`)));
    });
    found.catch(() => {});
    return /** @type {Promise<string>} */ (within(STARTS_WITHIN_MS, found, 'an address'));
  }

  async close() {
    for (const end of this.#endings.reverse()) await end().catch(() => {});
  }
}

/** @param {Pair} pair */
function upstreamCommand({ upstreamEra, upstreamTransport }) {
  return { command: process.execPath, args: [SERVER, '--era', upstreamEra, '--transport', upstreamTransport] };
}

/**
 * @template T
 * @param {number} ms @param {Promise<T>} promise @param {string} what
 * @returns {Promise<T>}
 */
export async function within(ms, promise, what) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms);
  });
  try {
    return await /** @type {Promise<T>} */ (Promise.race([promise, late]));
  } finally {
    clearTimeout(timer);
  }
}
