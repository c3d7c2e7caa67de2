import {
  type CallOptions,
  CallSignal,
  type CancelSignal,
  type Clock,
  DoorError,
  type EventBus,
  findDuplicateName,
  guarded,
  orAborted,
  SCAN,
  toDoorError,
} from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import type { CallParams } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import { Connection } from './connection.js';
import { findOddContent } from './content.js';
import { explainStart, optionsOf, StartDeadline, shakeHands } from './handshake.js';
import { judgeAnswer, judgeArguments } from './judging.js';
import { listTools, type ToolList } from './listing.js';
import type { RawAnswer } from './pending.js';
import type { Transport } from './transport.js';

export interface ClientValidation {
  /** What becomes of a tool whose outputSchema alone cannot compile. Default `exclude`. */
  readonly uncompilableOutput: 'exclude' | 'ignore';
}

export interface ClientOptions {
  /** The mount's id: how messages and events name this upstream. */
  readonly upstream: string;
  readonly connect: () => Transport;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly validation: ClientValidation;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly maxCallMs: number;
  readonly maxMessageBytes: number;
  readonly maxDepth: number;
  readonly maxInFlight: number;
  /** How we introduce ourselves. */
  readonly info: { readonly name: string; readonly version: string };
  /** The list of tools was read, at first or anew. */
  readonly listed: (list: ToolList) => void;
}

/** An upstream's answer to a call, as it came, and where its structuredContent breaks the tool's outputSchema. */
export interface JudgedAnswer {
  readonly raw: RawAnswer;
  readonly violations: readonly Issue[];
}

export type ClientState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly sinceMs: number; readonly done: Promise<void> }
  | {
      readonly kind: 'ready';
      readonly connection: Connection;
      readonly revision: string;
      readonly serverName: string;
      readonly list: ToolList;
    }
  /** `sinceMs` above is for people (epoch), `failedAtMs` for the retry (monotonic). */
  | { readonly kind: 'failed'; readonly error: DoorError; readonly failedAtMs: number }
  | { readonly kind: 'closed' };

/** A failed upstream is not tried again sooner than this, so that a burst of calls cannot become a burst of starts. */
const RETRY_AFTER_MS = 1_000;
/** One relist at once, the next ones this far apart, so that a storm of list_changed costs a few lists. */
const RELIST_EVERY_MS = 500;

/**
 * The one way to an upstream. It connects, lists, judges, sends, judges again and answers; no call reaches the
 * transport but through `call`, and `call` sends nothing that was not judged by the tool's own schema.
 */
export class Client {
  readonly #options: ClientOptions;
  #state: ClientState = { kind: 'idle' };
  #relisting: Promise<void> | undefined;
  #isRelistQueued = false;
  #isPaused = false;
  /** Every connection that is not wholly closed yet: being opened, ready, or lost and being ended. */
  readonly #connections = new Set<Connection>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Connects and lists unless that is done or under way. @throws {DoorError} why the upstream cannot be used */
  async start(): Promise<void> {
    const state = this.#state;
    if (state.kind === 'ready') return;
    if (state.kind === 'connecting') return state.done;
    if (state.kind === 'closed') throw new DoorError('UPSTREAM_UNREACHABLE', `${this.#options.upstream}: closed`);
    if (state.kind === 'failed' && this.#options.clock.monotonicMs() - state.failedAtMs < RETRY_AFTER_MS)
      throw state.error;
    // The state first: connecting may fail, or be closed, before it waits for anything.
    let begin = (): void => {};
    const done = new Promise<void>((resolve) => {
      begin = () => resolve(this.#connect());
    });
    this.#state = { kind: 'connecting', sinceMs: this.#options.clock.nowMs(), done };
    begin();
    return done;
  }

  /**
   * Judges a call and, when it is valid, sends the caller's own bytes; then judges what comes back. Everything that
   * goes wrong comes as a rejection.
   *
   * @param tool as this upstream lists it now
   * @throws {DoorError} INVALID_ARGUMENTS before anything is sent; BUSY; TIMEOUT; UPSTREAM_LOST and its kin after
   */
  call(tool: ListedTool, params: CallParams, options: CallOptions): Promise<JudgedAnswer> {
    const state = this.#state;
    try {
      if (state.kind === 'ready') return this.#send(state.connection, tool, params, options);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    return orAborted(this.start(), options.signal).then(() => this.#callAnew(tool, params, options));
  }

  #send(connection: Connection, tool: ListedTool, params: CallParams, options: CallOptions): Promise<JudgedAnswer> {
    const { upstream, maxInFlight, maxDepth, callTimeoutMs, maxCallMs } = this.#options;
    judgeArguments(upstream, tool, params, maxDepth);
    if (connection.inFlight >= maxInFlight) throw this.#busy();
    if (connection.isBacklogged) throw this.#backlogged();
    const answered = connection.call(params, tool.quotedName, {
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? callTimeoutMs,
      maxMs: maxCallMs,
      progress: options.progress,
      about: tool.name,
    });
    const { observer } = options;
    // The call is under way: a mistake of whoever looks on must not fail it, or its caller would send it again.
    if (observer?.sent !== undefined) guarded(() => observer.sent?.(upstream));
    return answered.then((raw) => ({ raw, violations: this.#inspect(tool, raw) }));
  }

  /** After a reconnect the tool may have another schema, or be gone: look it up in the new list. */
  #callAnew(tool: ListedTool, params: CallParams, options: CallOptions): Promise<JudgedAnswer> {
    const state = this.#state;
    const { upstream } = this.#options;
    if (state.kind === 'failed') throw state.error;
    const current = state.kind === 'ready' ? state.list.tools.find((each) => each.name === tool.name) : undefined;
    if (current === undefined) {
      throw new DoorError('TOOL_UNKNOWN', `${upstream} no longer lists ${tool.name}`, {
        data: { upstream, tool: tool.name },
      });
    }
    return this.call(current, params, options);
  }

  /** Judges what came back, and tells what is odd about it. The answer itself stays as it is. */
  #inspect(tool: ListedTool, answer: RawAnswer): readonly Issue[] {
    if (answer.kind === 'error') return [];
    const { upstream, events } = this.#options;
    const violations = judgeAnswer(tool, answer);
    if (violations.length > 0) events.emit('output.violation', { upstream, tool: tool.name, issues: violations });
    if (!events.hears('server.warning')) return violations;
    const warn = (warning: string, message: string): void =>
      events.emit('server.warning', { upstream, warning, tool: tool.name, message: `${tool.name}: ${message}` });
    if (tool.output !== undefined && !answer.isError && answer.structuredStart < 0) {
      warn('missing-structured-content', 'declares an outputSchema but answered without structuredContent');
    }
    if (!answer.hasPlainContent) {
      for (const odd of findOddContent(answer.bytes, answer.contentStart, answer.contentEnd)) warn('odd-content', odd);
    }
    if (answer.flags & SCAN.duplicateName) {
      const name = findDuplicateName(answer.bytes, answer.start, answer.end);
      if (name !== undefined) warn('duplicate-name', `the name ${JSON.stringify(name)} occurs twice in an object`);
    }
    return violations;
  }

  /** Stops and resumes reading, when the caller cannot take more. */
  pause(): void {
    this.#isPaused = true;
    if (this.#state.kind === 'ready') this.#state.connection.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#state.kind === 'ready') this.#state.connection.resume();
  }

  async close(): Promise<void> {
    this.#state = { kind: 'closed' };
    await this.#retireAll();
  }

  /** Ends a connection and everything started for it. */
  async #retire(connection: Connection): Promise<void> {
    try {
      await connection.close();
    } catch {
      // Nobody is left to be told, and there is nothing more to try.
    }
    this.#connections.delete(connection);
  }

  async #retireAll(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => this.#retire(connection)));
  }

  async #connect(): Promise<void> {
    const { upstream, events } = this.#options;
    const deadline = new StartDeadline(this.#options.clock, this.#options.startTimeoutMs, this.#options.maxCallMs);
    let transport: Transport | undefined;
    try {
      // The process before this one may still hold a port or a lock: two of a kind are never started.
      if (this.#connections.size > 0) await this.#retireAll();
      this.#failIfClosed();
      transport = this.#options.connect();
      const connection = this.#makeConnection(transport, deadline);
      const ready = await Promise.race([this.#handshake(connection, deadline), deadline.passed]);
      this.#failIfClosed();
      // It may have ended right behind its list, before anybody could hear of it.
      if (!ready.connection.isOpen) throw new DoorError('UPSTREAM_LOST', 'the connection ended right after the start');
      this.#state = ready;
      if (this.#isPaused) ready.connection.pause();
      events.emit('upstream.connected', { upstream, revision: ready.revision, tools: ready.list.tools.length });
      this.#publish(ready.list);
    } catch (thrown) {
      const error = explainStart(upstream, toDoorError(thrown), transport?.tail() ?? '');
      if ((this.#state as ClientState).kind !== 'closed') {
        this.#state = { kind: 'failed', error, failedAtMs: this.#options.clock.monotonicMs() };
        events.emit('upstream.lost', { upstream, code: error.code, reason: error.message });
      }
      await this.#retireAll();
      throw error;
    } finally {
      deadline.end();
    }
    this.#relistIfQueued();
  }

  #failIfClosed(): void {
    if (this.#state.kind === 'closed')
      throw new DoorError('UPSTREAM_LOST', `${this.#options.upstream}: closed while starting`);
  }

  #makeConnection(transport: Transport, deadline: StartDeadline): Connection {
    const { upstream, events, clock, maxMessageBytes, maxDepth } = this.#options;
    const connection: Connection = new Connection({
      upstream,
      transport,
      clock,
      maxMessageBytes,
      scanLimits: { nestingLimit: maxDepth + 2 },
      notified: (method) => {
        if (method === 'notifications/tools/list_changed') this.#relist();
      },
      lost: (reason) => this.#lost(connection, reason),
      warn: (warning, message) =>
        events.emit('server.warning', { upstream, warning, message: `${upstream}: ${message}` }),
      activity: () => deadline.extend(),
    });
    this.#connections.add(connection);
    return connection;
  }

  /** Opens, initializes (MCP basic/lifecycle) and lists. */
  async #handshake(connection: Connection, deadline: StartDeadline): Promise<ClientState & { kind: 'ready' }> {
    const { upstream, info } = this.#options;
    await connection.open();
    const server = await shakeHands(connection, upstream, info);
    deadline.extend();
    // What changed until now is in the list that is asked for now.
    this.#isRelistQueued = false;
    const list = server.hasTools ? await this.#list(connection) : { tools: [], exclusions: [] };
    return { kind: 'ready', connection, revision: server.codec.revision, serverName: server.name, list };
  }

  #list(connection: Connection, signal?: CancelSignal): Promise<ToolList> {
    const { upstream, events, validation } = this.#options;
    return listTools(connection, {
      upstream,
      uncompilableOutput: validation.uncompilableOutput,
      request: optionsOf('tools/list', signal),
      warn: (warning) =>
        events.emit('server.warning', { upstream, ...warning, message: `${upstream}: ${warning.message}` }),
    });
  }

  #publish(list: ToolList): void {
    const { events } = this.#options;
    for (const { mount, ...exclusion } of list.exclusions)
      events.emit('tool.excluded', { upstream: mount, ...exclusion });
    this.#options.listed(list);
  }

  #relist(): void {
    if (this.#relisting !== undefined || this.#state.kind === 'connecting') {
      this.#isRelistQueued = true;
      return;
    }
    this.#relisting = this.#relistOnce().finally(() => {
      this.#options.clock.schedule(RELIST_EVERY_MS, () => {
        this.#relisting = undefined;
        this.#relistIfQueued();
      });
    });
  }

  #relistIfQueued(): void {
    if (!this.#isRelistQueued) return;
    this.#isRelistQueued = false;
    this.#relist();
  }

  async #relistOnce(): Promise<void> {
    const { upstream, events, clock, startTimeoutMs } = this.#options;
    const state = this.#state;
    if (state.kind !== 'ready') return;
    const signal = new CallSignal();
    const timer = clock.schedule(startTimeoutMs, () =>
      signal.abort(new DoorError('TIMEOUT', `${upstream}: tools/list took more than ${startTimeoutMs} ms`)),
    );
    try {
      const list = await this.#list(state.connection, signal);
      if (this.#state !== state) return;
      this.#state = { ...state, list };
      events.emit('upstream.relisted', { upstream, tools: list.tools.length });
      this.#publish(list);
    } catch (thrown) {
      const error = toDoorError(thrown);
      events.emit('server.warning', {
        upstream,
        warning: 'relist-failed',
        message: `${upstream}: could not be listed anew: ${error.message}`,
        code: error.code,
      });
    } finally {
      timer.cancel();
    }
  }

  #lost(connection: Connection, reason: DoorError): void {
    const { upstream, events, clock } = this.#options;
    const state = this.#state;
    if (state.kind !== 'ready' || state.connection !== connection) return;
    void this.#retire(connection);
    const error = new DoorError('UPSTREAM_LOST', `${upstream}: ${reason.message}`, {
      data: { upstream },
      ...(reason.hint === undefined ? {} : { hint: reason.hint }),
      cause: reason,
    });
    this.#state = { kind: 'failed', error, failedAtMs: clock.monotonicMs() };
    events.emit('upstream.lost', { upstream, code: reason.code, reason: reason.message });
  }

  #backlogged(): DoorError {
    const { upstream } = this.#options;
    return new DoorError('BUSY', `${upstream} does not read what it is sent`, {
      data: { upstream },
      hint: 'Wait until it has caught up, or restart it.',
    });
  }

  #busy(): DoorError {
    const { upstream, maxInFlight } = this.#options;
    return new DoorError('BUSY', `${upstream} already has ${maxInFlight} calls in flight (limits.maxInFlight)`, {
      data: { upstream, limit: maxInFlight },
      hint: 'Wait for calls in flight to end, or raise limits.maxInFlight.',
    });
  }
}
