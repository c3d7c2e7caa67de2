/** The cases about servers that are reached over HTTP, through `doorward stdio`, with connections cut for real. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { bodyOf, endHttpServers, type Served, serveHttp } from '../fixtures/http-server.js';
import { serveModern, serveSessions } from '../fixtures/http-upstreams.js';
import { modernMeta } from '../fixtures/modern-meta.js';
import { namesOf, openDoor, textOf } from '../fixtures/open-door.js';
import { getCase, titleOf } from './cases.js';

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
  const { served, calls } = await serveCalls([{ name: 'a', inputSchema: { type: 'object' } }], (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\nretry: 250\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
    setTimeout(() => response.destroy(), 30);
  });
  const { door } = await openDoor(context, { servers: { h: { type: 'http', url: served.url } } });
  await door.request('tools/list');
  const beganMs = performance.now();
  const answer = await door.call('h__a');
  expect(performance.now() - beganMs).toBeLessThan(1_000);
  expect(answer.message?.error).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_LOST', outcome: 'unknown' } });
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(calls).toHaveLength(1);
});

test(titleOf('b22'), async (context) => {
  const { input, expect: expected } = getCase('b22');
  const tool = { name: input.name, inputSchema: input.inputSchema };
  const { served, calls } = await serveCalls([tool], (response, id) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } }));
  });
  const { door } = await openDoor(context, { servers: { h: { type: 'http', url: served.url } } });
  await door.request('tools/list');
  const named = Object.entries(expected.request_headers as Record<string, string>).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  await door.call(`h__${String(input.name)}`, String(input.arguments_json));
  expect(calls[0]!.headers).toMatchObject(Object.fromEntries(named));
  await door.call(`h__${String(input.name)}`, '{}');
  expect(Object.keys(calls[1]!.headers).filter((name) => name.startsWith('mcp-param-'))).toEqual([]);
});

describe.each(['2026-07-28', '2025-06-18'])(`${titleOf('c30')}; a caller of %s`, (revision) => {
  test('each upstream is spoken to in its own way', async (context) => {
    const stateful = await serveSessions();
    const modern = await serveModern();
    const servers = { stateful: { type: 'http', url: stateful.url }, modern: { type: 'http', url: modern.url } };
    const isModern = revision === '2026-07-28';
    const { door } = await openDoor(context, { servers, initialize: !isModern });
    const meta = isModern ? { _meta: modernMeta() } : {};
    expect(namesOf(await door.request('tools/list', meta))).toEqual(
      expect.arrayContaining(['stateful__echo', 'modern__echo']),
    );
    for (const name of ['stateful__echo', 'modern__echo']) {
      expect(textOf(await door.request('tools/call', { name, arguments: {}, ...meta }))).toBe('ok');
    }
    expect(stateful.asked).toContain('POST initialize');
    expect(modern.asked).not.toContain('POST initialize');
    expect(modern.headers.some((headers) => 'mcp-session-id' in headers)).toBe(false);
  });
});

/** A server of 2026-07-28 that lists these tools; what a call gets is the test's. */
async function serveCalls(
  tools: readonly object[],
  call: (response: ServerResponse, id: unknown) => void,
): Promise<{ served: Served; calls: IncomingMessage[] }> {
  const calls: IncomingMessage[] = [];
  const results: Readonly<Record<string, object>> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'of a case', version: '1.0.0' },
    },
    'tools/list': { tools },
  };
  const served = await serveHttp(async (request, response) => {
    const { id, method = '' } = JSON.parse((await bodyOf(request)) || '{}') as { id?: number; method?: string };
    if (method === 'tools/call') {
      calls.push(request);
      return call(response, id);
    }
    const result = results[method] && {
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'private',
      ...results[method],
    };
    const error = { code: -32601, message: 'Method not found' };
    response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  });
  return { served, calls };
}
