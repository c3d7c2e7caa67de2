import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Contract } from '../contract/index.js';
import { type Route, routeTable } from '../discovery/index.js';
import { type GeneratedFile, jsonFile } from './generated-file.js';

const OPENAPI_PATH = 'openapi.json';

type ZodType = NonNullable<Route['responses'][number]['schema']>;

export interface OpenapiFacts {
  /** Where the document goes. Default: `openapi.json`. */
  readonly path?: string;
  /** The path of the MCP endpoint. Default: that of the contract's first remote, or `/mcp`. */
  readonly endpoint?: string;
}

/** OpenAPI 3.1 of all that a contract's server answers over HTTP, from the table that its door mounts. */
export function openapiFiles(contract: Contract, facts: OpenapiFacts = {}): readonly GeneratedFile[] {
  const { server, remotes } = contract;
  const remote = remotes.find(({ type, url }) => type === 'streamable-http' && !url.includes('{'));
  const { path = OPENAPI_PATH, endpoint = remote === undefined ? '/mcp' : new URL(remote.url).pathname } = facts;
  const routes = routeTable({ path: endpoint });
  const document = createDocument({
    openapi: '3.1.0',
    info: { title: server.title ?? server.name, version: server.version, description: server.description },
    ...(remote && { servers: [{ url: new URL(remote.url).origin }] }),
    paths: pathsOf(routes),
    components: { schemas: namedSchemas(routes) },
  });
  return [jsonFile(path, document)];
}

function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  }
  return paths;
}

function operationOf({ id, summary, request, responses }: Route): ZodOpenApiOperationObject {
  return {
    operationId: id,
    summary,
    ...(request?.headers && { requestParams: { header: request.headers as never } }),
    ...(request?.body && {
      requestBody: { required: true, content: { [request.body.contentType]: { schema: request.body.schema } } },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { description, contentType, schema }]) => [
        status,
        {
          description,
          ...(contentType !== undefined && { content: { [contentType]: schema === undefined ? {} : { schema } } }),
        },
      ]),
    ),
  };
}

/** Schemas of answers, each written once, under the name of what is answered first with it. */
function namedSchemas(routes: readonly Route[]): Readonly<Record<string, ZodType>> {
  const named: Record<string, ZodType> = {};
  for (const { serves, responses } of routes) {
    for (const [status, { schema }] of Object.entries(responses)) {
      if (schema === undefined || Object.values(named).includes(schema)) continue;
      const what = 'document' in serves ? serves.document : serves.door;
      const name = Number(status) < 400 ? what : 'refusal';
      named[Object.hasOwn(named, name) ? `${name}${status}` : name] = schema;
    }
  }
  return named;
}
