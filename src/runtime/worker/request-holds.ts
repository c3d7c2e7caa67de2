import { type Scheduled, systemClock } from '../../base/index.js';

/** What the runtime hands to a request besides the request (Workers: ExecutionContext). */
export interface RequestContext {
  /** Keeps the request that calls it alive until the promise has settled, whichever request the context was made for. */
  waitUntil(promise: Promise<unknown>): void;
}

interface Hold {
  readonly lost: () => void;
  /** Monotonic; when the request that it keeps was last seen alive. */
  aliveAtMs: number;
  /** Set when a look found it silent. */
  suspectedAtMs: number | undefined;
  timer: Scheduled | undefined;
  wake: (() => void) | undefined;
}

const BEAT_MS = 1_000;
const NOTHING = (): void => {};

/**
 * Keeps requests alive for work that outlives their answers. A Worker ties what a request starts (timers, connections, what
 * waits for them) to that request: when it has been answered all of it ends without a word, and a request that waits for
 * nothing but another one is ended as hung. So whatever waits holds its request: a beat a second, until it is released. A
 * runtime may end a request all the same (Cloudflare: 30 s after its answer). Its beats stop then, and a later request,
 * which looks, is told.
 */
export class RequestHolds {
  readonly #open = new Set<Hold>();
  readonly #onLook: (() => void)[] = [];
  #context: RequestContext | undefined;

  get size(): number {
    return this.#open.size;
  }

  /** A request begins. */
  enter(context: RequestContext | undefined): void {
    if (context !== undefined) this.#context = context;
    this.look();
  }

  /** Hears of every beat and of every request that begins. */
  onLook(listener: () => void): void {
    this.#onLook.push(listener);
  }

  /**
   * Keeps the request that is under way alive. Does nothing where the runtime has no need of it.
   *
   * @param lost called, during another request, where the runtime ended this one first
   * @returns what releases it
   */
  open(lost: () => void = NOTHING): () => void {
    const hold: Hold = { lost, aliveAtMs: now(), suspectedAtMs: undefined, timer: undefined, wake: undefined };
    this.#open.add(hold);
    this.#context?.waitUntil(this.#beat(hold));
    return () => this.#release(hold);
  }

  /** Ends holds whose requests are gone: silent when they should have been heard of, and still silent two beats on. */
  look(): void {
    for (const listener of this.#onLook) listener();
    if (this.#context === undefined) return;
    for (const hold of this.#open) {
      if (now() - hold.aliveAtMs < 2 * BEAT_MS) continue;
      hold.suspectedAtMs ??= now();
      // Time may have stood still for all of them: who lives has beaten meanwhile.
      if (now() - hold.suspectedAtMs < 2 * BEAT_MS) continue;
      this.#release(hold);
      hold.lost();
    }
  }

  async #beat(hold: Hold): Promise<void> {
    while (this.#open.has(hold)) {
      await new Promise<void>((resolve) => {
        hold.wake = resolve;
        hold.timer = systemClock.schedule(BEAT_MS, resolve);
      });
      hold.aliveAtMs = now();
      hold.suspectedAtMs = undefined;
      this.look();
    }
  }

  #release(hold: Hold): void {
    if (!this.#open.delete(hold)) return;
    hold.timer?.cancel();
    hold.wake?.();
  }
}

function now(): number {
  return systemClock.monotonicMs();
}
