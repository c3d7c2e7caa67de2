import { type Clock, DoorError, type Scheduled } from '../base/index.js';

/** The time a start may take; each sign of life begins it anew, up to a bound: a server may chatter for ever. */
export class StartDeadline {
  readonly passed: Promise<never>;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #inAllMs: number;
  readonly #endsAtMs: number;
  #reject!: (reason: DoorError) => void;
  #timer: Scheduled;
  #isOver = false;

  constructor(clock: Clock, timeoutMs: number, maxMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#inAllMs = Math.max(timeoutMs, maxMs);
    this.#endsAtMs = clock.monotonicMs() + this.#inAllMs;
    this.passed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.passed.catch(() => {});
    this.#timer = this.#arm();
  }

  extend(): void {
    if (this.#isOver) return;
    this.#timer.cancel();
    this.#timer = this.#arm();
  }

  end(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }

  #arm(): Scheduled {
    const leftMs = Math.max(0, this.#endsAtMs - this.#clock.monotonicMs());
    const isLast = leftMs < this.#timeoutMs;
    const waitedMs = isLast ? this.#inAllMs : this.#timeoutMs;
    return this.#clock.schedule(Math.min(this.#timeoutMs, leftMs), () => {
      this.#reject(
        new DoorError('TIMEOUT', `did not start within ${waitedMs} ms${isLast ? ', though it showed life' : ''}`, {
          data: { waitedMs },
          hint: 'Raise startTimeoutMs for this server if it needs longer to start.',
        }),
      );
    });
  }
}
