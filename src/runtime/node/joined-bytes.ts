import type { Piece } from '../../base/index.js';

/** How many bytes pieces are, one after the other. */
export function bytesIn(pieces: readonly Piece[]): number {
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.end - piece.start;
  return length;
}

/** Puts pieces into one buffer. @param length what `bytesIn` says of them */
export function joinBytes(pieces: readonly Piece[], length: number): Buffer {
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += whole.write(piece, at);
    else {
      whole.set(piece.bytes.subarray(piece.start, piece.end), at);
      at += piece.end - piece.start;
    }
  }
  return whole;
}
