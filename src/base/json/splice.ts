import { allocate, CARRIAGE_RETURN, encodeText, LINE_FEED, SPACE } from './bytes.js';

/** JSON text inside a larger buffer. Valid only while nobody writes the buffer; copy what outlives the call. */
export interface JsonSlice {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A part of a message to be written: text of our own, or bytes handed on as they came. */
export type Piece = string | JsonSlice;

/** Replaces `bytes[start..end)` with `by`; an empty range inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * Cuts a JSON text into pieces with some places replaced; every other byte is handed on as it is, uncopied.
 *
 * @param edits in order of `start`, not overlapping
 * @returns pieces to be written one after the other
 */
export function splice(bytes: Uint8Array, start: number, end: number, edits: readonly Edit[]): Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  for (const edit of edits) {
    if (edit.start > from) pieces.push({ bytes, start: from, end: edit.start });
    if (edit.by !== '') pieces.push(edit.by);
    from = edit.end;
  }
  if (from < end) pieces.push({ bytes, start: from, end });
  return pieces;
}

/** All of an array, as a piece. */
export function sliceOf(bytes: Uint8Array): JsonSlice {
  return { bytes, start: 0, end: bytes.length };
}

/** Puts pieces into one array. */
export function joinPieces(pieces: readonly Piece[]): Uint8Array {
  const parts = pieces.map((piece) =>
    typeof piece === 'string' ? encodeText(piece) : piece.bytes.subarray(piece.start, piece.end),
  );
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = allocate(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * A copy of a JSON text on one line: carriage returns and line feeds become spaces. In good grammar they only stand
 * between tokens, so the meaning stays the same.
 */
export function onOneLine(slice: JsonSlice): JsonSlice {
  // Not slice(): a Node Buffer's shares its memory, and the bytes are not ours to change.
  const copy = new Uint8Array(slice.bytes.subarray(slice.start, slice.end));
  for (let i = 0; i < copy.length; i++) if (copy[i] === LINE_FEED || copy[i] === CARRIAGE_RETURN) copy[i] = SPACE;
  return sliceOf(copy);
}
