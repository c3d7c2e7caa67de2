import { DoorError, decodeText, type JsonScanner } from '../base/index.js';
import type { Gateway } from '../gateway/index.js';
import {
  type CallParams,
  checkParamHeaders,
  decodeHeaderValue,
  isHeaderValueOf,
  type Message,
} from '../protocol/index.js';
import type { RequestMeta } from './modern-request.js';

/** Finds an HTTP header by its lower-case name, several of one name joined. */
export type FindHeader = (name: string) => string | undefined;

/** Which member of the params a method's `Mcp-Name` repeats. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Whoever routes by the headers and whoever runs the body must see the same request (MCP 2026-07-28
 * basic/transports/streamable-http, Server Validation).
 *
 * @returns HEADER_MISMATCH, where they do not
 */
export function headerFault(
  scanner: JsonScanner,
  { bytes, body, method }: Message,
  { revision }: RequestMeta,
  find: FindHeader,
): DoorError | undefined {
  const version = find('mcp-protocol-version');
  if (version !== revision) return mismatch('MCP-Protocol-Version', version, revision);
  const named = find('mcp-method');
  if (named !== method) return mismatch('Mcp-Method', named, method);
  const member = NAMED[method];
  if (member === undefined) return undefined;
  const at = scanner.find(member, bytes, body);
  // What is missing in the body is the body's fault, and told as such.
  if (at < 0 || bytes[scanner.valueStart[at]!] !== 0x22) return undefined;
  const value = JSON.parse(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!)) as string;
  const name = find('mcp-name');
  if (name === undefined) return mismatch('Mcp-Name', undefined, value);
  return isHeaderValueOf(name, value) ? undefined : mismatch('Mcp-Name', decodeHeaderValue(name) ?? name, value);
}

/** The headers that a tool wants its parameters repeated in (MCP 2026-07-28 transports, Server Behavior for Custom Headers). */
export function paramHeaderFault(gateway: Gateway, params: CallParams, find: FindHeader): DoorError | undefined {
  const tool = gateway.snapshot().find(params.name)?.tool;
  if (tool === undefined || tool.paramHeaders.length === 0) return undefined;
  const { bytes, argumentsStart, argumentsEnd } = params;
  const args = argumentsStart < 0 ? undefined : { bytes, start: argumentsStart, end: argumentsEnd };
  const fault = checkParamHeaders(tool.paramHeaders, args, find);
  return fault === undefined ? undefined : headerMismatch(fault);
}

function mismatch(header: string, given: string | undefined, wanted: string): DoorError {
  const shown = JSON.stringify(wanted.slice(0, 200));
  return headerMismatch(
    given === undefined
      ? `${header} is missing; the body says ${shown}`
      : `${header} is ${JSON.stringify(given.slice(0, 200))}, but the body says ${shown}`,
  );
}

function headerMismatch(fault: string): DoorError {
  return new DoorError('HEADER_MISMATCH', `Header mismatch: ${fault}`, {
    hint: 'Send headers that repeat what the body says.',
  });
}
