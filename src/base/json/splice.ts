import { CARRIAGE_RETURN, encodeText, LINE_FEED, SPACE } from './bytes.js';

/** A part of a message to be written: text of our own, or bytes handed on as they came. */
export type Piece = string | Uint8Array;

/** Replaces `bytes[start..end)` with `by`; an empty range inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: Piece;
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
    if (edit.start > from) pieces.push(bytes.subarray(from, edit.start));
    if (edit.by.length > 0) pieces.push(edit.by);
    from = edit.end;
  }
  if (from < end) pieces.push(bytes.subarray(from, end));
  return pieces;
}

/** Puts pieces into one array. */
export function joinPieces(parts: readonly Piece[]): Uint8Array {
  const pieces = parts.map((part) => (typeof part === 'string' ? encodeText(part) : part));
  if (pieces.length === 1) return pieces[0]!;
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * A copy of a JSON text on one line: carriage returns and line feeds become spaces. In good grammar they only stand
 * between tokens, so the meaning stays the same.
 */
export function onOneLine(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = bytes.slice(start, end);
  for (let i = 0; i < copy.length; i++) if (copy[i] === LINE_FEED || copy[i] === CARRIAGE_RETURN) copy[i] = SPACE;
  return copy;
}
