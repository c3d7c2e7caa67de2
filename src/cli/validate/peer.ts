import { NEWEST } from '../../protocol/index.js';

/**
 * Somebody who speaks MCP with the server under test. It is no client of this house: it reads what is on the wire as a
 * stranger's client would, with nothing in between that mends or judges.
 */
export interface Peer {
  /** @throws {Error} for an error of the server's, no answer, or the end of the connection */
  request(method: string, params: object): Promise<Readonly<Record<string, unknown>>>;
  notify(method: string): Promise<void>;
  close(): Promise<void>;
}

/** How a server introduced itself, and what it lists. */
export interface Introduction {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly tools: readonly ShownTool[];
}

/** A tool as some surface shows it. */
export type ShownTool = Readonly<Record<string, unknown>> & { readonly name: string };

/** Pages that are followed: whoever has more says the same one again and again. */
const MAX_PAGES = 1_000;

/** Greets a server of the handshake era, and lists its tools. */
export async function introduce(peer: Peer): Promise<Introduction> {
  const greeting = await peer.request('initialize', {
    protocolVersion: NEWEST.revision,
    capabilities: {},
    clientInfo: { name: 'doorward-validate', version: '1' },
  });
  await peer.notify('notifications/initialized');
  const tools: ShownTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await peer.request('tools/list', cursor === undefined ? {} : { cursor });
    tools.push(...((listed.tools as ShownTool[]) ?? []));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return { serverInfo: greeting.serverInfo as Readonly<Record<string, unknown>>, tools };
}

/** The result in a JSON-RPC answer. @throws {Error} what the error in it says */
export function resultOf(answer: unknown, method: string): Readonly<Record<string, unknown>> {
  const { result, error } = answer as { readonly result?: Readonly<Record<string, unknown>>; readonly error?: unknown };
  if (result !== undefined) return result;
  throw new Error(`${method} was answered with ${JSON.stringify(error)}`);
}
