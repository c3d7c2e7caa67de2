import { type CatalogCache, isMounted } from '../catalog/index.js';
import { readCachedTools } from '../client/index.js';
import type { BrokenMount, Mount } from '../gateway/index.js';
import { oneLine } from './screen.js';

/** A tool that its server lists and that the configuration keeps out of the catalog. */
export interface HiddenTool {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
}

/**
 * Finds what tools.allow and tools.deny hide. The catalog holds only what is mounted; a server's whole list is seen where
 * it is kept on disk.
 */
export class HiddenTools {
  readonly #byServer = new Map<string, readonly HiddenTool[]>();

  /** A cache that is written to as before, and read over the writer's shoulder. */
  watch(cache: CatalogCache, mounts: readonly (Mount | BrokenMount)[]): CatalogCache {
    return {
      read: (key) => cache.read(key),
      write: (key, catalog) => {
        cache.write(key, catalog);
        for (const mount of mounts) {
          if ('error' in mount || mount.cacheKey !== key || mount.tools === undefined) continue;
          const { id: server, tools: filter } = mount;
          const listed = readCachedTools(server, catalog.tools).map(({ name }) => name);
          const hidden = listed.filter((name) => !isMounted(name, filter)).map((tool) => ({ server, tool }));
          this.#byServer.set(server, hidden);
        }
      },
    };
  }

  of(servers: readonly string[]): readonly HiddenTool[] {
    return servers.flatMap((server) => this.#byServer.get(server) ?? []);
  }
}

const MAX_SHOWN = 20;

/** `2 hidden by tools.allow or tools.deny: files.write_file, files.move_file`; undefined where nothing is hidden. */
export function hiddenText(hidden: readonly HiddenTool[]): string | undefined {
  if (hidden.length === 0) return undefined;
  const names = hidden.slice(0, MAX_SHOWN).map(({ server, tool }) => `${server}.${tool}`);
  const more = hidden.length > MAX_SHOWN ? ` and ${hidden.length - MAX_SHOWN} more` : '';
  return oneLine(`${hidden.length} hidden by tools.allow or tools.deny: ${names.join(', ')}${more}`);
}
