import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { safeParse } from 'zod/mini';
import { DOCUMENTS, type Route, routeTable } from '../../src/discovery/index.js';
import { createHttpApp } from '../../src/doors/http/index.js';
import { openTestDoor, type TestHttpDoor } from '../fixtures/http-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';

// The documents of a door that is open on a port, asked for as anybody would.

const PUBLIC_URL = 'https://gw.test/mcp';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let door: TestHttpDoor;

function ask(path: string, { method = 'GET', headers = {} }: Asked = {}): Promise<Reply> {
  return new Promise((settle, reject) => {
    const { port } = new URL(door.url);
    const asking = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => settle({ status: response.statusCode!, headers: response.headers, body }));
    });
    asking.on('error', reject).end();
  });
}

beforeEach(async (context) => {
  const tools = [toolNamed('x'), toolNamed('y'), { ...toolNamed('odd'), title: 5, description: 7, annotations: 1 }];
  door = await openTestDoor(context, {
    mounts: { a: { scripts: [{ tools }] }, b: { scripts: [{ tools: [toolNamed('z')] }] } },
    http: {
      publicUrl: PUBLIC_URL,
      discovery: {
        tools: ['a__*'],
        servers: ['a', 'nobody'],
        contact: 'ops@gw.test',
        registryAuth: 'v=MCPv1; k=ed25519; p=AAAA',
      },
    },
    environment: { SOURCE_DATE_EPOCH: '1767323045' },
  });
  door.memory.gateway.start();
  await door.memory.gateway.listTools();
});

const ROWS = routeTable({ path: '/mcp' });
const DOCUMENT_ROWS = ROWS.flatMap((row) => ('document' in row.serves ? [{ ...row, name: row.serves.document }] : []));
const SERVED = DOCUMENT_ROWS.filter(({ name }) => name !== 'protectedResource');

describe.each(SERVED)('$path', ({ path, name }) => {
  test('has its type and shape, and the same bytes whatever the Host says', async () => {
    const reply = await ask(path);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, DOCUMENTS[name].contentType]);
    const isJson = DOCUMENTS[name].contentType.includes('json');
    const value: unknown = isJson ? JSON.parse(reply.body) : reply.body;
    expect(safeParse(DOCUMENTS[name].schema, value).error).toBeUndefined();
    const foreign = {
      host: 'evil.test',
      origin: 'https://evil.test',
      'x-forwarded-host': 'evil.test',
      forwarded: 'host=evil.test',
    };
    const spoofed = await ask(path, { headers: foreign });
    expect([spoofed.status, spoofed.body, spoofed.headers.etag]).toEqual([200, reply.body, reply.headers.etag]);
    expect(spoofed.headers['access-control-allow-origin']).toBe('*');
  });

  test('is not sent again to whoever has it', async () => {
    const { headers, body } = await ask(path);
    const kept = [
      'etag',
      'cache-control',
      'vary',
      'access-control-allow-origin',
      'access-control-expose-headers',
      'link',
    ];
    const again = await ask(path, { headers: { 'if-none-match': `"x,y", ${String(headers.etag)}` } });
    expect([again.status, again.body, again.headers['content-length']]).toEqual([304, '', undefined]);
    for (const each of kept) expect([each, again.headers[each]]).toEqual([each, headers[each]]);
    expect((await ask(path, { headers: { 'if-none-match': '"other"' } })).body).toBe(body);
  });

  test('HEAD is its head, OPTIONS says what there is, and nothing else is for it', async () => {
    const { headers, body } = await ask(path);
    const head = await ask(path, { method: 'HEAD' });
    const { date: _, connection: __, ...same } = headers;
    expect(head).toMatchObject({ status: 200, headers: same, body: '' });
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(await ask(path, { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: { allow: 'GET, HEAD, OPTIONS', 'access-control-allow-methods': 'GET' },
    });
    expect(await ask(path, { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  });
});

test('the aliases of the card have its bytes', async () => {
  const replies = await Promise.all(DOCUMENT_ROWS.filter(({ name }) => name === 'card').map(({ path }) => ask(path)));
  expect(replies).toHaveLength(3);
  expect(new Set(replies.map(({ body, headers }) => body + String(headers.etag))).size).toBe(1);
});

test('tools are those that the operator names, servers too, and what somebody else wrote oddly is left out', async () => {
  const index = JSON.parse((await ask('/.well-known/agent-tools/index.json')).body) as {
    tools: Record<string, unknown>[];
  };
  expect(
    index.tools.map(({ name, title, description, annotations }) => ({ name, title, description, annotations })),
  ).toEqual(
    ['a__x', 'a__y', 'a__odd'].map((name) => ({
      name,
      title: undefined,
      description: undefined,
      annotations: undefined,
    })),
  );
  const { entries } = JSON.parse((await ask('/.well-known/ai-catalog.json')).body) as {
    entries: { identifier: string }[];
  };
  expect(entries.map(({ identifier }) => identifier)).toEqual([
    'urn:air:gw.test:mcp:door',
    'urn:air:gw.test:mcp.door:a',
  ]);
  for (const { path } of SERVED) expect((await ask(path)).body).not.toContain('b__z');
});

test('the time is that of the build, and the same each time', async () => {
  const { generated_at } = JSON.parse((await ask('/.well-known/mcp.json')).body) as { generated_at: string };
  expect(generated_at).toBe('2026-01-02T03:04:05Z');
});

test.each(DOCUMENT_ROWS.filter(({ name }) => name === 'protectedResource'))(
  '$path: why it is not there',
  async ({ path }) => {
    const reply = await ask(path);
    expect([reply.status, JSON.parse(reply.body).error.message]).toEqual([404, expect.stringContaining('issuer')]);
  },
);

test('a path of which nobody knows says what there is', async () => {
  for (const path of ['/', '/nothing', '/mcp/', '/.well-known/agent-tools/', '/.well-known/mcp.json/x', '/%2e%2e/x']) {
    const { status, body } = await ask(path);
    expect([status, JSON.parse(body).error.message]).toEqual([
      404,
      'nothing is served here; the MCP endpoint is /mcp, and /openapi.json lists all that is there',
    ]);
  }
});

test('what is behind a ? makes no difference', async () => {
  expect((await ask('/llms.txt?a=/../b')).body).toBe((await ask('/llms.txt')).body);
});

test('an If-None-Match that is too long is refused with both numbers', async () => {
  const { status, body } = await ask('/llms.txt', { headers: { 'if-none-match': `"${'x'.repeat(9_000)}"` } });
  expect([status, JSON.parse(body).error.message]).toEqual([
    431,
    'If-None-Match has 9002 characters, the limit is 8192',
  ]);
});

test.each(['/healthz', '/readyz'])('%s: HEAD is its head, and nothing else is for it', async (path) => {
  expect(await ask(path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  expect(await ask(path, { method: 'DELETE' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

describe('every route is a row of the table', () => {
  const placeOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method.toUpperCase()} ${path}`;

  test('what is mounted is the table, and no more', () => {
    const server = { name: 'a/b', description: 'd', version: '1' };
    const surface = { server, tools: [], capabilities: {}, supportedVersions: [], path: '/mcp' };
    const { routes } = createHttpApp({ door: door.door, readiness: () => never(), surface: () => surface });
    const rows = new Set(ROWS.map(placeOf));
    const paths = new Set(ROWS.map(({ path }) => path));
    const outside = routes.filter(({ method, path }) =>
      method === 'ALL' ? !paths.has(path) : !rows.has(`${method} ${path}`),
    );
    expect(outside).toEqual([]);
    expect(routes.filter(({ method }) => method !== 'ALL')).toHaveLength(ROWS.length);
  });

  test('and nothing else routes or listens, but for the page that a login comes back to', () => {
    const root = resolve(import.meta.dirname, '../../src');
    const listening = /\bcreateServer\(\s*(?:LIMITS|\()|import \{ Hono\b/;
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) => listening.test(readFileSync(join(root, file), 'utf8')));
    const known = ['doors/http/http-app.ts', 'runtime/node/http-server.ts', 'runtime/node/oauth-listener.ts'];
    expect(found.filter((file) => !known.includes(file))).toEqual([]);
    expect(found).toContain('runtime/node/http-server.ts');
  });
});

function never(): never {
  throw new Error('nobody asks');
}
