import { decodeText, JsonScanner, type JsonSlice, joinPieces, sliceOf, spells, splice } from '../../base/index.js';
import { answerIdInPassing } from '../../protocol/index.js';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** `null` begins with it. */
const LETTER_N = 0x6e;
const ZERO = 0x30;
/** A whole number of so many digits is exact. */
const MAX_DIGITS = 15;
/** MCP 2026-07-28 basic/index, Error Codes. */
const VERSION_UNSUPPORTED = '-32022';
/** No member of an envelope that comes before its body is longer. */
const MAX_TOKEN = 128;

/** What a message is to the request on whose stream it came. */
export type Shape = 'own-answer' | 'other-answer' | 'no-answer';

/**
 * Tells whether a message is the answer to a request, from its first bytes or its last in all the ways that servers
 * write, so that a large one is not walked through for it. The client reads the message properly; nothing hangs on this
 * but whether more is waited for.
 */
export function shapeOf(bytes: Uint8Array, start: number, end: number, id: number): Shape {
  const at = skipBlanks(bytes, start, end);
  if (bytes[at] !== OPEN_BRACE) return 'no-answer';
  const seen = readBeginning(bytes, at + 1, end);
  if (seen.kind === 'call') return 'no-answer';
  if (seen.kind === 'answer') {
    const found = seen.id ?? readIdAtEnd(bytes, start, end);
    if (found !== undefined) return found === String(id) ? 'own-answer' : 'other-answer';
  }
  const passed = answerIdInPassing(bytes, at, end);
  if (passed === undefined) return seen.kind === 'answer' ? 'other-answer' : 'no-answer';
  return passed === String(id) ? 'own-answer' : 'other-answer';
}

/**
 * An error answer as the answer to our request: servers that could not read it, or would not, send one without its id
 * (MCP basic/transports, Sending Messages). Every byte but the id stays.
 *
 * @param which `unnamed`: only an error that names no request at all
 * @returns undefined where it is no such JSON-RPC error
 */
export function withOurId(
  { bytes, start, end }: JsonSlice,
  id: number,
  which: 'any' | 'unnamed',
): JsonSlice | undefined {
  const from = skipBlanks(bytes, start, end);
  const scanner = new JsonScanner();
  if (!scanner.scan(bytes, from, end) || scanner.root !== 'object') return undefined;
  const error = scanner.find('error', bytes);
  if (error < 0 || bytes[scanner.valueStart[error]!] !== OPEN_BRACE || scanner.find('jsonrpc', bytes) < 0) {
    return undefined;
  }
  const at = scanner.find('id', bytes);
  if (which === 'unnamed' && at >= 0 && bytes[scanner.valueStart[at]!] !== LETTER_N) return undefined;
  const edit =
    at < 0
      ? { start: from + 1, end: from + 1, by: `"id":${id},` }
      : { start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: String(id) };
  return sliceOf(joinPieces(splice(bytes, from, end, [edit])));
}

/** Whether the body of a refusal speaks of this very request, and not of the revision that it was made in. */
export function isForUs(body: Uint8Array, id: number): boolean {
  const scanner = new JsonScanner();
  const from = skipBlanks(body, 0, body.length);
  if (!scanner.scan(body, from, body.length) || scanner.root !== 'object') return false;
  const textOf = (name: string, of?: number): string => {
    const at = scanner.find(name, body, of);
    return at < 0 ? '' : decodeText(body, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  };
  const error = scanner.find('error', body);
  return error >= 0 && textOf('id') === String(id) && textOf('code', error) !== VERSION_UNSUPPORTED;
}

/** Where JSON begins: behind blanks and a byte order mark. */
export function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  if (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
  while (at < end && isBlank(bytes[at])) at++;
  return at;
}

interface Beginning {
  readonly kind: 'answer' | 'call' | 'unclear';
  readonly id?: string;
}

const UNCLEAR: Beginning = { kind: 'unclear' };
const ANSWER: Beginning = { kind: 'answer' };
const CALL: Beginning = { kind: 'call' };

/** Reads the root's members up to its body. `at` lies behind the opening brace. */
function readBeginning(bytes: Uint8Array, from: number, end: number): Beginning {
  let at = from;
  let id: string | undefined;
  for (let members = 0; members < 3; members++) {
    at = skipBlanks(bytes, at, end);
    const nameEnd = bytes[at] === QUOTE ? endOfToken(bytes, at, end) : -1;
    if (nameEnd < 0) return UNCLEAR;
    const isNamed = (name: string): boolean => spells(bytes, at + 1, nameEnd - 1, name);
    if (isNamed('method') || isNamed('params')) return CALL;
    if (isNamed('result') || isNamed('error')) return id === undefined ? ANSWER : { kind: 'answer', id };
    const isId = isNamed('id');
    if (!isId && !isNamed('jsonrpc')) return UNCLEAR;
    at = skipBlanks(bytes, nameEnd, end);
    if (bytes[at] !== COLON) return UNCLEAR;
    at = skipBlanks(bytes, at + 1, end);
    const valueEnd = endOfToken(bytes, at, end);
    if (valueEnd < 0) return UNCLEAR;
    if (isId) id = readToken(bytes, at, valueEnd);
    at = skipBlanks(bytes, valueEnd, end);
    if (bytes[at] !== COMMA) return UNCLEAR;
    at++;
  }
  return UNCLEAR;
}

/** The end of a short string without escapes, or of a number or a word; -1 where it is anything else. */
function endOfToken(bytes: Uint8Array, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_TOKEN);
  if (bytes[start] === QUOTE) {
    for (let at = start + 1; at < limit; at++) {
      if (bytes[at] === BACKSLASH) return -1;
      if (bytes[at] === QUOTE) return at + 1;
    }
    return -1;
  }
  for (let at = start; at < limit; at++) {
    const c = bytes[at];
    if (isBlank(c) || c === COMMA || c === CLOSE_BRACE) return at;
    if (c === OPEN_BRACE || c === OPEN_BRACKET || c === QUOTE || c === COLON) return -1;
  }
  return limit === end ? end : -1;
}

/** A token as it is written; small whole numbers, which ids nearly always are, without the cost of decoding. */
function readToken(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > MAX_DIGITS || bytes[start] === ZERO) return decodeText(bytes, start, end);
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return decodeText(bytes, start, end);
    value = value * 10 + digit;
  }
  return String(value);
}

/** The number of an `"id":5` that closes the message: there it can be nothing but a member of the root. */
function readIdAtEnd(bytes: Uint8Array, start: number, end: number): string | undefined {
  let at = skipBlanksBack(bytes, start, end) - 1;
  if (bytes[at] !== CLOSE_BRACE) return undefined;
  const valueEnd = skipBlanksBack(bytes, start, at);
  at = valueEnd;
  while (at > start && bytes[at - 1]! >= 0x30 && bytes[at - 1]! <= 0x39) at--;
  if (at === valueEnd) return undefined;
  const value = readToken(bytes, at, valueEnd);
  at = skipBlanksBack(bytes, start, at) - 1;
  if (bytes[at] !== COLON) return undefined;
  at = skipBlanksBack(bytes, start, at);
  const isId = bytes[at - 1] === QUOTE && bytes[at - 2] === 0x64 && bytes[at - 3] === 0x69 && bytes[at - 4] === QUOTE;
  // A name may end in what looks like one: `"a\"id"`.
  return isId && bytes[at - 5] !== BACKSLASH ? value : undefined;
}

function skipBlanksBack(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(bytes[at - 1])) at--;
  return at;
}

function isBlank(c: number | undefined): boolean {
  return c === SPACE || c === LINE_FEED || c === CARRIAGE_RETURN || c === TAB;
}
