import { encodeText, onOneLine, type Piece, sliceOf } from '../base/index.js';
import type { RelayedAnswer } from '../gateway/index.js';
import {
  type CacheHints,
  errorHead,
  NO_CACHE,
  REVISIONS,
  resultHead,
  toModernError,
  toModernResult,
} from '../protocol/index.js';
import { MODERN_CAPABILITIES } from './capabilities.js';

/** How we introduce ourselves. */
type Info = { readonly name: string; readonly title?: string; readonly version: string };

/** What there is to be used (MCP 2026-07-28 server/discover), whatever upstreams there are: they may come and go. */
export const DISCOVERED = {
  supportedVersions: REVISIONS,
  capabilities: MODERN_CAPABILITIES,
};

/** Results that say how long they hold (MCP 2026-07-28 server/utilities/caching, Cacheable Results). */
const CACHED: Readonly<Record<string, CacheHints>> = {
  'server/discover': { ttlMs: 60_000, cacheScope: 'private' },
  'tools/list': NO_CACHE,
  'prompts/list': NO_CACHE,
  'resources/list': NO_CACHE,
  'resources/templates/list': NO_CACHE,
  'resources/read': NO_CACHE,
};

/** An answer from below, as callers of the 2026 era read it. */
export function modernAnswer(id: string, method: string, answer: RelayedAnswer, info: Info): readonly Piece[] {
  const { kind, hasLineBreaks } = answer;
  const json = hasLineBreaks ? onOneLine(answer.json) : answer.json;
  if (kind === 'error') return [errorHead(id), ...toModernError(json, method), '}'];
  const options = { serverInfo: infoText(info), cache: CACHED[method], isToolResult: method === 'tools/call' };
  return [resultHead(id), ...toModernResult(json, options), '}'];
}

/** A result of our own. */
export function modernResult(id: string, result: object, method: string, info: Info): readonly Piece[] {
  const json = sliceOf(encodeText(JSON.stringify(result)));
  return modernAnswer(id, method, { kind: 'result', json, hasLineBreaks: false }, info);
}

const texts = new WeakMap<Info, string>();

function infoText(info: Info): string {
  const known = texts.get(info);
  if (known !== undefined) return known;
  const text = JSON.stringify(info);
  texts.set(info, text);
  return text;
}
