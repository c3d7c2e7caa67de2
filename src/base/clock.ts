/** Time, handed in, so that tests can move it. Deadlines use the monotonic hand: a wall clock may jump. */
export interface Clock {
  /** Milliseconds since some fixed moment; never goes back. */
  monotonicMs(): number;
  /** Epoch milliseconds; for people and records only. */
  nowMs(): number;
  /** Runs `task` once after `delayMs`, at most some 24 days. The handle stops it. Never keeps the process alive. */
  schedule(delayMs: number, task: () => void): Scheduled;
}

export interface Scheduled {
  cancel(): void;
}

interface Timers {
  setTimeout(task: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Platforms take a longer delay for none at all. Whoever waits longer is called early, and looks at the clock. */
const MAX_DELAY_MS = 2 ** 31 - 1;

const platform = globalThis as unknown as Timers;

class PlatformTimer implements Scheduled {
  readonly #timer: unknown;

  constructor(delayMs: number, task: () => void) {
    this.#timer = platform.setTimeout(task, Math.min(delayMs, MAX_DELAY_MS));
    // Node keeps a process alive for a pending timer unless told otherwise; Workers have no such notion.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  cancel(): void {
    platform.clearTimeout(this.#timer);
  }
}

/** The platform's own clock. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  nowMs: () => Date.now(),
  schedule: (delayMs, task) => new PlatformTimer(delayMs, task),
};
