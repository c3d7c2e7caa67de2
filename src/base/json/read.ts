import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  decodeText,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './bytes.js';
import { endOfString } from './duplicates.js';
import { parseJson } from './exact.js';

/** Strings longer than this may be stood in for; what is around them is parsed in pieces of about this size. */
const PIECE = 65_536;
/** Containers nested deeper than this are parsed in one go, whatever their size: nothing recurses without a bound. */
const MAX_DESCENT = 512;

export interface ReadOptions {
  /** The text may hold numbers that a double cannot: they come as ExactNumber. */
  readonly exact: boolean;
  /** Strings of more than 64 KiB come as ''. For judges that never look into strings; worth it only if there are any. */
  readonly standIns: boolean;
}

/** Makes the value of a JSON text whose grammar is known to be good. */
export function readValue(bytes: Uint8Array, start: number, end: number, options: ReadOptions): unknown {
  if (!options.standIns || end - start <= PIECE) return parseText(decodeText(bytes, start, end), options);
  return readLarge(bytes, start, end, options, 0);
}

function parseText(text: string, options: ReadOptions): unknown {
  return options.exact ? parseJson(text) : JSON.parse(text);
}

function readLarge(bytes: Uint8Array, start: number, end: number, options: ReadOptions, depth: number): unknown {
  const at = skipSpace(bytes, start);
  const first = bytes[at];
  if (first === QUOTE) return '';
  if (depth >= MAX_DESCENT || (first !== OPEN_BRACE && first !== OPEN_BRACKET)) {
    return parseText(decodeText(bytes, at, end), options);
  }
  return first === OPEN_BRACKET
    ? readLargeArray(bytes, at, options, depth)
    : readLargeObject(bytes, at, options, depth);
}

function readLargeArray(bytes: Uint8Array, start: number, options: ReadOptions, depth: number): unknown[] {
  const items: unknown[] = [];
  let i = skipSpace(bytes, start + 1);
  /** Start of the run of small items not yet parsed; -1 when there is none. */
  let run = -1;
  let behind = i;
  const parseRun = (): void => {
    if (run < 0) return;
    const parsed = parseText(`[${decodeText(bytes, run, behind)}]`, options) as unknown[];
    for (const item of parsed) items.push(item);
    run = -1;
  };
  while (bytes[i] !== CLOSE_BRACKET) {
    const itemEnd = endOfValue(bytes, i);
    if (itemEnd - i > PIECE) {
      parseRun();
      items.push(readLarge(bytes, i, itemEnd, options, depth + 1));
    } else {
      if (run >= 0 && itemEnd - run > PIECE) parseRun();
      if (run < 0) run = i;
      behind = itemEnd;
    }
    i = skipSpace(bytes, itemEnd);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
  }
  parseRun();
  return items;
}

function readLargeObject(
  bytes: Uint8Array,
  start: number,
  options: ReadOptions,
  depth: number,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  let i = skipSpace(bytes, start + 1);
  let run = -1;
  let behind = i;
  const parseRun = (): void => {
    if (run < 0) return;
    const parsed = parseText(`{${decodeText(bytes, run, behind)}}`, options) as Record<string, unknown>;
    for (const name of Object.keys(parsed)) setOwn(object, name, parsed[name]);
    run = -1;
  };
  while (bytes[i] !== CLOSE_BRACE) {
    const nameEnd = endOfString(bytes, i + 1);
    let valueStart = skipSpace(bytes, nameEnd);
    if (bytes[valueStart] === COLON) valueStart = skipSpace(bytes, valueStart + 1);
    const valueEnd = endOfValue(bytes, valueStart);
    if (valueEnd - i > PIECE) {
      parseRun();
      const name = JSON.parse(decodeText(bytes, i, nameEnd)) as string;
      setOwn(object, name, readLarge(bytes, valueStart, valueEnd, options, depth + 1));
    } else {
      if (run >= 0 && valueEnd - run > PIECE) parseRun();
      if (run < 0) run = i;
      behind = valueEnd;
    }
    i = skipSpace(bytes, valueEnd);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
  }
  parseRun();
  return object;
}

/** Assignment would call the setter of `__proto__`; JSON.parse does not, and neither do we. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
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

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the elements of an array lie, in a text whose grammar is known to be good; none where it is no array. */
export function elementsOf(bytes: Uint8Array, start: number): Span[] {
  const spans: Span[] = [];
  if (bytes[start] !== OPEN_BRACKET) return spans;
  let i = skipSpace(bytes, start + 1);
  while (bytes[i] !== CLOSE_BRACKET) {
    const end = endOfValue(bytes, i);
    spans.push({ start: i, end });
    i = skipSpace(bytes, end);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
  }
  return spans;
}
