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
  answerIdInPassing,
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
  notificationMessage,
  type OversizeLine,
  progressTokenOf,
  RPC,
  resultHead,
} from '../protocol/index.js';
import { Batch, NO_ANSWER, type Reply } from './batch.js';
import { CANCELLED, idOf, type OpenRequest, OpenRequests } from './open-requests.js';
import { answerMessage, RequestReader } from './requests.js';
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

/** One message as it was read, and what takes its answer. */
interface Line {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly reply: Reply;
}

/** A request that came before the gateway did. */
interface Waiting {
  readonly id: string;
  readonly line: Line;
}

type State =
  /** There is no gateway yet; what needs it waits. */
  | { readonly kind: 'waiting'; readonly requests: readonly Waiting[] }
  /** There is one, and nobody has asked for anything yet. */
  | { readonly kind: 'open'; readonly gateway: Gateway }
  /** The caller is in: it sees its part of the gateway, and can be asked. */
  | { readonly kind: 'in'; readonly view: View; readonly caller: StreamCaller }
  | { readonly kind: 'closed' };

/** Progress comes while a message of the caller may be half read: its own scanner keeps that one's index untouched. */
const progressScanner = new JsonScanner();

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
  #state: State = { kind: 'waiting', requests: [] };
  readonly #scanner: JsonScanner;
  readonly #framer: LineFramer;
  readonly #reader: RequestReader;
  readonly #requests = new OpenRequests();
  readonly #write: Reply;
  readonly #slowness: SlowReader;
  #codec: Codec = NEWEST;
  /** What the caller declared at initialize; undefined until it has. */
  #declared: CallerCapabilities | undefined;
  /** It has said that it is initialized, or acts as if it had. */
  #isReady = false;
  /** What requests are answered with once the end has begun. */
  #refusal: DoorError | undefined;

  constructor(options: StreamDoorOptions) {
    const { limits } = options;
    this.#options = options;
    this.#scanner = new JsonScanner({ nestingLimit: limits.maxDepth + 2 });
    this.#reader = new RequestReader(this.#scanner, limits.pageSize);
    this.#framer = new LineFramer(limits.maxMessageBytes, {
      line: (bytes, start, end) => this.#line({ bytes, start, end, reply: this.#write }),
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
      if (pieces.length === 0 || this.#state.kind === 'closed') return;
      if (!options.write(pieces)) this.#slowness.wrote();
    };
  }

  get #view(): View | undefined {
    return this.#state.kind === 'in' ? this.#state.view : undefined;
  }

  get #caller(): StreamCaller | undefined {
    return this.#state.kind === 'in' ? this.#state.caller : undefined;
  }

  /** Puts the gateway behind the door; what has waited for it goes in, in the order it came. */
  attach(gateway: Gateway): void {
    if (this.#state.kind !== 'waiting') return;
    const { requests } = this.#state;
    this.#state = { kind: 'open', gateway };
    if (this.#declared !== undefined) this.#letIn(gateway);
    for (const { line } of requests) {
      this.#line(line);
      this.#requests.release();
    }
  }

  /** The caller goes in: from now on it has a view of the gateway. */
  #letIn(gateway: Gateway): View {
    const { principal, door } = this.#options;
    const caller = new StreamCaller({
      principal,
      door,
      // One who asks for something without having introduced itself can be asked nothing.
      capabilities: this.#declared ?? {},
      program: '',
      write: this.#write,
      isBehind: () => this.#slowness.isBehind,
    });
    if (this.#isReady) caller.ready();
    const view = gateway.admit(caller);
    this.#state = { kind: 'in', view, caller };
    if (this.#slowness.isBehind) view.pause();
    view.onListChanged((list) => caller.tell(`notifications/${list}/list_changed`));
    view.start();
    return view;
  }

  push(chunk: Uint8Array): void {
    if (this.#state.kind !== 'closed') this.#framer.push(chunk);
  }

  /** The caller's stream ended: a last line without its line feed still counts. */
  end(): void {
    if (this.#state.kind !== 'closed') this.#framer.end();
  }

  /** Resolves when every request has been answered. */
  whenIdle(): Promise<void> {
    return this.#requests.whenIdle();
  }

  /** The end is near: requests that come now are answered with `reason`; answers and notifications are still read. */
  refuse(reason: DoorError): void {
    this.#refusal = reason;
  }

  /** There is no more time: what is still open is answered with `reason`, and its calls are cancelled upstream. */
  abandon(reason: DoorError): void {
    this.#requests.endAll(reason);
    if (this.#state.kind !== 'waiting') return;
    const { requests } = this.#state;
    this.#state = { kind: 'waiting', requests: [] };
    for (const { id, line } of requests) {
      line.reply([doorErrorMessage(id, reason)]);
      this.#requests.release();
    }
  }

  /** The caller is gone: its calls are cancelled upstream, what was started for it alone ends, nothing more is written. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'closed' };
    this.#slowness.close();
    this.#requests.endAll(CANCELLED);
    if (state.kind === 'waiting') for (const _ of state.requests) this.#requests.release();
    if (state.kind !== 'in') return;
    state.caller.leave(new DoorError('UPSTREAM_LOST', 'the caller is gone'));
    await state.view.close();
  }

  #line(line: Line): void {
    this.#message(decodeMessage(this.#scanner, line.bytes, line.start, line.end), line);
  }

  #message(message: Message | BadMessage, line: Line): void {
    switch (message.kind) {
      case 'request':
        return this.#request(message, line);
      case 'notification':
        return this.#notification(message);
      case 'bad':
        return this.#bad(message, line);
      default: {
        const start = this.#scanner.valueStart[message.body]!;
        const json = { bytes: message.bytes, start, end: this.#scanner.valueEnd[message.body]! };
        return this.#caller?.answered(message.id, message.kind, json);
      }
    }
  }

  #request(message: Message, line: Line): void {
    const { id, method } = message;
    const { reply } = line;
    if (method === 'initialize') return reply([this.#initialize(message)]);
    if (method === 'ping') return reply([`${resultHead(id)}{}}`]);
    if (this.#refusal !== undefined) return reply([doorErrorMessage(id, this.#refusal)]);
    if (!this.#isReady) this.#ready();
    const state = this.#state;
    if (state.kind === 'waiting') return this.#wait(state.requests, { id, line });
    if (state.kind === 'closed') return;
    const view = state.kind === 'open' ? this.#letIn(state.gateway) : state.view;
    if (method === 'tools/call') return this.#callTool(view, message, reply);
    const work = this.#reader.read(message);
    if (work === undefined) {
      return reply([errorMessage(id, RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`)]);
    }
    if (typeof work === 'string') return reply([errorMessage(id, RPC.invalidParams, `${method}: ${work}`)]);
    const signal = this.#requests.begin(id);
    const options = this.#optionsOf(signal, work.progressToken);
    this.#settle(id, signal, reply, work.run(view, options), (pieces) => pieces);
  }

  #wait(requests: readonly Waiting[], request: Waiting): void {
    this.#state = { kind: 'waiting', requests: [...requests, request] };
    this.#requests.hold();
  }

  /** The one place where a request ends: with what came of it, with why it failed, or unanswered where its caller cancelled. */
  #settle<Value>(
    id: string,
    signal: OpenRequest,
    reply: Reply,
    task: Promise<Value>,
    toPieces: (value: Value) => readonly Piece[],
  ): void {
    const end = (pieces: () => readonly Piece[]): void => {
      reply(signal.reason === CANCELLED ? NO_ANSWER : pieces());
      this.#requests.finish(signal);
    };
    task.then(
      (value) => end(() => toPieces(value)),
      (thrown: unknown) => end(() => [doorErrorMessage(id, toDoorError(thrown))]),
    );
  }

  #optionsOf(signal: CallSignal, token: string | undefined): CallOptions {
    const { principal, door } = this.#options;
    if (token === undefined) return { principal, signal, door };
    return { principal, signal, door, progress: (progress) => this.#progress(progress, token) };
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
      if (this.#state.kind === 'open') this.#letIn(this.#state.gateway);
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
    const called = view.call(params, this.#optionsOf(signal, progressTokenOf(params)));
    this.#settle(id, signal, reply, called, (answer) => answerMessage(id, answer));
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
    if (this.#state.kind === 'waiting') this.#forget(this.#state.requests, id);
  }

  /** The caller cancelled a request that still waits for the gateway. */
  #forget(requests: readonly Waiting[], token: string): void {
    const id = idOf(token);
    const [gone, kept] = [
      requests.filter((each) => idOf(each.id) === id),
      requests.filter((each) => idOf(each.id) !== id),
    ];
    this.#state = { kind: 'waiting', requests: kept };
    for (const { line } of gone) {
      line.reply(NO_ANSWER);
      this.#requests.release();
    }
  }

  /** Passes a progress notification on under the caller's own token; the rest of it is the upstream's text. */
  #progress(params: JsonSlice, token: string): void {
    if (this.#slowness.isFarBehind) return;
    const { bytes, start, end } = params;
    progressScanner.scan(bytes, start, end);
    const at = progressScanner.find('progressToken', bytes);
    const edit = { start: progressScanner.valueStart[at]!, end: progressScanner.valueEnd[at]!, by: token };
    const body = joinPieces(splice(bytes, start, end, [edit]));
    this.#write(notificationMessage('notifications/progress', onOneLine(sliceOf(body))));
  }

  #bad(bad: BadMessage, line: Line): void {
    if (bad.isAnswer) return this.#caller?.answeredBadly(bad.id, bad.reason);
    if (bad.isBatch && this.#codec.allowsBatches) return this.#batch(line);
    if (bad.code === RPC.parseError) this.#endQuestion(bad, line);
    const what = bad.code === RPC.parseError ? 'Parse error' : 'Invalid request';
    line.reply([errorMessage(bad.id, bad.code, `${what}: ${bad.reason}`)]);
  }

  /** What is not even JSON may have been meant as an answer: whoever asked need not wait for a better one. */
  #endQuestion({ reason }: BadMessage, { bytes, start, end }: Line): void {
    const id = answerIdInPassing(bytes, start, end);
    if (id !== undefined) this.#caller?.answeredBadly(id, reason);
  }

  /** Several messages at once, in revisions that allow it: answered together, when the last one is. */
  #batch({ bytes, start, reply }: Line): void {
    const spans = elementsOf(bytes, start);
    if (spans.length === 0) return reply([errorMessage('null', RPC.invalidRequest, 'Invalid request: an empty batch')]);
    const batch = new Batch(reply);
    for (const span of spans) {
      const message = decodeMessage(this.#scanner, bytes, span.start, span.end);
      const isOwed = message.kind === 'request' || (message.kind === 'bad' && !message.isAnswer);
      const take = isOwed ? batch.owe() : this.#write;
      if (message.kind === 'bad' && message.isBatch) {
        take([errorMessage('null', RPC.invalidRequest, 'Invalid request: a batch within a batch')]);
      } else this.#message(message, { bytes, ...span, reply: take });
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
