import { type CallOptions, DoorError, decodeText, type JsonScanner, spells } from '../base/index.js';
import type { View } from '../gateway/index.js';
import {
  type CallParams,
  decodeHeaderValue,
  checkParamHeaders as findHeaderFault,
  isHeaderValueOf,
  type Message,
} from '../protocol/index.js';
import { revisionOf } from './modern-request.js';

/** Finds an HTTP header by its lower-case name, several of one name joined. */
export type FindHeader = (name: string) => string | undefined;

/** Which member of the params a method's `Mcp-Name` repeats. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  // Of the tasks extension (SEP-2663).
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * Whoever routes by the headers and whoever runs the body must see the same request (MCP 2026-07-28
 * basic/transports/streamable-http, Server Validation).
 *
 * @returns HEADER_MISMATCH, where they do not
 */
export function headerFault(scanner: JsonScanner, message: Message, find: FindHeader): DoorError | undefined {
  const { bytes, body, method } = message;
  const version = find('mcp-protocol-version');
  const revision = revisionOf(scanner, message);
  // Where the body does not say, that is the body's fault, and told as such.
  if (revision !== undefined && version !== revision) return mismatch('MCP-Protocol-Version', version, revision);
  const named = find('mcp-method');
  if (named !== method) return mismatch('Mcp-Method', named, method);
  const member = NAMED[method];
  if (member === undefined) return undefined;
  const at = scanner.find(member, bytes, body);
  // What is missing in the body is the body's fault, and told as such.
  if (at < 0 || bytes[scanner.valueStart[at]!] !== 0x22) return undefined;
  const name = find('mcp-name');
  if (name !== undefined && isPlainly(name, bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!)) return undefined;
  const value = JSON.parse(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!)) as string;
  if (name === undefined) return mismatch('Mcp-Name', undefined, value);
  return isHeaderValueOf(name, value) ? undefined : mismatch('Mcp-Name', decodeHeaderValue(name) ?? name, value);
}

/** Whether a header's value and a string of the body are the same byte for byte, and nothing in them stands for anything else. */
function isPlainly(value: string, bytes: Uint8Array, start: number, end: number): boolean {
  return PLAIN.test(value) && spells(bytes, start + 1, end - 1, value);
}

/** Nearly all names of tools: no escape, no mark of an encoding, no white space. */
const PLAIN = /^[\w./-]+$/;

/** Whether a tool is known to want nothing in headers, as nearly all do: then there is nothing to be waited for either. */
export function wantsNoParamHeaders(view: View, { name }: CallParams): boolean {
  return view.findTool(name)?.tool.paramHeaders.length === 0;
}

/**
 * Checks the headers that a tool wants its parameters repeated in (MCP 2026-07-28 transports, Server Behavior for Custom
 * Headers). What has not been listed yet is waited for.
 *
 * @throws {DoorError} HEADER_MISMATCH
 */
export async function checkParamHeaders(
  view: View,
  params: CallParams,
  find: FindHeader,
  options: CallOptions,
): Promise<void> {
  const { principal } = options;
  if (view.findTool(params.name, principal) === undefined) await view.listTools(options);
  const tool = view.findTool(params.name, principal)?.tool;
  if (tool === undefined) return;
  const { bytes, argumentsStart, argumentsEnd } = params;
  const args = argumentsStart < 0 ? undefined : { bytes, start: argumentsStart, end: argumentsEnd };
  const fault = findHeaderFault(tool.paramHeaders, args, find);
  if (fault !== undefined) throw headerMismatch(fault);
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
