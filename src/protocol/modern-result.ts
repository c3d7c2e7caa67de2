import type { JsonSlice, Piece } from '../base/index.js';
import { META } from './meta.js';
import { contentOf, type PieceEdit, resultMetaEdits, spliceIn } from './result-edits.js';
import { type LocatedResult, ResultMembers } from './result-members.js';

/** How long a caller may keep a result, and for whom (MCP 2026-07-28 server/utilities/caching). */
export interface CacheHints {
  /** Milliseconds; 0 says that it is stale at once. */
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** What is said where nobody has said anything. */
export const NO_CACHE: CacheHints = Object.freeze({ ttlMs: 0, cacheScope: 'private' });

export interface ModernResultOptions {
  /** The JSON text of our name and version, which stands for the upstream's. */
  readonly serverInfo: string;
  /** For the methods whose results say how long they hold: what they say where the upstream's does not. */
  readonly cache?: CacheHints | undefined;
  /** It is the result of a tools/call, which must have content. */
  readonly isToolResult?: boolean;
}

const members = new ResultMembers();
const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;

/**
 * Makes an upstream's result one of the 2026 era (MCP 2026-07-28 basic/index, ResultType and Per-response protocol
 * fields): it says of what type it is, how long it may be kept where that is required, and that it comes from us. Every
 * other byte stays as the upstream wrote it.
 *
 * @param result an object whose grammar is known to be good
 */
export function toModernResult(result: JsonSlice | LocatedResult, options: ModernResultOptions): Piece[] {
  const { bytes, start, end } = result;
  // How long it holds, of which nothing was said there, is no matter with calls.
  if (!options.isToolResult || !members.take(result)) members.read(result);
  const edits: PieceEdit[] = [];
  const isTyped = members.begins(bytes, 'resultType', QUOTE);
  /** Members that come in front of all others, each with its comma. */
  let front = members.has('resultType') ? '' : '"resultType":"complete",';
  if (members.has('resultType') && !isTyped) edits.push(replacing('resultType', '"complete"'));
  // What is interim has no content yet, and nobody may keep it.
  const isComplete = !isTyped || members.isText(bytes, 'resultType', '"complete"');
  if (isComplete && options.cache !== undefined) front += hinted(bytes, options.cache, edits);
  front += introduced(bytes, `"${META.serverInfo}":${options.serverInfo}`, edits);
  if (members.count === 0) front = front.slice(0, -1);
  const lacksContent = isComplete && options.isToolResult === true && !members.has('content');
  const head = lacksContent ? ['{"content":', ...contentOf(bytes, members), `,${front}`] : [`{${front}`];
  if (edits.length === 0) return [...head, { bytes, start: start + 1, end }];
  edits.sort((a, b) => a.start - b.start);
  return [...head, ...spliceIn({ bytes, start: start + 1, end }, edits)];
}

function replacing(name: 'resultType' | '_meta' | 'ttlMs' | 'cacheScope', by: string): PieceEdit {
  return { start: members.start[name], end: members.end[name], by: [by] };
}

/** Puts right what says how long the result holds; callers refuse a whole list where that is missing or odd. */
function hinted(bytes: Uint8Array, { ttlMs, cacheScope }: CacheHints, edits: PieceEdit[]): string {
  let front = '';
  if (!members.has('ttlMs')) front += `"ttlMs":${ttlMs},`;
  else if (!isTtl(members.textOf(bytes, 'ttlMs')!)) edits.push(replacing('ttlMs', String(ttlMs)));
  if (!members.has('cacheScope')) front += `"cacheScope":"${cacheScope}",`;
  else if (!members.isText(bytes, 'cacheScope', '"public"') && !members.isText(bytes, 'cacheScope', '"private"')) {
    edits.push(replacing('cacheScope', `"${cacheScope}"`));
  }
  return front;
}

function isTtl(text: string): boolean {
  return /^\d[\d.eE+-]{0,30}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Says that the result comes from us, in the `_meta` that there is or in one of ours. */
function introduced(bytes: Uint8Array, serverInfo: string, edits: PieceEdit[]): string {
  if (!members.has('_meta')) return `"_meta":{${serverInfo}},`;
  if (members.begins(bytes, '_meta', OPEN_BRACE)) {
    edits.push(...resultMetaEdits(bytes, members.start._meta, members.end._meta, serverInfo));
  } else edits.push(replacing('_meta', `{${serverInfo}}`));
  return '';
}
