// @ts-check
/** How a raw caller's messages get to a server and back: lines of a process, or POSTs. Texts go as they are, unread. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { createParser } from 'eventsource-parser';

const ENDS_WITHIN_MS = 3_000;

/**
 * @typedef {object} Link
 * @property {'stdio' | 'http'} kind
 * @property {(text: string, options: { headers: Record<string, string>, hear: (text: string) => void, signal?: AbortSignal }) => Promise<Delivery>} send
 *   resolves when all that belongs to the message has been heard (HTTP), at once over stdio
 * @property {Promise<string>} lost why, when nothing will come any more; pending for as long as something may
 * @property {() => Promise<void>} close
 */
/** @typedef {{ status: number, headers: import('node:http').IncomingHttpHeaders }} Delivery */

/** One process, a message a line. */
export class StdioLink {
  /** @readonly */
  kind = 'stdio';
  stderr = '';
  /** What hears a line. @type {(text: string) => void} */
  hear = () => {};

  /** @param {{ command: string, args: readonly string[], env?: NodeJS.ProcessEnv }} command */
  constructor({ command, args, env }) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: env ?? process.env });
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.lost = this.ended.then((code) => `the process ended with ${code}: ${this.stderr.slice(-500)}`);
    this.child.stdin.on('error', () => {});
    this.child.stderr.on('data', (chunk) => {
      this.stderr = `${this.stderr}${chunk}`.slice(-4_000);
    });
    /** @type {Buffer[]} */
    let held = [];
    this.child.stdout.on('data', (/** @type {Buffer} */ chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        const line = Buffer.concat([...held, chunk.subarray(start, end)]).toString('utf8');
        held = [];
        start = end + 1;
        this.hear(line);
      }
      if (start < chunk.length) held.push(chunk.subarray(start));
    });
  }

  /** @param {string} text @param {{ hear: (text: string) => void }} options @returns {Promise<Delivery>} */
  async send(text, { hear }) {
    this.hear = hear;
    this.child.stdin.write(`${text}\n`);
    return { status: 0, headers: {} };
  }

  async close() {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), ENDS_WITHIN_MS);
    await this.ended;
    clearTimeout(timer);
  }
}

/** One endpoint; connections are kept and used again. */
export class HttpLink {
  /** @readonly */
  kind = 'http';
  /** Each exchange tells of its own end. @type {Promise<string>} */
  lost = new Promise(() => {});
  #agent = new Agent({ keepAlive: true });
  #url;
  #headers;
  /** @type {Set<import('node:http').ClientRequest>} */
  #open = new Set();

  /** @param {string} url @param {Record<string, string>} [headers] */
  constructor(url, headers = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  /** @type {Link['send']} */
  send(text, options) {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...options.headers,
    };
    return this.exchange('POST', { ...options, headers, body: text });
  }

  /**
   * @param {string} method
   * @param {{ headers: Record<string, string>, hear: (text: string) => void, signal?: AbortSignal | undefined, body?: string, opened?: () => void }} options
   * @returns {Promise<Delivery>}
   */
  exchange(method, { headers, hear, signal, body, opened }) {
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent: this.#agent,
        headers: { ...this.#headers, ...headers },
        ...(signal ? { signal } : {}),
      };
      const outgoing = request(this.#url, options, (response) => {
        const isStream = /^text\/event-stream/.test(response.headers['content-type'] ?? '');
        opened?.();
        readAll(response, isStream, hear).then(
          () => resolve({ status: response.statusCode ?? 0, headers: response.headers }),
          reject,
        );
      });
      this.#open.add(outgoing);
      outgoing.on('error', reject);
      outgoing.on('close', () => this.#open.delete(outgoing));
      outgoing.end(body);
    });
  }

  async close() {
    for (const outgoing of this.#open) outgoing.destroy();
    this.#agent.destroy();
  }
}

/** @param {import('node:http').IncomingMessage} response @param {boolean} isStream @param {(text: string) => void} hear */
async function readAll(response, isStream, hear) {
  if (isStream) {
    // An event without data is none: some servers begin with an empty one.
    const parser = createParser({ onEvent: ({ data }) => void (data !== '' && hear(data)) });
    response.setEncoding('utf8');
    for await (const chunk of response) parser.feed(chunk);
    return;
  }
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text !== '') hear(text);
}
