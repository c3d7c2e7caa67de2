import type { Clock, Scheduled } from '../base/index.js';
import type { Pending } from './pending.js';

/** How far behind an expired deadline may be noticed when deadlines crowd, in milliseconds. */
const SLACK_MS = 20;

/** One timer for all deadlines of a connection: it sleeps until the earliest. A call then costs no timer of its own. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #pending: { values(): Iterable<Pending> };
  readonly #expired: (pending: Pending, nowMs: number) => void;
  #sweep: Scheduled | undefined;
  #sweepAtMs = Number.POSITIVE_INFINITY;
  #isClosed = false;

  /** @param expired is to end the wait; it may end others, or close this */
  constructor(
    clock: Clock,
    pending: { values(): Iterable<Pending> },
    expired: (pending: Pending, nowMs: number) => void,
  ) {
    this.#clock = clock;
    this.#pending = pending;
    this.#expired = expired;
  }

  /** There is a deadline at this moment; monotonic milliseconds. */
  watch(deadlineMs: number): void {
    if (deadlineMs >= this.#sweepAtMs || this.#isClosed) return;
    this.#sweep?.cancel();
    this.#sweepAtMs = deadlineMs;
    const delayMs = Math.max(0, deadlineMs - this.#clock.monotonicMs()) + 1;
    this.#sweep = this.#clock.schedule(delayMs, () => this.#look());
  }

  close(): void {
    this.#isClosed = true;
    this.#sweep?.cancel();
  }

  #look(): void {
    this.#sweepAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const pending of [...this.#pending.values()]) {
      if (pending.isStopped) continue;
      if (pending.deadlineMs > nowMs) earliestMs = Math.min(earliestMs, pending.deadlineMs);
      else this.#expired(pending, nowMs);
    }
    if (earliestMs < Number.POSITIVE_INFINITY) this.watch(Math.max(earliestMs, nowMs + SLACK_MS));
  }
}
