/** The cases about servers that are reached over HTTP, through `doorward stdio`, with connections cut for real. */
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { bodyOf, endHttpServers, serveHttp } from '../fixtures/http-server.js';
import { serveSessions } from '../fixtures/http-upstreams.js';
import { openDoor, textOf } from '../fixtures/open-door.js';
import { titleOf } from './cases.js';

afterEach(endHttpServers);

test(titleOf('c22'), async (context) => {
  const upstream = await serveSessions();
  const { door } = await openDoor(context, { servers: { h: { type: 'http', url: upstream.url } } });
  expect(textOf(await door.call('h__echo'))).toBe('ok');
  upstream.forget();
  const answers = [
    await door.call('h__echo'),
    ...(await Promise.all(Array.from({ length: 5 }, () => door.call('h__echo')))),
  ];
  expect(answers.map(textOf)).toEqual(Array(6).fill('ok'));
  const initializes = upstream.asked.flatMap((asked, i) => (asked === 'POST initialize' ? [upstream.headers[i]!] : []));
  expect(initializes.map((headers) => headers['mcp-session-id'])).toEqual([undefined, undefined]);
  expect(upstream.runs(), 'each call ran once').toBe(7);
});

test('c22: parallel calls that all meet the lost session', async (context) => {
  const upstream = await serveSessions();
  const { door } = await openDoor(context, { servers: { h: { type: 'http', url: upstream.url } } });
  expect(textOf(await door.call('h__echo'))).toBe('ok');
  upstream.forget();
  const answers = await Promise.all(Array.from({ length: 5 }, () => door.call('h__echo')));
  expect(answers.map(textOf)).toEqual(Array(5).fill('ok'));
  expect(upstream.asked.filter((asked) => asked === 'POST initialize')).toHaveLength(2);
  expect(upstream.runs()).toBe(6);
});

test(titleOf('c42'), async (context) => {
  const upstream = await serveSessions();
  const { door } = await openDoor(context, { servers: { h: { type: 'http', url: upstream.url } } });
  const answer = await door.call('h__cut');
  expect(textOf(answer)).toBe('late');
  const resumed = upstream.headers.filter((headers) => headers['last-event-id'] !== undefined);
  expect(resumed).toHaveLength(1);
  expect(upstream.asked.some((asked, i) => asked.startsWith('POST') && 'last-event-id' in upstream.headers[i]!)).toBe(
    false,
  );
  expect(upstream.runs()).toBe(1);
});

test('c42: in the modern era the call fails within a second, and is not sent again', async (context) => {
  const calls: IncomingMessage[] = [];
  const served = await serveHttp(async (request, response) => {
    const message = JSON.parse((await bodyOf(request)) || '{}') as { id?: number; method?: string };
    const result = RESULTS[message.method ?? ''];
    if (message.method === 'tools/call') {
      calls.push(request);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nretry: 250\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
      setTimeout(() => response.destroy(), 30);
    } else if (result === undefined) response.writeHead(404).end(error(message.id));
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...result } }));
    }
  });
  const { door } = await openDoor(context, { servers: { h: { type: 'http', url: served.url } } });
  await door.request('tools/list');
  const beganMs = performance.now();
  const answer = await door.call('h__a');
  expect(performance.now() - beganMs).toBeLessThan(1_000);
  expect(answer.message?.error).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_LOST', outcome: 'unknown' } });
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(calls).toHaveLength(1);
  expect(calls[0]!.headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': 'a' });
});

const CACHE = { ttlMs: 60_000, cacheScope: 'private' };
const RESULTS: Readonly<Record<string, object>> = {
  'server/discover': {
    ...CACHE,
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'cuts', version: '1.0.0' },
  },
  'tools/list': { ...CACHE, tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
};

const error = (id: number | undefined): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
