/**
 * One official SDK client connected to one server, either straight or through doorward with a second server beside it.
 * A session says what the client saw under the server's own names, and what the server was shown (see tap.mjs).
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SDKS } from './sdks.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TAP = fileURLToPath(new URL('tap.mjs', import.meta.url));
const CLI = join(ROOT, 'dist', 'cli.cjs');
const SUBJECT = 'subject';
const NEIGHBOUR = 'neighbour';
const STARTED_WITHIN_MS = 15_000;
/** So long nothing must come before it is said that nothing comes. */
const QUIET_MS = 200;

/** Thrown by a feature when the server has nothing to try it on; in the direct run that makes the cell "-". */
export class NotOffered extends Error {}

/**
 * Starts a server, or doorward with two, and connects a client.
 *
 * @param {{ sdk: 'v1' | 'v2', subject: object, neighbour: object | undefined, capabilities: object, label: string,
 *   folder: string, cache?: string, again?: Session }} options with a `neighbour` the session goes through doorward;
 *   `again` starts what another session started, from the same configuration
 */
export async function openSession(options) {
  const session = new Session(options, options.again?.folder ?? mkdtempSync(join(options.folder, 'session-')));
  try {
    await session.connect();
  } catch (error) {
    await session.close();
    throw new Error(`${error.message}; last on stderr: ${session.stderr.slice(-300)}`);
  }
  return session;
}

/** How to start `server` under the tap, as an `mcpServers` entry and as a command. */
export function entryOf(server, tapFile) {
  return { command: process.execPath, args: ['--import', TAP, ...server.args], env: { TAP_FILE: tapFile } };
}

/** The command that puts doorward before two servers. */
export function doorwardCommand({ subject, neighbour, folder, tapFile, cache }) {
  const config = join(folder, 'doorward.json');
  const mcpServers = {
    // A server that speaks both eras would be spoken to in the newer one, and directly is in the older; the matrix has the pairs.
    [NEIGHBOUR]: { ...entryOf(neighbour, join(folder, 'neighbour.log')), era: 'handshake' },
    [SUBJECT]: { ...entryOf(subject, tapFile), era: 'handshake' },
  };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const home = cache ?? join(folder, 'cache');
  mkdirSync(home, { recursive: true });
  return {
    command: process.execPath,
    args: [CLI, 'stdio', '--config', config],
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: home },
  };
}

/** The public name of one of the subject's tools. */
export const publicToolName = (name) => `${SUBJECT}__${name}`;

class Session {
  /** Notifications and requests, as the client's handlers got them. */
  heard = [];
  asked = [];
  stderr = '';
  /** Every message, as it came from the transport. */
  received = [];
  /** What the client answers, by method: a function of the request's params. */
  answers = {};

  constructor(options, folder) {
    this.isThrough = options.neighbour !== undefined;
    this.label = options.label;
    this.sdk = SDKS[options.sdk];
    this.tapFile = join(folder, 'subject.log');
    this.neighbourFile = join(folder, 'neighbour.log');
    this.folder = folder;
    for (const file of [this.tapFile, this.neighbourFile]) writeFileSync(file, '', { flag: 'a' });
    this.isTwin = options.neighbour === options.subject;
    const command = this.isThrough
      ? doorwardCommand({ ...options, folder, tapFile: this.tapFile })
      : entryOf(options.subject, this.tapFile);
    this.capabilities = options.capabilities;
    this.client = this.sdk.makeClient(options.capabilities);
    this.transport = this.sdk.makeTransport(command, (text) => {
      this.stderr = `${this.stderr}${text}`.slice(-2_000);
    });
  }

  async connect() {
    this.client.fallbackNotificationHandler = async ({ method, params }) => {
      this.heard.push({ method, params });
    };
    for (const [capability, method] of [
      ['roots', 'roots/list'],
      ['sampling', 'sampling/createMessage'],
      ['elicitation', 'elicitation/create'],
    ]) {
      if (this.capabilities[capability] !== undefined) this.#answer(method);
    }
    await this.client.connect(this.transport);
    const deliver = this.transport.onmessage;
    this.transport.onmessage = (message, extra) => {
      this.received.push(message);
      deliver(message, extra);
    };
    await this.#settle();
  }

  #answer(method) {
    this.sdk.onRequest(this.client, method, async (params) => {
      this.asked.push({ method, params });
      const answer = this.answers[method];
      if (answer === undefined) throw new Error(`nobody expected ${method}`);
      return answer(params);
    });
  }

  /** Until both servers are there, and what the reference server does 350 ms after its start is over. */
  async #settle() {
    if (this.capabilities.roots !== undefined) this.answers['roots/list'] ??= () => ({ roots: [] });
    const wanted = this.isThrough ? [`${SUBJECT}__`, `${NEIGHBOUR}__`] : [''];
    const isThere = async () => {
      const { tools } = await this.client.listTools();
      return wanted.every((prefix) => tools.some(({ name }) => name.startsWith(prefix)));
    };
    await this.until(isThere, 'both servers to list their tools', STARTED_WITHIN_MS);
    await sleep(450);
  }

  async close() {
    await this.client.close();
  }

  /** Waits for `condition` to hold, looking every 20 ms. */
  async until(condition, what, withinMs = 4_000) {
    const endsAt = performance.now() + withinMs;
    for (;;) {
      const value = await condition();
      if (value) return value;
      if (performance.now() > endsAt) throw new Error(`waited ${withinMs} ms for ${what}`);
      await sleep(20);
    }
  }

  /**
   * Runs `act`, waits until `count` notifications of the method came, then until none has come for a while.
   *
   * @returns the params of all of them
   */
  async hearing(method, count, act) {
    const start = this.heard.length;
    const found = () => this.heard.slice(start).filter((heard) => heard.method === method);
    await act();
    if (count > 0) await this.until(() => found().length >= count, `${count} ${method}`);
    let seen;
    do {
      seen = found().length;
      await sleep(QUIET_MS);
    } while (found().length > seen);
    return found().map(({ params }) => params);
  }

  /** Runs `act`. @returns its result and what the server asked the client meanwhile */
  async asking(method, act) {
    const start = this.asked.length;
    const result = await act();
    return { asked: this.asked.slice(start).filter((asked) => asked.method === method), result };
  }

  /** Every message the server has been shown, in order. */
  shown() {
    return messagesIn(this.tapFile);
  }

  /** Every message the server beside it has been shown. */
  shownToNeighbour() {
    return messagesIn(this.neighbourFile);
  }

  /** The public URI of one of the subject's resources: its own, unless the server before it has the same. */
  uri(own) {
    return this.isThrough && this.isTwin ? `doorward://${SUBJECT}/${own}` : own;
  }

  name(own) {
    return this.isThrough ? `${SUBJECT}__${own}` : own;
  }

  /** Keeps what is the subject's, under its own names; the neighbour must be there too. */
  #own(entries) {
    if (!this.isThrough) return entries;
    if (!entries.some(({ name }) => name.startsWith(`${NEIGHBOUR}__`))) throw new Error('the neighbour is missing');
    const prefix = `${SUBJECT}__`;
    return entries
      .filter(({ name }) => name.startsWith(prefix))
      .map((entry) => ({ ...entry, name: entry.name.slice(prefix.length) }));
  }

  async tools() {
    return this.#own(await this.#pages('listTools', 'tools'));
  }

  async prompts() {
    return this.#own(await this.#pages('listPrompts', 'prompts'));
  }

  /** Resources keep their URIs, so whose they are is told by the URI's beginning. */
  async resources(uriPrefix) {
    return this.#byUri(await this.#pages('listResources', 'resources'), 'uri', uriPrefix);
  }

  async templates(uriPrefix) {
    return this.#byUri(await this.#pages('listResourceTemplates', 'resourceTemplates'), 'uriTemplate', uriPrefix);
  }

  #byUri(entries, member, uriPrefix) {
    const own = entries.filter((entry) => entry[member].startsWith(uriPrefix));
    if (this.isThrough && own.length === entries.length) throw new Error('the neighbour is missing');
    return own;
  }

  async #pages(list, member) {
    const entries = [];
    let cursor;
    for (let page = 0; page < 100; page++) {
      const result = await this.client[list](cursor === undefined ? {} : { cursor });
      entries.push(...result[member]);
      cursor = result.nextCursor;
      if (cursor === undefined) return entries;
    }
    throw new Error(`${list} has no last page`);
  }

  /** Calls a tool by its own name. */
  async call(name, args = {}, { meta, ...options } = {}) {
    await this.requireTool(name);
    const params = { name: this.name(name), arguments: args, ...(meta !== undefined && { _meta: meta }) };
    return this.sdk.callTool(this.client, params, options);
  }

  async requireTool(name) {
    this.known ??= new Set((await this.tools()).map((tool) => tool.name));
    if (this.known.has(name)) return;
    this.known = new Set((await this.tools()).map((tool) => tool.name));
    if (!this.known.has(name)) throw new NotOffered(`lists no tool \`${name}\``);
  }

  async getPrompt(name, args) {
    return this.client.getPrompt({ name: this.name(name), ...(args !== undefined && { arguments: args }) });
  }

  async completePrompt(name, argument, context) {
    const ref = { type: 'ref/prompt', name: this.name(name) };
    return this.client.complete({ ref, argument, ...(context !== undefined && { context }) });
  }
}

function messagesIn(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

/** What a promise fails with, as a client can show it; it must fail. */
export async function failureOf(promise) {
  const outcome = await promise.then(
    (result) => ({ result }),
    ({ code, message, data }) => ({ code, message, data }),
  );
  if (outcome.result !== undefined) throw new Error(`did not fail: ${JSON.stringify(outcome.result).slice(0, 200)}`);
  return outcome;
}
