import type { CancelSignal, Clock, Scheduled } from '../base/index.js';

/** A list is answered this long after the first upstream has listed, whoever is still missing. */
const AFTER_FIRST_MS = 1_500;
/** A list is answered this long after the start when no upstream has listed at all. */
const WHEN_NONE_MS = 5_000;

export interface WaitingOptions {
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly firstListedAtMs: () => number | undefined;
  readonly signal?: CancelSignal | undefined;
}

/**
 * Waits for upstreams that have never listed: until all have settled, or 1.5 s after the first one listed, or 5 s
 * after the start when none has. Counted from the start, so a caller who comes later waits for nobody.
 */
export function waitForLists(settled: readonly Promise<void>[], options: WaitingOptions): Promise<void> {
  const { clock, startedAtMs, firstListedAtMs, signal } = options;
  return new Promise((resolve, reject) => {
    let timer: Scheduled | undefined;
    let isOver = false;
    const onAbort = { handleEvent: (): void => finish(() => reject(signal?.reason)) };
    const finish = (settle: () => void): void => {
      isOver = true;
      timer?.cancel();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const arm = (): void => {
      if (isOver) return;
      const first = firstListedAtMs();
      // One that was asked for alone may have listed long before the others were started.
      const untilMs = first === undefined ? startedAtMs + WHEN_NONE_MS : Math.max(first, startedAtMs) + AFTER_FIRST_MS;
      timer?.cancel();
      timer = clock.schedule(Math.max(0, untilMs - clock.monotonicMs()), () => finish(resolve));
    };
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', onAbort);
    let left = settled.length;
    for (const each of settled) {
      void each.then(() => {
        left--;
        if (left === 0) finish(resolve);
        else arm();
      });
    }
    arm();
  });
}
