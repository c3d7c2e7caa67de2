import {
  type CallerCapabilities,
  type CallOptions,
  DoorError,
  decodeText,
  type JsonScanner,
  type Piece,
  type Principal,
  toDoorError,
} from '../base/index.js';
import type { Gateway, GatewayLimits, RelayedAnswer, View } from '../gateway/index.js';
import {
  type BadMessage,
  decodeMessage,
  doorErrorMessage,
  errorMessage,
  isHopErrorCode,
  locateCallParams,
  type Message,
  RPC,
  resultHead,
  wireCodeOf,
} from '../protocol/index.js';
import { NO_ANSWER } from './batch.js';
import { DISCOVERED, modernAnswer, modernResult } from './modern-answer.js';
import { checkParamHeaders, type FindHeader, headerFault, wantsNoParamHeaders } from './modern-headers.js';
import { ListenStream, readFilter } from './modern-listen.js';
import { type RequestMeta, readRequestMeta } from './modern-request.js';
import { CANCELLED, type End, idOf, type OpenRequest, OpenRequests, type Said } from './open-requests.js';
import { tellProgress } from './progress.js';
import { RequestCaller } from './request-caller.js';
import { RequestReader } from './requests.js';
import type { Incoming, Underway } from './types.js';

export interface ModernDoorOptions {
  readonly limits: Pick<GatewayLimits, 'pageSize'>;
  /** What events call this way in: `stdio`, `http`. */
  readonly door: string;
  /** How we introduce ourselves to callers. */
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  /** What models are told about the servers behind the door, given what the caller declares; '' for nothing. */
  readonly instructions?: (declared: CallerCapabilities) => string;
  /** What `server/discover` says in `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Indexes one message at a time; doors whose messages are not read at the same time may share one. */
  readonly scanner: JsonScanner;
  /** The caller is so far behind in reading that progress is dropped. */
  readonly isFarBehind?: () => boolean;
}

/** Who sends a message, and by which headers. */
export interface Sender {
  readonly principal: Principal;
  /** Finds an HTTP header by its lower-case name, several of one name joined; absent where there are none to be checked. */
  readonly headers?: FindHeader;
}

const BAD_REQUEST = 400;
const NOT_FOUND = 404;
const DONE: Underway = Object.freeze({ cancel: () => {} });

/** A request that came before the gateway did. */
interface Waiting {
  readonly id: string;
  readonly incoming: Incoming;
  readonly sender: Sender;
  /** What became of it since. */
  underway?: Underway;
}

/**
 * Serves requests of the 2026 era, each on its own (MCP 2026-07-28 basic/index, Statelessness): who calls, what it can be
 * asked for and in which revision it speaks is said by each. One door serves any number of callers.
 */
export class ModernDoor {
  readonly #options: ModernDoorOptions;
  readonly #scanner: JsonScanner;
  readonly #reader: RequestReader;
  readonly #requests = new OpenRequests();
  readonly #listening = new Map<OpenRequest, ListenStream>();
  #gateway: Gateway | undefined;
  #waiting: Waiting[] = [];
  #refusal: DoorError | undefined;
  #isClosed = false;

  constructor(options: ModernDoorOptions) {
    this.#options = options;
    this.#scanner = options.scanner;
    this.#reader = new RequestReader(options.scanner, options.limits.pageSize, 'modern');
  }

  /** Views that deliver more than was asked for: those of streams of notifications. */
  get views(): readonly View[] {
    return [...this.#listening.values()].flatMap(({ view }) => (view === undefined ? [] : [view]));
  }

  /** Puts the gateway behind the door; what has waited for it goes in, in the order it came. */
  attach(gateway: Gateway): void {
    if (this.#gateway !== undefined || this.#isClosed) return;
    this.#gateway = gateway;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) {
      request.underway = this.receive(request.incoming, request.sender);
      this.#requests.release();
    }
  }

  /** Takes one message. */
  receive(incoming: Incoming, sender: Sender): Underway {
    const { bytes, start, end } = incoming;
    return this.message(decodeMessage(this.#scanner, bytes, start, end), incoming, sender);
  }

  /** Takes a message that has just been read by the scanner of this door. */
  message(message: Message | BadMessage, incoming: Incoming, sender: Sender): Underway {
    switch (message.kind) {
      case 'request':
        return this.#request(message, incoming, sender);
      case 'bad': {
        const what = message.code === RPC.parseError ? 'Parse error' : 'Invalid request';
        incoming.reply([errorMessage(message.id, message.code, `${what}: ${message.reason}`)], BAD_REQUEST);
        return DONE;
      }
      case 'notification':
        if (message.method === 'notifications/cancelled' && sender.headers === undefined) this.cancelled(message);
        incoming.reply(NO_ANSWER);
        return DONE;
      default:
        // Clients of this era answer nothing (MCP 2026-07-28 basic/transports).
        incoming.reply([errorMessage('null', RPC.invalidRequest, 'Invalid request: an answer')], BAD_REQUEST);
        return DONE;
    }
  }

  /** A caller on a stream gives one of its requests up. */
  cancelled({ bytes, body }: Message): void {
    const at = body < 0 ? -1 : this.#scanner.find('requestId', bytes, body);
    if (at < 0) return;
    const token = decodeText(bytes, this.#scanner.valueStart[at]!, this.#scanner.valueEnd[at]!);
    this.#requests.cancel(token);
    const id = idOf(token);
    for (const waiting of this.#waiting.filter((each) => idOf(each.id) === id)) this.#forget(waiting);
  }

  /** Resolves when every request has been answered; streams of notifications, which only end, aside. */
  async whenIdle(): Promise<void> {
    for (const stream of this.#listening.values()) stream.finish();
    await this.#requests.whenIdle();
  }

  /** The end is near: requests that come now are answered with `reason`. */
  refuse(reason: DoorError): void {
    this.#refusal = reason;
  }

  /** There is no more time: what is still open is answered with `reason`, and its calls are cancelled upstream. */
  abandon(reason: DoorError): void {
    this.#requests.endAll(reason);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { id, incoming } of waiting) {
      incoming.reply([doorErrorMessage(id, reason, 'modern')]);
      this.#requests.release();
    }
  }

  /** All callers are gone: their calls are cancelled upstream. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#requests.endAll(CANCELLED);
    for (const _ of this.#waiting) this.#requests.release();
    this.#waiting = [];
    await Promise.all([...this.#listening.values()].map((stream) => stream.close()));
  }

  #request(message: Message, incoming: Incoming, sender: Sender): Underway {
    const { id, method } = message;
    const { reply } = incoming;
    const refuse = (pieces: readonly Piece[], status?: number): Underway => {
      reply(pieces, status);
      return DONE;
    };
    // First of all: whoever routed it by its headers has relied on them.
    const fault = sender.headers && headerFault(this.#scanner, message, sender.headers);
    if (fault !== undefined) return refuse([doorErrorMessage(id, fault, 'modern')], BAD_REQUEST);
    const meta = readRequestMeta(this.#scanner, message);
    if (typeof meta === 'string') {
      return refuse([errorMessage(id, RPC.invalidParams, `${method.slice(0, 200)}: ${meta}`)], BAD_REQUEST);
    }
    if (meta instanceof DoorError) return refuse([doorErrorMessage(id, meta, 'modern')], BAD_REQUEST);
    if (method === 'server/discover') return refuse(this.#discovered(id, meta));
    if (this.#refusal !== undefined) return refuse([doorErrorMessage(id, this.#refusal, 'modern')]);
    if (this.#isClosed) return refuse(NO_ANSWER);
    if (this.#gateway === undefined) return this.#wait({ id, incoming, sender });
    return this.#serve(this.#gateway, message, meta, incoming, sender);
  }

  #wait(waiting: Waiting): Underway {
    this.#waiting.push(waiting);
    this.#requests.hold();
    return { cancel: () => (waiting.underway === undefined ? this.#forget(waiting) : waiting.underway.cancel()) };
  }

  /** The caller gave it up before there was a gateway. */
  #forget(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    waiting.incoming.reply(NO_ANSWER);
    this.#requests.release();
  }

  #discovered(id: string, { capabilities }: RequestMeta): readonly Piece[] {
    const { info, instructions, meta } = this.#options;
    const text = instructions?.(capabilities) ?? '';
    const said = {
      ...DISCOVERED,
      ...(text !== '' && { instructions: text }),
      ...(meta !== undefined && { _meta: meta }),
    };
    return modernResult(id, said, 'server/discover', info);
  }

  #serve(gateway: Gateway, message: Message, meta: RequestMeta, incoming: Incoming, sender: Sender): Underway {
    const { id, method } = message;
    const { reply } = incoming;
    if (method === 'subscriptions/listen') return this.#listen(gateway, message, meta, incoming, sender);
    const { door } = this.#options;
    const { capabilities, program } = meta;
    const { principal } = sender;
    const caller = new RequestCaller({ principal, door, capabilities, program, beside: incoming.beside });
    let start: (view: View, options: CallOptions) => Promise<RelayedAnswer>;
    if (method === 'tools/call') {
      const params = locateCallParams(this.#scanner, message.bytes, message.body);
      if (typeof params === 'string') {
        reply([errorMessage(id, RPC.invalidParams, `tools/call: ${params}`)]);
        return DONE;
      }
      const { headers } = sender;
      start = (view, options) =>
        headers === undefined || wantsNoParamHeaders(view, params)
          ? view.call(params, options)
          : checkParamHeaders(view, params, headers, options).then(() => view.call(params, options));
    } else {
      const work = this.#reader.read(message);
      if (work === undefined) {
        reply([errorMessage(id, RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`)], NOT_FOUND);
        return DONE;
      }
      if (typeof work === 'string') {
        reply([errorMessage(id, RPC.invalidParams, `${method}: ${work}`)]);
        return DONE;
      }
      start = (view, options) => work.run(view, options);
    }
    const request = this.#requests.begin(id);
    const task = begin(() => start(gateway.viewOf(caller), this.#optionsOf(request, caller, meta, incoming)));
    this.#requests.settle(request, reply, task, (end) => this.#said(id, method, end));
    return { cancel: () => request.abort(CANCELLED) };
  }

  #said(id: string, method: string, { value, failure }: End<RelayedAnswer>): Said {
    if (value !== undefined) return modernAnswer(id, method, value, this.#options.info);
    const error = toDoorError(failure);
    const code = wireCodeOf(error, 'modern');
    const pieces = [doorErrorMessage(id, error, 'modern')];
    // The codes that the 2026 era has added speak of the HTTP exchange as well.
    return isHopErrorCode(code) ? { pieces, status: BAD_REQUEST } : pieces;
  }

  #optionsOf(request: OpenRequest, caller: RequestCaller, meta: RequestMeta, { beside }: Incoming): CallOptions {
    const { principal, door } = caller;
    const { logLevel, progressToken } = meta;
    const { isFarBehind } = this.#options;
    const options = { principal, door, caller, signal: request };
    // Nearly all requests ask for neither.
    if (logLevel === undefined && progressToken === undefined) return options;
    return {
      ...options,
      ...(logLevel !== undefined && { logLevel }),
      ...(progressToken !== undefined &&
        beside !== undefined && {
          progress: (progress) => {
            if (!isFarBehind?.()) tellProgress(progress, progressToken, beside);
          },
        }),
    };
  }

  #listen(gateway: Gateway, message: Message, meta: RequestMeta, incoming: Incoming, sender: Sender): Underway {
    const { id } = message;
    const { reply, beside } = incoming;
    const filter = readFilter(this.#scanner, message, meta);
    if (filter instanceof DoorError) {
      reply([doorErrorMessage(id, filter, 'modern')], BAD_REQUEST);
      return DONE;
    }
    if (typeof filter === 'string' || beside === undefined) {
      const why = typeof filter === 'string' ? filter : 'there is no stream to tell anything on';
      reply([errorMessage(id, RPC.invalidParams, `subscriptions/listen: ${why}`)]);
      return DONE;
    }
    const request = this.#requests.begin(id);
    const { door } = this.#options;
    const stream = new ListenStream({ id, filter, request, beside, meta, principal: sender.principal, door });
    this.#listening.set(request, stream);
    const task = stream.run(gateway).finally(() => {
      this.#listening.delete(request);
      return stream.close();
    });
    this.#requests.settle(request, reply, task, (end) =>
      end.failure === undefined
        ? [resultHead(id), JSON.stringify({ resultType: 'complete', _meta: end.value }), '}']
        : [doorErrorMessage(id, toDoorError(end.failure), 'modern')],
    );
    return { cancel: () => request.abort(CANCELLED) };
  }
}

/** What begins with a mistake fails as what ends with one does. */
function begin<Value>(start: () => Promise<Value>): Promise<Value> {
  // Not an async function: it would have each call wait for three turns more.
  try {
    return start();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}
