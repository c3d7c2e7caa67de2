import { dropEdits, type Edit, type JsonSlice, joinPieces, membersOf, sliceOf, splice } from '../base/index.js';
import { KnownTexts } from './known-texts.js';
import type { Codec } from './revisions.js';

/** Keys of `_meta` that the protocol itself reads (MCP 2026-07-28 basic/index, `_meta`). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/**
 * What a message says to its neighbour alone: it speaks of the connection that it came on, so it ends with it. All other
 * keys, trace context and those of vendors among them, are passed on as they are.
 */
export const HOP_KEYS: ReadonlySet<string> = new Set(Object.values(META));
/** The same of a request, which has a token for its progress besides. */
const REQUEST_KEYS: ReadonlySet<string> = new Set(['progressToken', ...HOP_KEYS]);

/** What the `_meta` of our own requests says of us and of whose requests they are. */
export interface Introduced {
  /** The JSON text of our name and version. */
  readonly clientInfo: string;
  /** The JSON text of what the caller behind us can be asked for. */
  readonly clientCapabilities: string;
  readonly logLevel?: string | undefined;
}

/** The members that every request of a revision without a handshake carries in `_meta`; '' where there is a handshake. */
export function requestMeta(
  { era, revision }: Codec,
  { clientInfo, clientCapabilities, logLevel }: Introduced,
): string {
  if (era === 'handshake') return '';
  const level = logLevel === undefined ? '' : `,"${META.logLevel}":${JSON.stringify(logLevel)}`;
  return `"${META.protocolVersion}":"${revision}","${META.clientInfo}":${clientInfo},"${META.clientCapabilities}":${clientCapabilities}${level}`;
}

/** Params of our own making with `_meta` in them. Both are JSON text; `meta` holds members, '' for none. */
export function withMeta(params: string | undefined, meta: string): string | undefined {
  if (meta === '') return params;
  const rest = params === undefined || params === '{}' ? '}' : `,${params.slice(1)}`;
  return `{"_meta":{${meta}}${rest}`;
}

/** The params of a notification without what its sender said to us alone. The memory is another one where they change. */
export function withoutHopMeta(params: JsonSlice): JsonSlice {
  const { bytes, start, end } = params;
  const meta = membersOf(bytes, start, end).findLast(({ name }) => name === '_meta');
  if (meta === undefined) return params;
  const edits = dropEdits(membersOf(bytes, meta.valueStart, meta.end), HOP_KEYS);
  return edits.length === 0 ? params : sliceOf(joinPieces(splice(bytes, start, end, edits)));
}

/**
 * What is to be changed in a caller's `_meta` before it goes on: what the caller said to us is taken out, and what we say
 * is put in front. A token that is all that changes keeps its place.
 *
 * @param token our progress token
 * @param ours further members of ours as JSON text, '' for none
 */
export function metaEdits(bytes: Uint8Array, metaStart: number, metaEnd: number, token: number, ours: string): Edit[] {
  if (ours !== '' && saysNothingFurther({ bytes, start: metaStart, end: metaEnd })) {
    return [{ start: metaStart, end: metaEnd, by: `{"progressToken":${token},${ours}}` }];
  }
  const members = membersOf(bytes, metaStart, metaEnd);
  const dropped = members.filter(({ name }) => REQUEST_KEYS.has(name));
  const [first] = dropped;
  if (ours === '' && dropped.length === 1 && first!.name === 'progressToken') {
    return [{ start: first!.valueStart, end: first!.end, by: String(token) }];
  }
  const open = metaStart + 1;
  const text = `"progressToken":${token}${ours === '' ? '' : `,${ours}`}`;
  const comma = dropped.length < members.length ? ',' : '';
  return [{ start: open, end: open, by: `${text}${comma}` }, ...dropEdits(members, REQUEST_KEYS)];
}

const furtherSaid = new KnownTexts<boolean>();

/** Whether all of a `_meta` was said to us alone. */
function saysNothingFurther(meta: JsonSlice): boolean {
  const known = furtherSaid.find(meta);
  if (known !== undefined) return known;
  const isAllOurs = membersOf(meta.bytes, meta.start, meta.end).every(({ name }) => REQUEST_KEYS.has(name));
  furtherSaid.add(meta, isAllOurs);
  return isAllOurs;
}
