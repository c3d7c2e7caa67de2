import { type Clock, DoorError } from '../base/index.js';
import type { Connection } from './connection.js';

export interface HangWatchOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** How long a call may take: a caller of less patience must not cost the others their upstream. */
  readonly callTimeoutMs: number;
}

/** How long an upstream under suspicion has to say anything at all. */
const PING_TIMEOUT_MS = 10_000;

/**
 * Tells an upstream that hangs from one that is slow with one call. It is pinged when a request ran out of time and
 * nothing was read meanwhile. When it says nothing to that either, and nobody who asked before the ping is still waiting
 * within their own time, its connection is closed. Whoever asks later does not put that off: otherwise an upstream that
 * hangs would do so for as long as there are callers.
 */
export class HangWatch {
  readonly #options: HangWatchOptions;
  #pingedAtMs: number | undefined;

  constructor(options: HangWatchOptions) {
    this.#options = options;
  }

  /** A request that was sent then, or the ping itself, has run out of time. */
  timedOut(sentAtMs: number): void {
    const { connection } = this.#options;
    if (!connection.isOpen) return;
    if (this.#pingedAtMs !== undefined && this.#hasReadSince(this.#pingedAtMs)) this.#pingedAtMs = undefined;
    if (this.#pingedAtMs === undefined) {
      if (!this.#hasReadSince(sentAtMs)) this.#ping();
    } else if (connection.oldestSentAtMs > this.#pingedAtMs) this.#close();
  }

  #ping(): void {
    const { connection, clock, callTimeoutMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const timeoutMs = Math.max(PING_TIMEOUT_MS, connection.lastReadMs + callTimeoutMs - nowMs);
    this.#pingedAtMs = nowMs;
    // Whatever it answers is a sign of life, an error too, and shows in `lastReadMs`; of silence `timedOut` hears.
    connection
      .request(connection.codec.era === 'modern' ? 'server/discover' : 'ping', undefined, {
        about: 'ping',
        timeoutMs,
        maxMs: timeoutMs,
        signal: undefined,
        progress: undefined,
      })
      .catch(() => {});
  }

  #hasReadSince(ms: number): boolean {
    return this.#options.connection.lastReadMs >= ms;
  }

  #close(): void {
    const { connection, clock } = this.#options;
    const silentMs = Math.round(clock.monotonicMs() - connection.lastReadMs);
    const reason = `hung: nothing was read from it for ${silentMs} ms, and it answered no ping`;
    // Whoever owns the connection hears of its end by itself; ending the process may take a while.
    connection.close(new DoorError('UPSTREAM_LOST', reason)).catch(() => {});
  }
}
