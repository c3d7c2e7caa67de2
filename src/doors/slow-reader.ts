import { type Clock, DoorError, type Scheduled } from '../base/index.js';

/** What may wait unread for one caller before it is no longer listened to, in bytes. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
/** How long a caller may stay above that. */
const PATIENCE_MS = 30_000;

export interface SlowReaderOptions {
  readonly clock: Clock;
  /** Bytes written that the caller has not read yet. */
  readonly unreadBytes: () => number;
  /** Resolves when the caller has read what was written. */
  readonly whenWritable: () => Promise<void>;
  /** Stops and resumes what flows to the caller. */
  readonly pauseAnswers: (isPaused: boolean) => void;
  /** Stops and resumes what the caller asks. */
  readonly pauseRequests: (isPaused: boolean) => void;
  readonly givenUp: (reason: DoorError) => void;
}

/**
 * A caller that reads slowly slows its upstreams, so that nothing piles up in between; one that lets too much lie is not
 * listened to any more, and given up in the end: memory is bounded, whatever a caller does.
 */
export class SlowReader {
  readonly #options: SlowReaderOptions;
  #isBehind = false;
  #patience: Scheduled | undefined;

  constructor(options: SlowReaderOptions) {
    this.#options = options;
  }

  /** More lies unread than it may. */
  get isFarBehind(): boolean {
    return this.#patience !== undefined;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Something was written that the caller does not take at once. */
  wrote(): void {
    const { clock, unreadBytes, whenWritable, pauseAnswers, pauseRequests } = this.#options;
    if (!this.#isBehind) {
      this.#isBehind = true;
      pauseAnswers(true);
      void whenWritable().then(() => this.#caughtUp());
    }
    if (this.#patience !== undefined || unreadBytes() <= MAX_UNREAD_BYTES) return;
    pauseRequests(true);
    this.#patience = clock.schedule(PATIENCE_MS, () => this.#giveUp());
  }

  close(): void {
    this.#patience?.cancel();
  }

  #caughtUp(): void {
    this.#isBehind = false;
    this.#listenAgain();
    this.#options.pauseAnswers(false);
  }

  #listenAgain(): void {
    if (this.#patience === undefined) return;
    this.#patience.cancel();
    this.#patience = undefined;
    this.#options.pauseRequests(false);
  }

  #giveUp(): void {
    const unread = this.#options.unreadBytes();
    // It reads, if slowly.
    if (unread <= MAX_UNREAD_BYTES) return this.#listenAgain();
    this.#options.givenUp(
      new DoorError('BUSY', `The caller has left ${unread} bytes unread for ${PATIENCE_MS / 1_000} s`, {
        data: { unreadBytes: unread, limit: MAX_UNREAD_BYTES },
        hint: 'The client must read what it asked for.',
      }),
    );
  }
}
