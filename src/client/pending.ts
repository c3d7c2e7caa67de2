import type { Caller, CancelListener, CancelSignal, JsonSlice, Principal } from '../base/index.js';
import type { Judge } from '../schema/index.js';
import type { RawAnswer } from './raw-answer.js';

export interface RequestOptions {
  readonly signal: CancelSignal | undefined;
  /** How long to wait without a sign of progress, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to wait in all, whatever the progress, in milliseconds. */
  readonly maxMs: number;
  readonly progress: ((params: JsonSlice) => void) | undefined;
  /** What the request is about, for messages: a tool's name or a method. */
  readonly about: string;
  /** What the answer's structuredContent is judged by, for a first look on the way. */
  readonly output?: Judge | undefined;
  /** The tool, where it is a call of one. */
  readonly tool?: string | undefined;
  /** Whose request it is; absent where it is whoever the connection belongs to, or our own. */
  readonly caller?: Caller | undefined;
  /** On whose behalf it is; absent where it is our own. */
  readonly principal?: Principal | undefined;
  /** The least severe log messages its caller wants to hear. */
  readonly logLevel?: string | undefined;
}

/** One request of ours that waits for its answer; hears when its caller gives it up. */
export class Pending implements CancelListener {
  readonly id: number;
  readonly options: RequestOptions;
  readonly sentAtMs: number;
  /** Monotonic; moved on by progress, never past `endsAtMs`. */
  deadlineMs: number;
  /** A caller waits for it; otherwise it is a request of our own. */
  readonly isCallers: boolean;
  readonly answer: Promise<RawAnswer>;
  resolve!: (answer: RawAnswer) => void;
  reject!: (reason: unknown) => void;
  readonly #owner: PendingOwner;
  #stops = 0;
  #stoppedAtMs = 0;
  #stoodStillMs = 0;

  constructor(owner: PendingOwner, id: number, options: RequestOptions, nowMs: number, isCallers: boolean) {
    this.#owner = owner;
    this.isCallers = isCallers;
    this.id = id;
    this.options = options;
    this.sentAtMs = nowMs;
    this.deadlineMs = nowMs + Math.min(options.timeoutMs, options.maxMs);
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    options.signal?.addEventListener('abort', this);
  }

  get endsAtMs(): number {
    return this.sentAtMs + this.options.maxMs + this.#stoodStillMs;
  }

  /** Whether its clock stands still: nobody reads, or its caller is being asked something first. */
  get isStopped(): boolean {
    return this.#stops > 0;
  }

  stop(nowMs: number): void {
    if (this.#stops++ === 0) this.#stoppedAtMs = nowMs;
  }

  /** Undoes one `stop`; with the last one its end has moved on by the time that was not its own. */
  goOn(nowMs: number): void {
    if (this.#stops === 0 || --this.#stops > 0) return;
    const ms = nowMs - this.#stoppedAtMs;
    this.#stoodStillMs += ms;
    this.deadlineMs += ms;
  }

  /** The wait is over, one way or another. */
  settle(): void {
    this.options.signal?.removeEventListener('abort', this);
  }

  handleEvent(): void {
    this.#owner.abandon(this, this.options.signal?.reason, 'the caller cancelled');
  }
}

export interface PendingOwner {
  /** Gives a request up: tells the other side, fails the wait with `reason`. */
  abandon(pending: Pending, reason: unknown, why: string): void;
}
