import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { SURFACE, unreached } from '../../test/fixtures/surface.js';
import { DOCUMENTS } from './document-table.js';
import { openapi } from './openapi.js';
import { routesOf, routeTable } from './routes.js';

type Json = Record<string, unknown>;
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { schema?: object }>> }>
  >;
  readonly security?: readonly Json[];
};
interface OpenApi {
  readonly info: Json;
  readonly servers?: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Json;
}

describe('the route table', () => {
  test.each([
    { path: '/mcp', card: '/mcp/server-card' },
    { path: '/', card: '/server-card' },
    { path: '/a/b/', card: '/a/b/server-card' },
  ])('$path: the card is beside the endpoint', ({ path, card }) => {
    expect(routeTable({ path }).find(({ id }) => id === 'card')?.path).toBe(card);
  });

  test('every row is the only one of its method and path, and of its name', () => {
    for (const path of ['/mcp', '/', '/openapi.json', '/healthz']) {
      const rows = routeTable({ path, resourcePath: '/team/mcp' });
      const places = rows.map((row) => `${row.method} ${row.path}`);
      if (path !== '/healthz') expect(new Set(places).size).toBe(rows.length);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    }
  });

  test('every document has a place', () => {
    const served = routeTable({ path: '/mcp' }).flatMap(({ serves }) =>
      'document' in serves ? [serves.document] : [],
    );
    expect(new Set(served)).toEqual(new Set(Object.keys(DOCUMENTS)));
  });

  test('a path of the endpoint that is one of a document is the endpoint’s', () => {
    const rows = routeTable({ path: '/openapi.json' }).filter(({ path }) => path === '/openapi.json');
    expect(rows.map(({ id }) => id)).toEqual(['send', 'listen', 'endSession']);
  });

  test.each([
    { path: '/mcp', publicUrl: 'https://gw.test/team/mcp', inserted: ['/mcp', '/team/mcp', ''] },
    { path: '/mcp', publicUrl: 'https://gw.test/mcp', inserted: ['/mcp', ''] },
    { path: '/', publicUrl: 'https://gw.test', inserted: [''] },
    { path: '/mcp', publicUrl: undefined, inserted: ['/mcp', ''] },
  ])('the resource metadata of $publicUrl is behind $inserted', ({ path, publicUrl, inserted }) => {
    const rows = routesOf({ ...unreached(), path, ...(publicUrl !== undefined && { publicUrl }) });
    const places = rows.map((row) => row.path).filter((place) => place.includes('oauth-protected-resource'));
    expect(places).toEqual(inserted.map((behind) => `/.well-known/oauth-protected-resource${behind}`));
  });
});

describe('OpenAPI', () => {
  const surface = { ...SURFACE, contact: 'mailto:ops@notes.example', auth: { kind: 'tokens', scopes: [] } as const };
  const document = openapi(surface) as OpenApi;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  test('has every row, and nothing else', () => {
    const rows = routesOf(surface).map(({ method, path, id, responses }) => [method, path, id, Object.keys(responses)]);
    const found = operations.map(({ path, method, operation }) => [
      method,
      path,
      operation.operationId,
      Object.keys(operation.responses),
    ]);
    expect(found.sort()).toEqual(rows.sort());
  });

  test('every schema in it compiles', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    let count = 0;
    for (const { operation } of operations) {
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((each) =>
        Object.values(each?.content ?? {}),
      );
      for (const { schema } of contents) {
        if (schema === undefined) continue;
        ajv.compile(schema);
        count++;
      }
    }
    expect(count).toBeGreaterThan(40);
  });

  test('says who, where, whom to write to, and that the endpoint wants a token', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Notes', version: '1.2.3', contact: { email: 'ops@notes.example' } },
      servers: [{ url: 'https://notes.example' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    });
    expect(document.paths['/mcp']!.post!.security).toEqual([{ bearer: [] }]);
    expect(document.paths['/healthz']!.get!.security).toBeUndefined();
    expect(document.paths['/llms.txt']!.get!.parameters).toEqual([
      { name: 'if-none-match', in: 'header', required: false, schema: { type: 'string', maxLength: 8192 } },
    ]);
  });

  test('and nothing of what is not known', () => {
    const bare = openapi({ ...unreached(), server: { name: 'a/b', description: 'd', version: '1' } }) as OpenApi;
    expect(Object.keys(bare)).toEqual(['openapi', 'info', 'paths']);
    expect(bare.info).toEqual({ title: 'a/b', version: '1', description: 'd' });
    expect(bare.paths['/mcp']!.post!.security).toBeUndefined();
    const page = openapi({ ...SURFACE, contact: 'https://notes.example/help' }) as OpenApi;
    expect(page.info.contact).toEqual({ url: 'https://notes.example/help' });
  });
});
