import { afterEach, describe, expect, test, vi } from 'vitest';
import { endHttpServers, serveHttp } from '../../../test/fixtures/http-server.js';
import {
  serveModern,
  serveOlder,
  serveSessions,
  serveStateless,
  type Upstream,
} from '../../../test/fixtures/http-upstreams.js';
import { TransportEar } from '../../../test/fixtures/transport-ear.js';
import { systemClock } from '../../base/index.js';
import { type HttpTransportOptions, type HttpWire, httpTransport, type Transport } from '../../client/index.js';
import { MODERN, NEWEST } from '../../protocol/index.js';
import { httpWire } from './http-wire.js';

interface Open {
  readonly transport: Transport;
  readonly ear: TransportEar;
}

let opened: (Open & { wire: HttpWire })[] = [];

afterEach(async () => {
  for (const { transport, wire } of opened) {
    await transport.close();
    await wire.close();
  }
  opened = [];
  await endHttpServers();
});

async function open(url: string, type: HttpTransportOptions['type'] = 'auto'): Promise<Open> {
  const ear = new TransportEar();
  const wire = httpWire({ env: {} });
  const transport = httpTransport({ url, wire, clock: systemClock, maxMessageBytes: 1_000_000, type: type ?? 'auto' });
  await transport.open(ear);
  opened.push({ transport, ear, wire });
  return { transport, ear };
}

function say(transport: Transport, id: number, method: string, params: object): void {
  transport.send([JSON.stringify({ jsonrpc: '2.0', id, method, params })], { id, method });
}

const call = (transport: Transport, id: number, name: string): void =>
  say(transport, id, 'tools/call', { name, arguments: {} });

async function told(ear: TransportEar, count: number): Promise<void> {
  await vi.waitFor(() => expect(ear.story.length).toBeGreaterThanOrEqual(count), { timeout: 4_000, interval: 5 });
}

async function shakeHands({ transport, ear }: Open): Promise<void> {
  say(transport, 1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  await told(ear, 1);
  expect(ear.texts[0]).toContain('"protocolVersion":"2025-11-25"');
  transport.agreed?.(NEWEST);
  const method = 'notifications/initialized';
  transport.send([JSON.stringify({ jsonrpc: '2.0', method })], { method });
  ear.messages.length = 0;
  ear.story.length = 0;
}

/** A probe of the 2026 era, as the client makes it. */
function discover(transport: Transport, id: number): void {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: meta } });
  transport.send([text], { id, method: 'server/discover', codec: MODERN });
}

describe('the handshake era', () => {
  test.each([
    { why: 'sessions, streams', serve: serveSessions },
    { why: 'sessions, JSON', serve: () => serveSessions({ json: true }) },
    { why: 'stateless', serve: serveStateless },
  ])('$why: calls, many at once', async ({ serve }) => {
    const upstream = await serve();
    const there = await open(upstream.url);
    await shakeHands(there);
    there.transport.listen?.();
    for (let id = 2; id < 22; id++) call(there.transport, id, 'echo');
    await told(there.ear, 20);
    expect(there.ear.failures).toEqual([]);
    const ids = there.ear.messages.map(({ text, stream }) => [(JSON.parse(text) as { id: number }).id, stream]);
    expect(ids.every(([id, stream]) => id === stream)).toBe(true);
    expect(new Set(ids.map(([id]) => id)).size).toBe(20);
    expect(upstream.runs()).toBe(20);
    await there.transport.close();
    const deletes = upstream.asked.filter((asked) => asked === 'DELETE');
    expect(deletes).toHaveLength(serve === serveStateless ? 0 : 1);
  });

  test('a modern probe is refused in a way that tells', async () => {
    const upstream = await serveSessions();
    const { transport, ear } = await open(upstream.url);
    discover(transport, 1);
    await told(ear, 1);
    expect(JSON.parse(ear.texts[0]!)).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
  });

  test('a session that is gone (case c22): nothing ran, the connection is over', async () => {
    const upstream = await serveSessions();
    const there = await open(upstream.url);
    await shakeHands(there);
    call(there.transport, 2, 'echo');
    await told(there.ear, 1);
    upstream.forget();
    for (let id = 3; id < 8; id++) call(there.transport, id, 'echo');
    await told(there.ear, 7);
    expect(there.ear.story.slice(1).sort()).toEqual([
      'closed',
      ...[3, 4, 5, 6, 7].map((id) => `failed ${id} UPSTREAM_LOST not-executed`),
    ]);
    expect(upstream.runs()).toBe(1);
    const again = await open(upstream.url);
    await shakeHands(again);
    const initializes = upstream.asked.flatMap((asked, i) =>
      asked === 'POST initialize' ? [upstream.headers[i]!] : [],
    );
    expect(initializes.map((headers) => headers['mcp-session-id'])).toEqual([undefined, undefined]);
  });

  test('a stream cut off for real (case c42) is taken up again once, and the answer comes once', async () => {
    const upstream = await serveSessions();
    const there = await open(upstream.url);
    await shakeHands(there);
    call(there.transport, 2, 'cut');
    await told(there.ear, 2);
    expect(there.ear.story).toEqual(['message 2', 'message 2']);
    expect(there.ear.texts[1]).toContain('late');
    expect(upstream.asked.filter((asked) => asked === 'GET')).toHaveLength(1);
    const resumed = upstream.headers[upstream.asked.indexOf('GET')]!;
    expect(resumed['last-event-id']).toBeDefined();
    expect(upstream.runs()).toBe(1);
  });

  test('one that cannot be taken up again fails within a second', async () => {
    const upstream = await serveStateless();
    const there = await open(upstream.url);
    await shakeHands(there);
    const sentAtMs = performance.now();
    call(there.transport, 2, 'cut');
    await told(there.ear, 2);
    expect(performance.now() - sentAtMs).toBeLessThan(1_000);
    expect(there.ear.story).toEqual(['message 2', 'failed 2 UPSTREAM_LOST unknown']);
    expect(upstream.runs()).toBe(1);
  });
});

describe('HTTP+SSE', () => {
  async function talk(upstream: Upstream, there: Open): Promise<void> {
    await shakeHands(there);
    for (let id = 2; id < 12; id++) call(there.transport, id, 'echo');
    await told(there.ear, 10);
    expect(there.ear.failures).toEqual([]);
    expect(upstream.runs()).toBe(10);
    await there.transport.close();
    expect(there.ear.story.at(-1)).toBe('closed');
  }

  test('by its type', async () => {
    const upstream = await serveOlder();
    await talk(upstream, await open(upstream.url, 'sse'));
  });

  test('after both newer ways were refused with 405', async () => {
    const upstream = await serveOlder();
    const there = await open(upstream.url);
    discover(there.transport, 1);
    say(there.transport, 2, 'initialize', {});
    await told(there.ear, 2);
    expect(there.ear.failures.map(({ reason }) => reason.data.httpStatus)).toEqual([405, 405]);
    there.ear.failures.length = 0;
    there.ear.story.length = 0;
    await there.transport.fallBack?.();
    await talk(upstream, there);
  });

  test('a stream cut off is the end of the connection', async () => {
    const upstream = await serveOlder();
    const there = await open(upstream.url, 'sse');
    await shakeHands(there);
    upstream.cut();
    await told(there.ear, 1);
    expect(there.ear.story).toEqual(['closed']);
  });
});

describe('the modern era', () => {
  test('a probe, then calls, each on its own', async () => {
    const upstream = await serveModern();
    const { transport, ear } = await open(upstream.url);
    discover(transport, 1);
    await told(ear, 1);
    expect(ear.texts[0]).toContain('2026-07-28');
    transport.agreed?.(MODERN);
    const meta = JSON.stringify({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    for (let id = 2; id < 12; id++) {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":${meta}}}`;
      transport.send([text], { id, method: 'tools/call', name: 'echo' });
    }
    await told(ear, 11);
    expect(ear.failures).toEqual([]);
    expect(upstream.runs()).toBe(10);
    expect(ear.texts.every((text) => text.includes('"result"'))).toBe(true);
  });

  test('what the server refuses for its headers is its answer', async () => {
    const upstream = await serveModern();
    const { transport, ear } = await open(upstream.url);
    transport.agreed?.(MODERN);
    call(transport, 1, 'echo');
    await told(ear, 1);
    expect(JSON.parse(ear.texts[0]!)).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
    expect(upstream.runs()).toBe(0);
  });

  test('a stream cut off for real (case c42) fails within a second and is left alone', async () => {
    let asked = 0;
    const served = await serveHttp((_request, response) => {
      asked++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nretry: 10\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n');
      setTimeout(() => response.destroy(), 30);
    });
    const { transport, ear } = await open(served.url);
    transport.agreed?.(MODERN);
    call(transport, 1, 'echo');
    await told(ear, 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ear.story).toEqual(['message 1', 'failed 1 UPSTREAM_LOST unknown']);
    expect(asked).toBe(1);
  });

  test('a request that is abandoned ends at the server', async () => {
    const closed = deferred();
    const served = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hi\n\n');
      response.on('close', () => closed.resolve(undefined));
    });
    const { transport, ear } = await open(served.url);
    transport.agreed?.(MODERN);
    call(transport, 1, 'echo');
    await new Promise((resolve) => setTimeout(resolve, 50));
    transport.abandon?.(1);
    await closed.promise;
    expect(ear.story).toEqual([]);
  });
});

function deferred(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => {};
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
