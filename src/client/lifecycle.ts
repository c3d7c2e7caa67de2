import { type Clock, DoorError, type EventBus, guarded, type Scheduled, toDoorError } from '../base/index.js';
import type { Connection } from './connection.js';
import type { Hello } from './handshake.js';
import type { Listening } from './listening.js';
import type { ToolList } from './listing.js';
import { type RestartOptions, RestartPolicy } from './restart.js';
import { StartDeadline } from './start-deadline.js';
import { explainLoss, explainStart, type Written } from './start-failure.js';
import type { Transport } from './transport.js';

/** Started once, and not up now: it is started again at `retryAtMs` by itself, or by the next call. Times are epoch. */
export interface Failed {
  readonly kind: 'failed';
  /** What ended it last. */
  readonly error: DoorError;
  /** When it first failed since it was last up for a stable minute. */
  readonly sinceMs: number;
  /** When it is started again by itself. */
  readonly retryAtMs: number;
  /** It keeps ending: until `retryAtMs` calls fail at once instead of starting it. */
  readonly isFlapping: boolean;
}

export interface Connecting {
  readonly kind: 'connecting';
  /** When this attempt began; epoch. */
  readonly sinceMs: number;
  readonly done: Promise<void>;
  /** The failure it is started after; absent the first time. */
  readonly failed: Failed | undefined;
}

export interface Ready {
  readonly kind: 'ready';
  readonly connection: Connection;
  readonly hello: Hello;
  readonly list: ToolList;
  /** What it tells unasked, where it is to be asked for that first. */
  readonly listening: Listening | undefined;
}

export type ClientState =
  | { readonly kind: 'idle' }
  | Connecting
  | Ready
  | Failed
  /** For good. */
  | { readonly kind: 'closed' };

/** What a connection tells of its life. */
export interface SignsOfLife {
  readonly lost: (reason: DoorError) => void;
  readonly activity: () => void;
}

export interface LifecycleOptions extends RestartOptions {
  readonly upstream: string;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly startTimeoutMs: number;
  /** How long a start may take in all, however much life it shows. */
  readonly maxStartMs: number;
  readonly connect: () => Transport;
  readonly wrap: (transport: Transport, signs: SignsOfLife) => Connection;
  /** Opens a connection, shakes hands and lists; `activity` gives the start more time. */
  readonly greet: (connection: Connection, activity: () => void) => Promise<Ready>;
  /** It is up, and its state says so. `isNews`: for the first time, or since its loss was told. */
  readonly ready: (ready: Ready, isNews: boolean) => void;
  /** A start failed in a way that says nothing but that it should be tried once more, in another way. */
  readonly isWorthAnotherWay?: (error: DoorError) => boolean;
  /** It has failed. Unlike `upstream.lost`, which is told once for a reason, this hears of every failure. */
  readonly failed?: (failed: Failed) => void;
}

/** More reasons than these are not told in one row of failures: some servers never fail with the same words twice. */
const MAX_TOLD = 16;

/** A connection that is being opened, and what its process wrote meanwhile. */
interface Opening {
  readonly greeted: Promise<Ready>;
  written(): Written;
}

/** Failures with no stable minute between them. */
interface Row {
  readonly sinceMs: number;
  /** Reasons that were told already: an upstream that keeps failing must not fill the log of its operator. */
  readonly told: Set<string>;
}

/**
 * The life of one upstream: started when it is first asked for, and from then on again after each end, as the policy
 * says, until it is closed. There is never more than one connection that is being opened or in use.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #policy: RestartPolicy;
  #state: ClientState = { kind: 'idle' };
  #row: Row | undefined;
  /** Nobody has been told that it is up since they were told that it is not. */
  #isUpNews = true;
  #retry: Scheduled | undefined;
  /** Every connection that is not wholly closed yet: being opened, ready, or lost and being ended. */
  readonly #connections = new Set<Connection>();
  /** Ends the start that is under way. */
  #giveUp: (reason: DoorError) => void = () => {};

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#policy = new RestartPolicy(options);
  }

  get state(): ClientState {
    return this.#state;
  }

  /** What a call that it cannot take is refused with; undefined while it can, or nobody knows yet. */
  get refusal(): DoorError | undefined {
    const state = this.#state;
    const failed = state.kind === 'failed' ? state : state.kind === 'connecting' ? state.failed : undefined;
    return failed?.isFlapping ? this.#keepsEnding(failed) : failed?.error;
  }

  /** Starts it unless it is up or being started. @throws {DoorError} why it cannot be used */
  async start(): Promise<void> {
    const state = this.#state;
    if (state.kind === 'ready') return;
    if (state.kind === 'connecting') return state.done;
    if (state.kind === 'closed') throw this.#unreachable('closed');
    if (state.kind === 'failed' && state.isFlapping) throw this.#keepsEnding(state);
    return this.#begin();
  }

  /** Puts a newer list into the state, unless that has changed meanwhile. @returns whether it did */
  replaceList(ready: Ready, list: ToolList): boolean {
    if (this.#state !== ready) return false;
    this.#state = { ...ready, list };
    return true;
  }

  /** Ends whatever was started, and waits until it has ended. Nothing starts it again. */
  async close(): Promise<void> {
    this.#state = { kind: 'closed' };
    this.#retry?.cancel();
    this.#giveUp(this.#unreachable('closed while starting'));
    await this.#retireAll();
  }

  #begin(): Promise<void> {
    this.#retry?.cancel();
    // The state first: connecting may fail, or be closed, before it waits for anything.
    let begin = (): void => {};
    const done = new Promise<void>((resolve) => {
      begin = () => resolve(this.#connect());
    });
    const failed = this.#state.kind === 'failed' ? this.#state : undefined;
    this.#state = { kind: 'connecting', sinceMs: this.#options.clock.nowMs(), done, failed };
    begin();
    return done;
  }

  async #connect(): Promise<void> {
    // The process before this one may still hold a port or a lock: two of a kind are never started.
    if (this.#connections.size > 0) await this.#retireAll();
    if (this.#isClosed()) throw this.#unreachable('closed while starting');
    const { clock, startTimeoutMs, maxStartMs } = this.#options;
    const deadline = new StartDeadline(clock, startTimeoutMs, maxStartMs);
    let opening: Opening | undefined;
    try {
      opening = this.#open(deadline);
      const givenUp = new Promise<never>((_, reject) => {
        this.#giveUp = reject;
      });
      this.#begun(await Promise.race([opening.greeted, deadline.passed, givenUp]));
    } catch (thrown) {
      const error = toDoorError(thrown);
      if (this.#isClosed() || !this.#options.isWorthAnotherWay?.(error)) {
        throw this.#startFailed(error, opening?.written() ?? { tail: '', noise: '', isRemote: false });
      }
    } finally {
      this.#giveUp = () => {};
      deadline.end();
    }
    if (this.#state.kind === 'connecting') await this.#connect();
  }

  #open(deadline: StartDeadline): Opening {
    const transport = this.#options.connect();
    const isRemote = transport.hasStreams;
    const written = (): Written => ({ tail: transport.tail(), noise: connection.firstNoise, isRemote });
    const activity = (): void => deadline.extend();
    const lost = (reason: DoorError): void => this.#lost(connection, explainLoss(reason, written()));
    const connection: Connection = this.#options.wrap(transport, { lost, activity });
    this.#connections.add(connection);
    return { written, greeted: this.#options.greet(connection, activity) };
  }

  #begun(ready: Ready): void {
    if (this.#isClosed()) throw this.#unreachable('closed while starting');
    // It may have ended right behind its list, before anybody could hear of it.
    if (!ready.connection.isOpen) throw new DoorError('UPSTREAM_LOST', 'the connection ended right after the start');
    this.#policy.started();
    this.#state = ready;
    const isNews = this.#isUpNews;
    this.#isUpNews = false;
    this.#options.ready(ready, isNews);
  }

  /** Whoever waits for the start hears at once: what was started may take seconds to end. */
  #startFailed(thrown: DoorError, written: Written): DoorError {
    const error = explainStart(this.#options.upstream, thrown, written);
    void this.#retireAll();
    if (!this.#isClosed()) this.#fail(error, error);
    return error;
  }

  #lost(connection: Connection, reason: DoorError): void {
    const { upstream } = this.#options;
    if (this.#state.kind !== 'ready' || this.#state.connection !== connection) return;
    void this.#retire(connection);
    const error = new DoorError('UPSTREAM_LOST', `${upstream}: ${reason.message}`, {
      data: { upstream },
      ...(reason.hint === undefined ? {} : { hint: reason.hint }),
      cause: reason,
    });
    this.#fail(error, reason);
  }

  #fail(error: DoorError, { code, message: reason }: DoorError): void {
    const { upstream, clock, events } = this.#options;
    const { delayMs, isFirst } = this.#policy.ended(code === 'AUTH_REQUIRED' || code === 'FORBIDDEN');
    const nowMs = clock.nowMs();
    if (isFirst || this.#row === undefined) this.#row = { sinceMs: nowMs, told: new Set() };
    const { sinceMs, told } = this.#row;
    const state: Failed = {
      kind: 'failed',
      error,
      sinceMs,
      retryAtMs: nowMs + delayMs,
      isFlapping: this.#policy.isOpen,
    };
    this.#state = state;
    // Whoever wants to know why an attempt failed finds it in the state.
    this.#retry = clock.schedule(delayMs, () => void this.#begin().catch(() => {}));
    if (!told.has(reason) && told.size < MAX_TOLD) {
      told.add(reason);
      this.#isUpNews = true;
      events.emit('upstream.lost', { upstream, code, reason });
    }
    guarded(() => this.#options.failed?.(state));
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

  #isClosed(): boolean {
    return this.#state.kind === 'closed';
  }

  #unreachable(why: string): DoorError {
    const { upstream } = this.#options;
    return new DoorError('UPSTREAM_UNREACHABLE', `${upstream}: ${why}`, { data: { upstream } });
  }

  #keepsEnding({ error, retryAtMs }: Failed): DoorError {
    const { upstream, clock } = this.#options;
    const last = error.message.startsWith(`${upstream}: `) ? error.message.slice(upstream.length + 2) : error.message;
    const inSeconds = Math.max(0, Math.ceil((retryAtMs - clock.nowMs()) / 1_000));
    const message = `${upstream}: keeps ending, and is next tried in ${inSeconds} s. It ended with: ${last}`;
    return new DoorError('UPSTREAM_UNREACHABLE', message, {
      data: { upstream, retryAtMs },
      hint: error.hint ?? 'See all it wrote with --verbose, or run its command by hand.',
      cause: error,
    });
  }
}
