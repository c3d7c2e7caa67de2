import { decodeText, type JsonScanner, SCAN } from '../base/index.js';
import { readInPassing } from './oversize.js';
import { readString } from './strings.js';

/**
 * A JSON-RPC message, located but not parsed: where its body lies, and what the wire must know of it. Positions in the
 * scanner (`body`) hold only until the next scan.
 */
export interface Message {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  readonly bytes: Uint8Array;
  /** The token of the id as it was written; '' for a notification. Never `null` in a request. */
  readonly id: string;
  /** '' for an answer. */
  readonly method: string;
  /** Index of `params`, `result` or `error` in the scanner; -1 where there are no params. */
  readonly body: number;
  /** `SCAN` flags of the body. */
  readonly bodyFlags: number;
}

/** Why a line is no message, in JSON-RPC's terms. */
export interface BadMessage {
  readonly kind: 'bad';
  /** -32700 not JSON, -32600 JSON but no good envelope. */
  readonly code: -32700 | -32600;
  readonly reason: string;
  /** The token of the id if it could be read and may be echoed, else `null`. */
  readonly id: string;
  /** It has a method, so it was meant as a request or a notification. */
  readonly hasMethod: boolean;
  /** It has no method but a result or an error, so it was meant as an answer: answers are not answered. */
  readonly isAnswer: boolean;
  /** An array: several messages at once. */
  readonly isBatch: boolean;
}

const ID_TOKEN = /^(?:"|-?\d)/;

/** Reads the envelope of one message (JSON-RPC 2.0, narrowed by MCP basic/index). Leaves the index in `scanner`. */
export function decodeMessage(
  scanner: JsonScanner,
  bytes: Uint8Array,
  start: number,
  end: number,
): Message | BadMessage {
  if (!scanner.scan(bytes, start, end)) {
    return scanner.fault === 'depth' ? tooDeep(scanner, bytes, start, end) : notJson(scanner, start);
  }
  const flaw = (reason: string, id: string): BadMessage => bad(scanner, bytes, reason, id);
  if (scanner.root === 'array') return { ...flaw('a batch', 'null'), isBatch: true };
  if (scanner.root !== 'object') return flaw('the message is not an object', 'null');

  const method = scanner.find('method', bytes);
  const idAt = scanner.find('id', bytes);
  const id = idAt < 0 ? '' : readId(scanner, bytes, idAt);
  const echo = ID_TOKEN.test(id) ? id : 'null';
  const twice = scanner.rootFlags & SCAN.duplicateName ? findRootDuplicate(scanner, bytes) : undefined;
  // Of two ids neither can be told to be meant: the other one's call is not to be answered, nor failed.
  if (twice !== undefined) return flaw(`${twice} occurs twice`, twice === '"id"' ? 'null' : echo);
  if (!isVersion2(scanner, bytes)) return flaw('jsonrpc is not "2.0"', echo);

  if (method < 0) return decodeAnswer(scanner, bytes, id, echo);
  if (bytes[scanner.valueStart[method]!] !== 0x22) return flaw('method is not a string', echo);
  const name = readString(bytes, scanner.valueStart[method]!, scanner.valueEnd[method]!);
  const params = scanner.find('params', bytes);
  if (params >= 0 && !isObjectOrNull(bytes[scanner.valueStart[params]!])) return flaw('params is not an object', echo);
  const bodyFlags = params < 0 ? 0 : scanner.flags[params]!;
  if (idAt < 0) return { kind: 'notification', bytes, id: '', method: name, body: params, bodyFlags };
  const fault = idFault(id);
  if (fault !== undefined) return flaw(fault, echo);
  return { kind: 'request', bytes, id, method: name, body: params, bodyFlags };
}

function decodeAnswer(scanner: JsonScanner, bytes: Uint8Array, id: string, echo: string): Message | BadMessage {
  const result = scanner.find('result', bytes);
  const error = scanner.find('error', bytes);
  if (result < 0 === error < 0) {
    const reason = result < 0 ? 'neither method, result nor error' : 'both result and error';
    return bad(scanner, bytes, reason, echo);
  }
  if (id === '') return bad(scanner, bytes, 'an answer without an id', 'null');
  const body = result < 0 ? error : result;
  if (bytes[scanner.valueStart[body]!] !== 0x7b) {
    return bad(scanner, bytes, `${result < 0 ? 'error' : 'result'} is not an object`, echo);
  }
  return {
    kind: result < 0 ? 'error' : 'result',
    bytes,
    id,
    method: '',
    body,
    bodyFlags: scanner.flags[body]!,
  };
}

/** Settles the scanner's suspicion that the message itself holds a name twice. */
function findRootDuplicate(scanner: JsonScanner, bytes: Uint8Array): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < scanner.count; i++) {
    if (scanner.level[i] !== 1) continue;
    const name = JSON.parse(decodeText(bytes, scanner.nameStart[i]!, scanner.nameEnd[i]!)) as string;
    if (seen.has(name)) return JSON.stringify(name);
    seen.add(name);
  }
  return undefined;
}

function isVersion2(scanner: JsonScanner, bytes: Uint8Array): boolean {
  const at = scanner.find('jsonrpc', bytes);
  if (at < 0) return false;
  const start = scanner.valueStart[at]!;
  const isShortString = scanner.valueEnd[at]! - start === 5 && bytes[start] === 0x22;
  return isShortString && bytes[start + 1] === 0x32 && bytes[start + 2] === 0x2e && bytes[start + 3] === 0x30;
}

function readId(scanner: JsonScanner, bytes: Uint8Array, index: number): string {
  const start = scanner.valueStart[index]!;
  const end = scanner.valueEnd[index]!;
  if (end - start > 15) return decodeText(bytes, start, end);
  // Small whole numbers are nearly all ids there are; a number is cheaper to make than a decoded string.
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return decodeText(bytes, start, end);
    value = value * 10 + digit;
  }
  return String(value);
}

/** Ids are strings or whole numbers (MCP basic/index); a whole number of any size is echoed digit for digit. */
function idFault(id: string): string | undefined {
  const first = id.charCodeAt(0);
  if (first === 0x22) return undefined;
  if (first !== 0x2d && !(first >= 0x30 && first <= 0x39)) return 'id is neither a string nor an integer';
  return id.length < 16 && Number.isInteger(Number(id)) ? undefined : wholeNumberFault(id);
}

function wholeNumberFault(id: string): string | undefined {
  return /^-?\d+(?:\.0+)?$/.test(id) ? undefined : 'id is a number but not an integer';
}

function isObjectOrNull(first: number | undefined): boolean {
  return first === 0x7b || first === 0x6e;
}

/** What is nested too deeply to be walked, be it JSON or not: its caller still gets an answer by name. */
function tooDeep(scanner: JsonScanner, bytes: Uint8Array, start: number, end: number): BadMessage {
  const { id, method } = readInPassing(bytes, start, end);
  const reason = `nested too deeply at byte ${scanner.faultAt - start}`;
  const hasMethod = method !== undefined;
  const echo = id !== undefined && ID_TOKEN.test(id) ? id : 'null';
  const isAnswer = !hasMethod && id !== undefined;
  return { kind: 'bad', code: -32600, reason, id: echo, hasMethod, isAnswer, isBatch: false };
}

function notJson(scanner: JsonScanner, start: number): BadMessage {
  const at = scanner.faultAt - start;
  const what = scanner.fault === 'utf-8' ? `not UTF-8 at byte ${at}` : `not JSON at byte ${at}`;
  return { kind: 'bad', code: -32700, reason: what, id: 'null', hasMethod: false, isAnswer: false, isBatch: false };
}

function bad(scanner: JsonScanner, bytes: Uint8Array, reason: string, id: string): BadMessage {
  const isObject = scanner.root === 'object';
  const hasMethod = isObject && scanner.find('method', bytes) >= 0;
  const isAnswer = isObject && !hasMethod && (scanner.find('result', bytes) >= 0 || scanner.find('error', bytes) >= 0);
  return { kind: 'bad', code: -32600, reason, id, hasMethod, isAnswer, isBatch: false };
}
