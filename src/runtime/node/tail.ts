const TAIL_BYTES = 64 * 1024;

/** Keeps the last 64 KiB of what a child writes to stderr. Reading never stops, so a chatty child never blocks. */
export class Tail {
  #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): void {
    // A copy: the chunk may be a small view into a large read buffer.
    this.#chunks.push(Buffer.from(chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk));
    this.#length += this.#chunks.at(-1)!.length;
    while (this.#length - this.#chunks[0]!.length >= TAIL_BYTES) this.#length -= this.#chunks.shift()!.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-TAIL_BYTES).toString('utf8');
  }
}
