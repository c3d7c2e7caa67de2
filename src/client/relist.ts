import type { Clock, Scheduled } from '../base/index.js';

export interface RelisterOptions {
  readonly clock: Clock;
  /** False while a start is under way: what is asked for then waits for `resume`. */
  readonly isFree: () => boolean;
  /** Lists anew. Never rejects. */
  readonly list: () => Promise<void>;
}

/** One relist at once, the next ones this far apart, so that a storm of list_changed costs a few lists. */
const RELIST_EVERY_MS = 500;

/** Lists anew when something changed: one list is under way and one waits, however many changes are told. */
export class Relister {
  readonly #options: RelisterOptions;
  #isBusy = false;
  #isQueued = false;
  #isClosed = false;
  #pause: Scheduled | undefined;

  constructor(options: RelisterOptions) {
    this.#options = options;
  }

  /** Something changed. */
  request(): void {
    if (this.#isBusy || !this.#options.isFree()) {
      this.#isQueued = true;
      return;
    }
    this.#isBusy = true;
    void this.#options.list().then(() => this.#rest());
  }

  /** A whole list is asked for now: what changed until now will be in it. */
  forget(): void {
    this.#isQueued = false;
  }

  /** Lists if something changed since. */
  resume(): void {
    if (!this.#isQueued) return;
    this.#isQueued = false;
    this.request();
  }

  close(): void {
    this.#isClosed = true;
    this.#pause?.cancel();
  }

  #rest(): void {
    if (this.#isClosed) return;
    this.#pause = this.#options.clock.schedule(RELIST_EVERY_MS, () => {
      this.#isBusy = false;
      this.resume();
    });
  }
}
