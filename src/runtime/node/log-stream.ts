import type { Writable } from 'node:stream';

/** What may wait for a reader, in the stream's own count: characters, each at most two bytes of memory. */
const MAX_WAITING = 256 * 1024;

/**
 * Lines for a reader that may have stopped reading: a client that starts us with a pipe as stderr and forgets it. What
 * waits for it is bounded: further lines are dropped, and where they would have been one line says how many they were.
 * Files and terminals take each line as it is written, so none is dropped there.
 */
export class LogStream {
  readonly #stream: Writable;
  readonly #format: 'text' | 'json';
  #dropped = 0;

  constructor(stream: Writable, format: 'text' | 'json') {
    this.#stream = stream;
    this.#format = format;
  }

  /** Writes one line, its line feed included, or drops it. */
  write(line: string | Uint8Array): void {
    const stream = this.#stream;
    // Up to the drain, so that what is missing is missing in one place.
    if (this.#dropped > 0) {
      this.#dropped++;
      return;
    }
    if (stream.writableNeedDrain && stream.writableLength + line.length > MAX_WAITING) {
      this.#dropped = 1;
      stream.once('drain', () => this.#tellDropped());
      return;
    }
    stream.write(line);
  }

  #tellDropped(): void {
    const lines = this.#dropped;
    this.#dropped = 0;
    const what = lines === 1 ? '1 line was' : `${lines} lines were`;
    const line =
      this.#format === 'text'
        ? `doorward: ${what} dropped here: stderr was not read`
        : JSON.stringify({ time: new Date().toISOString(), level: 'warn', event: 'log.dropped', lines });
    this.#stream.write(`${line}\n`);
  }
}
