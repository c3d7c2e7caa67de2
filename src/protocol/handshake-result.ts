import {
  CLOSE_BRACKET,
  dropEdits,
  type JsonSlice,
  membersOf,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Piece,
} from '../base/index.js';
import { contentOf, type PieceEdit, resultMetaEdits, spliceIn } from './result-edits.js';
import { ResultMembers } from './result-members.js';

export interface HandshakeResultOptions {
  /** For the result of a tools/call. */
  readonly tool?: {
    /** The tool's outputSchema is shown to callers of this era wrapped (`wrapOutputSchema`), so its output is too. */
    readonly wrapsOutput: boolean;
  };
}

const members = new ResultMembers();
/** That a result is one needs no saying in this era. */
const TYPE: ReadonlySet<string> = new Set(['resultType']);
const WRAP = '{"result":';

/**
 * Makes an upstream's result one of the handshake era: structuredContent is an object there, and a tool's result has
 * content (MCP 2025-11-25 server/tools). A value of another kind becomes the `result` of an object, and is put into the
 * content as text where that is empty. What the upstream says of itself in `_meta` is taken out; what else is new in the
 * modern era stays, as a caller ignores what it does not know. Nothing is written anew.
 *
 * @param result an object whose grammar is known to be good
 */
export function toHandshakeResult(result: JsonSlice, { tool }: HandshakeResultOptions = {}): Piece[] {
  const { bytes, start, end } = result;
  members.read(result);
  const edits: PieceEdit[] = [];
  const isTyped = members.has('resultType');
  if (tool !== undefined) wrapStructured(bytes, start, tool.wrapsOutput, members.count > (isTyped ? 1 : 0), edits);
  if (isTyped) {
    for (const edit of dropEdits(membersOf(bytes, start, end), TYPE)) edits.push({ ...edit, by: [] });
  }
  if (members.begins(bytes, '_meta', OPEN_BRACE)) {
    edits.push(...resultMetaEdits(bytes, members.start._meta, members.end._meta, ''));
  }
  return edits.length === 0
    ? [result]
    : spliceIn(
        result,
        edits.sort((a, b) => a.start - b.start || a.end - b.end),
      );
}

function wrapStructured(
  bytes: Uint8Array,
  start: number,
  wrapsOutput: boolean,
  hasOthers: boolean,
  edits: PieceEdit[],
): void {
  const from = members.start.structuredContent;
  const to = members.end.structuredContent;
  const isWrapped = members.has('structuredContent') && (wrapsOutput || bytes[from] !== OPEN_BRACE);
  if (isWrapped) {
    edits.push({ start: from, end: from, by: [WRAP] }, { start: to, end: to, by: ['}'] });
  }
  if (!members.has('content')) {
    const comma = hasOthers ? [','] : [];
    edits.push({ start: start + 1, end: start + 1, by: ['"content":', ...contentOf(bytes, members), ...comma] });
  } else if (isWrapped && isEmptyArray(bytes)) {
    edits.push({ start: members.start.content, end: members.end.content, by: contentOf(bytes, members) });
  }
}

function isEmptyArray(bytes: Uint8Array): boolean {
  if (!members.begins(bytes, 'content', OPEN_BRACKET)) return false;
  let at = members.start.content + 1;
  while (bytes[at]! <= 0x20) at++;
  return bytes[at] === CLOSE_BRACKET;
}
