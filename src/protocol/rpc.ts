import {
  type DoorError,
  decodeText,
  ERROR_TABLE,
  JsonScanner,
  type JsonSlice,
  type Piece,
  stringifyJson,
} from '../base/index.js';
import type { Era } from './revisions.js';

/** JSON-RPC 2.0 error codes that MCP uses as they are. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/**
 * Errors that speak of the connection between two neighbours and not of what was asked; the modern era alone has them (MCP
 * 2026-07-28 basic/index, Error Codes).
 */
export const HOP_ERROR = {
  headerMismatch: ERROR_TABLE.HEADER_MISMATCH.wire,
  capabilityMissing: ERROR_TABLE.CAPABILITY_MISSING.wire,
  versionUnsupported: ERROR_TABLE.VERSION_UNSUPPORTED.wire,
} as const;

/** Whether a code is one of theirs, or of those that MCP keeps for more of them. */
export function isHopErrorCode(code: number): boolean {
  return code <= -32020 && code >= -32099;
}

/** The head of an answer; the text of the result and `}` follow. `id` is a JSON token. */
export function resultHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`;
}

/** The head of an answer that failed; the text of the error object and `}` follow. `id` is a JSON token. */
export function errorHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":`;
}

/** A whole answer that failed, in our own words. */
export function errorMessage(id: string, code: number, message: string, data?: unknown): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return `${errorHead(id)}${stringifyJson(error)}}`;
}

/**
 * Shows a DoorError on the wire: its row's code, and `data.code`, `data.hint` and its facts for programs.
 *
 * @param era of whoever reads it
 */
export function doorErrorMessage(id: string, error: DoorError, era: Era = 'handshake'): string {
  const code = wireCodeOf(error, era);
  const { code: _, ...facts } = error.data;
  const data = { code: error.code, ...facts, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  return errorMessage(id, code, error.message, data);
}

/** The JSON-RPC code of a failure: some codes exist in one era only (MCP 2026-07-28 basic/index, Error Codes). */
export function wireCodeOf({ code }: DoorError, era: Era): number {
  const wire = ERROR_TABLE[code].wire ?? RPC.internalError;
  if (era === 'modern') return code === 'RESOURCE_UNKNOWN' ? RPC.invalidParams : wire;
  return isHopErrorCode(wire) ? RPC.internalError : wire;
}

/** A whole notification. `params` is JSON text on one line. */
export function notificationMessage(method: string, params?: Piece): Piece[] {
  return withParams(`{"jsonrpc":"2.0","method":"${method}"`, params);
}

/** A whole request. `params` is JSON text on one line. */
export function requestMessage(id: number, method: string, params?: Piece): Piece[] {
  return withParams(`{"jsonrpc":"2.0","id":${id},"method":"${method}"`, params);
}

function withParams(head: string, params: Piece | undefined): Piece[] {
  if (params === undefined) return [`${head}}`];
  return typeof params === 'string' ? [`${head},"params":${params}}`] : [`${head},"params":`, params, '}'];
}

/**
 * Whether the root that was scanned, or its member `of`, is what JSON-RPC calls an error: with an integer code and a
 * message. Strict readers drop anything else, and wait on.
 */
export function isErrorObject(scanner: JsonScanner, bytes: Uint8Array, of?: number): boolean {
  const code = scanner.find('code', bytes, of);
  const message = scanner.find('message', bytes, of);
  if (code < 0 || message < 0 || bytes[scanner.valueStart[message]!] !== 0x22) return false;
  return /^-?\d+$/.test(decodeText(bytes, scanner.valueStart[code]!, scanner.valueEnd[code]!));
}

const scanner = new JsonScanner();

/** The code of an error object; NaN where it has none. */
export function errorCodeOf({ bytes, start, end }: JsonSlice): number {
  const at = scanner.scan(bytes, start, end) ? scanner.find('code', bytes) : -1;
  return at < 0 ? Number.NaN : Number(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!));
}
