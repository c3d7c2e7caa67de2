import type { Clock, Scheduled } from './clock.js';

/** A run that has not begun yet, and who waits for its end. */
interface Next {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/**
 * Runs one task however often it is asked for: at once the first time, then once more for all that was asked meanwhile,
 * with a pause between the end of one run and the begin of the next. A storm of wishes so costs a few runs.
 */
export class Coalescer {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #task: () => void | Promise<void>;
  #running: Promise<void> | undefined;
  #next: Next | undefined;
  #pause: Scheduled | undefined;
  #isClosed = false;

  /** @param task must not fail; whoever asks for a run does not hear how it went */
  constructor(clock: Clock, pauseMs: number, task: () => void | Promise<void>) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#task = task;
  }

  /** The run that is under way, until it ends. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Asks for a run that begins after now. Resolves when that run has ended, or none will come any more. */
  want(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if (this.#running === undefined && this.#pause === undefined) return this.#run();
    this.#next ??= makeNext();
    return this.#next.ended;
  }

  close(): void {
    this.#isClosed = true;
    this.#pause?.cancel();
    this.#next?.end();
    this.#next = undefined;
  }

  #run(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    const running = Promise.resolve(this.#task()).finally(() => this.#ended(next));
    this.#running = running;
    return running;
  }

  #ended(next: Next | undefined): void {
    this.#running = undefined;
    next?.end();
    if (!this.#isClosed) this.#pause = this.#clock.schedule(this.#pauseMs, () => this.#afterPause());
  }

  #afterPause(): void {
    this.#pause = undefined;
    if (this.#next !== undefined) void this.#run();
  }
}

function makeNext(): Next {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}
