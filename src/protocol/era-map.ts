import { decodeText, JsonScanner, type JsonSlice, type Piece, splice } from '../base/index.js';
import type { Era } from './revisions.js';
import { RPC } from './rpc.js';

/** Error codes that exist in one era only (MCP 2026-07-28 basic/index, Error Codes). */
const RESOURCE_NOT_FOUND = -32002;

/** Reserved by JSON-RPC for servers; what MCP itself defines there speaks of a hop and never comes this far. */
const SERVER_ERRORS = { first: -32099, last: -32000 } as const;

type Eras = readonly Era[];
const BOTH: Eras = ['handshake', 'modern'];
const HANDSHAKE: Eras = ['handshake'];
const MODERN: Eras = ['modern'];

/** In which era a client may send what (MCP 2025-11-25 and 2026-07-28, schema). */
const CLIENT_METHODS: Readonly<Record<string, Eras>> = {
  initialize: HANDSHAKE,
  ping: HANDSHAKE,
  'logging/setLevel': HANDSHAKE,
  'resources/subscribe': HANDSHAKE,
  'resources/unsubscribe': HANDSHAKE,
  'server/discover': MODERN,
  'subscriptions/listen': MODERN,
  'tasks/get': MODERN,
  'tasks/update': MODERN,
  'tasks/cancel': MODERN,
  'tools/list': BOTH,
  'tools/call': BOTH,
  'prompts/list': BOTH,
  'prompts/get': BOTH,
  'resources/list': BOTH,
  'resources/templates/list': BOTH,
  'resources/read': BOTH,
  'completion/complete': BOTH,
  'notifications/initialized': HANDSHAKE,
  'notifications/roots/list_changed': HANDSHAKE,
  'notifications/progress': HANDSHAKE,
  'notifications/cancelled': BOTH,
};

/** Whether a client of this era may send this at all; what the era has not is not found, whoever may know it. */
export function isClientMethod(method: string, era: Era): boolean {
  return Object.hasOwn(CLIENT_METHODS, method) && CLIENT_METHODS[method]!.includes(era);
}

const scanner = new JsonScanner();

/**
 * An upstream's error as a caller of the modern era reads it. A resource that is not there is -32602 in that era. Codes
 * that no server may emit there become -32603, with what the upstream said in `data.upstreamError`. Others stay.
 *
 * @param error an error object whose grammar is known to be good
 * @param method of the request that it answers
 */
export function toModernError(error: JsonSlice, method: string): Piece[] {
  const { bytes, start, end } = error;
  const code = readCode(error);
  if (code === RESOURCE_NOT_FOUND && method === 'resources/read') return withCode(error, RPC.invalidParams);
  if (!(code >= SERVER_ERRORS.first && code <= SERVER_ERRORS.last)) return [error];
  const message = scanner.find('message', bytes);
  const text = { bytes, start: scanner.valueStart[message]!, end: scanner.valueEnd[message]! };
  const head = `{"code":${RPC.internalError},"message":`;
  return [head, text, ',"data":{"upstreamError":', { bytes, start, end }, '}}'];
}

/**
 * An upstream's error as a caller of the handshake era reads it: a resource that is not there is -32002 to it. The 2026
 * era says that with a code that says many things, and names the resource.
 *
 * @param error an error object whose grammar is known to be good
 * @param method of the request that it answers
 */
export function toHandshakeError(error: JsonSlice, method: string): Piece[] {
  if (method !== 'resources/read' || readCode(error) !== RPC.invalidParams) return [error];
  const data = scanner.find('data', error.bytes);
  const isNamed = data >= 0 && scanner.find('uri', error.bytes, data) >= 0;
  return isNamed ? withCode(error, RESOURCE_NOT_FOUND) : [error];
}

/** Reads the code of an error; the scanner knows its other members then. */
function readCode({ bytes, start, end }: JsonSlice): number {
  scanner.scan(bytes, start, end);
  const at = scanner.find('code', bytes);
  return Number(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!));
}

/** The error that was read last, under another code; every other byte stays. */
function withCode({ bytes, start, end }: JsonSlice, code: number): Piece[] {
  const at = scanner.find('code', bytes);
  return splice(bytes, start, end, [{ start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: String(code) }]);
}
