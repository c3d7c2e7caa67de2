import { dropEdits, type Edit, type JsonSlice, membersOf, type Piece } from '../base/index.js';
import { HOP_KEYS } from './meta.js';
import { quoteJson, type ResultMembers } from './result-members.js';

/** Replaces a range by pieces; an empty range inserts. In order, not overlapping. */
export interface PieceEdit {
  readonly start: number;
  readonly end: number;
  readonly by: readonly Piece[];
}

/** A text with some places replaced by pieces, which may be bytes of the text itself. */
export function spliceIn({ bytes, start, end }: JsonSlice, edits: readonly PieceEdit[]): Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  for (const edit of edits) {
    if (edit.start > from) pieces.push({ bytes, start: from, end: edit.start });
    pieces.push(...edit.by);
    from = edit.end;
  }
  if (from < end) pieces.push({ bytes, start: from, end });
  return pieces;
}

/**
 * Takes what an upstream says of its own hop out of a result's `_meta`, an object, and puts our members in; all others
 * stay as they are.
 *
 * @param ours members as JSON text, '' for none
 */
export function resultMetaEdits(bytes: Uint8Array, start: number, end: number, ours: string): PieceEdit[] {
  const members = membersOf(bytes, start, end);
  const edits: Edit[] = [];
  if (ours !== '') {
    const isAlone = members.every(({ name }) => HOP_KEYS.has(name));
    edits.push({ start: start + 1, end: start + 1, by: isAlone ? ours : `${ours},` });
  }
  edits.push(...dropEdits(members, HOP_KEYS));
  return edits.map((edit) => ({ ...edit, by: edit.by === '' ? [] : [edit.by] }));
}

/**
 * The content that a tool's result has none of: its structuredContent as text, for callers who read nothing else (MCP
 * server/tools, Structured Content). Both eras require the member, if only as an empty list.
 */
export function contentOf(bytes: Uint8Array, members: ResultMembers): Piece[] {
  if (!members.has('structuredContent')) return ['[]'];
  const text = quoteJson(bytes, members.start.structuredContent, members.end.structuredContent);
  return ['[{"type":"text","text":', text, '}]'];
}
