import type { Clock } from '../../base/index.js';
import { SlowReader } from '../slow-reader.js';
import type { HttpExchange } from './exchange.js';

/**
 * What one caller has not read yet, over all its connections: a session's, or a single request's. Whoever leaves too much
 * for too long is broken off; meanwhile it is asked no more, and told nothing that can be left out.
 */
export class UnreadWatch {
  readonly #clock: Clock;
  /** Made when it is first needed: nearly all callers read what they asked for. */
  #reader: SlowReader | undefined;
  /** Made when it is first needed, too. */
  #behind: Set<HttpExchange> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isBehind(): boolean {
    return this.#reader?.isBehind ?? false;
  }

  /** More lies unread than it may: nothing new is taken from this caller. */
  get isFarBehind(): boolean {
    return this.#reader?.isFarBehind ?? false;
  }

  /** Something was written to `exchange` that its caller does not take at once. */
  wrote(exchange: HttpExchange): void {
    this.#behind ??= new Set();
    this.#behind.add(exchange);
    this.#reader ??= new SlowReader({
      clock: this.#clock,
      unreadBytes: () => this.#unreadBytes(),
      whenWritable: () => this.#whenWritable(),
      // Each answer has a connection of its own: one that is not read holds up no other.
      pauseAnswers: () => {},
      pauseRequests: () => {},
      givenUp: () => {
        for (const each of this.#behind ?? []) each.destroy();
        this.#behind?.clear();
      },
    });
    this.#reader.wrote();
  }

  /** The answer has been written whole; what is unread of it still counts. */
  ended(exchange: HttpExchange): void {
    if (exchange.unreadBytes > 0) this.wrote(exchange);
  }

  close(): void {
    this.#reader?.close();
  }

  #unreadBytes(): number {
    let bytes = 0;
    for (const exchange of this.#behind ?? []) bytes += exchange.unreadBytes;
    return bytes;
  }

  async #whenWritable(): Promise<void> {
    // More may fall behind while the first ones catch up.
    for (const exchange of this.#behind ?? []) {
      await exchange.whenWritable();
      this.#behind?.delete(exchange);
    }
  }
}
