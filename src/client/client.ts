import {
  type CallOptions,
  type Clock,
  DoorError,
  decodeText,
  type EventBus,
  findDuplicateName,
  SCAN,
  toDoorError,
} from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import { type CallParams, findCodec, NEWEST } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import { Connection } from './connection.js';
import { findOddContent } from './content.js';
import { judgeAnswer, judgeArguments } from './judging.js';
import { listTools, type ToolList } from './listing.js';
import type { RawAnswer, RequestOptions } from './pending.js';
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
  | { readonly kind: 'failed'; readonly error: DoorError; readonly atMs: number }
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
  /** The connection being opened, so that closing meanwhile ends it too. */
  #opening: Connection | undefined;

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
    if (state.kind === 'failed' && this.#options.clock.monotonicMs() - state.atMs < RETRY_AFTER_MS) throw state.error;
    const done = this.#connect();
    this.#state = { kind: 'connecting', sinceMs: this.#options.clock.nowMs(), done };
    return done;
  }

  /**
   * Judges a call and, when it is valid, sends the caller's own bytes.
   *
   * @param tool as this upstream lists it now
   * @throws {DoorError} INVALID_ARGUMENTS before anything is sent; BUSY; TIMEOUT; UPSTREAM_LOST and its kin after
   */
  call(tool: ListedTool, params: CallParams, options: CallOptions): Promise<RawAnswer> {
    const state = this.#state;
    if (state.kind !== 'ready') return this.start().then(() => this.#callAnew(tool, params, options));
    const { upstream, maxInFlight, maxDepth, callTimeoutMs, maxCallMs } = this.#options;
    judgeArguments(upstream, tool, params, maxDepth);
    if (state.connection.inFlight >= maxInFlight) throw this.#busy();
    options.observer?.sent?.(upstream);
    return state.connection.call(params, tool.quotedName, {
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? callTimeoutMs,
      maxMs: maxCallMs,
      progress: options.progress,
      about: tool.name,
    });
  }

  /** After a reconnect the tool may have another schema, or be gone: look it up in the new list. */
  #callAnew(tool: ListedTool, params: CallParams, options: CallOptions): Promise<RawAnswer> {
    const state = this.#state;
    const { upstream } = this.#options;
    const current = state.kind === 'ready' ? state.list.tools.find((each) => each.name === tool.name) : undefined;
    if (current === undefined) {
      throw new DoorError('TOOL_UNKNOWN', `${upstream} no longer lists ${tool.name}`, {
        data: { upstream, tool: tool.name },
      });
    }
    return this.call(current, params, options);
  }

  /** Judges what came back, and tells what is odd about it. The answer itself stays as it is. */
  inspect(tool: ListedTool, answer: RawAnswer): readonly Issue[] {
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
    if (this.#state.kind === 'ready') this.#state.connection.pause();
  }

  resume(): void {
    if (this.#state.kind === 'ready') this.#state.connection.resume();
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'closed' };
    if (state.kind === 'ready') await state.connection.close();
    if (state.kind === 'connecting') await this.#opening?.close();
  }

  async #connect(): Promise<void> {
    const { upstream, events } = this.#options;
    const deadline = new StartDeadline(this.#options.clock, this.#options.startTimeoutMs);
    const transport = this.#options.connect();
    const connection = this.#makeConnection(transport, deadline);
    this.#opening = connection;
    try {
      const ready = await Promise.race([this.#handshake(connection, deadline), deadline.passed]);
      if ((this.#state as ClientState).kind === 'closed')
        throw new DoorError('UPSTREAM_LOST', `${upstream}: closed while starting`);
      this.#state = ready;
      events.emit('upstream.connected', { upstream, revision: ready.revision, tools: ready.list.tools.length });
      this.#publish(ready.list);
    } catch (thrown) {
      const error = this.#explainStart(toDoorError(thrown), transport);
      if ((this.#state as ClientState).kind !== 'closed') {
        this.#state = { kind: 'failed', error, atMs: this.#options.clock.monotonicMs() };
        events.emit('upstream.lost', { upstream, code: error.code, reason: error.message });
      }
      await connection.close();
      throw error;
    } finally {
      deadline.end();
      this.#opening = undefined;
    }
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
    return connection;
  }

  /** Opens, initializes (MCP basic/lifecycle) and lists. */
  async #handshake(connection: Connection, deadline: StartDeadline): Promise<ClientState & { kind: 'ready' }> {
    const { upstream, info } = this.#options;
    await connection.open();
    const hello = { protocolVersion: NEWEST.revision, capabilities: {}, clientInfo: info };
    const answer = await connection.request('initialize', JSON.stringify(hello), this.#requestOptions('initialize'));
    deadline.extend();
    const server = readInitializeResult(upstream, answer);
    connection.codec = server.codec;
    connection.notify('notifications/initialized');
    const list = server.hasTools ? await this.#list(connection) : { tools: [], exclusions: [] };
    return { kind: 'ready', connection, revision: server.codec.revision, serverName: server.name, list };
  }

  #list(connection: Connection): Promise<ToolList> {
    const { upstream, events, validation } = this.#options;
    return listTools(connection, {
      mount: upstream,
      uncompilableOutput: validation.uncompilableOutput,
      request: this.#requestOptions('tools/list'),
      warn: (warning) =>
        events.emit('server.warning', { upstream, ...warning, message: `${upstream}: ${warning.message}` }),
    });
  }

  #requestOptions(about: string): RequestOptions {
    // Starting has a deadline of its own, which output on stderr extends; a request within it needs none.
    const boundMs = this.#options.maxCallMs;
    return { about, timeoutMs: boundMs, maxMs: boundMs, signal: undefined, progress: undefined };
  }

  #publish(list: ToolList): void {
    const { events } = this.#options;
    for (const { mount, ...exclusion } of list.exclusions)
      events.emit('tool.excluded', { upstream: mount, ...exclusion });
    this.#options.listed(list);
  }

  #relist(): void {
    if (this.#relisting !== undefined) {
      this.#isRelistQueued = true;
      return;
    }
    this.#relisting = this.#relistOnce().finally(() => {
      this.#options.clock.schedule(RELIST_EVERY_MS, () => {
        this.#relisting = undefined;
        if (!this.#isRelistQueued) return;
        this.#isRelistQueued = false;
        this.#relist();
      });
    });
  }

  async #relistOnce(): Promise<void> {
    const { upstream, events } = this.#options;
    const state = this.#state;
    if (state.kind !== 'ready') return;
    try {
      const list = await this.#list(state.connection);
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
    }
  }

  #lost(connection: Connection, reason: DoorError): void {
    const { upstream, events, clock } = this.#options;
    const state = this.#state;
    if (state.kind !== 'ready' || state.connection !== connection) return;
    const error = new DoorError('UPSTREAM_LOST', `${upstream}: ${reason.message}`, {
      data: { upstream },
      ...(reason.hint === undefined ? {} : { hint: reason.hint }),
      cause: reason,
    });
    this.#state = { kind: 'failed', error, atMs: clock.monotonicMs() };
    events.emit('upstream.lost', { upstream, code: reason.code, reason: reason.message });
  }

  /** A start that failed says what the process itself had to say about it. */
  #explainStart(error: DoorError, transport: Transport): DoorError {
    const { upstream } = this.#options;
    const tail = lastLines(transport.tail());
    const code = error.code === 'UPSTREAM_LOST' || error.code === 'INTERNAL' ? 'UPSTREAM_UNREACHABLE' : error.code;
    const message = error.message.startsWith(`${upstream}: `) ? error.message : `${upstream}: ${error.message}`;
    const said = tail === '' ? '' : ` It wrote: ${tail}`;
    return new DoorError(code, `${message}${said}`, {
      data: { ...error.data, upstream },
      hint: error.hint ?? 'Run the command of this server by hand to see what it says.',
      cause: error,
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

/** The time a start may take; each sign of life begins it anew. */
class StartDeadline {
  readonly passed: Promise<never>;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #reject!: (reason: DoorError) => void;
  #timer: { cancel(): void };

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.passed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.passed.catch(() => {});
    this.#timer = this.#arm();
  }

  extend(): void {
    this.#timer.cancel();
    this.#timer = this.#arm();
  }

  end(): void {
    this.#timer.cancel();
  }

  #arm(): { cancel(): void } {
    return this.#clock.schedule(this.#timeoutMs, () => {
      this.#reject(
        new DoorError('TIMEOUT', `did not start within ${this.#timeoutMs} ms`, {
          data: { waitedMs: this.#timeoutMs },
          hint: 'Raise startTimeoutMs for this server if it needs longer to start.',
        }),
      );
    });
  }
}

interface Hello {
  readonly codec: NonNullable<ReturnType<typeof findCodec>>;
  readonly name: string;
  readonly hasTools: boolean;
}

function readInitializeResult(upstream: string, answer: RawAnswer): Hello {
  const text = decodeText(answer.bytes, answer.start, answer.end);
  const broke = (why: string): DoorError =>
    new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: ${why}`, { data: { upstream } });
  if (answer.kind === 'error') throw broke(`initialize was refused: ${text.slice(0, 400)}`);
  const hello = JSON.parse(text) as {
    protocolVersion?: unknown;
    capabilities?: { tools?: unknown };
    serverInfo?: { name?: unknown };
  };
  const revision = hello.protocolVersion;
  const codec = typeof revision === 'string' ? findCodec(revision) : undefined;
  if (codec === undefined) throw broke(`speaks protocol revision ${JSON.stringify(revision)}, which doorward does not`);
  const name = hello.serverInfo?.name;
  return { codec, name: typeof name === 'string' ? name : upstream, hasTools: hello.capabilities?.tools != null };
}

function lastLines(tail: string): string {
  return tail.trim().split('\n').slice(-3).join(' | ').slice(-400);
}
