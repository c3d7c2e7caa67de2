import type { DoorError } from '../base/index.js';
import { findNearest, quoted } from '../config/index.js';
import { unknownServer } from './unknown-server.js';
import { usageError } from './usage-error.js';

export interface CallTarget {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
}

/**
 * Splits SERVER.TOOL at the longest server id that fits: ids may hold dots, and so may tools. The public name that
 * callers see, SERVER__TOOL, is understood too.
 *
 * @param listing the command that lists the tools of a server, or of all
 * @throws {DoorError} `CONFIG_INVALID` (exit 2) saying what was probably meant
 */
export function splitCallTarget(
  text: string,
  ids: readonly string[],
  listing: (server?: string) => string,
): CallTarget {
  return findCallTarget(text, ids) ?? fail(unknownTarget(text, ids, listing));
}

export function findCallTarget(text: string, ids: readonly string[]): CallTarget | undefined {
  return findSplit(text, '.', ids) ?? findSplit(text, '__', ids);
}

function findSplit(text: string, separator: string, ids: readonly string[]): CallTarget | undefined {
  const fitting = ids.filter((id) => text.startsWith(id + separator) && text.length > id.length + separator.length);
  const [server] = fitting.toSorted((one, other) => other.length - one.length);
  return server === undefined ? undefined : { server, tool: text.slice(server.length + separator.length) };
}

function unknownTarget(text: string, ids: readonly string[], listing: (server?: string) => string): DoorError {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (ids.includes(bare)) {
    return usageError(`${quoted(bare)} is a server, not a tool`, `List its tools: ${listing(bare)}`);
  }
  const at = text.indexOf('.');
  if (at < 0) {
    const nearest = findNearest(text, ids);
    const hint = nearest ? `Did you mean a tool of ${nearest}? Write ${nearest}.TOOL.` : `List the tools: ${listing()}`;
    return usageError(`${quoted(text)} names no server and tool; write SERVER.TOOL`, hint);
  }
  return unknownServer(text.slice(0, at), ids);
}

function fail(error: DoorError): never {
  throw error;
}
