import type { Writable } from 'node:stream';
import type { JsonSlice, Piece } from '../../base/index.js';

const SCRATCH_BYTES = 64 * 1024;
/** Pieces up to this size are copied together; a larger one is written by itself, uncopied. */
const COPY_UP_TO = 8 * 1024;
/** UTF-8 needs at most three bytes for each UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
const COPY_BY_HAND = 128;
/** Text up to this length, as nearly all of ours is, costs more to hand to the encoder than to write. */
const WRITE_BY_HAND = 48;
const MAX_ASCII = 0x7f;
const LINE_FEED = 0x0a;

/**
 * Writes messages, a line each, to a stream: everything that is written in one turn of the event loop goes out in as
 * few writes as can be. The scratch is used again only once the stream holds nothing of it.
 */
export class Sink {
  readonly #stream: Writable;
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #from = 0;
  #to = 0;
  #isScheduled = false;
  #isCorked = false;
  #drained: Promise<void> | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** @returns false when the reader has fallen behind: hold back until `whenWritable` */
  write(pieces: readonly Piece[]): boolean {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.#writeText(piece);
      else if (piece.end - piece.start <= COPY_UP_TO) this.#copy(piece);
      else this.#writeThrough(piece.bytes.subarray(piece.start, piece.end));
    }
    this.#reserve(1);
    this.#scratch[this.#to++] = LINE_FEED;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      // After the promises of this turn have run, so that all their answers leave together.
      process.nextTick(() => this.flush());
    }
    return !this.#stream.writableNeedDrain;
  }

  /** Bytes written that the reader has not taken yet, those included that leave at the end of this turn. */
  get backlogBytes(): number {
    // Nobody is going to take them.
    if (this.#stream.destroyed) return 0;
    return this.#stream.writableLength + this.#to - this.#from;
  }

  whenWritable(): Promise<void> {
    const stream = this.#stream;
    if (!stream.writableNeedDrain || stream.destroyed) return Promise.resolve();
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done);
        stream.off('close', done);
        this.#drained = undefined;
        resolve();
      };
      stream.on('drain', done);
      stream.on('close', done);
    });
    return this.#drained;
  }

  flush(): void {
    this.#isScheduled = false;
    this.#hand();
    if (this.#isCorked) {
      this.#isCorked = false;
      this.#stream.uncork();
    }
    // What is not taken yet stays as it is, and what follows goes behind it: a scratch for each flush would cost a slow
    // reader's sender many times what is unread.
    if (this.#stream.writableLength === 0) this.#from = this.#to = 0;
  }

  /** Flushes, then resolves when the stream has taken everything, or is gone. */
  async drain(): Promise<void> {
    this.flush();
    const stream = this.#stream;
    if (stream.writableLength === 0 || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      stream.write('', () => resolve());
      stream.once('close', () => resolve());
    });
  }

  #writeText(text: string): void {
    if (text.length * MAX_BYTES_PER_UNIT > SCRATCH_BYTES) {
      this.#writeThrough(Buffer.from(text));
      return;
    }
    this.#reserve(text.length * MAX_BYTES_PER_UNIT);
    if (text.length <= WRITE_BY_HAND && this.#writeAscii(text)) return;
    this.#to += this.#scratch.write(text, this.#to);
  }

  /** @returns false, with nothing written, where it is not all ASCII */
  #writeAscii(text: string): boolean {
    const scratch = this.#scratch;
    const to = this.#to;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > MAX_ASCII) return false;
      scratch[to + i] = unit;
    }
    this.#to = to + text.length;
    return true;
  }

  #copy({ bytes, start, end }: JsonSlice): void {
    this.#reserve(end - start);
    const scratch = this.#scratch;
    let to = this.#to;
    if (end - start > COPY_BY_HAND) {
      scratch.set(bytes.subarray(start, end), to);
      this.#to = to + end - start;
      return;
    }
    // Below this a view costs more than the bytes.
    for (let i = start; i < end; i++) scratch[to++] = bytes[i]!;
    this.#to = to;
  }

  #writeThrough(piece: Uint8Array): void {
    this.#hand();
    this.#cork();
    this.#stream.write(piece);
  }

  #reserve(bytes: number): void {
    if (this.#to + bytes <= SCRATCH_BYTES) return;
    this.#hand();
    this.#renew();
  }

  /** Gives the stream what is in the scratch and not yet given. */
  #hand(): void {
    if (this.#from === this.#to) return;
    if (this.#isCorked || this.#isScheduled) this.#cork();
    this.#stream.write(this.#scratch.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  #renew(): void {
    this.#scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    this.#from = this.#to = 0;
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
  }
}
