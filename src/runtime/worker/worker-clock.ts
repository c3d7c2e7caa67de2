import { type Clock, type Scheduled, systemClock } from '../../base/index.js';
import type { RequestHolds } from './request-holds.js';

/** A wait up to this long keeps its request alive; a longer one is left to whoever looks later. */
const HELD_MS = 5_000;

interface Entry {
  readonly dueMs: number;
  readonly task: () => void;
  readonly timer: Scheduled;
  readonly release: (() => void) | undefined;
}

/**
 * A clock whose timers outlive the request that set them. The platform's own end with it, though what they were set for may
 * belong to all requests: those that are overdue are run by the next request that lives.
 */
export class WorkerClock implements Clock {
  readonly #holds: RequestHolds;
  readonly #entries = new Set<Entry>();

  constructor(holds: RequestHolds) {
    this.#holds = holds;
    holds.onLook(() => this.#catchUp());
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  nowMs(): number {
    return systemClock.nowMs();
  }

  schedule(delayMs: number, task: () => void): Scheduled {
    const entry: Entry = {
      dueMs: this.monotonicMs() + delayMs,
      task,
      timer: systemClock.schedule(delayMs, () => this.#run(entry)),
      release: delayMs <= HELD_MS ? this.#holds.open() : undefined,
    };
    this.#entries.add(entry);
    return { cancel: () => void this.#take(entry) };
  }

  #catchUp(): void {
    const nowMs = this.monotonicMs();
    const overdue = [...this.#entries]
      .filter(({ dueMs }) => dueMs < nowMs)
      .sort((one, other) => one.dueMs - other.dueMs);
    for (const entry of overdue) this.#run(entry);
  }

  #run(entry: Entry): void {
    if (!this.#take(entry)) return;
    try {
      entry.task();
    } catch (thrown) {
      // A fault of one is not the others': it goes where a fault in a timer goes.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  #take(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false;
    entry.timer.cancel();
    entry.release?.();
    return true;
  }
}
