import {
  type CallOptions,
  type CallSignal,
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
  toDoorError,
} from '../base/index.js';
import type { CatalogEntry, Gateway, GatewayLimits, ToolAnswer } from '../gateway/index.js';
import {
  type BadMessage,
  type Codec,
  decodeMessage,
  doorErrorMessage,
  errorHead,
  errorMessage,
  findCodec,
  LineFramer,
  locateCallParams,
  type Message,
  NEWEST,
  notificationMessage,
  type OversizeLine,
  progressTokenOf,
  RPC,
  resultHead,
} from '../protocol/index.js';
import { Batch, NO_ANSWER, type Reply } from './batch.js';
import { CANCELLED, idOf, OpenRequests } from './open-requests.js';
import { ToolListPages } from './tool-list-pages.js';

export interface StreamDoorOptions {
  /** What the gateway behind the door is bounded by; known before the gateway is there. */
  readonly limits: Pick<GatewayLimits, 'maxDepth' | 'maxMessageBytes' | 'pageSize'>;
  readonly principal: Principal;
  /** What events call this way in: `stdio`. */
  readonly door: string;
  /** How we introduce ourselves to callers. */
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  /** Hands over one whole message, without its line end. False: the caller reads too slowly. */
  readonly write: (pieces: readonly Piece[]) => boolean;
  /** Resolves when the caller has read what was written. */
  readonly whenWritable: () => Promise<void>;
  /** The caller's stream broke the limits for good; nothing more will be read. */
  readonly broken: (reason: DoorError) => void;
}

/** A request that came before the gateway did. */
interface Parked {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly reply: Reply;
}

/**
 * One caller on one message stream (stdio, a socket): JSON-RPC in, JSON-RPC out, every request answered once.
 *
 * The door can be opened before there is a gateway behind it: it then shakes hands at once, and what needs the gateway
 * waits until `attach`.
 */
export class StreamDoor {
  readonly #options: StreamDoorOptions;
  #gateway: Gateway | undefined;
  #parked: Parked[] = [];
  readonly #scanner: JsonScanner;
  readonly #framer: LineFramer;
  readonly #pages: ToolListPages;
  readonly #requests = new OpenRequests();
  readonly #write: Reply;
  #codec: Codec = NEWEST;
  /** Told of changes only once it has been told what there was. */
  #hasListed = false;
  #isHeldBack = false;
  #isClosed = false;
  #unwatch: () => void = () => {};

  constructor(options: StreamDoorOptions) {
    const { limits } = options;
    this.#options = options;
    this.#scanner = new JsonScanner({ nestingLimit: limits.maxDepth + 2 });
    this.#pages = new ToolListPages(limits.pageSize);
    this.#framer = new LineFramer(limits.maxMessageBytes, {
      line: (bytes, start, end) => this.#line(bytes, start, end, this.#write),
      oversize: (line) => this.#oversize(line),
      flood: (bytes) => this.#flood(bytes),
    });
    this.#write = (pieces) => {
      if (pieces.length === 0 || this.#isClosed) return;
      if (!options.write(pieces)) this.#holdBack();
    };
  }

  /** Puts the gateway behind the door; what has waited for it goes in, in the order it came. */
  attach(gateway: Gateway): void {
    if (this.#isClosed) return;
    this.#gateway = gateway;
    if (this.#isHeldBack) gateway.pause();
    this.#unwatch = gateway.onListChanged(() => {
      if (this.#hasListed) this.#write([notificationMessage('notifications/tools/list_changed')]);
    });
    const parked = this.#parked;
    this.#parked = [];
    for (const { bytes, start, end, reply } of parked) {
      this.#line(bytes, start, end, reply);
      this.#requests.release();
    }
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

  /** The caller is gone: its calls are cancelled upstream and nothing more is written. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#requests.endAll(CANCELLED);
    for (const { id } of this.#parked) this.#forget(id);
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
        return this.#bad(message, bytes, start, reply);
      default:
        // An answer: doorward has asked this caller nothing, so there is nobody to give it to.
        return;
    }
  }

  #request(message: Message, bytes: Uint8Array, start: number, end: number, reply: Reply): void {
    const { id, method } = message;
    switch (method) {
      case 'tools/call':
        if (this.#gateway === undefined) return this.#park({ id, bytes, start, end, reply });
        return this.#callTool(this.#gateway, message, reply);
      case 'tools/list':
        if (this.#gateway === undefined) return this.#park({ id, bytes, start, end, reply });
        return this.#listTools(this.#gateway, message, reply);
      case 'initialize':
        return reply([this.#initialize(message)]);
      case 'ping':
        return reply([`${resultHead(id)}{}}`]);
      default:
        return reply([errorMessage(id, RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`)]);
    }
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
    const result = {
      protocolVersion: this.#codec.revision,
      capabilities: { tools: { listChanged: true } },
      serverInfo: this.#options.info,
    };
    return `${resultHead(message.id)}${JSON.stringify(result)}}`;
  }

  #listTools(gateway: Gateway, message: Message, reply: Reply): void {
    const params = this.#paramsOf(message) as { cursor?: unknown } | undefined;
    const cursor = params?.cursor ?? undefined;
    const { id } = message;
    const signal = this.#requests.begin(id);
    gateway.listTools({ signal }).then(
      (entries) => {
        reply(signal.aborted ? NO_ANSWER : this.#listMessage(id, entries, cursor));
        this.#requests.finish(id, signal);
      },
      (thrown: unknown) => this.#fail(id, signal, thrown, reply),
    );
  }

  #listMessage(id: string, entries: readonly CatalogEntry[], cursor: unknown): Piece[] {
    const page = this.#pages.read(entries, cursor);
    this.#hasListed = true;
    if (page !== undefined) return [resultHead(id), sliceOf(page), '}'];
    return [errorMessage(id, RPC.invalidParams, 'tools/list: this cursor was not given out here')];
  }

  #callTool(gateway: Gateway, message: Message, reply: Reply): void {
    const { id } = message;
    const params = locateCallParams(this.#scanner, message.bytes, message.body);
    if (typeof params === 'string') return reply([errorMessage(id, RPC.invalidParams, `tools/call: ${params}`)]);
    const signal = this.#requests.begin(id);
    const token = progressTokenOf(params);
    const { principal, door } = this.#options;
    const options: CallOptions =
      token === undefined
        ? { principal, signal, door }
        : { principal, signal, door, progress: (progress) => this.#progress(progress, token) };
    gateway.call(params, options).then(
      (answer) => {
        reply(signal.aborted ? NO_ANSWER : messageOf(id, answer));
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
    if (message.method !== 'notifications/cancelled' || message.body < 0) return;
    const at = this.#scanner.find('requestId', message.bytes, message.body);
    if (at < 0) return;
    const id = decodeText(message.bytes, this.#scanner.valueStart[at]!, this.#scanner.valueEnd[at]!);
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
    const { bytes, start, end } = params;
    const scanner = new JsonScanner();
    scanner.scan(bytes, start, end);
    const at = scanner.find('progressToken', bytes);
    const edit = { start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: token };
    const body = joinPieces(splice(bytes, start, end, [edit]));
    this.#write(['{"jsonrpc":"2.0","method":"notifications/progress","params":', onOneLine(sliceOf(body)), '}']);
  }

  #bad(bad: BadMessage, bytes: Uint8Array, start: number, reply: Reply): void {
    if (bad.isAnswer) return;
    if (bad.isBatch && this.#codec.allowsBatches) return this.#batch(bytes, start, reply);
    const what = bad.code === RPC.parseError ? 'Parse error' : 'Invalid request';
    reply([errorMessage(bad.id, bad.code, `${what}: ${bad.reason}`)]);
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
    if (line.method === undefined) return;
    const limit = this.#options.limits.maxMessageBytes;
    const error = new DoorError(
      'MESSAGE_TOO_LARGE',
      `A message of ${line.length} bytes is over the limit of ${limit}`,
      {
        data: { bytes: line.length, limit },
        hint: 'Send less at once, or raise limits.maxMessageBytes.',
      },
    );
    if (line.id !== undefined) this.#write([doorErrorMessage(line.id, error)]);
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

  /** A caller that reads slowly slows its upstreams, so that nothing piles up in between. */
  #holdBack(): void {
    if (this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.#gateway?.pause();
    void this.#options.whenWritable().then(() => {
      this.#isHeldBack = false;
      this.#gateway?.resume();
    });
  }

  #paramsOf(message: Message): unknown {
    if (message.body < 0) return undefined;
    const start = this.#scanner.valueStart[message.body]!;
    const value: unknown = JSON.parse(decodeText(message.bytes, start, this.#scanner.valueEnd[message.body]!));
    return typeof value === 'object' && value !== null ? value : undefined;
  }
}

/** The caller's envelope around the upstream's own bytes. */
function messageOf(id: string, answer: ToolAnswer): Piece[] {
  const body = answer.hasLineBreaks ? onOneLine(answer.json) : answer.json;
  return [answer.kind === 'result' ? resultHead(id) : errorHead(id), body, '}'];
}
