import {
  type CallOptions,
  type CancelSignal,
  Coalescer,
  DoorError,
  guarded,
  type JsonSlice,
  orAborted,
  toDoorError,
  unsent,
} from '../base/index.js';
import type { ListedOffer, ListedTool, OfferKind } from '../catalog/index.js';
import { type CallParams, type Era, type RequestParams, withoutHopMeta } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import { Acquaintance } from './acquaintance.js';
import type { ClientOptions } from './client-options.js';
import { Connection } from './connection.js';
import { Doubt } from './doubt.js';
import { failIfFull } from './fullness.js';
import { optionsOf, type ServerCapabilities } from './handshake.js';
import { HangWatch } from './hang-watch.js';
import { isHeaderMismatch, isNotExecuted, refuseHopError } from './hop-errors.js';
import { inspectAnswer } from './inspecting.js';
import { judgeArguments } from './judging.js';
import { type ClientState, Lifecycle, type Ready, type SignsOfLife } from './lifecycle.js';
import { ListWarnings } from './list-warnings.js';
import { listTools, type ToolList } from './listing.js';
import { Liveness } from './liveness.js';
import { isOwnMethod, isPassedMethod, type OwnMethod, type PassedMethod } from './methods.js';
import { listOffers } from './offers.js';
import type { RequestOptions } from './pending.js';
import { RareWarnings } from './rare-warnings.js';
import { ownAnswer, type RawAnswer } from './raw-answer.js';
import { checkResultType } from './result-types.js';
import type { Transport } from './transport.js';
import { within } from './within.js';

/** What is sent once more, since it surely had not run, is not sent a third time. */
interface SentOptions extends CallOptions {
  readonly isSentAgain?: boolean;
}

/** An upstream's answer to a call, as it came, and where its structuredContent breaks the tool's outputSchema. */
export interface JudgedAnswer {
  readonly raw: RawAnswer;
  readonly violations: readonly Issue[];
}

/** One relist at once, the next ones this far apart, so that a storm of list_changed costs a few lists. */
const RELIST_EVERY_MS = 500;
/** What is told on a stream that was asked for, and nowhere else. */
const LISTENED_TO = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;

/**
 * The one way to an upstream. It connects, lists, judges, sends, judges again and answers; no call of a tool reaches the
 * transport but through `call`, and `call` sends nothing that was not judged by the tool's own schema.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #life: Lifecycle;
  readonly #relister: Coalescer;
  /** About what it sends, over all its connections: one that keeps ending must not fill the log by being started anew. */
  readonly #warnings: RareWarnings;
  readonly #listWarnings: ListWarnings;
  readonly #acquaintance: Acquaintance;
  /** Of the connection in use, where its upstream comes and goes. */
  #liveness: Liveness | undefined;
  /** The list changed while it was being fetched for the first time. */
  #isOutdated = false;
  #isPaused = false;
  /** When the list was asked for last; monotonic. */
  #listedAtMs = 0;
  constructor(options: ClientOptions) {
    this.#options = options;
    const { upstream, events, clock, startTimeoutMs, connect, random = Math.random, comesAndGoes = false } = options;
    this.#life = new Lifecycle({
      upstream,
      events,
      clock,
      random,
      comesAndGoes,
      startTimeoutMs,
      maxStartMs: options.maxCallMs,
      connect,
      wrap: (transport, signs) => this.#wrap(transport, signs),
      greet: (connection, activity) => this.#greet(connection, activity),
      isWorthAnotherWay: (error) => this.#acquaintance.failedWhenProbed(error),
      ready: (ready, isNews) => this.#ready(ready, isNews),
      failed: () => options.failed?.(),
    });
    this.#acquaintance = this.#acquaint(options);
    this.#warnings = new RareWarnings(clock, (warning, message, tool) =>
      events.emit('server.warning', { upstream, warning, message, ...(tool !== undefined && { tool }) }),
    );
    this.#listWarnings = new ListWarnings((warning) =>
      events.emit('server.warning', { upstream, ...warning, message: `${upstream}: ${warning.message}` }),
    );
    this.#relister = new Coalescer(clock, RELIST_EVERY_MS, () => this.#relist());
  }

  #acquaint({ upstream, clock, era = 'auto', info, capabilities = {}, startTimeoutMs: timeoutMs }: ClientOptions) {
    const warn = (warning: string, message: string): void => this.#warnings.tell(warning, `${upstream}: ${message}`);
    const missed = (): void => {
      this.#outdated();
      if (this.state.kind === 'ready') this.#options.connected?.();
    };
    const silenced = (): void => this.#liveness?.doubt();
    return new Acquaintance({ upstream, clock, era, info, capabilities, timeoutMs, warn, missed, silenced });
  }

  get state(): ClientState {
    return this.#life.state;
  }

  /** What a call that the upstream cannot take now is refused with. */
  get refusal(): DoorError | undefined {
    return this.#life.refusal;
  }

  /** What was found out about the upstream's era in an earlier process. @param atMs epoch milliseconds */
  recallEra(era: Era, atMs: number): void {
    this.#acquaintance.recall(era, atMs);
  }

  /** Connects and lists unless that is done or under way. @throws {DoorError} why the upstream cannot be used */
  start(): Promise<void> {
    return this.#life.start();
  }

  /**
   * Judges a call and, when it is valid, sends the caller's own bytes; then judges what comes back. Everything that
   * goes wrong comes as a rejection.
   *
   * @param tool as this upstream lists it now
   * @throws {DoorError} INVALID_ARGUMENTS before anything is sent; BUSY; TIMEOUT; UPSTREAM_LOST and its kin after
   */
  call(tool: ListedTool, params: CallParams, options: CallOptions): Promise<JudgedAnswer> {
    const { state } = this;
    try {
      if (state.kind === 'ready') return this.#send(state, tool, params, options);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    return orAborted(this.start(), options.signal).then(
      () => this.#callAnew(tool, params, options),
      (thrown: unknown) => Promise.reject(unsent(thrown)),
    );
  }

  #send(ready: Ready, tool: ListedTool, params: CallParams, options: CallOptions): Promise<JudgedAnswer> {
    const { upstream, maxDepth } = this.#options;
    const { connection } = ready;
    judgeArguments(upstream, tool, params, maxDepth);
    failIfFull(connection, this.#options);
    const answered = connection.call(params, tool, this.#requestOptions(tool.name, options, tool), options.retry);
    const { observer } = options;
    // The call is under way: a mistake of whoever looks on must not fail it, or its caller would send it again.
    if (observer?.sent !== undefined) guarded(() => observer.sent?.(upstream));
    const answer = (raw: RawAnswer): JudgedAnswer => this.#judged(connection, tool, raw, options);
    // Only over HTTP can it be told that a request was refused before anything was done with it.
    if (!connection.transport.hasStreams) return answered.then(answer);
    return answered.then(
      (raw) => {
        // Before that revision the code is the server's own, of something that it has done.
        if (connection.codec.era === 'modern' && isHeaderMismatch(raw))
          return this.#callRelisted(tool, params, options).then(answer);
        return answer(raw);
      },
      (thrown: unknown) => {
        return this.#startedAnew(thrown, options).then((again) => this.#callAnew(tool, params, again));
      },
    );
  }

  /** @throws {DoorError} what is wrong with the answer as such */
  #judged(connection: Connection, tool: ListedTool, raw: RawAnswer, options: CallOptions): JudgedAnswer {
    const { upstream, events } = this.#options;
    const { era } = connection.codec;
    refuseHopError(upstream, tool.name, raw, era);
    if (era === 'modern') checkResultType(upstream, tool.name, raw, options.caller);
    // What is no final answer has nothing yet that the tool's schema would speak of.
    if (era === 'modern' && raw.resultType !== 'complete') return { raw, violations: [] };
    return { raw, violations: inspectAnswer(tool, raw, { upstream, events, warnings: this.#warnings }) };
  }

  /** The tool wants other headers by now: it is listed anew, and called once more (MCP 2026-07-28 transports, Client Behavior). */
  async #callRelisted(tool: ListedTool, params: CallParams, options: CallOptions): Promise<RawAnswer> {
    await orAborted(this.#relister.want(), options.signal);
    const { state } = this;
    if (state.kind !== 'ready') throw this.#gone();
    const current = this.#currentOf(state, tool);
    judgeArguments(this.#options.upstream, current, params, this.#options.maxDepth);
    return state.connection.call(params, current, this.#requestOptions(tool.name, options, current), options.retry);
  }

  /** The session had ended before the request came: there is a new one, for all who were refused (2025-11-25 transports, Session Management). */
  async #startedAnew(thrown: unknown, options: SentOptions): Promise<SentOptions> {
    if (!isNotExecuted(thrown) || options.isSentAgain) throw thrown;
    // The connection says that it has ended right after it said that of the request.
    await Promise.resolve();
    await orAborted(this.start(), options.signal);
    return { ...options, isSentAgain: true };
  }

  /** After a reconnect the tool may have another schema, or be gone: look it up in the new list. */
  #callAnew(tool: ListedTool, params: CallParams, options: CallOptions): Promise<JudgedAnswer> {
    const { state } = this;
    if (state.kind === 'failed') throw state.error;
    if (state.kind !== 'ready') return this.call(tool, params, options);
    return this.call(this.#currentOf(state, tool), params, options);
  }

  /** The tool as it is listed now. */
  #currentOf({ list }: Ready, { name }: ListedTool): ListedTool {
    const { upstream } = this.#options;
    const current = list.tools.find((each) => each.name === name);
    if (current !== undefined) return current;
    throw new DoorError('TOOL_UNKNOWN', `${upstream} no longer lists ${name}`, { data: { upstream, tool: name } });
  }

  /**
   * Somebody looks at the list of tools. Where it is no longer fresh, and its upstream does not tell when it changes, it is
   * read anew (MCP 2026-07-28 server/utilities/caching). Whoever looks does not wait for that.
   */
  refresh(): void {
    const { state } = this;
    if (state.kind !== 'ready' || state.list.ttlMs === undefined || state.hello.capabilities.changes.tools) return;
    if (this.#options.clock.monotonicMs() - this.#listedAtMs >= state.list.ttlMs) void this.#relister.want();
  }

  /** Whether the upstream is connected and says that it offers this. */
  offers(what: Exclude<keyof ServerCapabilities, 'changes'>): boolean {
    return this.state.kind === 'ready' && this.state.hello.capabilities[what];
  }

  /** Whether the upstream is connected and says that it has offers of a kind. */
  lists(kind: OfferKind): boolean {
    return this.offers(kind === 'prompts' ? 'prompts' : 'resources');
  }

  /**
   * Lists what it offers besides tools; nothing where it does not say that it offers the kind. An upstream that is down is
   * not started for it: it is asked again when it is back.
   *
   * @throws {DoorError} why it cannot be listed
   */
  async listOffers(kind: OfferKind): Promise<readonly ListedOffer[]> {
    const { connection } = await this.#whenReady();
    if (!this.lists(kind)) return [];
    const { upstream } = this.#options;
    return this.#within(`listing its ${kind}`, (signal) =>
      this.#listWarnings.during(kind, (warn) =>
        listOffers(connection, kind, { upstream, request: optionsOf(kind, signal), warn }),
      ),
    );
  }

  /**
   * Passes a caller's request on, its bytes unchanged but for the key, under which the upstream knows what is asked for.
   *
   * @throws {DoorError} BUSY; TIMEOUT; UPSTREAM_LOST and its kin
   */
  async relay(method: PassedMethod, params: RequestParams, key: string, options: CallOptions): Promise<RawAnswer> {
    // Types are no guard where programs are not compiled: a call of a tool must not pass unjudged.
    if (!isPassedMethod(method)) throw new DoorError('INTERNAL', `${method} is not passed on as it is`);
    if (this.state.kind !== 'ready') await orAborted(this.start(), options.signal);
    const { state } = this;
    if (state.kind !== 'ready') throw this.#gone();
    const { connection, listening } = state;
    failIfFull(connection, this.#options);
    if (method === 'resources/subscribe' && listening !== undefined) {
      await this.#within(method, (signal) => orAborted(listening.add(key), signal));
      return ownAnswer('{}');
    }
    let raw: RawAnswer;
    try {
      raw = await connection.relay(method, params, key, this.#requestOptions(method, options), options.retry);
    } catch (thrown) {
      return this.relay(method, params, key, await this.#startedAnew(thrown, options));
    }
    const { upstream } = this.#options;
    const { era } = connection.codec;
    refuseHopError(upstream, method, raw, era);
    // Only a call of a tool becomes a task (SEP-2663).
    if (era === 'modern') checkResultType(upstream, method, raw, undefined);
    return raw;
  }

  /** Sends a request of the gateway's own to an upstream that is connected. `params` is JSON text. */
  async request(method: OwnMethod, params: string): Promise<void> {
    if (!isOwnMethod(method)) throw new DoorError('INTERNAL', `${method} is not sent as it is`);
    const { state } = this;
    if (state.kind !== 'ready') return;
    if (state.listening !== undefined) return state.listening.request(method, params);
    await this.#within(method, (signal) => state.connection.request(method, params, optionsOf(method, signal)));
  }

  /** The caller's roots have changed. */
  rootsChanged(): void {
    const { state } = this;
    // In the modern era they are asked for each time they are needed.
    if (state.kind === 'ready' && state.listening === undefined) {
      state.connection.notify('notifications/roots/list_changed');
    }
  }

  async #whenReady(): Promise<Ready> {
    const before = this.state;
    const failed = before.kind === 'failed' ? before : before.kind === 'connecting' ? before.failed : undefined;
    if (failed !== undefined) throw failed.error;
    await this.start();
    const { state } = this;
    if (state.kind !== 'ready') throw this.#gone();
    return state;
  }

  /** It was up a moment ago. */
  #gone(): DoorError {
    const { state } = this;
    if (state.kind === 'failed') return state.error;
    const { upstream } = this.#options;
    return new DoorError('UPSTREAM_UNREACHABLE', `${upstream}: not connected`, { data: { upstream } });
  }

  /** Stops and resumes reading, when the caller cannot take more. */
  pause(): void {
    this.#isPaused = true;
    if (this.state.kind === 'ready') this.state.connection.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.state.kind === 'ready') this.state.connection.resume();
  }

  async close(): Promise<void> {
    this.#relister.close();
    await this.#life.close();
  }

  #wrap(transport: Transport, { lost, activity }: SignsOfLife): Connection {
    const { upstream, clock, callTimeoutMs, maxMessageBytes, maxDepth } = this.#options;
    const connection: Connection = new Connection({
      upstream,
      transport,
      clock,
      maxMessageBytes,
      scanLimits: { nestingLimit: maxDepth + 2 },
      ...(this.#options.ask !== undefined && { ask: this.#options.ask }),
      meta: (codec, request) => this.#acquaintance.metaOf(codec, request),
      notified: (method, params, request) => this.#notified(connection, method, params, request),
      warn: (warning, message) => this.#warnings.tell(warning, `${upstream}: ${message}`),
      timedOut: (sentAtMs) => watch.timedOut(sentAtMs),
      doubted: () => doubt.raise(),
      troubled: () => liveness?.doubt(),
      lost: (reason) => {
        liveness?.stop();
        lost(reason);
      },
      activity,
    });
    const watch = new HangWatch({ connection, clock, callTimeoutMs });
    const doubt = new Doubt(connection);
    const liveness = this.#options.comesAndGoes ? new Liveness({ upstream, connection, clock }) : undefined;
    this.#liveness = liveness;
    return connection;
  }

  #notified(
    connection: Connection,
    method: string,
    params: JsonSlice | undefined,
    request: RequestOptions | undefined,
  ): void {
    const isModern = connection.codec.era === 'modern';
    if (isModern && method === 'notifications/subscriptions/acknowledged') {
      return this.#acquaintance.listening?.acknowledged(params);
    }
    if (isModern && LISTENED_TO.test(method) && !this.#acquaintance.listening?.owns(params)) return;
    if (method === 'notifications/tools/list_changed') return this.#outdated();
    this.#options.notified?.(method, isModern && params ? withoutHopMeta(params) : params, request);
  }

  /** Opens, gets acquainted and lists. */
  async #greet(connection: Connection, activity: () => void): Promise<Ready> {
    await connection.open();
    const hello = await this.#acquaintance.make(connection);
    activity();
    // What changed until now is in the list that is asked for now.
    this.#isOutdated = false;
    const list = hello.capabilities.tools ? await this.#list(connection) : { tools: [], exclusions: [] };
    return { kind: 'ready', connection, hello, list, listening: this.#acquaintance.listening };
  }

  #ready({ connection, hello, list }: Ready, isNews: boolean): void {
    const { upstream, events } = this.#options;
    if (this.#isPaused) connection.pause();
    this.#liveness?.start();
    const { revision } = hello.codec;
    if (isNews) events.emit('upstream.connected', { upstream, revision, tools: list.tools.length });
    this.#options.listed(list, hello);
    this.#options.connected?.();
    if (this.#isOutdated) this.#outdated();
  }

  #outdated(): void {
    if (this.state.kind === 'ready') this.#relister.want();
    else this.#isOutdated = true;
  }

  #list(connection: Connection, signal?: CancelSignal): Promise<ToolList> {
    const { upstream, validation } = this.#options;
    const { uncompilableOutput } = validation;
    this.#listedAtMs = this.#options.clock.monotonicMs();
    return this.#listWarnings.during('tools', (warn) =>
      listTools(connection, {
        upstream,
        uncompilableOutput,
        hasHeaders: connection.transport.hasStreams,
        request: optionsOf('tools/list', signal),
        warn,
      }),
    );
  }

  async #relist(): Promise<void> {
    const { upstream, events } = this.#options;
    const { state } = this;
    if (state.kind !== 'ready') return;
    try {
      const list = await this.#within('tools/list', (signal) => this.#list(state.connection, signal));
      if (!this.#life.replaceList(state, list)) return;
      events.emit('upstream.relisted', { upstream, tools: list.tools.length });
      this.#options.listed(list, state.hello);
    } catch (thrown) {
      const error = toDoorError(thrown);
      events.emit('server.warning', {
        upstream,
        warning: 'relist-failed',
        message: `${upstream}: could not be listed anew: ${error.message}`,
        code: error.code,
      });
    }
  }

  /** Does something of our own that may take as long as a start. */
  #within<Value>(about: string, task: (signal: CancelSignal) => Promise<Value>): Promise<Value> {
    const { upstream, clock, startTimeoutMs: timeoutMs } = this.#options;
    return within({ upstream, clock, timeoutMs, about }, task);
  }

  #requestOptions(about: string, options: CallOptions, tool?: ListedTool): RequestOptions {
    const { callTimeoutMs, maxCallMs } = this.#options;
    const { signal, timeoutMs, progress, caller, principal, logLevel } = options;
    return {
      signal,
      caller,
      principal,
      logLevel,
      timeoutMs: timeoutMs ?? callTimeoutMs,
      maxMs: maxCallMs,
      progress,
      about,
      tool: tool?.name,
      output: tool?.output,
    };
  }
}
