const TAIL_BYTES = 64 * 1024;
const INITIAL_BYTES = 4 * 1024;

/** Keeps the last 64 KiB of what a child writes to stderr. Reading never stops, so a chatty child never blocks. */
export class Tail {
  /** Grows to twice the tail: so the end is moved to the front once in 64 KiB, however small the chunks are. */
  #bytes = Buffer.alloc(0);
  #length = 0;

  push(chunk: Buffer): void {
    const piece = chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk;
    if (this.#length + piece.length > this.#bytes.length) this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
  }

  text(): string {
    return this.#kept().toString('utf8');
  }

  #kept(): Buffer {
    return this.#bytes.subarray(Math.max(0, this.#length - TAIL_BYTES), this.#length);
  }

  #makeRoom(bytes: number): void {
    const kept = this.#kept();
    const wanted = Math.max(INITIAL_BYTES, 2 * (kept.length + bytes));
    if (this.#bytes.length < 2 * TAIL_BYTES) this.#bytes = Buffer.alloc(Math.min(2 * TAIL_BYTES, wanted));
    this.#bytes.set(kept);
    this.#length = kept.length;
  }
}
