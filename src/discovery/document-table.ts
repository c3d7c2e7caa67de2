import type * as z from 'zod/mini';
import { CARD_TYPE } from './card.js';
import { OPENAPI_TYPE } from './catalogs.js';
import * as shapes from './shapes.js';

/** What one document is. */
export interface DocumentKind {
  readonly contentType: string;
  readonly schema: z.core.$ZodType;
  /** How long whoever has it need not ask again. */
  readonly maxAgeSeconds: number;
  /** Why a server may have none, and what to do about it. */
  readonly missing?: string;
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';
/** What was configured, or built. */
const FOR_AN_HOUR = 3_600;
/** What tools are in it: servers behind the door come and go. */
const FOR_A_MINUTE = 60;

const TOOLS: DocumentKind = { contentType: JSON_TYPE, schema: shapes.toolsShape, maxAgeSeconds: FOR_A_MINUTE };
const ARRAY: DocumentKind = { contentType: JSON_TYPE, schema: shapes.toolsArrayShape, maxAgeSeconds: FOR_A_MINUTE };

export type DocumentName =
  | 'card'
  | 'mcp'
  | 'aiCatalog'
  | 'apiCatalog'
  | 'toolsIndex'
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'openaiTools'
  | 'openaiStrictTools'
  | 'openaiResponsesTools'
  | 'openaiResponsesStrictTools'
  | 'anthropicTools'
  | 'anthropicStrictTools'
  | 'geminiTools'
  | 'geminiStrictTools'
  | 'protectedResource'
  | 'registryAuth'
  | 'openapi'
  | 'llms';

/** Every document there is, by its name. */
export const DOCUMENTS: Readonly<Record<DocumentName, DocumentKind>> = {
  card: { contentType: CARD_TYPE, schema: shapes.serverCardShape, maxAgeSeconds: FOR_AN_HOUR },
  mcp: { contentType: JSON_TYPE, schema: shapes.mcpShape, maxAgeSeconds: FOR_A_MINUTE },
  aiCatalog: {
    contentType: 'application/ai-catalog+json',
    schema: shapes.aiCatalogShape,
    maxAgeSeconds: FOR_AN_HOUR,
  },
  apiCatalog: {
    contentType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    schema: shapes.linksetShape,
    maxAgeSeconds: FOR_AN_HOUR,
  },
  toolsIndex: { contentType: JSON_TYPE, schema: shapes.indexShape, maxAgeSeconds: FOR_A_MINUTE },
  openai: TOOLS,
  anthropic: TOOLS,
  gemini: TOOLS,
  openaiTools: ARRAY,
  openaiStrictTools: ARRAY,
  openaiResponsesTools: ARRAY,
  openaiResponsesStrictTools: ARRAY,
  anthropicTools: ARRAY,
  anthropicStrictTools: ARRAY,
  geminiTools: ARRAY,
  geminiStrictTools: ARRAY,
  protectedResource: {
    contentType: JSON_TYPE,
    schema: shapes.protectedResourceShape,
    maxAgeSeconds: FOR_AN_HOUR,
    missing: 'callers get no tokens from an authorization server here: that takes an issuer and a public URL',
  },
  registryAuth: {
    contentType: TEXT_TYPE,
    schema: shapes.registryAuthShape,
    maxAgeSeconds: FOR_AN_HOUR,
    missing: 'no key for the MCP Registry is configured here (registryAuth)',
  },
  openapi: { contentType: OPENAPI_TYPE, schema: shapes.openapiShape, maxAgeSeconds: FOR_AN_HOUR },
  llms: { contentType: TEXT_TYPE, schema: shapes.textShape, maxAgeSeconds: FOR_A_MINUTE },
};
