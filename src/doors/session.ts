import {
  type Caller,
  type CallerCapabilities,
  type CallOptions,
  type CallSignal,
  DoorError,
  decodeText,
  elementsOf,
  type Implementation,
  type JsonScanner,
  type Principal,
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
  locateCallParams,
  type Message,
  NEWEST,
  type OversizeLine,
  progressTokenOf,
  RPC,
  resultHead,
} from '../protocol/index.js';
import { Batch, NO_ANSWER } from './batch.js';
import { CAPABILITIES } from './capabilities.js';
import { CANCELLED, idOf, OpenRequests } from './open-requests.js';
import { tellProgress } from './progress.js';
import { answerMessage, type RequestReader } from './requests.js';
import { readCapabilities, readProgram, StreamCaller } from './stream-caller.js';
import type { Incoming, Reply, Underway } from './types.js';

export interface SessionOptions {
  readonly limits: Pick<GatewayLimits, 'maxMessageBytes'>;
  readonly principal: Principal;
  /** What events call this way in: `stdio`, `http`. */
  readonly door: string;
  /** How we introduce ourselves to callers. */
  readonly info: Implementation;
  /** What models are told about the servers behind the door, given what the caller declares; '' for nothing. */
  readonly instructions?: (declared: CallerCapabilities) => string;
  /** What `initialize` and `server/discover` say in `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Indexes one message at a time; sessions whose messages are not read at the same time may share one. */
  readonly scanner: JsonScanner;
  /** Reads requests by the same scanner. */
  readonly reader: RequestReader;
  /** Takes what belongs to no request: changes of lists, log messages, what an upstream asks for no call's sake. */
  readonly write: Reply;
  /** The caller is behind in reading: what may be dropped is. */
  readonly isBehind?: () => boolean;
  /** So far behind that progress is dropped too. */
  readonly isFarBehind?: () => boolean;
  /**
   * Upstreams are started when the caller has introduced itself, before it asks for anything. Default true; not where
   * anybody can open any number of sessions: a caller who can be asked has processes of its own.
   */
  readonly startsAtOnce?: boolean;
  /** There is a view of the gateway from now on. */
  readonly admitted?: (view: View) => void;
}

/** A request that came before the gateway did. */
interface Waiting {
  readonly id: string;
  readonly incoming: Incoming;
}

type State =
  /** There is no gateway yet; what needs it waits. */
  | { readonly kind: 'waiting'; readonly requests: readonly Waiting[] }
  /** There is one, and nobody has asked for anything yet. */
  | { readonly kind: 'open'; readonly gateway: Gateway }
  /** The caller is in: it sees its part of the gateway, and can be asked. */
  | { readonly kind: 'in'; readonly view: View; readonly caller: StreamCaller }
  | { readonly kind: 'closed' };

/** Hanging up cancels nothing in this era (MCP 2025-11-25 basic/transports): there is a notification for it. */
const STAYS: Underway = Object.freeze({ cancel: () => {} });

/**
 * One caller of the handshake era (MCP 2025-11-25 basic/lifecycle), message by message: every request is answered once.
 *
 * It can begin before there is a gateway: it then shakes hands at once, and what needs the gateway waits until `attach`.
 * Upstreams are started when the caller has said what it can be asked for.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #scanner: JsonScanner;
  #state: State = { kind: 'waiting', requests: [] };
  readonly #requests = new OpenRequests();
  #codec: Codec = NEWEST;
  /** What the caller declared at initialize; undefined until it has. */
  #declared: CallerCapabilities | undefined;
  #program = '';
  /** It has said that it is initialized, or acts as if it had. */
  #isReady = false;
  /** What requests are answered with once the end has begun. */
  #refusal: DoorError | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#scanner = options.scanner;
  }

  get view(): View | undefined {
    return this.#state.kind === 'in' ? this.#state.view : undefined;
  }

  /** The revision both sides have agreed on, or would. */
  get revision(): string {
    return this.#codec.revision;
  }

  /** Requests that have not been answered yet. */
  get openRequests(): number {
    return this.#requests.count;
  }

  get #caller(): StreamCaller | undefined {
    return this.#state.kind === 'in' ? this.#state.caller : undefined;
  }

  /** Puts the gateway behind it; what has waited for it goes in, in the order it came. */
  attach(gateway: Gateway): void {
    if (this.#state.kind !== 'waiting') return;
    const { requests } = this.#state;
    this.#state = { kind: 'open', gateway };
    if (this.#declared !== undefined) this.#letIn(gateway);
    for (const { incoming } of requests) {
      this.receive(incoming);
      this.#requests.release();
    }
  }

  /** The caller goes in: from now on it has a view of the gateway. */
  #letIn(gateway: Gateway): View {
    const { principal, door, write, isBehind = () => false } = this.#options;
    const caller = new StreamCaller({
      principal,
      door,
      // One who asks for something without having introduced itself can be asked nothing.
      capabilities: this.#declared ?? {},
      program: this.#program,
      write,
      isBehind,
    });
    if (this.#isReady) caller.ready();
    const view = gateway.admit(caller);
    this.#state = { kind: 'in', view, caller };
    this.#options.admitted?.(view);
    view.onListChanged((list) => caller.tell(`notifications/${list}/list_changed`));
    if (this.#options.startsAtOnce !== false) view.start();
    return view;
  }

  /** Takes one message, or a batch of them where the revision has such. */
  receive(incoming: Incoming): Underway {
    const { bytes, start, end } = incoming;
    this.message(decodeMessage(this.#scanner, bytes, start, end), incoming);
    return STAYS;
  }

  /** Takes a message that has just been read by the scanner of this session. */
  message(message: Message | BadMessage, incoming: Incoming): void {
    switch (message.kind) {
      case 'request':
        return this.#request(message, incoming);
      case 'notification':
        this.#notification(message);
        return incoming.reply(NO_ANSWER);
      case 'bad':
        return this.#bad(message, incoming);
      default: {
        const start = this.#scanner.valueStart[message.body]!;
        const json = { bytes: message.bytes, start, end: this.#scanner.valueEnd[message.body]! };
        this.#caller?.answered(message.id, message.kind, json);
        return incoming.reply(NO_ANSWER);
      }
    }
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
    for (const { id, incoming } of requests) {
      incoming.reply([doorErrorMessage(id, reason)]);
      this.#requests.release();
    }
  }

  /** The caller is gone: its calls are cancelled upstream, what was started for it alone ends, nothing more is written. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'closed' };
    this.#requests.endAll(CANCELLED);
    if (state.kind === 'waiting') for (const _ of state.requests) this.#requests.release();
    if (state.kind !== 'in') return;
    state.caller.leave(new DoorError('UPSTREAM_LOST', 'the caller is gone'));
    await state.view.close();
  }

  #request(message: Message, incoming: Incoming): void {
    const { id, method } = message;
    const { reply } = incoming;
    if (method === 'initialize') return reply([this.#initialize(message)]);
    if (method === 'ping') return reply([`${resultHead(id)}{}}`]);
    if (this.#refusal !== undefined) return reply([doorErrorMessage(id, this.#refusal)]);
    if (!this.#isReady) this.#ready();
    const state = this.#state;
    if (state.kind === 'waiting') return this.#wait(state.requests, { id, incoming });
    if (state.kind === 'closed') return reply(NO_ANSWER);
    const view = state.kind === 'open' ? this.#letIn(state.gateway) : state.view;
    if (method === 'tools/call') return this.#callTool(view, message, incoming);
    const work = this.#options.reader.read(message);
    if (work === undefined) {
      return reply([errorMessage(id, RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`)]);
    }
    if (typeof work === 'string') return reply([errorMessage(id, RPC.invalidParams, `${method}: ${work}`)]);
    const signal = this.#requests.begin(id);
    const options = this.#optionsOf(signal, work.progressToken, incoming);
    this.#requests.settle(signal, reply, work.run(view, options), ({ value, failure }) =>
      value === undefined ? [doorErrorMessage(id, toDoorError(failure))] : answerMessage(id, value),
    );
  }

  #wait(requests: readonly Waiting[], request: Waiting): void {
    this.#state = { kind: 'waiting', requests: [...requests, request] };
    this.#requests.hold();
  }

  #optionsOf(signal: CallSignal, token: string | undefined, { beside }: Incoming): CallOptions {
    const { principal, door, write, isFarBehind } = this.#options;
    const caller: Caller | undefined = beside === undefined ? this.#caller : this.#caller?.via(beside);
    const options = { principal, signal, door, ...(caller !== undefined && { caller }) };
    if (token === undefined) return options;
    const tell = beside ?? write;
    return {
      ...options,
      progress: (progress) => {
        if (!isFarBehind?.()) tellProgress(progress, token, tell);
      },
    };
  }

  #initialize(message: Message): string {
    const params = this.#paramsOf(message) as { protocolVersion?: unknown; clientInfo?: unknown } | undefined;
    const asked = params?.protocolVersion;
    if (typeof asked !== 'string') {
      return errorMessage(message.id, RPC.invalidParams, 'initialize needs params.protocolVersion, a string');
    }
    this.#codec = findCodec(asked) ?? NEWEST;
    if (this.#declared === undefined) {
      this.#declared = this.#capabilitiesIn(message);
      this.#program = readProgram(params?.clientInfo);
      if (this.#state.kind === 'open') this.#letIn(this.#state.gateway);
    }
    const { info, meta } = this.#options;
    const instructions = this.#options.instructions?.(this.#declared) ?? '';
    const result = {
      protocolVersion: this.#codec.revision,
      capabilities: CAPABILITIES,
      serverInfo: info,
      ...(instructions !== '' && { instructions }),
      ...(meta !== undefined && { _meta: meta }),
    };
    return `${resultHead(message.id)}${JSON.stringify(result)}}`;
  }

  #capabilitiesIn({ bytes, body }: Message): CallerCapabilities {
    const at = this.#scanner.find('capabilities', bytes, body);
    if (at < 0) return {};
    // Extensions belong to the modern era.
    const { extensions: _, ...declared } = readCapabilities({
      bytes,
      start: this.#scanner.valueStart[at]!,
      end: this.#scanner.valueEnd[at]!,
    });
    return declared;
  }

  #callTool(view: View, message: Message, incoming: Incoming): void {
    const { id } = message;
    const { reply } = incoming;
    const params = locateCallParams(this.#scanner, message.bytes, message.body);
    if (typeof params === 'string') return reply([errorMessage(id, RPC.invalidParams, `tools/call: ${params}`)]);
    const signal = this.#requests.begin(id);
    const called = view.call(params, this.#optionsOf(signal, progressTokenOf(params), incoming));
    this.#requests.settle(signal, reply, called, ({ value, failure }) =>
      value === undefined ? [doorErrorMessage(id, toDoorError(failure))] : answerMessage(id, value),
    );
  }

  #notification(message: Message): void {
    switch (message.method) {
      case 'notifications/cancelled':
        return this.#cancelled(message);
      case 'notifications/initialized':
        return this.#ready();
      case 'notifications/roots/list_changed':
        return this.view?.rootsChanged();
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
    for (const { incoming } of gone) {
      incoming.reply(NO_ANSWER);
      this.#requests.release();
    }
  }

  #bad(bad: BadMessage, incoming: Incoming): void {
    const { id, code, reason, isAnswer, isBatch } = bad;
    if (isBatch && this.#codec.allowsBatches) return this.#batch(incoming);
    if (isAnswer) {
      this.answeredBadly(id, reason);
      return incoming.reply(NO_ANSWER);
    }
    const what = code === RPC.parseError ? 'Parse error' : 'Invalid request';
    if (code === RPC.parseError) this.#endQuestion(reason, incoming);
    incoming.reply([errorMessage(id, code, `${what}: ${reason}`)]);
  }

  /** What is not even JSON may have been meant as an answer: whoever asked need not wait for a better one. */
  #endQuestion(reason: string, { bytes, start, end }: Incoming): void {
    const id = answerIdInPassing(bytes, start, end);
    if (id !== undefined) this.answeredBadly(id, reason);
  }

  /** Something was meant as an answer to what an upstream asked, and is none. @param id its token */
  answeredBadly(id: string, reason: string): void {
    this.#caller?.answeredBadly(id, reason);
  }

  /** Several messages at once, in revisions that allow it: answered together, when the last one is. */
  #batch(incoming: Incoming): void {
    const { bytes, start, reply } = incoming;
    const spans = elementsOf(bytes, start, MAX_BATCH + 1);
    if (spans.length === 0) return reply([errorMessage('null', RPC.invalidRequest, 'Invalid request: an empty batch')]);
    if (spans.length > MAX_BATCH) {
      const why = `Invalid request: a batch of more than ${MAX_BATCH} messages`;
      return reply([errorMessage('null', RPC.invalidRequest, why)]);
    }
    const batch = new Batch(reply);
    for (const span of spans) {
      const message = decodeMessage(this.#scanner, bytes, span.start, span.end);
      const isOwed = message.kind === 'request' || (message.kind === 'bad' && !message.isAnswer);
      const take = isOwed ? batch.owe() : SAYS_NOTHING;
      if (message.kind === 'bad' && message.isBatch) {
        take([errorMessage('null', RPC.invalidRequest, 'Invalid request: a batch within a batch')]);
      } else if (message.kind === 'request' && message.method === 'initialize') {
        // It would change what the rest of the batch is read by (MCP 2025-03-26 basic/lifecycle).
        take([errorMessage(message.id, RPC.invalidRequest, 'Invalid request: initialize within a batch')]);
      } else this.message(message, { ...incoming, ...span, reply: take });
    }
    batch.end();
  }

  /** A message was too large to be read: whoever asked for something by it is told so. @returns what to say, if anything */
  oversize(line: OversizeLine): string | undefined {
    // Of a batch it is not known whether a request is in it; silence would leave its caller waiting if there is.
    const id = line.isBatch ? 'null' : line.id;
    if (id === undefined) return undefined;
    const limit = this.#options.limits.maxMessageBytes;
    if (line.method === undefined && !line.isBatch) {
      // An answer: whoever asked need not wait for it any longer.
      this.answeredBadly(id, `${line.length} bytes are over the limit of ${limit}`);
      return undefined;
    }
    return doorErrorMessage(id, tooLarge(line.length, limit));
  }

  #paramsOf(message: Message): unknown {
    if (message.body < 0) return undefined;
    const start = this.#scanner.valueStart[message.body]!;
    const value: unknown = JSON.parse(decodeText(message.bytes, start, this.#scanner.valueEnd[message.body]!));
    return typeof value === 'object' && value !== null ? value : undefined;
  }
}

/** All of a batch is answered at once, and what is answered can be fifty times as long as what was asked. */
const MAX_BATCH = 1_000;
const SAYS_NOTHING: Reply = () => {};

/** What a message over the limit is refused with, by every door. */
export function tooLarge(bytes: number, limit: number): DoorError {
  return new DoorError('MESSAGE_TOO_LARGE', `A message of ${bytes} bytes is over the limit of ${limit}`, {
    data: { bytes, limit },
    hint: 'Send less at once, or raise limits.maxMessageBytes.',
  });
}
