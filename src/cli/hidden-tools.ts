import type { CatalogSnapshot } from '../gateway/index.js';
import { oneLine } from './screen.js';

/** A tool that its server lists and that the configuration keeps out of the catalog. */
export interface HiddenTool {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
}

/** What tools.allow and tools.deny hide of these servers. */
export function hiddenTools({ hidden }: CatalogSnapshot, servers: readonly string[]): readonly HiddenTool[] {
  return servers.flatMap((server) =>
    hidden.filter(({ mount }) => mount === server).map(({ tool }) => ({ server, tool })),
  );
}

const MAX_SHOWN = 20;

/** `2 hidden by tools.allow or tools.deny: files.write_file, files.move_file`; undefined where nothing is hidden. */
export function hiddenText(hidden: readonly HiddenTool[]): string | undefined {
  if (hidden.length === 0) return undefined;
  const names = hidden.slice(0, MAX_SHOWN).map(({ server, tool }) => `${server}.${tool}`);
  const more = hidden.length > MAX_SHOWN ? ` and ${hidden.length - MAX_SHOWN} more` : '';
  return oneLine(`${hidden.length} hidden by tools.allow or tools.deny: ${names.join(', ')}${more}`);
}
