import type { Clock, Scheduled } from './clock.js';

/**
 * Runs one task however often it is asked for: at once the first time, then once more for all that was asked meanwhile,
 * with a pause between the end of one run and the begin of the next. A storm of wishes so costs a few runs.
 */
export class Coalescer {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #task: () => void | Promise<void>;
  #isRunning = false;
  #isWanted = false;
  #pause: Scheduled | undefined;
  #isClosed = false;

  /** @param task must not fail; whoever asks for a run does not hear how it ended */
  constructor(clock: Clock, pauseMs: number, task: () => void | Promise<void>) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#task = task;
  }

  /** Whether a run is under way or owed. */
  get isBusy(): boolean {
    return this.#isRunning || this.#isWanted;
  }

  /** Asks for a run that begins after now. */
  want(): void {
    if (this.#isClosed) return;
    if (this.#isRunning || this.#pause !== undefined) this.#isWanted = true;
    else void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#isWanted = false;
    this.#pause?.cancel();
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    this.#isRunning = true;
    try {
      await this.#task();
    } finally {
      this.#isRunning = false;
      if (!this.#isClosed) this.#pause = this.#clock.schedule(this.#pauseMs, () => this.#afterPause());
    }
  }

  #afterPause(): void {
    this.#pause = undefined;
    if (this.#isWanted) void this.#run();
  }
}
