import { DoorError, decodeText, elementsOf, JsonScanner, onOneLine } from '../base/index.js';
import type { Exclusion, ListedTool } from '../catalog/index.js';
import type { Connection } from './connection.js';
import type { RawAnswer, RequestOptions } from './pending.js';
import { type DefinitionWarning, readDefinition } from './tool-definition.js';

const MAX_PAGES = 1_000;

export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly exclusions: readonly Exclusion[];
}

export interface ListingOptions {
  readonly upstream: string;
  readonly uncompilableOutput: 'exclude' | 'ignore';
  readonly request: RequestOptions;
  readonly warn: (warning: DefinitionWarning | { readonly warning: string; readonly message: string }) => void;
}

const scanner = new JsonScanner();

/**
 * Lists an upstream's tools, all pages, and judges them one by one: a broken tool costs itself alone.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL when an answer is no list; whatever the connection throws
 */
export async function listTools(connection: Connection, options: ListingOptions): Promise<ToolList> {
  const tools = new Map<string, ListedTool>();
  const exclusions: Exclusion[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let position = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? undefined : `{"cursor":${cursor}}`;
    const answer = await connection.request('tools/list', params, options.request);
    const { elements, next } = readPage(answer, options.upstream);
    const isRepeat = next !== undefined && cursors.has(next);
    for (const element of elements) {
      position++;
      const read = readDefinition(element, { ...options, position });
      if (read.kind === 'exclusion') exclusions.push(read.exclusion);
      else if (!tools.has(read.tool.name)) tools.set(read.tool.name, read.tool);
      else if (!isRepeat) {
        options.warn({
          warning: 'duplicate-tool',
          message: `lists ${read.tool.name} twice; the first one counts`,
          tool: read.tool.name,
        });
      }
    }
    if (next === undefined) return { tools: [...tools.values()], exclusions };
    if (isRepeat) {
      options.warn({
        warning: 'pagination-loop',
        message: `the cursor ${next.slice(0, 80)} came again; stopped there`,
      });
      return { tools: [...tools.values()], exclusions };
    }
    cursors.add(next);
    cursor = next;
  }
  options.warn({ warning: 'pagination-endless', message: `gave more than ${MAX_PAGES} pages; stopped there` });
  return { tools: [...tools.values()], exclusions };
}

interface Page {
  readonly elements: readonly Uint8Array[];
  /** The token of the next cursor. Any cursor but null goes on, the empty one too. */
  readonly next: string | undefined;
}

function readPage(answer: RawAnswer, upstream: string): Page {
  const { bytes, start, end } = answer;
  if (answer.kind === 'error') {
    throw new DoorError(
      'UPSTREAM_BROKE_PROTOCOL',
      `${upstream}: tools/list failed: ${decodeText(bytes, start, end).slice(0, 400)}`,
      {
        data: { upstream },
      },
    );
  }
  scanner.scan(bytes, start, end);
  const tools = scanner.find('tools', bytes);
  if (tools < 0 || bytes[scanner.valueStart[tools]!] !== 0x5b) {
    throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: the answer to tools/list holds no tools array`, {
      data: { upstream },
    });
  }
  const elements = elementsOf(bytes, scanner.valueStart[tools]!).map((span) => onOneLine({ bytes, ...span }).bytes);
  const cursor = scanner.find('nextCursor', bytes);
  if (cursor < 0) return { elements, next: undefined };
  const token = decodeText(bytes, scanner.valueStart[cursor]!, scanner.valueEnd[cursor]!);
  return { elements, next: token === 'null' ? undefined : token };
}
