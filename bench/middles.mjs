// @ts-check
/** The processes that are put in the middle, each started the same way before the same upstream. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpCaller } from './http-load.mjs';
import { Caller } from './load.mjs';
import { onCore } from './machine.mjs';
import { makePool } from './payloads.mjs';
import { Served } from './served.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
export const DIST = join(HERE, '..', 'dist', 'cli.cjs');
const NODE = process.execPath;

/** @typedef {'direct' | 'pipe' | 'relay' | 'sdk' | 'parse-stringify' | 'doorward'} Middle */

/** A command in whose words `{upstream}` and `{config}` are filled in. @type {Readonly<Record<Exclude<Middle, 'direct'>, readonly string[]>>} */
const COMMANDS = {
  pipe: [NODE, join(HERE, 'pipe.mjs'), '{upstream}'],
  relay: [NODE, join(HERE, 'relay.mjs'), '{upstream}'],
  sdk: [NODE, join(HERE, 'sdk-v1.mjs'), '{upstream}'],
  'parse-stringify': [NODE, join(HERE, 'parse-stringify.mjs'), '{upstream}'],
  doorward: [NODE, DIST, 'stdio', '--config', '{config}'],
};

/** @typedef {'relay' | 'sdk' | 'doorward' | 'doorward, stdio behind' | 'direct'} HttpMiddle the last but one has its upstream over stdio */

/** A command in whose words `{url}`, `{era}` and `{config}` are filled in. @type {Readonly<Record<'relay' | 'sdk' | 'doorward', readonly string[]>>} */
const HTTP_COMMANDS = {
  relay: [NODE, join(HERE, 'http-relay.mjs'), '{url}'],
  sdk: [NODE, join(HERE, 'http-sdk.mjs'), '{era}', '{url}'],
  doorward: [NODE, DIST, 'serve', '--config', '{config}'],
};

/** Sessions of the row that measures idle ones, and some. */
const MOST_SESSIONS = 2_000;

/** One run's place on disk: payload pools, configs, and a home that is nobody's. */
export class Workshop {
  /** @param {{ subject?: readonly string[] | undefined, isPinned?: boolean }} [options] `subject` stands in for doorward's command */
  constructor({ subject, isPinned = true } = {}) {
    this.isPinned = isPinned;
    this.directory = mkdtempSync(join(tmpdir(), 'doorward-bench-'));
    process.once('exit', () => this.close());
    this.subject = subject;
    this.configs = 0;
    /** @type {Map<string, readonly import('./payloads.mjs').Payload[]>} */
    this.pools = new Map();
    // Nothing of the machine's own set-up may leak into what is measured: no NODE_OPTIONS, no caches, no configs.
    this.env = {
      PATH: process.env.PATH,
      HOME: this.directory,
      XDG_CACHE_HOME: join(this.directory, 'cache'),
      XDG_CONFIG_HOME: join(this.directory, 'config'),
      XDG_STATE_HOME: join(this.directory, 'state'),
    };
  }

  /** @param {string} kind */
  pool(kind) {
    let pool = this.pools.get(kind);
    if (!pool) {
      pool = makePool(kind, this.directory);
      this.pools.set(kind, pool);
    }
    return pool;
  }

  /** Large pools are worth forgetting once their row is done. @param {string} kind */
  dropPool(kind) {
    this.pools.delete(kind);
    for (const part of ['arguments', 'result']) rmSync(join(this.directory, `${kind}.${part}`), { force: true });
  }

  /** @param {readonly string[]} kinds @param {number} [toolCount] @returns {string[]} */
  upstream(kinds, toolCount = 0) {
    for (const kind of kinds) this.pool(kind);
    return onCore('load', [NODE, join(HERE, 'upstream.mjs'), this.directory, kinds.join(','), String(toolCount)]);
  }

  /** @param {readonly string[]} upstream @returns {string} path of a config with this one server */
  config([command, ...args]) {
    const path = join(
      this.directory,
      `doorward-${args
        .slice(-2)
        .join('-')
        .replace(/[^a-z0-9-]/g, '_')}.json`,
    );
    writeFileSync(path, JSON.stringify({ mcpServers: { up: { command, args } } }));
    return path;
  }

  /** @param {Middle} middle @param {readonly string[]} upstream @returns {string[]} */
  command(middle, upstream) {
    if (middle === 'direct') return [...upstream];
    const words = middle === 'doorward' && this.subject ? this.subject : COMMANDS[middle];
    return words.flatMap((word) =>
      word === '{upstream}' ? upstream : word === '{config}' ? [this.config(upstream)] : [word],
    );
  }

  /** Starts a middle and shakes hands. @param {Middle} middle @param {readonly string[]} upstream @returns {Promise<Caller>} */
  async start(middle, upstream) {
    const core = middle === 'direct' ? 'load' : 'middle';
    const caller = new Caller(this.command(middle, upstream), {
      env: this.env,
      core: this.isPinned ? core : undefined,
    });
    try {
      await caller.initialize();
    } catch (error) {
      await caller.close();
      throw error;
    }
    return caller;
  }

  /**
   * Starts a middle that serves HTTP before an upstream of the same era, and shakes hands where the era wants it.
   *
   * @param {HttpMiddle} middle @param {import('./http-load.mjs').Era} era of the caller and of an upstream over HTTP @param {readonly string[]} kinds
   * @returns {Promise<HttpCaller>}
   */
  async startHttp(middle, era, kinds) {
    for (const kind of kinds) this.pool(kind);
    const isPiped = middle === 'doorward, stdio behind';
    const argv = [NODE, join(HERE, 'http-upstream.mjs'), era, this.directory, kinds.join(',')];
    const upstream = isPiped ? undefined : new Served(argv, { env: this.env, core: 'load' });
    /** @type {Served | undefined} */
    let served;
    try {
      const url = await upstream?.url;
      if (middle === 'direct' && upstream && url) return await this.connectHttp(upstream, url, era);
      const entry = url ? { type: 'http', url: url.href } : commandEntry(this.upstream(kinds));
      const isBaseline = middle === 'relay' || middle === 'sdk';
      const words = isBaseline ? HTTP_COMMANDS[middle] : (this.subject ?? HTTP_COMMANDS.doorward);
      const filled = { '{url}': url?.href ?? '', '{era}': era, '{config}': this.httpConfig(entry) };
      const command = words.map((word) => filled[/** @type {keyof typeof filled} */ (word)] ?? word);
      served = new Served(command, { env: this.env, core: this.isPinned ? 'middle' : undefined });
      if (upstream) void served.exited.then(() => upstream.close());
      return await this.connectHttp(served, await served.url, era);
    } catch (error) {
      await served?.close();
      await upstream?.close();
      throw error;
    }
  }

  /** @param {Served} served @param {URL} url @param {import('./http-load.mjs').Era} era */
  async connectHttp(served, url, era) {
    const caller = new HttpCaller(served, url, era);
    await caller.initialize();
    return caller;
  }

  /** @param {object} entry of `mcpServers` @returns {string} path of a config with this one server */
  httpConfig(entry) {
    const path = join(this.directory, `doorward-http-${++this.configs}.json`);
    writeFileSync(path, JSON.stringify({ mcpServers: { up: entry }, http: { port: 0, maxSessions: MOST_SESSIONS } }));
    return path;
  }

  close() {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} argv */
function commandEntry([command, ...args]) {
  return { command, args };
}
