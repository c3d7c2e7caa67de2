import * as z from 'zod/mini';
import { type Route, type RouteRequest, type RouteResponse, routesOf } from './routes.js';
import type { Surface } from './types.js';

/**
 * OpenAPI 3.1 of all that is served, from the route table. Its schemas are JSON Schema 2020-12, which is what zod writes:
 * no library is needed for it, and none goes into a Worker.
 */
export function openapi(surface: Surface): object {
  const { server, publicUrl, contact, auth } = surface;
  const routes = routesOf(surface);
  const paths = new Map<string, Record<string, object>>();
  for (const route of routes) {
    paths.set(route.path, { ...paths.get(route.path), [route.method]: operation(route, auth !== undefined) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: server.title ?? server.name,
      version: server.version,
      description: server.description,
      ...(contact !== undefined && { contact: contactOf(contact) }),
    },
    ...(publicUrl !== undefined && { servers: [{ url: new URL(publicUrl).origin }] }),
    paths: Object.fromEntries(paths),
    ...(auth && { components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } }),
  };
}

function operation({ id, summary, request, responses, serves }: Route, needsToken: boolean): object {
  return {
    operationId: id,
    summary,
    ...(request && requestOf(request)),
    responses: Object.fromEntries(Object.entries(responses).map(([status, each]) => [status, responseOf(each)])),
    ...(needsToken && 'door' in serves && serves.door === 'endpoint' && { security: [{ bearer: [] }] }),
  };
}

function requestOf({ headers, body }: RouteRequest): object {
  return {
    ...(headers && {
      parameters: Object.entries(headers._zod.def.shape).map(([name, schema]) => header(name, schema)),
    }),
    ...(body && {
      requestBody: { required: true, content: { [body.contentType]: { schema: jsonSchemaOf(body.schema) } } },
    }),
  };
}

function header(name: string, schema: z.core.$ZodType): object {
  const required = schema._zod.optin !== 'optional';
  return { name, in: 'header', required, schema: jsonSchemaOf(schema) };
}

function responseOf({ description, contentType, schema }: RouteResponse): object {
  if (contentType === undefined) return { description };
  return { description, content: { [contentType]: schema ? { schema: jsonSchemaOf(schema) } : {} } };
}

function jsonSchemaOf(schema: z.core.$ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

function contactOf(contact: string): object {
  return contact.includes('://') ? { url: contact } : { email: contact.replace(/^mailto:/, '') };
}
