import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { DocumentName } from '../../src/discovery/index.js';
import { claim } from './document-checks.js';

interface Tool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: object | undefined;
}

/** Asks a live server for its tools, as the official client does. */
export async function listLive(endpoint: string): Promise<readonly Tool[]> {
  const client = new Client({ name: 'surfaces', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
  const { tools } = await client.listTools();
  await client.close();
  return tools as readonly Tool[];
}

/** Holds the tools of a document to those of the live server. @returns faults; undefined where it names no tools */
export function checkTools(
  name: DocumentName,
  document: unknown,
  live: readonly Tool[],
): readonly string[] | undefined {
  const wanted = live.map((tool) => tool.name);
  const named = namesIn(name, document);
  if (named === undefined) return undefined;
  const faults = [...claim(JSON.stringify(named) === JSON.stringify(wanted), `its tools are ${named.join(' ')}`)];
  if (name !== 'mcp' && name !== 'toolsIndex') return faults;
  const summaries = (document as { readonly tools: readonly Tool[] }).tools;
  for (const tool of live) {
    const summary = summaries.find((each) => each.name === tool.name);
    for (const key of ['title', 'description', 'annotations'] as const) {
      const isSame = JSON.stringify(summary?.[key]) === JSON.stringify(tool[key]);
      faults.push(...claim(isSame, `the ${key} of ${tool.name} differs from the live one`));
    }
  }
  return faults;
}

function namesIn(name: DocumentName, document: unknown): readonly string[] | undefined {
  if (name === 'mcp' || name === 'toolsIndex') {
    return (document as { readonly tools: readonly Tool[] }).tools.map((tool) => tool.name);
  }
  if (name === 'openai' || name === 'anthropic' || name === 'gemini') {
    return Object.values((document as { readonly names: Readonly<Record<string, string>> }).names);
  }
  if (!Array.isArray(document)) return undefined;
  return (document as readonly Record<string, unknown>[]).flatMap(namesOfTool);
}

/** Vendors wrap a tool each in their own way. */
function namesOfTool(tool: Readonly<Record<string, unknown>>): readonly string[] {
  if (Array.isArray(tool.functionDeclarations)) return (tool.functionDeclarations as Tool[]).map(({ name }) => name);
  return [(tool.function as Tool | undefined)?.name ?? (tool.name as string)];
}
