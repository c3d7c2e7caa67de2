import { type CallerCapabilities, cacheKeyFor } from '../../base/index.js';
import type { CatalogCache } from '../../catalog/index.js';
import { beginningOf } from './beginning-of.js';

const MAX_BYTES = 16 * 1024;
const MAX_BYTES_EACH = 2 * 1024;

/**
 * What the door tells models at initialize, when no upstream is up yet: what each said of itself the last time, under a
 * heading with its mount's id. At most 2 KiB an upstream and 16 KiB in all.
 *
 * @returns `` where nothing is known
 */
export function cachedInstructions(
  cache: Pick<CatalogCache, 'read'>,
  mounts: readonly { readonly id: string; readonly cacheKey?: string }[],
  declared: CallerCapabilities = {},
): string {
  const sections: string[] = [];
  let bytes = 0;
  for (const { id, cacheKey } of mounts) {
    if (bytes > MAX_BYTES) break;
    const text = cacheKey === undefined ? undefined : cache.read(cacheKeyFor(cacheKey, declared))?.instructions.trim();
    if (!text) continue;
    const section = `## ${onOneLine(id)}\n\n${beginningOf(nested(text), MAX_BYTES_EACH)}`;
    sections.push(section);
    bytes += Buffer.byteLength(section);
  }
  return beginningOf(sections.join('\n\n'), MAX_BYTES);
}

/** Puts an upstream's own headings below that of its mount, so that what follows them is not read as another mount's. */
function nested(text: string): string {
  return text.replaceAll(/^( {0,3})(?=#{1,6}(?:\s|$))/gm, '$1##');
}

/** Ids are free text. */
function onOneLine(id: string): string {
  return id.replaceAll(/\s+/g, ' ');
}
