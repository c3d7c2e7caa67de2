/** The same door where there are only `Request` and `Response`. */
import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/fixtures/http-caller.js';
import { MemoryGateway, toolNamed } from '../../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../../test/fixtures/memory-transport.js';
import { settled } from '../../../test/fixtures/virtual-clock.js';
import { systemClock } from '../../base/index.js';
import { FetchExchange } from './fetch-exchange.js';
import { createHttpApp } from './http-app.js';
import { HttpDoor } from './http-door.js';
import { anyone } from './identity.js';

function serve(script: MemoryScript) {
  const { gateway, ...memory } = new MemoryGateway(
    { a: { scripts: [script] } },
    { limits: { maxMessageBytes: 1_000 } },
  );
  const door = new HttpDoor({
    gateway,
    limits: gateway.limits,
    info: { name: 'doorward', version: '1' },
    admission: { port: () => 443, host: 'gw.test', publicUrl: 'https://gw.test', allowedHosts: [], allowedOrigins: [] },
    identifier: anyone,
    maxSessions: 10,
    idleTimeoutMs: 60_000,
    clock: systemClock,
  });
  const app = createHttpApp({
    door,
    readiness: () => ({ status: 'ready', degraded: [], upstreams: [] }),
    surface: () => ({
      server: { name: 'test.gw/door', description: 'A door', version: '1' },
      tools: [],
      capabilities: {},
      supportedVersions: [],
      path: '/mcp',
    }),
  });
  const ask = async (init: RequestInit & { readonly path?: string }): Promise<Response> => {
    const headers = { host: 'gw.test', 'content-type': 'application/json', ...(init.headers as object) };
    const request = new Request(`https://gw.test${init.path ?? '/mcp'}`, { method: 'POST', ...init, headers });
    return app.fetch(request, { exchange: new FetchExchange(request) });
  };
  return { ...memory, gateway, door, ask };
}

const modern = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'a__x',
};
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (meta: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'a__x', arguments: { n: 1 }, _meta: { ..._meta, ...meta } },
  });
const answering: MemoryScript = {
  tools: [toolNamed('x')],
  on: {
    'tools/call': ({ params }, transport) => {
      const { progressToken } = (params?._meta ?? {}) as { progressToken?: unknown };
      if (progressToken !== undefined) {
        const progress = { progressToken, progress: 1 };
        transport.say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress }));
      }
      return { content: [] };
    },
  },
};

test('answers with JSON, with a stream, and with what it refuses', async () => {
  const { ask, gateway, door } = serve(answering);
  const json = await ask({ headers: modern, body: call() });
  expect([json.status, json.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await json.json()).toMatchObject({ id: 1, result: { content: [] } });
  const stream = await ask({ headers: modern, body: call({ progressToken: 't' }) });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect(eventsOf(await stream.text())).toMatchObject([{ method: 'notifications/progress' }, { id: 1 }]);
  expect((await ask({ headers: modern, body: call().padEnd(1_001) })).status).toBe(413);
  expect((await ask({ path: '/healthz', method: 'GET' })).status).toBe(200);
  expect((await ask({ path: '/other', method: 'GET' })).status).toBe(404);
  const request = new Request('https://evil.test/mcp', { method: 'POST', headers: { host: 'evil.test' } });
  const exchange = new FetchExchange(request);
  door.handle(exchange);
  expect((await exchange.response).status).toBe(403);
  await gateway.close();
});

test('a stream that is cancelled cancels its request', async () => {
  const ended: string[] = [];
  const { ask, gateway } = serve({
    tools: [toolNamed('x')],
    on: {
      'tools/call': ({ params }, transport) => {
        const { progressToken } = (params?._meta ?? {}) as { progressToken?: unknown };
        transport.say(
          JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } }),
        );
        return undefined;
      },
      'notifications/cancelled': () => void ended.push('cancelled'),
    },
  });
  const response = await ask({ headers: modern, body: call({ progressToken: 't' }) });
  await response.body?.cancel();
  await settled();
  await settled();
  expect(ended).toEqual(['cancelled']);
  await gateway.close();
});

test('a request that is aborted cancels what it asked for', async () => {
  const ended: string[] = [];
  const { ask, gateway } = serve({
    tools: [toolNamed('x')],
    on: { 'tools/call': () => undefined, 'notifications/cancelled': () => void ended.push('cancelled') },
  });
  const abort = new AbortController();
  void ask({ headers: modern, body: call(), signal: abort.signal });
  await new Promise((resolve) => setTimeout(resolve, 50));
  abort.abort();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ended).toEqual(['cancelled']);
  await gateway.close();
});
