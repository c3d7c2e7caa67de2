// @ts-check
/** The load: a caller over pipes that keeps some calls in flight, costs little, and believes no answer unseen. */
import { spawn } from 'node:child_process';
import { onCore } from './machine.mjs';

const NEWLINE = 10;
const ZERO = 0x30;
const FIRST_ID = 1_000_000;
const ID_DIGITS = 7;
const HEAD = '{"jsonrpc":"2.0","id":';
const HEAD_LENGTH = HEAD.length;
/** What stands around a result, in whatever order: the ids have seven digits each. */
const ENVELOPE_LENGTH = `${HEAD}1234567,"result":}`.length;
const RESULT = Buffer.from('"result":');
const SCRATCH_BYTES = 512 * 1024;
const COPY_BYTES = 16 * 1024;
/** One answer in so many is compared byte by byte; of all, id and length are. */
const CHECK_SMALL_EVERY = 17;
const CHECK_LARGE_EVERY = 5;
const TAIL_CHARACTERS = 4000;

/** @typedef {import('./payloads.mjs').Payload} Payload */
/** @typedef {{ readonly seconds: number, readonly latenciesMs: Float64Array }} Driven */

export class Caller {
  /**
   * @param {readonly string[]} argv the middle, or the upstream itself
   * @param {{ env?: NodeJS.ProcessEnv, core?: 'middle' | 'load' | undefined }} [options] no `core`: any core
   */
  constructor(argv, { env = process.env, core } = {}) {
    const [command = '', ...args] = core ? onCore(core, argv) : argv;
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.pid = /** @type {number} */ (this.process.pid);
    this.stderr = '';
    this.hasEnded = false;
    this.nextId = FIRST_ID;
    /** @type {(chunk: Buffer) => void} */
    this.onChunk = () => {};
    /** @type {(error: Error) => void} */
    this.onEnd = () => {};
    this.exited = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.stdout.on('data', (chunk) => this.onChunk(chunk));
    this.process.stdout.on('error', () => {});
    this.process.stdin.on('error', () => {});
    this.process.stderr.on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-TAIL_CHARACTERS);
    });
    this.process.once('close', (code) => {
      this.hasEnded = true;
      this.onEnd(new Error(`the process ended with ${code}: ${this.stderr}`));
    });
  }

  /** @param {object} message */
  send(message) {
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * One request, parsed: for everything that is not measured.
   *
   * @param {string} method @param {object} [params] @param {number} [timeoutMs]
   * @returns {Promise<{ result?: Record<string, unknown>, error?: { code: number, message: string } }>}
   */
  request(method, params = {}, timeoutMs = 30_000) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no answer to ${method} in ${timeoutMs} ms: ${this.stderr}`)),
        timeoutMs,
      );
      /** @type {Buffer[]} */
      let held = [];
      this.onEnd = reject;
      this.onChunk = (chunk) => {
        held.push(chunk);
        if (!chunk.includes(NEWLINE)) return;
        const lines = Buffer.concat(held).toString().split('\n');
        held = [Buffer.from(lines.pop() ?? '')];
        for (const line of lines) {
          const message = JSON.parse(line);
          if (message.id !== id || message.method !== undefined) continue;
          clearTimeout(timer);
          this.onChunk = () => {};
          resolve(message);
        }
      };
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  async initialize() {
    const answer = await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** @returns {Promise<readonly string[]>} the names of all tools, following cursors */
  async listNames() {
    const names = [];
    let cursor;
    do {
      const { result } = await this.request('tools/list', cursor ? { cursor } : {});
      for (const tool of /** @type {{ name: string }[]} */ (result?.tools ?? [])) names.push(tool.name);
      cursor = /** @type {string | undefined} */ (result?.nextCursor);
    } while (cursor);
    return names;
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
   * Makes `calls` calls of one tool with the payloads of `pool` in turn, `inFlight` at a time.
   *
   * @param {{ name: string, pool: readonly Payload[], calls: number, inFlight: number }} options
   * @returns {Promise<Driven>}
   */
  drive({ name, pool, calls, inFlight }) {
    return new Promise((resolve, reject) => {
      const drive = new Drive(this.process.stdin, { name, pool, calls, firstId: this.nextId });
      this.nextId += calls;
      if (this.nextId >= 10 ** ID_DIGITS) throw new Error('the ids have seven digits: start another process');
      let watched = -1;
      const watchdog = setInterval(() => {
        if (drive.answered === watched) fail(new Error(`stuck at ${watched} of ${calls} calls: ${this.stderr}`));
        watched = drive.answered;
      }, 20_000);
      /** @param {Error} error */
      const fail = (error) => {
        clearInterval(watchdog);
        this.onChunk = () => {};
        reject(error);
      };
      const startedMs = performance.now();
      this.onEnd = fail;
      this.onChunk = (chunk) => {
        try {
          drive.receive(chunk);
        } catch (error) {
          fail(/** @type {Error} */ (error));
          return;
        }
        if (drive.answered < calls) return;
        clearInterval(watchdog);
        this.onChunk = () => {};
        this.onEnd = () => {};
        resolve({ seconds: (performance.now() - startedMs) / 1000, latenciesMs: drive.latenciesMs });
      };
      drive.start(Math.min(inFlight, calls));
    });
  }

  /** Ends stdin, waits, and kills what does not end by itself. */
  async close() {
    if (this.hasEnded) return;
    this.onEnd = () => {};
    this.process.stdin.end();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 5000);
    await this.exited;
    clearTimeout(timer);
  }
}

/** The state of one `drive`: what is in flight, what has come. */
class Drive {
  /** @param {import('node:stream').Writable} sink @param {{ name: string, pool: readonly Payload[], calls: number, firstId: number }} options */
  constructor(sink, { name, pool, calls, firstId }) {
    this.sink = sink;
    this.pool = pool;
    this.calls = calls;
    this.firstId = firstId;
    this.sent = 0;
    this.answered = 0;
    this.latenciesMs = new Float64Array(calls);
    this.sentAtMs = new Float64Array(calls);
    this.requests = pool.map((payload) =>
      Buffer.concat([
        Buffer.from(`${HEAD}0000000,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":`),
        payload.arguments,
        Buffer.from('}}\n'),
      ]),
    );
    this.scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
    this.filled = 0;
    this.isCorked = false;
    /** @type {Buffer[]} */
    this.held = [];
  }

  /** @param {number} count */
  start(count) {
    const nowMs = performance.now();
    for (let index = 0; index < count; index++) this.sendOne(nowMs);
    this.flush();
  }

  /** @param {Buffer} chunk */
  receive(chunk) {
    const nowMs = performance.now();
    let at = 0;
    let came = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      if (this.held.length === 0) this.take(chunk, at, end, nowMs);
      else this.takePieces(chunk.subarray(0, end), nowMs);
      came++;
      at = end + 1;
    }
    if (at < chunk.length) this.held.push(at === 0 ? chunk : chunk.subarray(at));
    for (; came > 0 && this.sent < this.calls; came--) this.sendOne(nowMs);
    this.flush();
  }

  /** A message of several chunks; only one that is compared in full is laid together. @param {Buffer} last @param {number} nowMs */
  takePieces(last, nowMs) {
    const pieces = this.held;
    this.held = [];
    pieces.push(last);
    const first = /** @type {Buffer} */ (pieces[0]);
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (
      length < COPY_BYTES ||
      first.length < ENVELOPE_LENGTH ||
      first[2] !== 0x6a ||
      this.answered % CHECK_LARGE_EVERY === 0
    ) {
      const whole = Buffer.concat(pieces, length);
      this.take(whole, 0, length, nowMs);
    } else this.settle(readId(first, HEAD_LENGTH) - this.firstId, length, first, nowMs);
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end @param {number} nowMs */
  take(bytes, start, end, nowMs) {
    // `{"jsonrpc"` has its id next, `{"result"` has it at the end.
    const id = bytes[start + 2] === 0x6a ? readId(bytes, start + HEAD_LENGTH) : readId(bytes, end - 1 - ID_DIGITS);
    const sequence = id - this.firstId;
    const every = end - start < COPY_BYTES ? CHECK_SMALL_EVERY : CHECK_LARGE_EVERY;
    if (this.answered % every === 0) this.compare(bytes, start, end, sequence);
    this.settle(sequence, end - start, bytes, nowMs, start);
  }

  /** @param {number} sequence @param {number} length @param {Buffer} bytes @param {number} nowMs @param {number} [start] */
  settle(sequence, length, bytes, nowMs, start = 0) {
    const sentAtMs = this.sentAtMs[sequence];
    const payload = this.pool[sequence % this.pool.length];
    if (!sentAtMs || !payload || length !== payload.result.length + ENVELOPE_LENGTH) {
      const text = bytes.toString('utf8', start, start + Math.min(length, 400));
      throw new Error(`not the answer to call ${sequence}, or not its length (${length}): ${text}`);
    }
    this.sentAtMs[sequence] = 0;
    this.latenciesMs[this.answered++] = nowMs - sentAtMs;
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end @param {number} sequence */
  compare(bytes, start, end, sequence) {
    const wanted = this.pool[sequence % this.pool.length]?.result;
    const at = bytes.indexOf(RESULT, start) + RESULT.length;
    if (!wanted || at + wanted.length > end || bytes.compare(wanted, 0, wanted.length, at, at + wanted.length) !== 0) {
      throw new Error(
        `the result of call ${sequence} was changed: ${bytes.toString('utf8', start, Math.min(end, start + 400))}`,
      );
    }
  }

  /** @param {number} nowMs */
  sendOne(nowMs) {
    const sequence = this.sent++;
    const request = /** @type {Buffer} */ (this.requests[sequence % this.requests.length]);
    this.sentAtMs[sequence] = nowMs;
    const head = Math.min(request.length, COPY_BYTES);
    if (this.filled + head > SCRATCH_BYTES) this.flush();
    request.copy(this.scratch, this.filled, 0, head);
    putId(this.scratch, this.filled + HEAD_LENGTH, this.firstId + sequence);
    this.filled += head;
    // A message a write, as clients do: what the middle reads at once is what has come meanwhile, not what was laid together.
    if (head === request.length) return this.flush();
    this.sink.cork();
    this.flush();
    this.sink.write(request.subarray(head));
    this.sink.uncork();
  }

  flush() {
    if (this.filled === 0) return;
    this.sink.write(this.scratch.subarray(0, this.filled));
    if (this.sink.writableLength > 0) this.scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
    this.filled = 0;
  }
}

/** @param {Buffer} bytes @param {number} at */
function readId(bytes, at) {
  let id = 0;
  for (let index = at; index < at + ID_DIGITS; index++) id = id * 10 + /** @type {number} */ (bytes[index]) - ZERO;
  return id;
}

/** @param {Buffer} bytes @param {number} at @param {number} id */
function putId(bytes, at, id) {
  for (let index = at + ID_DIGITS - 1; index >= at; index--) {
    const rest = Math.floor(id / 10);
    bytes[index] = ZERO + id - rest * 10;
    id = rest;
  }
}
