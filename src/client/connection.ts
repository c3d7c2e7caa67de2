import {
  type Caller,
  type CallerMethod,
  DoorError,
  decodeText,
  elementsOf,
  guarded,
  isCallerMethod,
  JsonScanner,
  type JsonSlice,
  onOneLine,
  type Piece,
  type Retry,
} from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import {
  answerIdInPassing,
  type BadMessage,
  type CallParams,
  type Codec,
  decodeMessage,
  doorErrorMessage,
  errorMessage,
  isErrorObject,
  LineFramer,
  type Message,
  NEWEST,
  notificationMessage,
  type OversizeLine,
  type RequestParams,
  RPC,
  resultHead,
} from '../protocol/index.js';
import { type AskCaller, CallerRequests } from './caller-requests.js';
import type { ConnectionOptions } from './connection-options.js';
import { Deadlines } from './deadlines.js';
import { type FaultCode, failureOf, faultOf, timeoutOf } from './faults.js';
import { InFlight } from './in-flight.js';
import { type Outbound, Wording } from './outbound.js';
import { Pending, type PendingOwner, type RequestOptions } from './pending.js';
import { locateAnswer, type RawAnswer } from './raw-answer.js';
import type { Outgoing, Transport } from './transport.js';

/** What may wait unread before an upstream that does not read its stdin, in bytes. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const NOBODY: AskCaller = () => undefined;
const NO_META = (): string => '';

/**
 * JSON-RPC over one transport: ids, answers, deadlines, progress, cancellation. Knows nothing of tools. Private to the
 * client: whoever could send through it could send unjudged.
 */
export class Connection implements PendingOwner {
  /** When anything was read last; monotonic. */
  lastReadMs = Number.NEGATIVE_INFINITY;
  /** The beginning of the first line that was no message, as a JSON string; '' while there was none. */
  firstNoise = '';
  /** Answers to requests that had been answered, had timed out or been cancelled before: swallowed. */
  lateAnswers = 0;

  readonly #options: ConnectionOptions;
  readonly #wording: Wording;
  readonly #scanner: JsonScanner;
  readonly #framer: LineFramer;
  readonly #pending = new InFlight<Pending>();
  #callsInFlight = 0;
  #end: DoorError | undefined;
  readonly #deadlines: Deadlines;
  #isPaused = false;
  readonly #asked: CallerRequests;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#wording = new Wording(options.transport, NEWEST, options.meta ?? NO_META);
    this.#scanner = new JsonScanner(options.scanLimits);
    this.#deadlines = new Deadlines(options.clock, this.#pending, (pending, nowMs) => this.#expired(pending, nowMs));
    this.#asked = new CallerRequests({
      ask: options.ask ?? NOBODY,
      reply: (pieces) => this.#reply(pieces),
      isWaiting: (call, isWaiting) => (isWaiting ? this.#stop(call) : this.#goOn(call)),
    });
    this.#framer = new LineFramer(options.maxMessageBytes, {
      line: (bytes, start, end) => this.#line(bytes, start, end),
      oversize: (message) => this.#oversize(message),
      flood: (bytes) => this.#flood(bytes),
    });
  }

  /** How both sides speak. */
  get codec(): Codec {
    return this.#wording.codec;
  }

  /** Requests in flight, ours among them. */
  get inFlight(): number {
    return this.#pending.size;
  }

  /** Requests of callers in flight. */
  get callsInFlight(): number {
    return this.#callsInFlight;
  }

  /** When the longest waiting one of those that may run out of time was sent, monotonic; Infinity where none is. */
  get oldestSentAtMs(): number {
    return this.#pending.values().find(({ options }) => options.maxMs < Infinity)?.sentAtMs ?? Infinity;
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** @throws {DoorError} UPSTREAM_UNREACHABLE */
  async open(): Promise<void> {
    await this.#options.transport.open({
      data: (chunk) => {
        this.lastReadMs = this.#options.clock.monotonicMs();
        this.#framer.push(chunk);
      },
      message: (bytes, start, end, stream) => {
        this.lastReadMs = this.#options.clock.monotonicMs();
        if (end - start <= this.#options.maxMessageBytes) return this.#line(bytes, start, end, stream);
        this.#oversize({
          id: stream === undefined ? undefined : String(stream),
          method: undefined,
          length: end - start,
        });
      },
      failed: (id, reason) => {
        this.#failed(id, reason);
        this.#options.troubled?.();
      },
      silenced: () => this.#options.troubled?.(),
      closed: (reason) => {
        this.#framer.end();
        this.#lose(reason);
      },
      doubted: () => this.#options.doubted?.(),
      activity: this.#options.activity,
    });
  }

  /** The other side is so far behind in reading that nothing more should be sent. */
  get isBacklogged(): boolean {
    return this.#options.transport.backlogBytes > MAX_BACKLOG_BYTES;
  }

  /** Stops reading. Deadlines stand still meanwhile: an answer that nobody reads is not late. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    for (const pending of this.#pending.values()) this.#stop(pending);
    this.#options.transport.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#options.transport.resume();
    for (const pending of this.#pending.values()) this.#goOn(pending);
  }

  #stop(pending: Pending): void {
    pending.stop(this.#options.clock.monotonicMs());
  }

  #goOn(pending: Pending): void {
    pending.goOn(this.#options.clock.monotonicMs());
    if (!pending.isStopped) this.#deadlines.watch(pending.deadlineMs);
  }

  /** @param reason what `lost` hears, and what requests in flight fail with */
  async close(reason = new DoorError('UPSTREAM_LOST', 'the connection was closed')): Promise<void> {
    this.#lose(reason);
    await this.#options.transport.close();
  }

  /** Both sides have agreed on how they speak from now on. */
  agree(codec: Codec): void {
    this.#wording.codec = codec;
    this.#options.transport.agreed?.(codec);
  }

  get transport(): Transport {
    return this.#options.transport;
  }

  /**
   * Sends a request of our own; `params` is JSON text.
   *
   * @param codec how it is said, where that is not agreed on yet
   */
  request(method: string, params: string | undefined, options: RequestOptions, codec = this.codec): Promise<RawAnswer> {
    return this.begin(method, params, options, codec).answer;
  }

  /** Sends a request of our own whose id is of interest: what belongs to it names it. */
  begin(method: string, params: string | undefined, options: RequestOptions, codec = this.codec): Pending {
    const pending = this.#begin(options, false);
    return this.#hand(pending, this.#wording.request(pending.id, method, params, options, codec));
  }

  /** Sends a call that has been judged, and waits for its answer. */
  call(params: CallParams, tool: ListedTool, options: RequestOptions, retry?: Retry): Promise<RawAnswer> {
    const pending = this.#begin(options, true);
    return this.#hand(pending, this.#wording.call(pending.id, params, tool, options, retry)).answer;
  }

  /** Passes on any other request of a caller, under the upstream's own key for what it names. */
  relay(
    method: string,
    params: RequestParams,
    key: string,
    options: RequestOptions,
    retry?: Retry,
  ): Promise<RawAnswer> {
    const pending = this.#begin(options, true);
    return this.#hand(pending, this.#wording.relay(pending.id, method, params, key, options, retry)).answer;
  }

  /** Hands a request to the transport; one it would not take waits for nothing. */
  #hand(pending: Pending, { pieces, about }: Outbound): Pending {
    try {
      this.#options.transport.send(pieces, about);
    } catch (thrown) {
      this.#settle(pending);
      throw thrown;
    }
    return pending;
  }

  #begin(options: RequestOptions, isCallers: boolean): Pending {
    if (this.#end !== undefined) throw this.#end;
    if (options.signal?.aborted) throw options.signal.reason;
    const pending = new Pending(this, this.#pending.nextId(), options, this.#options.clock.monotonicMs(), isCallers);
    this.#pending.add(pending);
    if (isCallers) this.#callsInFlight++;
    if (this.#isPaused) this.#stop(pending);
    else this.#deadlines.watch(pending.deadlineMs);
    return pending;
  }

  notify(method: string, params?: string): void {
    if (this.#end === undefined) this.#options.transport.send(notificationMessage(method, params), { method });
  }

  /** @param stream the id of the request on whose stream it came, where there are such */
  #line(bytes: Uint8Array, start: number, end: number, stream?: number): void {
    if (this.#end !== undefined) return;
    const message = decodeMessage(this.#scanner, bytes, start, end);
    switch (message.kind) {
      case 'result':
      case 'error':
        return this.#answer(message, stream);
      case 'notification':
        return this.#notification(message, stream);
      case 'request':
        return this.#request(message, stream);
      case 'bad':
        return this.#bad(message, bytes, start, end, stream);
    }
  }

  /** The transport knows that a request gets no answer. */
  #failed(id: number, reason: DoorError): void {
    const pending = this.#take(String(id));
    if (pending === undefined) return;
    pending.reject(failureOf(this.#options.upstream, pending, reason));
  }

  #answer(message: Message, stream: number | undefined): void {
    const pending = this.#take(message.id, stream);
    if (pending === undefined) return this.#stray(message.id);
    if (message.kind === 'error' && !isErrorObject(this.#scanner, message.bytes, message.body)) {
      const why = 'a malformed answer: an error needs an integer code and a message';
      return pending.reject(this.#fault('UPSTREAM_BROKE_PROTOCOL', why, pending));
    }
    pending.resolve(locateAnswer(this.#scanner, message, pending.options.output));
  }

  /** Ends the wait for an id and hands over who waited. On the stream of one request nothing answers another. */
  #take(id: string, stream?: number): Pending | undefined {
    const pending = this.#pending.get(Number(id));
    if (pending === undefined || String(pending.id) !== id || (stream ?? pending.id) !== pending.id) return undefined;
    this.#settle(pending);
    return pending;
  }

  #settle(pending: Pending): void {
    if (this.#pending.delete(pending.id) && pending.isCallers) this.#callsInFlight--;
    pending.settle();
    this.#asked.callEnded(pending);
  }

  /** An answer nobody waits for: to an id we never used, or again, or late. Dropped; the connection lives. */
  #stray(id: string): void {
    const wasOurs = /^\d+$/.test(id) && Number(id) > 0 && Number(id) <= this.#pending.lastId;
    if (wasOurs) {
      this.lateAnswers++;
      this.#options.warn(
        'late-or-duplicate-response',
        `answered request ${id} again, or too late (${this.lateAnswers} so far)`,
      );
    } else this.#options.warn('unknown-response-id', `answered a request that was never made (id ${id.slice(0, 40)})`);
  }

  #notification(message: Message, stream: number | undefined): void {
    const { method } = message;
    if (method === 'notifications/progress') return this.#progress(message);
    if (method === 'notifications/cancelled') return this.#cancelled(message);
    // Whatever it says, and whoever stumbles over it: that ends neither the door nor what else has come with it.
    try {
      this.#options.notified(method, this.#bodyOf(message), this.#requestBehind(stream)?.options);
    } catch (thrown) {
      this.#options.warn('unreadable-notification', `sent a ${method.slice(0, 200)} that fails: ${String(thrown)}`);
    }
  }

  /** The request that something the upstream says is about: the one on whose stream it came, else the only one there is. */
  #requestBehind(stream: number | undefined): Pending | undefined {
    if (stream !== undefined) return this.#pending.get(stream);
    if (this.#options.transport.hasStreams || this.#callsInFlight !== 1) return undefined;
    return this.#pending.values().find((pending) => pending.isCallers);
  }

  #bodyOf({ bytes, body }: Message): JsonSlice | undefined {
    return body < 0 ? undefined : { bytes, start: this.#scanner.valueStart[body]!, end: this.#scanner.valueEnd[body]! };
  }

  #textOf(name: string, { bytes, body }: Message): string {
    const at = body < 0 ? -1 : this.#scanner.find(name, bytes, body);
    return at < 0 ? '' : decodeText(bytes, this.#scanner.valueStart[at]!, this.#scanner.valueEnd[at]!);
  }

  /** The upstream takes back what it asked. */
  #cancelled(message: Message): void {
    const { upstream } = this.#options;
    this.#asked.cancel(
      this.#textOf('requestId', message),
      new DoorError('UPSTREAM_LOST', `${upstream} no longer wants the answer`, { data: { upstream } }),
    );
  }

  #progress(message: Message): void {
    const text = this.#textOf('progressToken', message);
    const pending = this.#pending.get(Number(text));
    if (pending === undefined || String(pending.id) !== text) {
      return this.#options.warn('unknown-progress-token', 'reported progress for a token that names no call in flight');
    }
    const nowMs = this.#options.clock.monotonicMs();
    pending.deadlineMs = Math.min(nowMs + pending.options.timeoutMs, pending.endsAtMs);
    const { progress } = pending.options;
    // Whoever listens may make a mistake: that costs neither the call nor the others on this connection.
    if (progress !== undefined) guarded(() => progress(this.#bodyOf(message)!));
  }

  /** What the upstream may ask: ping of us, the rest of the caller, if there is one who declared it. */
  #request(message: Message, stream: number | undefined): void {
    const { id, method } = message;
    // Servers of that era ask in their answers, and are not answered (MCP 2026-07-28 basic/transports).
    if (this.codec.era === 'modern') {
      return this.#options.warn(
        'unexpected-request',
        `sent the request ${method.slice(0, 200)}, which servers may not`,
      );
    }
    if (method === 'ping') return this.#reply([`${resultHead(id)}{}}`]);
    const params = this.#bodyOf(message);
    // A copy on one line: it outlives the chunk it came in.
    if (isCallerMethod(method)) {
      const { calls, caller } = this.#callsBehind(method, stream);
      if (this.#asked.ask(id, method, params && onOneLine(params), calls, caller)) return;
    }
    this.#reply([errorMessage(id, RPC.methodNotFound, `${method.slice(0, 200)} is not offered to servers here`)]);
  }

  /**
   * The calls that something the upstream asks can be for, and whose it is: of the call on whose stream it came, else of
   * the youngest of those under way. Roots are asked for no call's sake, but it is a caller's call that leads to them.
   */
  #callsBehind(
    method: CallerMethod,
    stream: number | undefined,
  ): { readonly calls: readonly Pending[]; readonly caller: Caller | undefined } {
    const own = stream === undefined ? undefined : this.#pending.get(stream);
    const calls = own === undefined ? this.#pending.values().filter((pending) => pending.isCallers) : [own];
    const caller = calls.findLast((pending) => pending.options.caller !== undefined)?.options.caller;
    return { calls: method === 'roots/list' && caller?.takesRequests !== false ? [] : calls, caller };
  }

  #reply(pieces: readonly Piece[]): void {
    if (this.#end !== undefined) return;
    if (!this.isBacklogged) return this.#options.transport.send(pieces, NO_METHOD);
    this.#options.warn('unread-replies', 'asks faster than it reads our replies; they are dropped');
  }

  #bad(bad: BadMessage, bytes: Uint8Array, start: number, end: number, stream: number | undefined): void {
    if (bad.isBatch) return this.#batch(bytes, start, end, stream);
    const isJson = bad.code === RPC.invalidRequest;
    // A log line in JSON may have an id as well; an answer, however bad, speaks of JSON-RPC or has a result or an error.
    const isAnswer = bad.isAnswer || (isJson && !bad.hasMethod && this.#scanner.find('jsonrpc', bytes) >= 0);
    const id = isAnswer ? bad.id : isJson ? '' : (answerIdInPassing(bytes, start, end) ?? '');
    const pending = this.#take(id, stream);
    if (pending !== undefined) {
      pending.reject(this.#fault('UPSTREAM_BROKE_PROTOCOL', `a malformed answer: ${bad.reason}`, pending));
    } else if (bad.hasMethod && bad.id !== 'null') {
      // It asks, and waits for what we say to it.
      this.#options.warn('malformed-request', `asked something that is no good request: ${bad.reason}`);
      this.#reply([errorMessage(bad.id, bad.code, `Invalid request: ${bad.reason}`)]);
    } else this.#noise(bytes, start, end);
  }

  #batch(bytes: Uint8Array, start: number, end: number, stream: number | undefined): void {
    const spans = elementsOf(bytes, start);
    if (spans.length === 0) return this.#noise(bytes, start, end);
    // What is in it may be what calls wait for: they need not wait for their deadline on a point of order.
    if (!this.codec.allowsBatches) {
      this.#options.warn(
        'unexpected-batch',
        `sent a batch, which revision ${this.codec.revision} has not; read all the same`,
      );
    }
    for (const span of spans) if (bytes[span.start] === 0x7b) this.#line(bytes, span.start, span.end, stream);
  }

  #noise(bytes: Uint8Array, start: number, end: number): void {
    const sample = JSON.stringify(decodeText(bytes, start, Math.min(end, start + 80)));
    if (this.firstNoise === '') this.firstNoise = sample;
    this.#options.warn('noise-on-stdout', `wrote something that is no message: ${sample}`);
  }

  #oversize({ id, method, length }: Pick<OversizeLine, 'id' | 'method' | 'length'>): void {
    const message = `a message of ${length} bytes is over the limit of ${this.#options.maxMessageBytes}`;
    const pending = id === undefined || method !== undefined ? undefined : this.#take(id);
    if (pending !== undefined) return pending.reject(this.#fault('MESSAGE_TOO_LARGE', message, pending));
    this.#options.warn('message-too-large', message);
    if (id !== undefined && method !== undefined) {
      this.#reply([doorErrorMessage(id, new DoorError('MESSAGE_TOO_LARGE', message))]);
    }
  }

  #flood(bytes: number): void {
    const limit = this.#options.maxMessageBytes;
    this.#lose(
      new DoorError('MESSAGE_TOO_LARGE', `a line went on past ${bytes} bytes (limit ${limit}) without an end`),
    );
    void this.#options.transport.close();
  }

  #lose(reason: DoorError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#deadlines.close();
    this.#asked.endAll(reason);
    for (const pending of this.#pending.values()) {
      this.#settle(pending);
      pending.reject(this.#fault('UPSTREAM_LOST', reason.message, pending, reason));
    }
    this.#options.lost(reason);
  }

  abandon(pending: Pending, reason: unknown, why: string): void {
    this.#settle(pending);
    // Where each request has a stream of its own and no session, closing it says all (2026-07-28 patterns/cancellation).
    if (!this.#options.transport.hasStreams || this.codec.era === 'handshake') {
      this.notify('notifications/cancelled', `{"requestId":${pending.id},"reason":${JSON.stringify(why)}}`);
    }
    this.#options.transport.abandon?.(pending.id);
    pending.reject(reason);
  }

  #expired(pending: Pending, nowMs: number): void {
    this.abandon(pending, timeoutOf(this.#options.upstream, pending, nowMs), 'it took too long');
    this.#options.timedOut?.(pending.sentAtMs);
  }

  #fault(code: FaultCode, message: string, pending: Pending, cause?: DoorError): DoorError {
    return faultOf(code, message, { upstream: this.#options.upstream, pending, ...(cause && { cause }) });
  }
}

const NO_METHOD: Outgoing = Object.freeze({});
