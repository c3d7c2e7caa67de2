import {
  dropEdits,
  type Edit,
  elementsOf,
  findMember,
  joinPieces,
  membersOf,
  OPEN_BRACKET,
  type Span,
  splice,
} from '../base/index.js';
import { HEADER_KEYWORD, type HeaderFlaw } from '../protocol/index.js';

const KEYWORDS: ReadonlySet<string> = new Set([HEADER_KEYWORD]);

/**
 * Takes annotations that break the rules out of a tool's inputSchema; every other byte stays.
 *
 * @param definition the tool's text, whose grammar is known to be good
 */
export function stripHeaderKeywords(definition: Uint8Array, flaws: readonly HeaderFlaw[]): Uint8Array {
  const edits: Edit[] = [];
  for (const { schemaPath } of flaws) {
    const { start, end } = findSpan(definition, `/inputSchema${schemaPath}`);
    edits.push(...dropEdits(membersOf(definition, start, end), KEYWORDS));
  }
  edits.sort((a, b) => a.start - b.start);
  return joinPieces(splice(definition, 0, definition.length, edits));
}

/** Where the value lies that a JSON pointer names; of two members of a name the last one counts, as for any reader. */
function findSpan(bytes: Uint8Array, pointer: string): Span {
  let span: Span = { start: 0, end: bytes.length };
  for (const escaped of pointer.slice(1).split('/')) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (bytes[span.start] === OPEN_BRACKET) {
      span = elementsOf(bytes, span.start)[Number(name)]!;
      continue;
    }
    const member = findMember(membersOf(bytes, span.start, span.end), name)!;
    span = { start: member.valueStart, end: member.end };
  }
  return span;
}
