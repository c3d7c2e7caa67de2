import { joinPieces, sliceOf } from '../../base/index.js';

/** Small pieces are put together from this many on: bytes may come one by one, and each costs an object and its chunk. */
const MANY_PIECES = 256;
/** Larger pieces are left as they came: copying them early would hold a long text twice. */
const SMALL_PIECE = 4_096;

/** Bytes that come in chunks and are wanted as one array. Linear in the bytes, and free where they came in one chunk. */
export class GatheredBytes {
  length = 0;
  #gathered: Uint8Array[] = [];
  #pieces: Uint8Array[] = [];
  #smallPieces = 0;

  push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.length += piece.length;
    this.#pieces.push(piece);
    if (piece.length < SMALL_PIECE && ++this.#smallPieces >= MANY_PIECES) {
      this.#gathered.push(joinPieces(this.#pieces.map(sliceOf)));
      this.#pieces = [];
      this.#smallPieces = 0;
    }
  }

  /** All there is, in one array; the single chunk itself where there was but one. */
  take(): Uint8Array {
    const pieces = this.takePieces();
    return pieces.length === 1 ? pieces[0]! : joinPieces(pieces.map(sliceOf));
  }

  takePieces(): readonly Uint8Array[] {
    const pieces = this.#gathered.length === 0 ? this.#pieces : [...this.#gathered, ...this.#pieces];
    this.#gathered = [];
    this.#pieces = [];
    this.#smallPieces = 0;
    this.length = 0;
    return pieces;
  }
}
