import {
  type CallerCapabilities,
  type CallOptions,
  type CallSignal,
  type Clock,
  DoorError,
  decodeText,
  elementsOf,
  JsonScanner,
  type JsonSlice,
  joinPieces,
  onOneLine,
  type Piece,
  type Principal,
  sliceOf,
  splice,
  systemClock,
  toDoorError,
} from '../base/index.js';
import type { Gateway, GatewayLimits, View } from '../gateway/index.js';
import {
  type BadMessage,
  type Codec,
  decodeMessage,
  doorErrorMessage,
  errorMessage,
  findCodec,
  LineFramer,
  locateCallParams,
  type Message,
  NEWEST,
  OversizeLine,
  progressTokenOf,
  RPC,
  resultHead,
} from '../protocol/index.js';
import { Batch, NO_ANSWER, type Reply } from './batch.js';
import { CANCELLED, idOf, OpenRequests } from './open-requests.js';
import { answerMessage, RequestReader, type Work } from './requests.js';
import { SlowReader } from './slow-reader.js';
import { readCapabilities, StreamCaller } from './stream-caller.js';

export interface StreamDoorOptions {
  /** What the gateway behind the door is bounded by; known before the gateway is there. */
  readonly limits: Pick<GatewayLimits, 'maxDepth' | 'maxMessageBytes' | 'pageSize'>;
  readonly principal: Principal;
  /** What events call this way in: `stdio`. */
  readonly door: string;
  /** How we introduce ourselves to callers. */
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  /** What models are told about the servers behind the door, given what the caller declares; '' for nothing. */
  readonly instructions?: (declared: CallerCapabilities) => string;
  /** Hands over one whole message, without its line end. False: the caller reads too slowly. */
  readonly write: (pieces: readonly Piece[]) => boolean;
  /** Resolves when the caller has read what was written. */
  readonly whenWritable: () => Promise<void>;
  /** Bytes written that the caller has not read yet. */
  readonly unreadBytes?: () => number;
  /** Stops and resumes reading from the caller, when too much lies unread before it. */
  readonly pauseInput?: (isPaused: boolean) => void;
  /** The caller broke the limits for good; nothing more is to be read from it. */
  readonly broken: (reason: DoorError) => void;
  readonly clock?: Clock;
}

/** A request that came before the gateway did. */
interface Parked {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly reply: Reply;
}

/** What a caller may count on, whatever upstreams there are: they may come and go. */
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/**
 * One caller on one message stream (stdio, a socket): JSON-RPC in, JSON-RPC out, every request answered once.
 *
 * The door can be opened before there is a gateway behind it: it then shakes hands at once, and what needs the gateway
 * waits until `attach`. Upstreams are started when the caller has said what it can be asked for.
 */
export class StreamDoor {
  readonly #options: StreamDoorOptions;
  #gateway: Gateway | undefined;
  #view: View | undefined;
  #parked: Parked[] = [];
  readonly #scanner: JsonScanner;
  readonly #framer: LineFramer;
  readonly #reader: RequestReader;
  readonly #requests = new OpenRequests();
  readonly #write: Reply;
  readonly #slowness: SlowReader;
  #codec: Codec = NEWEST;
  /** What the caller declared at initialize; undefined until it has. */
  #declared: CallerCapabilities | undefined;
  #caller: StreamCaller | undefined;
  #isReady = false;
  #isClosed = false;

  constructor(options: StreamDoorOptions) {
    const { limits } = options;
    this.#options = options;
    this.#scanner = new JsonScanner({ nestingLimit: limits.maxDepth + 2 });
    this.#reader = new RequestReader(this.#scanner, limits.pageSize);
    this.#framer = new LineFramer(limits.maxMessageBytes, {
      line: (bytes, start, end) => this.#line(bytes, start, end, this.#write),
      oversize: (line) => this.#oversize(line),
      flood: (bytes) => this.#flood(bytes),
    });
    this.#slowness = new SlowReader({
      clock: options.clock ?? systemClock,
      unreadBytes: options.unreadBytes ?? (() => 0),
      whenWritable: options.whenWritable,
      pauseAnswers: (isPaused) => (isPaused ? this.#view?.pause() : this.#view?.resume()),
      pauseRequests: (isPaused) => options.pauseInput?.(isPaused),
      givenUp: options.broken,
    });
    this.#write = (pieces) => {
      if (pieces.length === 0 || this.#isClosed) return;
      if (!options.write(pieces)) this.#slowness.wrote();
    };
  }

  /** Puts the gateway behind the door; what has waited for it goes in, in the order it came. */
  attach(gateway: Gateway): void {
    if (this.#isClosed) return;
    this.#gateway = gateway;
    if (this.#declared !== undefined || this.#parked.length > 0) this.#letIn(gateway);
  }

  /** The caller goes in: from now on it has a view of the gateway. */
  #letIn(gateway: Gateway): View {
    const { principal, door } = this.#options;
    const caller = new StreamCaller({
      principal,
      door,
      capabilities: this.#declared ?? {},
      write: this.#write,
      isBehind: () => this.#slowness.isBehind,
    });
    if (this.#isReady) caller.ready();
    const view = gateway.admit(caller);
    this.#caller = caller;
    this.#view = view;
    if (this.#slowness.isBehind) view.pause();
    view.onListChanged((list) => {
      if (this.#reader.shown.has(list)) caller.tell(`notifications/${list}/list_changed`);
    });
    view.start();
    const parked = this.#parked;
    this.#parked = [];
    for (const { bytes, start, end, reply } of parked) {
      this.#line(bytes, start, end, reply);
      this.#requests.release();
    }
    return view;
  }

  push(chunk: Uint8Array): void {
    if (!this.#isClosed) this.#framer.push(chunk);
  }

  /** The caller's stream ended: a last line without its line feed still counts. */
  end(): void {
    if (!this.#isClosed) this.#framer.end();
  }

  /** Resolves when every request has been answered. */
  whenIdle(): Promise<void> {
    return this.#requests.whenIdle();
  }

  /** There is no more time: what is still open is answered with `reason`, and its calls are cancelled upstream. */
  abandon(reason: DoorError): void {
    this.#requests.endAll(reason);
    const parked = this.#parked;
    this.#parked = [];
    for (const { id, reply } of parked) {
      reply([doorErrorMessage(id, reason)]);
      this.#requests.release();
    }
  }

  /** The caller is gone: its calls are cancelled upstream, what was started for it alone ends, nothing more is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#slowness.close();
    this.#requests.endAll(CANCELLED);
    for (const { id } of this.#parked) this.#forget(id);
    this.#caller?.leave(new DoorError('UPSTREAM_LOST', 'the caller is gone'));
    await this.#view?.close();
  }

  #line(bytes: Uint8Array, start: number, end: number, reply: Reply): void {
    this.#message(decodeMessage(this.#scanner, bytes, start, end), bytes, start, end, reply);
  }

  #message(message: Message | BadMessage, bytes: Uint8Array, start: number, end: number, reply: Reply): void {
    switch (message.kind) {
      case 'request':
        return this.#request(message, bytes, start, end, reply);
      case 'notification':
        return this.#notification(message);
      case 'bad':
        return this.#bad(message, bytes, start, end, reply);
      default: {
        const start = this.#scanner.valueStart[message.body]!;
        const json = { bytes: message.bytes, start, end: this.#scanner.valueEnd[message.body]! };
        return this.#caller?.answered(message.id, message.kind, json);
      }
    }
  }

  #request(message: Message, bytes: Uint8Array, start: number, end: number, reply: Reply): void {
    const { id, method } = message;
    if (method === 'initialize') return reply([this.#initialize(message)]);
    if (method === 'ping') return reply([`${resultHead(id)}{}}`]);
    const view = this.#view ?? (this.#gateway && this.#enter(this.#gateway));
    if (view === undefined) return this.#park({ id, bytes, start, end, reply });
    if (!this.#isReady) this.#ready();
    if (method === 'tools/call') return this.#callTool(view, message, reply);
    const work = this.#reader.read(message);
    if (work === undefined) {
      return reply([errorMessage(id, RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`)]);
    }
    if (typeof work === 'string') return reply([errorMessage(id, RPC.invalidParams, `${method}: ${work}`)]);
    this.#do(work, view, message, reply);
  }

  /** A caller that asks for something without having introduced itself can be asked nothing. */
  #enter(gateway: Gateway): View {
    this.#isReady = true;
    return this.#letIn(gateway);
  }

  #do(work: Work, view: View, { id }: Message, reply: Reply): void {
    const signal = this.#requests.begin(id);
    work.run(view, this.#optionsOf(signal, work.progressToken)).then(
      (pieces) => {
        reply(signal.reason === CANCELLED ? NO_ANSWER : pieces);
        this.#requests.finish(id, signal);
      },
      (thrown: unknown) => this.#fail(id, signal, thrown, reply),
    );
  }

  #optionsOf(signal: CallSignal, token: string | undefined): CallOptions {
    const { principal, door } = this.#options;
    if (token === undefined) return { principal, signal, door };
    return { principal, signal, door, progress: (progress) => this.#progress(progress, token) };
  }

  #park(request: Parked): void {
    this.#parked.push(request);
    this.#requests.hold();
  }

  #initialize(message: Message): string {
    const params = this.#paramsOf(message) as { protocolVersion?: unknown } | undefined;
    const asked = params?.protocolVersion;
    if (typeof asked !== 'string') {
      return errorMessage(message.id, RPC.invalidParams, 'initialize needs params.protocolVersion, a string');
    }
    this.#codec = findCodec(asked) ?? NEWEST;
    if (this.#declared === undefined) {
      this.#declared = this.#capabilitiesIn(message);
      if (this.#gateway !== undefined && this.#view === undefined) this.#letIn(this.#gateway);
    }
    const { info } = this.#options;
    const instructions = this.#options.instructions?.(this.#declared) ?? '';
    const result = {
      protocolVersion: this.#codec.revision,
      capabilities: CAPABILITIES,
      serverInfo: info,
      ...(instructions !== '' && { instructions }),
    };
    return `${resultHead(message.id)}${JSON.stringify(result)}}`;
  }

  #capabilitiesIn({ bytes, body }: Message): CallerCapabilities {
    const at = this.#scanner.find('capabilities', bytes, body);
    if (at < 0) return {};
    return readCapabilities({ bytes, start: this.#scanner.valueStart[at]!, end: this.#scanner.valueEnd[at]! });
  }

  #callTool(view: View, message: Message, reply: Reply): void {
    const { id } = message;
    const params = locateCallParams(this.#scanner, message.bytes, message.body);
    if (typeof params === 'string') return reply([errorMessage(id, RPC.invalidParams, `tools/call: ${params}`)]);
    const signal = this.#requests.begin(id);
    view.call(params, this.#optionsOf(signal, progressTokenOf(params))).then(
      (answer) => {
        reply(signal.reason === CANCELLED ? NO_ANSWER : answerMessage(id, answer));
        this.#requests.finish(id, signal);
      },
      (thrown: unknown) => this.#fail(id, signal, thrown, reply),
    );
  }

  #fail(id: string, signal: CallSignal, thrown: unknown, reply: Reply): void {
    reply(signal.reason === CANCELLED ? NO_ANSWER : [doorErrorMessage(id, toDoorError(thrown))]);
    this.#requests.finish(id, signal);
  }

  #notification(message: Message): void {
    switch (message.method) {
      case 'notifications/cancelled':
        return this.#cancelled(message);
      case 'notifications/initialized':
        return this.#ready();
      case 'notifications/roots/list_changed':
        return this.#view?.rootsChanged();
      default:
        return;
    }
  }

  /** The caller has said that it is initialized, or asks for something as if it had. */
  #ready(): void {
    this.#isReady = true;
    this.#caller?.ready();
  }

  #cancelled({ bytes, body }: Message): void {
    const at = body < 0 ? -1 : this.#scanner.find('requestId', bytes, body);
    if (at < 0) return;
    const id = decodeText(bytes, this.#scanner.valueStart[at]!, this.#scanner.valueEnd[at]!);
    this.#requests.cancel(id);
    if (this.#parked.length > 0) this.#forget(id);
  }

  /** The caller cancelled a request that still waits for the gateway. */
  #forget(token: string): void {
    const id = idOf(token);
    const gone = this.#parked.filter((request) => idOf(request.id) === id);
    this.#parked = this.#parked.filter((request) => idOf(request.id) !== id);
    for (const { reply } of gone) {
      reply(NO_ANSWER);
      this.#requests.release();
    }
  }

  /** Passes a progress notification on under the caller's own token; the rest of it is the upstream's text. */
  #progress(params: JsonSlice, token: string): void {
    if (this.#slowness.isFarBehind) return;
    const { bytes, start, end } = params;
    const scanner = new JsonScanner();
    scanner.scan(bytes, start, end);
    const at = scanner.find('progressToken', bytes);
    const edit = { start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: token };
    const body = joinPieces(splice(bytes, start, end, [edit]));
    this.#write(['{"jsonrpc":"2.0","method":"notifications/progress","params":', onOneLine(sliceOf(body)), '}']);
  }

  #bad(bad: BadMessage, bytes: Uint8Array, start: number, end: number, reply: Reply): void {
    if (bad.isAnswer) return this.#caller?.answeredBadly(bad.id, bad.reason);
    if (bad.isBatch && this.#codec.allowsBatches) return this.#batch(bytes, start, reply);
    if (bad.code === RPC.parseError) this.#endQuestion(bad, bytes, start, end);
    const what = bad.code === RPC.parseError ? 'Parse error' : 'Invalid request';
    reply([errorMessage(bad.id, bad.code, `${what}: ${bad.reason}`)]);
  }

  /** What is not even JSON may have been meant as an answer: whoever asked need not wait for a better one. */
  #endQuestion({ reason }: BadMessage, bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] !== 0x7b) return;
    const line = new OversizeLine();
    line.read(bytes.subarray(start, end));
    if (line.method === undefined && line.id !== undefined) this.#caller?.answeredBadly(line.id, reason);
  }

  /** Several messages at once, in revisions that allow it: answered together, when the last one is. */
  #batch(bytes: Uint8Array, start: number, reply: Reply): void {
    const spans = elementsOf(bytes, start);
    if (spans.length === 0) return reply([errorMessage('null', RPC.invalidRequest, 'Invalid request: an empty batch')]);
    const batch = new Batch(reply);
    for (const span of spans) {
      const message = decodeMessage(this.#scanner, bytes, span.start, span.end);
      const isOwed = message.kind === 'request' || (message.kind === 'bad' && !message.isAnswer);
      const take = isOwed ? batch.owe() : this.#write;
      if (message.kind === 'bad' && message.isBatch) {
        take([errorMessage('null', RPC.invalidRequest, 'Invalid request: a batch within a batch')]);
      } else this.#message(message, bytes, span.start, span.end, take);
    }
    batch.end();
  }

  #oversize(line: OversizeLine): void {
    // Of a batch it is not known whether a request is in it; silence would leave its caller waiting if there is.
    const id = line.isBatch ? 'null' : line.id;
    if (id === undefined) return;
    const limit = this.#options.limits.maxMessageBytes;
    if (line.method === undefined && !line.isBatch) {
      // An answer: whoever asked need not wait for it any longer.
      return this.#caller?.answeredBadly(id, `${line.length} bytes are over the limit of ${limit}`);
    }
    const error = new DoorError(
      'MESSAGE_TOO_LARGE',
      `A message of ${line.length} bytes is over the limit of ${limit}`,
      {
        data: { bytes: line.length, limit },
        hint: 'Send less at once, or raise limits.maxMessageBytes.',
      },
    );
    this.#write([doorErrorMessage(id, error)]);
  }

  #flood(bytes: number): void {
    const limit = this.#options.limits.maxMessageBytes;
    const error = new DoorError(
      'MESSAGE_TOO_LARGE',
      `A line went on past ${bytes} bytes without an end (limit ${limit})`,
    );
    this.#write([doorErrorMessage('null', error)]);
    this.#options.broken(error);
  }

  #paramsOf(message: Message): unknown {
    if (message.body < 0) return undefined;
    const start = this.#scanner.valueStart[message.body]!;
    const value: unknown = JSON.parse(decodeText(message.bytes, start, this.#scanner.valueEnd[message.body]!));
    return typeof value === 'object' && value !== null ? value : undefined;
  }
}
