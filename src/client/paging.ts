import { DoorError, decodeText, elementsOf, JsonScanner, onOneLine } from '../base/index.js';
import { errorCodeOf, RPC } from '../protocol/index.js';
import type { Connection } from './connection.js';
import type { RequestOptions } from './pending.js';
import type { RawAnswer } from './raw-answer.js';

const MAX_PAGES = 1_000;

export interface PagingOptions {
  readonly upstream: string;
  /** The list's method, and the member of its result that holds the list. */
  readonly method: string;
  readonly member: string;
  /** Whether a server that does not know the method has an empty list. Default: it fails. */
  readonly isOptional?: boolean;
  readonly request: RequestOptions;
  readonly warn: (warning: { readonly warning: string; readonly message: string }) => void;
}

export interface Page {
  /** Each element as the upstream wrote it, on one line. */
  readonly elements: readonly Uint8Array[];
  /** It points back to a page that was read: what it repeats is no news. */
  readonly isRepeat: boolean;
  /** How long it may be taken for fresh, in milliseconds (MCP 2026-07-28 server/utilities/caching); undefined where it does not say. */
  readonly ttlMs: number | undefined;
}

const scanner = new JsonScanner();

/**
 * The pages of one of an upstream's lists, to the end: a server that goes in circles or never ends is stopped and told
 * of.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL when an answer is no list; whatever the connection throws
 */
export async function* listPages(connection: Connection, options: PagingOptions): AsyncGenerator<Page, void> {
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? undefined : `{"cursor":${cursor}}`;
    const answer = await connection.request(options.method, params, options.request);
    if (options.isOptional && answer.kind === 'error' && errorCodeOf(answer) === RPC.methodNotFound) return;
    const { elements, next, ttlMs } = readPage(answer, options);
    const isRepeat = next !== undefined && cursors.has(next);
    yield { elements, isRepeat, ttlMs };
    if (next === undefined) return;
    if (isRepeat) {
      const message = `the cursor ${next.slice(0, 80)} came again; stopped there`;
      options.warn({ warning: 'pagination-loop', message });
      return;
    }
    cursors.add(next);
    cursor = next;
  }
  options.warn({ warning: 'pagination-endless', message: `gave more than ${MAX_PAGES} pages; stopped there` });
}

interface ReadPage {
  readonly elements: readonly Uint8Array[];
  /** The token of the next cursor. Any cursor but null goes on, the empty one too. */
  readonly next: string | undefined;
  readonly ttlMs: number | undefined;
}

function readPage(answer: RawAnswer, { upstream, method, member }: PagingOptions): ReadPage {
  const { bytes, start, end } = answer;
  if (answer.kind === 'error') {
    const said = decodeText(bytes, start, end).slice(0, 400);
    throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: ${method} failed: ${said}`, { data: { upstream } });
  }
  scanner.scan(bytes, start, end);
  const list = scanner.find(member, bytes);
  if (list < 0 || bytes[scanner.valueStart[list]!] !== 0x5b) {
    const message = `${upstream}: the answer to ${method} holds no ${member} array`;
    throw new DoorError('UPSTREAM_BROKE_PROTOCOL', message, { data: { upstream } });
  }
  const elements = elementsOf(bytes, scanner.valueStart[list]!).map((span) => onOneLine({ bytes, ...span }).bytes);
  const ttlMs = readTtl(bytes);
  const cursor = scanner.find('nextCursor', bytes);
  if (cursor < 0) return { elements, next: undefined, ttlMs };
  const token = decodeText(bytes, scanner.valueStart[cursor]!, scanner.valueEnd[cursor]!);
  return { elements, next: token === 'null' ? undefined : token, ttlMs };
}

/** Of the result that was just scanned. Below zero counts as zero. */
function readTtl(bytes: Uint8Array): number | undefined {
  const at = scanner.find('ttlMs', bytes);
  if (at < 0) return undefined;
  const ttlMs = Number(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!));
  return Number.isFinite(ttlMs) ? Math.max(0, ttlMs) : undefined;
}
