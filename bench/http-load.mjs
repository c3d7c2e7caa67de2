// @ts-check
/** The load over HTTP: a caller on bare sockets, a call at a time on each, that believes no answer unseen. */
import { connect } from 'node:net';
import { idOf, MessageReader, whole } from './http-wire.mjs';

const FIRST_ID = 1_000_000;
const ID_DIGITS = 7;
const ENVELOPE = '{"jsonrpc":"2.0","id":0000000';
const ENVELOPE_LENGTH = '{"jsonrpc":"2.0","id":0000000,"result":}'.length;
const ZERO = 0x30;
/** What a middle may add to a result (`resultType`, who it is); less than the result itself it may not be. */
const MOST_ADDED = 300;
const CHECK_SMALL_EVERY = 17;
const CHECK_LARGE_EVERY = 5;
const COPY_BYTES = 16 * 1024;
const REVISIONS = { handshake: '2025-11-25', modern: '2026-07-28' };
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISIONS.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** @typedef {import('./payloads.mjs').Payload} Payload */
/** @typedef {'handshake' | 'modern'} Era */

/** Looks like the Caller over pipes, so that rounds drive both alike. */
export class HttpCaller {
  /** @param {import('./served.mjs').Served} served @param {URL} url @param {Era} era */
  constructor(served, url, era) {
    this.served = served;
    this.url = url;
    this.era = era;
    this.pid = served.pid;
    this.nextId = FIRST_ID;
    this.session = '';
    /** @type {Connection[]} */
    this.connections = [];
    /** @type {Connection[]} */
    this.listening = [];
  }

  get stderr() {
    return this.served.said;
  }

  async initialize() {
    if (this.era === 'modern') return this.request('server/discover');
    const { head, message } = await this.exchange('initialize', {
      protocolVersion: REVISIONS.handshake,
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    const session = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1];
    if (session) this.session = `Mcp-Session-Id: ${session}\r\n`;
    await this.exchange('notifications/initialized', undefined, { isNotification: true });
    return message;
  }

  /** @param {string} method @param {Record<string, unknown>} [params] */
  async request(method, params = {}) {
    return (await this.exchange(method, params)).message;
  }

  /**
   * One message and its answer, parsed: for everything that is not measured.
   *
   * @param {string} method @param {Record<string, unknown>} [params] @param {{ isNotification?: boolean }} [options]
   * @returns {Promise<{ head: string, message: { result?: Record<string, unknown>, error?: { code: number, message: string } } }>}
   */
  exchange(method, params, { isNotification = false } = {}) {
    const connection = this.connection(0);
    const withMeta = this.era === 'modern' ? { ...params, _meta: META } : params;
    const id = isNotification ? {} : { id: this.nextId++ };
    const body = JSON.stringify({ jsonrpc: '2.0', ...id, method, params: withMeta });
    return new Promise((resolve, reject) => {
      connection.onLost = reject;
      connection.onMessage = (head, pieces) => {
        const text = pieces.length === 0 ? '{}' : whole(pieces).toString();
        // An answer that came as a stream of events.
        const json = text.startsWith('{') ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? '{}');
        resolve({ head, message: JSON.parse(json) });
      };
      connection.socket.write(`${this.head(method, Buffer.byteLength(body))}${body}`);
    });
  }

  /** Opens the session's stream for what belongs to no request, on a connection of its own, and waits until it is open. */
  listen() {
    const connection = new Connection(this.url);
    this.listening.push(connection);
    connection.socket.write(
      `GET ${this.url.pathname} HTTP/1.1\r\nHost: ${this.url.host}\r\nAccept: text/event-stream\r\n` +
        `MCP-Protocol-Version: ${REVISIONS[this.era]}\r\n${this.session}\r\n`,
    );
    return new Promise((resolve, reject) => {
      connection.onLost = reject;
      connection.socket.once('data', (chunk) => {
        if (chunk.toString('latin1', 0, 12) === 'HTTP/1.1 200') resolve(undefined);
        else reject(new Error(`the stream was not opened: ${chunk.toString('latin1', 0, 200)}`));
      });
    });
  }

  /** @param {string} method @param {number} length @param {string} [name] */
  head(method, length, name) {
    const repeated = `Mcp-Method: ${method}\r\n${name === undefined ? '' : `Mcp-Name: ${name}\r\n`}`;
    return (
      `POST ${this.url.pathname} HTTP/1.1\r\nHost: ${this.url.host}\r\nContent-Type: application/json\r\n` +
      `Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: ${REVISIONS[this.era]}\r\n` +
      `${this.era === 'modern' ? repeated : this.session}Content-Length: ${length}\r\n\r\n`
    );
  }

  /** @param {number} index */
  connection(index) {
    const known = this.connections[index];
    if (known && !known.socket.destroyed) return known;
    const made = new Connection(this.url);
    this.connections[index] = made;
    return made;
  }

  /** @returns {Promise<readonly string[]>} the names of all tools */
  async listNames() {
    const { result } = await this.request('tools/list');
    return /** @type {{ name: string }[]} */ (result?.tools ?? []).map(({ name }) => name);
  }

  /** @param {string} tool the upstream's own name @returns {Promise<string>} the name it has behind this middle */
  async findName(tool) {
    for (let tries = 0; tries < 100; tries++) {
      const name = (await this.listNames()).find((one) => one === tool || one.endsWith(`__${tool}`));
      if (name) return name;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the tool ${tool} is not listed: ${this.stderr}`);
  }

  /**
   * Makes `calls` calls of one tool with the payloads of `pool` in turn, one at a time on each of `inFlight` connections.
   *
   * @param {{ name: string, pool: readonly Payload[], calls: number, inFlight: number }} options
   * @returns {Promise<import('./load.mjs').Driven>}
   */
  async drive({ name, pool, calls, inFlight }) {
    const drive = new HttpDrive(this, { name, pool, calls, firstId: this.nextId });
    this.nextId += calls;
    if (this.nextId >= 10 ** ID_DIGITS) throw new Error('the ids have seven digits: start another process');
    const connections = Array.from({ length: Math.min(inFlight, calls) }, (_, index) => this.connection(index));
    /** @type {NodeJS.Timeout | undefined} */
    let watchdog;
    try {
      await new Promise((resolve, reject) => {
        let watched = -1;
        watchdog = setInterval(() => {
          if (drive.answered === watched) reject(new Error(`stuck at ${watched} of ${calls} calls: ${this.stderr}`));
          watched = drive.answered;
        }, 20_000);
        drive.run(connections, () => resolve(undefined), reject);
      });
      return { seconds: (performance.now() - drive.startedMs) / 1000, latenciesMs: drive.latenciesMs };
    } finally {
      clearInterval(watchdog);
    }
  }

  async close() {
    for (const { socket } of [...this.connections, ...this.listening]) socket.destroy();
    await this.served.close();
  }
}

class Connection {
  /** @param {URL} url */
  constructor(url) {
    /** @type {import('./http-wire.mjs').OnMessage} */
    this.onMessage = () => {};
    /** @type {(error: Error) => void} */
    this.onLost = () => {};
    this.socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    const reader = new MessageReader((head, pieces, length) => this.onMessage(head, pieces, length));
    this.socket.on('data', (chunk) => reader.push(chunk));
    this.socket.on('error', (error) => this.onLost(error));
    this.socket.on('close', () => this.onLost(new Error('the connection was closed')));
  }
}

/** The state of one `drive`: what is in flight, what has come. */
class HttpDrive {
  /** @param {HttpCaller} caller @param {{ name: string, pool: readonly Payload[], calls: number, firstId: number }} options */
  constructor(caller, { name, pool, calls, firstId }) {
    this.pool = pool;
    this.calls = calls;
    this.firstId = firstId;
    this.sent = 0;
    this.answered = 0;
    this.startedMs = 0;
    this.latenciesMs = new Float64Array(calls);
    /** What every result must hold, whatever a middle puts before or after it: all between its braces. */
    this.cores = pool.map(({ result }) => result.subarray(1, -1));
    const meta = caller.era === 'modern' ? `,"_meta":${JSON.stringify(META)}` : '';
    this.requests = pool.map((payload) => {
      const body = Buffer.concat([
        Buffer.from(`${ENVELOPE},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":`),
        payload.arguments,
        Buffer.from(`${meta}}}`),
      ]);
      const head = caller.head('tools/call', body.length, name);
      return { bytes: Buffer.concat([Buffer.from(head), body]), idAt: head.length + ENVELOPE.length - ID_DIGITS };
    });
  }

  /** @param {readonly Connection[]} connections @param {() => void} done @param {(error: Error) => void} failed */
  run(connections, done, failed) {
    this.startedMs = performance.now();
    for (const connection of connections) {
      let sequence = this.sendOne(connection);
      let sentAtMs = performance.now();
      connection.onLost = failed;
      connection.onMessage = (head, pieces, length) => {
        try {
          this.check(sequence, head, pieces, length);
        } catch (error) {
          return failed(/** @type {Error} */ (error));
        }
        const nowMs = performance.now();
        this.latenciesMs[this.answered++] = nowMs - sentAtMs;
        if (this.answered === this.calls) done();
        if (this.sent === this.calls) return;
        sentAtMs = nowMs;
        sequence = this.sendOne(connection);
      };
    }
  }

  /** @param {Connection} connection @returns {number} which call it is */
  sendOne({ socket }) {
    const sequence = this.sent++;
    const { bytes, idAt } = /** @type {{ bytes: Buffer, idAt: number }} */ (
      this.requests[sequence % this.requests.length]
    );
    // Only what holds the id is copied: what is written may wait, and another call of the same payload must not change it.
    const copied = Buffer.allocUnsafe(Math.min(bytes.length, COPY_BYTES));
    bytes.copy(copied, 0, 0, copied.length);
    putId(copied, idAt, this.firstId + sequence);
    if (copied.length === bytes.length) socket.write(copied);
    else {
      socket.cork();
      socket.write(copied);
      socket.write(bytes.subarray(copied.length));
      socket.uncork();
    }
    return sequence;
  }

  /** @param {number} sequence @param {string} head @param {readonly Buffer[]} pieces @param {number} length */
  check(sequence, head, pieces, length) {
    const core = /** @type {Buffer} */ (this.cores[sequence % this.cores.length]);
    const least = ENVELOPE_LENGTH + core.length + 2;
    const isAsLong = length >= least && length <= least + MOST_ADDED;
    if (!head.startsWith('HTTP/1.1 200') || !isAsLong || Number(idOf(pieces)) !== this.firstId + sequence) {
      const text = pieces.length === 0 ? '' : whole(pieces).toString('utf8', 0, 400);
      throw new Error(
        `not the answer to call ${sequence}, or not its length (${length}): ${head.slice(0, 200)} ${text}`,
      );
    }
    const every = length < COPY_BYTES ? CHECK_SMALL_EVERY : CHECK_LARGE_EVERY;
    if (this.answered % every !== 0) return;
    const bytes = whole(pieces);
    const at = bytes.indexOf(core.subarray(0, 32));
    if (at < 0 || !bytes.subarray(at, at + core.length).equals(core)) {
      throw new Error(`the result of call ${sequence} was changed: ${bytes.toString('utf8', 0, 400)}`);
    }
  }
}

/** @param {Buffer} bytes @param {number} at @param {number} id */
function putId(bytes, at, id) {
  for (let index = at + ID_DIGITS - 1; index >= at; index--) {
    const rest = Math.floor(id / 10);
    bytes[index] = ZERO + id - rest * 10;
    id = rest;
  }
}
