import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  decodeText,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  type Span,
} from './bytes.js';
import { endOfString } from './duplicates.js';
import { parseJson } from './exact.js';

export interface ReadOptions {
  /** The text may hold numbers that a double cannot: they come as ExactNumber. */
  readonly exact: boolean;
  /**
   * String values that come as '', as the scanner found them. For judges that never look into strings: a string of a
   * megabyte costs V8 several milliseconds to make, and nobody would read it.
   */
  readonly standIns: readonly Span[];
}

/** Makes the value of a JSON text whose grammar is known to be good. */
export function readValue(bytes: Uint8Array, start: number, end: number, options: ReadOptions): unknown {
  let text = '';
  let from = start;
  for (const span of options.standIns) {
    if (span.start < from || span.end > end) continue;
    text += `${decodeText(bytes, from, span.start)}""`;
    from = span.end;
  }
  text += decodeText(bytes, from, end);
  // How deep a text may be was the scanner's to say; neither parser recurses.
  return options.exact ? parseJson(text, { maxDepth: Number.POSITIVE_INFINITY }) : JSON.parse(text);
}

/**
 * Where the elements of an array lie, in a text whose grammar is known to be good; none where it is no array.
 *
 * @param limit so many are looked for; whoever bounds them asks for one more than there may be
 */
export function elementsOf(bytes: Uint8Array, start: number, limit = Number.POSITIVE_INFINITY): Span[] {
  const spans: Span[] = [];
  const at = skipSpace(bytes, start);
  if (bytes[at] !== OPEN_BRACKET) return spans;
  let i = skipSpace(bytes, at + 1);
  while (bytes[i] !== CLOSE_BRACKET && spans.length < limit) {
    const end = endOfValue(bytes, i);
    spans.push({ start: i, end });
    i = skipSpace(bytes, end);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
  }
  return spans;
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  while (bytes[i]! <= SPACE) i++;
  return i;
}

/** @returns the index behind the value at `at`, whose grammar is known to be good */
export function endOfValue(bytes: Uint8Array, at: number): number {
  let i = at;
  let depth = 0;
  do {
    const c = bytes[i]!;
    if (c === QUOTE) i = endOfString(bytes, i + 1);
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      depth++;
      i++;
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      depth--;
      i++;
    } else if (depth > 0) i++;
    else while (bytes[i]! > SPACE && bytes[i] !== COMMA && bytes[i] !== CLOSE_BRACE && bytes[i] !== CLOSE_BRACKET) i++;
  } while (depth > 0);
  return i;
}
