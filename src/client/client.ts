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
import { optionsOf, shakeHands } from './handshake.js';
import { HangWatch } from './hang-watch.js';
import { judgeAnswer, judgeArguments } from './judging.js';
import { type ClientState, Lifecycle, type Ready, type SignsOfLife } from './lifecycle.js';
import { listTools, type ToolList } from './listing.js';
import type { RawAnswer } from './pending.js';
import { Relister } from './relist.js';
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
  /** A number in [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number;
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

/**
 * The one way to an upstream. It connects, lists, judges, sends, judges again and answers; no call reaches the
 * transport but through `call`, and `call` sends nothing that was not judged by the tool's own schema.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #life: Lifecycle;
  readonly #relister: Relister;
  #isPaused = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { upstream, events, clock, startTimeoutMs, connect, random = Math.random } = options;
    this.#life = new Lifecycle({
      upstream,
      events,
      clock,
      random,
      startTimeoutMs,
      maxStartMs: options.maxCallMs,
      connect,
      wrap: (transport, signs) => this.#wrap(transport, signs),
      greet: (connection, activity) => this.#greet(connection, activity),
      ready: (ready) => this.#ready(ready),
    });
    this.#relister = new Relister({
      clock,
      isFree: () => this.state.kind !== 'connecting',
      list: () => this.#relist(),
    });
  }

  get state(): ClientState {
    return this.#life.state;
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
    const { state } = this;
    const { upstream } = this.#options;
    if (state.kind === 'failed') throw state.error;
    if (state.kind !== 'ready') return this.call(tool, params, options);
    const current = state.list.tools.find((each) => each.name === tool.name);
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
    const { upstream, events, clock, callTimeoutMs, maxMessageBytes, maxDepth } = this.#options;
    const connection: Connection = new Connection({
      upstream,
      transport,
      clock,
      maxMessageBytes,
      scanLimits: { nestingLimit: maxDepth + 2 },
      notified: (method) => {
        if (method === 'notifications/tools/list_changed') this.#relister.request();
      },
      warn: (warning, message) =>
        events.emit('server.warning', { upstream, warning, message: `${upstream}: ${message}` }),
      timedOut: (sentAtMs) => watch.timedOut(sentAtMs),
      lost,
      activity,
    });
    const watch = new HangWatch({ connection, clock, callTimeoutMs });
    return connection;
  }

  /** Opens, initializes (MCP basic/lifecycle) and lists. */
  async #greet(connection: Connection, activity: () => void): Promise<Ready> {
    const { upstream, info } = this.#options;
    await connection.open();
    const server = await shakeHands(connection, upstream, { info, capabilities: {} });
    activity();
    this.#relister.forget();
    const list = server.capabilities.tools ? await this.#list(connection) : { tools: [], exclusions: [] };
    return { kind: 'ready', connection, revision: server.codec.revision, serverName: server.name, list };
  }

  #ready({ connection, revision, list }: Ready): void {
    const { upstream, events } = this.#options;
    if (this.#isPaused) connection.pause();
    events.emit('upstream.connected', { upstream, revision, tools: list.tools.length });
    this.#publish(list);
    this.#relister.resume();
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

  async #relist(): Promise<void> {
    const { upstream, events, clock, startTimeoutMs } = this.#options;
    const { state } = this;
    if (state.kind !== 'ready') return;
    const signal = new CallSignal();
    const timer = clock.schedule(startTimeoutMs, () =>
      signal.abort(new DoorError('TIMEOUT', `${upstream}: tools/list took more than ${startTimeoutMs} ms`)),
    );
    try {
      const list = await this.#list(state.connection, signal);
      if (!this.#life.replaceList(state, list)) return;
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
