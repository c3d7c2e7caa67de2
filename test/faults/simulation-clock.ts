import type { Clock, Scheduled } from '../../src/base/index.js';

interface Task extends Scheduled {
  readonly atMs: number;
  /** Tasks of the same moment run in the order they were asked for. */
  readonly order: number;
  run: (() => void) | undefined;
}

/** How many tasks run in one turn of Node's loop. */
const TASKS_A_TURN = 200;
/** 1 January 2026: the wall clock of a simulation begins there. */
const EPOCH_MS = 1_767_225_600_000;

/**
 * Time that moves as fast as what happens in it allows. Each task runs in an immediate of its own, since Node lets all
 * promises that can settle do so between two immediates; many of them share one turn of the loop, whose cost would
 * otherwise be most of a simulation's.
 */
export class SimulationClock implements Clock {
  #nowMs = 0;
  #order = 0;
  #waiting = 0;
  /** A heap: no task is later than its two children. */
  readonly #heap: Task[] = [];
  /** Tasks that have run so far. */
  ran = 0;

  monotonicMs(): number {
    return this.#nowMs;
  }

  nowMs(): number {
    return EPOCH_MS + this.#nowMs;
  }

  schedule(delayMs: number, run: () => void): Scheduled {
    const task: Task = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      order: this.#order++,
      run,
      cancel: () => {
        if (task.run === undefined) return;
        task.run = undefined;
        this.#waiting--;
      },
    };
    this.#waiting++;
    this.#push(task);
    return task;
  }

  /** Timers that wait to run. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Moves time on to `untilMs`, and runs all that comes due. */
  runUntil(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        if (this.#next(untilMs) === undefined) {
          this.#nowMs = untilMs;
          // Promises of the last task have settled; nothing they asked for is due any more.
          return resolve();
        }
        for (let i = 0; i < TASKS_A_TURN; i++) setImmediate(step);
        setImmediate(turn);
      };
      const step = (): void => {
        const task = this.#next(untilMs);
        if (task?.run === undefined) return;
        this.#pop();
        this.#waiting--;
        this.#nowMs = Math.max(this.#nowMs, task.atMs);
        const { run } = task;
        task.run = undefined;
        this.ran++;
        try {
          run();
        } catch (thrown) {
          reject(thrown);
        }
      };
      setImmediate(turn);
    });
  }

  /** The next task that is due by then; cancelled ones on the way to it are dropped. */
  #next(untilMs: number): Task | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.atMs > untilMs) return undefined;
      if (first.run !== undefined) return first;
      this.#pop();
    }
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(task);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isSooner(heap[above]!, task)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = task;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isSooner(heap[below + 1]!, heap[below]!)) below++;
      if (isSooner(last, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

function isSooner(one: Task, other: Task): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
