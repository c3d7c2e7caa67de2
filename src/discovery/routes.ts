import * as z from 'zod/mini';
import { arrayPathOf, documentPathOf } from './agent-tools.js';
import { DOCUMENTS, type DocumentName } from './document-table.js';
import { MAX_IF_NONE_MATCH } from './entity-tag.js';
import { cardPathOf, PLACES, resourcePathsOf, WELL_KNOWN } from './paths.js';
import { healthShape, messageShape, readinessShape, refusalShape } from './shapes.js';
import type { Surface } from './types.js';

/** One kind of answer. */
export interface RouteResponse {
  readonly description: string;
  readonly contentType?: string;
  readonly schema?: z.core.$ZodType;
}

export interface RouteRequest {
  /** By their names, in lower case. */
  readonly headers?: z.core.$ZodObject;
  readonly body?: { readonly contentType: string; readonly schema: z.core.$ZodType };
}

/** What a door answers by itself, in whatever way it does. */
export type DoorRoute = 'endpoint' | 'health' | 'readiness';

/** One row of the table: all that is answered over HTTP, by method and path. */
export interface Route {
  /** Unique: the operationId. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly request?: RouteRequest;
  /** By status. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** What answers it: one of the documents, or the door. HEAD and OPTIONS come with a document. */
  readonly serves: { readonly document: DocumentName } | { readonly door: DoorRoute };
}

export interface RouteTableOptions {
  /** The path of the MCP endpoint. */
  readonly path: string;
  /** Its path as callers know it, where a proxy serves it under another one. */
  readonly resourcePath?: string;
}

/**
 * All that is served, as data: doors mount it, OpenAPI is emitted from it, and a test holds what is mounted to it. A path
 * of the endpoint that is also one of a document is the endpoint's.
 */
export function routeTable({ path, resourcePath = path }: RouteTableOptions): readonly Route[] {
  const documents = documentPlaces(path, resourcePath).flatMap(([name, places]) =>
    places.map((place, at) => documentRoute(name, place, at)),
  );
  const door = [...endpointRoutes(path), ...healthRoutes()];
  const taken = new Set(door.map((route) => route.path));
  return [...door, ...documents.filter((route) => !taken.has(route.path))];
}

/** The routes of a running server. */
export function routesOf({ path, publicUrl }: Surface): readonly Route[] {
  return routeTable({ path, ...(publicUrl !== undefined && { resourcePath: new URL(publicUrl).pathname }) });
}

/** Where each document is; the first place is the one that others lead to. */
function documentPlaces(path: string, resourcePath: string): readonly (readonly [DocumentName, readonly string[]])[] {
  return [
    ['card', [cardPathOf(path), `${WELL_KNOWN}/mcp/server-card.json`, `${WELL_KNOWN}/mcp/server-card`]],
    ['mcp', [PLACES.mcp]],
    ['aiCatalog', [PLACES.aiCatalog]],
    ['apiCatalog', [PLACES.apiCatalog]],
    ['toolsIndex', [PLACES.index]],
    ['openai', [documentPathOf('openai')]],
    ['anthropic', [documentPathOf('anthropic')]],
    ['gemini', [documentPathOf('gemini')]],
    ['openaiTools', [arrayPathOf('openai', 'loose')]],
    ['openaiStrictTools', [arrayPathOf('openai', 'strict')]],
    ['openaiResponsesTools', [arrayPathOf('openai-responses', 'loose')]],
    ['openaiResponsesStrictTools', [arrayPathOf('openai-responses', 'strict')]],
    ['anthropicTools', [arrayPathOf('anthropic', 'loose')]],
    ['anthropicStrictTools', [arrayPathOf('anthropic', 'strict')]],
    ['geminiTools', [arrayPathOf('gemini', 'loose')]],
    ['geminiStrictTools', [arrayPathOf('gemini', 'strict')]],
    ['protectedResource', resourcePathsOf(path, resourcePath)],
    ['registryAuth', [PLACES.registryAuth]],
    ['openapi', [PLACES.openapi]],
    ['llms', [PLACES.llms]],
  ];
}

const SUMMARIES: Readonly<Record<DocumentName, string>> = {
  card: 'The server card: who the server is and how it is reached',
  mcp: 'The server card with capabilities and a summary of the tools',
  aiCatalog: 'The AI Catalog: this server, and those behind it that are listed by themselves',
  apiCatalog: 'The api-catalog: a linkset of what describes the endpoint',
  toolsIndex: 'Every tool with its schemas, and what becomes of it for each model vendor',
  openai: 'The tools for OpenAI, with how to carry calls out',
  anthropic: 'The tools for Anthropic, with how to carry calls out',
  gemini: 'The tools for Gemini, with how to carry calls out',
  openaiTools: 'The tools as Chat Completions of OpenAI takes them',
  openaiStrictTools: 'The same, strict where that can be',
  openaiResponsesTools: 'The tools as the Responses API of OpenAI takes them',
  openaiResponsesStrictTools: 'The same, strict where that can be',
  anthropicTools: 'The tools as the Messages API of Anthropic takes them',
  anthropicStrictTools: 'The same, strict where that can be',
  geminiTools: 'The tools as Gemini takes them',
  geminiStrictTools: 'The same, in the keywords that Gemini documents',
  protectedResource: 'Where callers get their tokens from (RFC 9728)',
  registryAuth: 'The public key by which the MCP Registry knows the owner of this domain',
  openapi: 'This description',
  llms: 'The server, for models that read pages',
};

const CONDITION = z.object({ 'if-none-match': z.optional(z.string().check(z.maxLength(MAX_IF_NONE_MATCH))) });

function documentRoute(name: DocumentName, path: string, at: number): Route {
  const { contentType, schema, missing } = DOCUMENTS[name];
  return {
    id: at === 0 ? name : `${name}_${at + 1}`,
    method: 'get',
    path,
    summary: SUMMARIES[name],
    request: { headers: CONDITION },
    responses: {
      200: { description: 'The document, with its ETag', contentType, schema },
      304: { description: 'The document is the one that If-None-Match names' },
      ...(missing !== undefined && { 404: refused('This server has no such document') }),
      431: refused(`If-None-Match is longer than ${MAX_IF_NONE_MATCH} characters`),
    },
    serves: { document: name },
  };
}

function refused(description: string): RouteResponse {
  return { description, contentType: 'application/json', schema: refusalShape };
}

const STREAM: RouteResponse = { description: 'Messages, one an event', contentType: 'text/event-stream' };

function endpointRoutes(path: string): readonly Route[] {
  const shared = {
    400: refused('The message, or a header beside it, is not good'),
    401: refused('A token is needed'),
    403: refused('The token does not suffice, or Host or Origin is foreign'),
    406: refused('Accept takes nothing that can be sent'),
  };
  const serves = { door: 'endpoint' } as const;
  return [
    {
      id: 'send',
      method: 'post',
      path,
      summary: 'The MCP endpoint: takes one message of JSON-RPC',
      request: { body: { contentType: 'application/json', schema: messageShape } },
      responses: {
        200: {
          description: 'The answer; or text/event-stream, which ends with it',
          contentType: 'application/json',
          schema: messageShape,
        },
        202: { description: 'Taken, and needs no answer' },
        ...shared,
        404: refused('There is no such session'),
        413: refused('The message is too large'),
        415: refused('The body is no JSON'),
        503: refused('The server is ending, or has no room'),
      },
      serves,
    },
    {
      id: 'listen',
      method: 'get',
      path,
      summary: 'What belongs to no request of a session (2025-11-25 and before)',
      responses: {
        200: STREAM,
        ...shared,
        404: refused('There is no such session'),
        405: refused('This version has none'),
      },
      serves,
    },
    {
      id: 'endSession',
      method: 'delete',
      path,
      summary: 'Ends a session (2025-11-25 and before)',
      responses: {
        204: { description: 'It has ended' },
        ...shared,
        404: refused('There is no such session'),
        405: refused('This version has none'),
      },
      serves,
    },
  ];
}

function healthRoutes(): readonly Route[] {
  const answer = (description: string, schema: z.core.$ZodType): RouteResponse => ({
    description,
    contentType: 'application/json',
    schema,
  });
  return [
    {
      id: 'health',
      method: 'get',
      path: '/healthz',
      summary: 'Whether the process lives',
      responses: { 200: answer('It does', healthShape) },
      serves: { door: 'health' },
    },
    {
      id: 'readiness',
      method: 'get',
      path: '/readyz',
      summary: 'Whether calls can be served',
      responses: { 200: answer('They can', readinessShape), 503: answer('Not now', readinessShape) },
      serves: { door: 'readiness' },
    },
  ];
}
