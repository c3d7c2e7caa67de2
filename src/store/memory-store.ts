import type { Clock } from '../base/index.js';
import type { StateStore } from './types.js';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** More keys than this are not kept at a time. Default 100,000: some 20 MB. */
  readonly maxKeys?: number;
}

/** How many keys are looked at for each one that comes: twice as many as come, so that expired ones cannot pile up. */
const SWEPT_PER_USE = 2;

/**
 * Keeps state in this process alone. Bounded by time, for what has expired is forgotten while new keys come; and by number:
 * a key for which there is no room counts as used, since forgetting one that is still good would let it be used twice.
 */
export class MemoryStore implements StateStore {
  readonly #clock: Clock;
  readonly #maxKeys: number;
  /** Expiry by key, the one that came first in front. */
  readonly #used = new Map<string, number>();
  /** Where the last sweep stopped: it goes on from there, so that one key that lasts long hides none behind it. */
  #sweep: IterableIterator<[string, number]> | undefined;

  constructor({ clock, maxKeys = 100_000 }: MemoryStoreOptions) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
  }

  /** How many keys it holds. */
  get size(): number {
    return this.#used.size;
  }

  useOnce(key: string, expiresAtMs: number): Promise<boolean> {
    this.#forgetSome();
    if (this.#holds(key)) return Promise.resolve(false);
    if (this.#used.size >= this.#maxKeys) this.#forgetAll();
    if (this.#used.size >= this.#maxKeys) return Promise.resolve(false);
    this.#used.set(key, expiresAtMs);
    return Promise.resolve(true);
  }

  isUsed(key: string): Promise<boolean> {
    return Promise.resolve(this.#holds(key));
  }

  close(): Promise<void> {
    this.#used.clear();
    this.#sweep = undefined;
    return Promise.resolve();
  }

  #holds(key: string): boolean {
    const expiresAtMs = this.#used.get(key);
    return expiresAtMs !== undefined && expiresAtMs > this.#clock.nowMs();
  }

  #forgetSome(): void {
    for (let i = 0; i < SWEPT_PER_USE; i++) {
      this.#sweep ??= this.#used.entries();
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = undefined;
        return;
      }
      const [key, expiresAtMs] = next.value;
      if (expiresAtMs <= this.#clock.nowMs()) this.#used.delete(key);
    }
  }

  #forgetAll(): void {
    for (const [key, expiresAtMs] of this.#used) if (expiresAtMs <= this.#clock.nowMs()) this.#used.delete(key);
  }
}
