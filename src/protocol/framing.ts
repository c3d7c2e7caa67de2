import { joinPieces, sliceOf } from '../base/index.js';
import { OversizeLine } from './oversize.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** A line this many times over the limit is a flood, not a message: the connection ends. */
const FLOOD_FACTOR = 4;
/** A line in more small pieces than this is gathered: it may come byte by byte, and each costs an object and its chunk. */
const MANY_PIECES = 256;
/** Larger pieces are left as they came: copying them would hold a long line twice. */
const SMALL_PIECE = 4_096;

export interface FramingHandlers {
  /** One line without its end; never empty. The memory is the receiver's to keep. */
  line(bytes: Uint8Array, start: number, end: number): void;
  /** A line over the limit ended. It was not kept; `message` is what could be read of it in passing. */
  oversize(message: OversizeLine): void;
  /** A line went on past 4 times the limit. Nothing more is delivered. */
  flood(bytes: number): void;
}

/**
 * Cuts a byte stream into lines (MCP stdio transport: one JSON-RPC message a line). Linear in the bytes, however they
 * are chunked. Forgives what programs do in practice: a byte order mark, CR before LF, empty lines.
 */
export class LineFramer {
  readonly #maxBytes: number;
  readonly #handlers: FramingHandlers;
  /** The line that has begun but not ended: what was gathered of it, then the chunks that came since. */
  #gathered: Uint8Array[] = [];
  #pieces: Uint8Array[] = [];
  #smallPieces = 0;
  #length = 0;
  #oversize: OversizeLine | undefined;
  #isFlooded = false;

  constructor(maxBytes: number, handlers: FramingHandlers) {
    this.#maxBytes = maxBytes;
    this.#handlers = handlers;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length && !this.#isFlooded) {
      const lineEnd = chunk.indexOf(LINE_FEED, from);
      if (lineEnd < 0) {
        this.#keep(chunk, from, chunk.length);
        return;
      }
      if (this.#length === 0 && lineEnd - from <= this.#maxBytes) this.#deliver(chunk, from, lineEnd);
      else {
        this.#keep(chunk, from, lineEnd);
        if (!this.#isFlooded) this.#finish();
      }
      from = lineEnd + 1;
    }
  }

  /** The stream ended: a last line without its line feed still counts. */
  end(): void {
    if (this.#length > 0 && !this.#isFlooded) this.#finish();
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    this.#length += end - start;
    if (this.#oversize === undefined && this.#length > this.#maxBytes) {
      this.#oversize = new OversizeLine();
      for (const piece of this.#takePieces()) this.#oversize.read(piece);
    }
    const piece = chunk.subarray(start, end);
    if (this.#oversize === undefined) {
      this.#pieces.push(piece);
      if (piece.length < SMALL_PIECE) this.#smallPieces++;
      if (this.#smallPieces >= MANY_PIECES) this.#gather();
      return;
    }
    this.#oversize.read(piece);
    if (this.#length > this.#maxBytes * FLOOD_FACTOR) {
      this.#isFlooded = true;
      this.#handlers.flood(this.#length);
    }
  }

  #gather(): void {
    this.#gathered.push(joinPieces(this.#pieces.map(sliceOf)));
    this.#pieces = [];
    this.#smallPieces = 0;
  }

  #finish(): void {
    const oversize = this.#oversize;
    const pieces = this.#takePieces();
    this.#length = 0;
    this.#oversize = undefined;
    if (oversize !== undefined) {
      this.#handlers.oversize(oversize);
      return;
    }
    const line = joinPieces(pieces.map(sliceOf));
    this.#deliver(line, 0, line.length);
  }

  #takePieces(): readonly Uint8Array[] {
    const pieces = this.#gathered.length === 0 ? this.#pieces : [...this.#gathered, ...this.#pieces];
    this.#gathered = [];
    this.#pieces = [];
    this.#smallPieces = 0;
    return pieces;
  }

  #deliver(bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    let end = to;
    if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3;
    while (end > start && bytes[end - 1] === CARRIAGE_RETURN) end--;
    if (end > start) this.#handlers.line(bytes, start, end);
  }
}
