import type { Exclusion, ListedTool } from '../catalog/index.js';
import type { Connection } from './connection.js';
import { listPages } from './paging.js';
import type { RequestOptions } from './pending.js';
import { type DefinitionWarning, readDefinition } from './tool-definition.js';

export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly exclusions: readonly Exclusion[];
  /** How long all of it may be taken for fresh, in milliseconds; undefined where the upstream does not say. */
  readonly ttlMs?: number | undefined;
}

export interface ListingOptions {
  readonly upstream: string;
  readonly uncompilableOutput: 'exclude' | 'ignore';
  /** Calls repeat parameters in headers: the upstream is one of the modern era, over HTTP. */
  readonly hasHeaders?: boolean;
  readonly request: RequestOptions;
  readonly warn: (warning: DefinitionWarning | { readonly warning: string; readonly message: string }) => void;
}

/**
 * Lists an upstream's tools, all pages, and judges them one by one: a broken tool costs itself alone.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL when an answer is no list; whatever the connection throws
 */
export async function listTools(connection: Connection, options: ListingOptions): Promise<ToolList> {
  const { upstream, request, warn, hasHeaders = false } = options;
  const { era } = connection.codec;
  const tools = new Map<string, ListedTool>();
  const exclusions: Exclusion[] = [];
  let position = 0;
  let ttlMs: number | undefined;
  const paging = { upstream, method: 'tools/list', member: 'tools', request, warn };
  for await (const { elements, isRepeat, ttlMs: pageMs } of listPages(connection, paging)) {
    if (pageMs !== undefined) ttlMs = Math.min(ttlMs ?? pageMs, pageMs);
    for (const element of elements) {
      position++;
      const read = readDefinition(element, { ...options, era, hasHeaders, position });
      if (read.kind === 'exclusion') exclusions.push(read.exclusion);
      else if (!tools.has(read.tool.name)) tools.set(read.tool.name, read.tool);
      else if (!isRepeat) {
        const { name } = read.tool;
        warn({ warning: 'duplicate-tool', message: `lists ${name} twice; the first one counts`, tool: name });
      }
    }
  }
  return { tools: [...tools.values()], exclusions, ttlMs };
}
