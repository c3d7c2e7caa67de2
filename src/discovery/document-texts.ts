import { toolsArray, toolsDocument, toolsIndex } from './agent-tools.js';
import { serverCard } from './card.js';
import { aiCatalog, apiCatalog } from './catalogs.js';
import type { DocumentName } from './document-table.js';
import { llmsText } from './llms-text.js';
import { mcpDocument } from './mcp-document.js';
import { openapi } from './openapi.js';
import { protectedResource } from './protected-resource.js';
import type { Surface } from './types.js';

type MakeDocument = (surface: Surface) => object | string | undefined;

const MAKE: Readonly<Record<DocumentName, MakeDocument>> = {
  card: serverCard,
  mcp: mcpDocument,
  aiCatalog,
  apiCatalog,
  toolsIndex,
  openai: (surface) => toolsDocument(surface, 'openai'),
  anthropic: (surface) => toolsDocument(surface, 'anthropic'),
  gemini: (surface) => toolsDocument(surface, 'gemini'),
  openaiTools: (surface) => toolsArray(surface, 'openai', 'loose'),
  openaiStrictTools: (surface) => toolsArray(surface, 'openai', 'strict'),
  openaiResponsesTools: (surface) => toolsArray(surface, 'openai-responses', 'loose'),
  openaiResponsesStrictTools: (surface) => toolsArray(surface, 'openai-responses', 'strict'),
  anthropicTools: (surface) => toolsArray(surface, 'anthropic', 'loose'),
  anthropicStrictTools: (surface) => toolsArray(surface, 'anthropic', 'strict'),
  geminiTools: (surface) => toolsArray(surface, 'gemini', 'loose'),
  geminiStrictTools: (surface) => toolsArray(surface, 'gemini', 'strict'),
  protectedResource,
  registryAuth: ({ registryAuth }) => registryAuth,
  openapi,
  llms: llmsText,
};

/** The text of a document; undefined where this server has none. */
export function makeText(name: DocumentName, surface: Surface): string | undefined {
  const made = MAKE[name](surface);
  return typeof made === 'object' ? JSON.stringify(made) : made;
}
