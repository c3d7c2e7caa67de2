import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EventReader, eventsOf } from '../../../test/fixtures/http-caller.js';
import { echo, openTestDoor } from '../../../test/fixtures/http-door.js';
import { toolNamed } from '../../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../../test/fixtures/memory-transport.js';
import { until } from '../../../test/fixtures/open-door.js';
import { VirtualClock } from '../../../test/fixtures/virtual-clock.js';

const call = (id: unknown, args: object = {}, more: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 'a__x', arguments: args, ...more },
});
const PING = { id: 'p', method: 'ping' };
const patient: MemoryScript = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };
/** Answers nothing to calls, and can be made to. */
const PATIENT = { a: { scripts: [patient] } };

describe('one endpoint for both eras, by each message', () => {
  test('initialize opens a session; a request that names its version needs none', async (context) => {
    const { caller } = await openTestDoor(context);
    const old = caller();
    expect((await old.initialize()).status).toBe(200);
    expect(JSON.parse((await old.post(call(1, { n: 1 }))).text)).toMatchObject({
      result: { structuredContent: { n: 1 } },
    });
    const reply = await caller().modern(call(2, { n: 2 }));
    expect(reply.headers['mcp-session-id']).toBeUndefined();
    expect(JSON.parse(reply.text)).toMatchObject({
      result: { resultType: 'complete', structuredContent: { n: 2 } },
    });
  });

  test.for([
    { why: 'a version nobody knows', headers: { 'mcp-protocol-version': '2031-01-01' }, status: 400 },
    { why: 'a version that is no date', headers: { 'mcp-protocol-version': 'x' }, status: 400 },
    { why: 'one we speak, another than was agreed on', headers: { 'mcp-protocol-version': '2025-06-18' }, status: 200 },
    { why: 'none, as 2025-03-26 had it', headers: { 'mcp-protocol-version': null }, status: 200 },
  ])('in a session, $why: $status', async ({ headers, status }, context) => {
    const { caller } = await openTestDoor(context);
    const one = caller();
    await one.initialize();
    expect((await one.post(PING, headers)).status).toBe(status);
  });

  test('a method that is not served is 404 in the 2026 era, and 200 before', async (context) => {
    const { caller } = await openTestDoor(context);
    const one = caller();
    await one.initialize();
    expect((await one.post({ id: 1, method: 'no/such' })).status).toBe(200);
    const reply = await caller().modern({ method: 'no/such' });
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([404, { error: { code: -32601 } }]);
  });

  test('what is no message is 400 with a JSON-RPC error', async (context) => {
    const { caller } = await openTestDoor(context);
    const one = caller();
    await one.initialize();
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ]) {
      for (const [from, headers] of [
        [one, {}],
        [caller(), {}],
        [caller(), { 'mcp-protocol-version': '2026-07-28' }],
      ] as const) {
        const reply = await from.send({ body, headers });
        expect([body, reply.status]).toEqual([body, 400]);
        expect(JSON.parse(reply.text)).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
      }
    }
  });

  test('a batch is answered as one, where the revision has batches', async (context) => {
    const { caller } = await openTestDoor(context);
    const one = caller();
    await one.initialize('2025-03-26');
    const body = JSON.stringify([
      { jsonrpc: '2.0', ...call(1, { n: 1 }) },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', ...PING },
    ]);
    const reply = await one.send({ body });
    expect(reply.status).toBe(200);
    expect((JSON.parse(reply.text) as readonly { id: unknown }[]).map(({ id }) => id).toSorted()).toEqual([1, 'p']);
    expect(await one.send({ body: '[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]' })).toMatchObject({
      status: 202,
      text: '',
    });
  });

  test('only POST, GET and DELETE; the 2026 era has POST alone', async (context) => {
    const { caller } = await openTestDoor(context);
    const reply = await caller().send({ method: 'PUT', body: '{}' });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, POST, DELETE, OPTIONS']);
    for (const method of ['GET', 'DELETE']) {
      expect((await caller().send({ method, headers: { 'mcp-protocol-version': '2026-07-28' } })).status).toBe(405);
    }
  });
});

describe('sessions', () => {
  test('another principal finds what was never there, byte for byte', async (context) => {
    const tokens = ['ada', 'bob'].map((name) => ({ name, sha256: sha256Of(name) }));
    const { caller } = await openTestDoor(context, { http: { auth: { tokens } } });
    const ada = caller({ authorization: 'Bearer ada' });
    await ada.initialize();
    const own = String(ada.headers['mcp-session-id']);
    const bob = caller({ authorization: 'Bearer bob' });
    for (const ask of [
      { body: JSON.stringify({ jsonrpc: '2.0', ...PING }) },
      { body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }) },
      { method: 'GET' },
      { method: 'DELETE' },
    ]) {
      const [foreign, unknown] = await Promise.all(
        [own, 'f'.repeat(32)].map((id) => bob.send({ ...ask, headers: { 'mcp-session-id': id } })),
      );
      expect(foreign?.status).toBe(404);
      expect({ ...foreign, headers: { ...foreign?.headers, date: '' } }).toEqual({
        ...unknown,
        headers: { ...unknown?.headers, date: '' },
      });
    }
    expect((await ada.post(PING)).status).toBe(200);
  });

  test('DELETE ends one: its calls are cancelled, and it is unknown from then on', async (context) => {
    const { caller, memory, door } = await openTestDoor(context, { mounts: PATIENT });
    const one = caller();
    await one.initialize();
    const called = one.post(call(1));
    await until(() => memory.attempts('a').some((each) => each.received('tools/call').length > 0), 'the call arrived');
    expect((await one.send({ method: 'DELETE' })).status).toBe(204);
    expect((await called).status).toBe(202);
    expect(memory.transport('a').received('notifications/cancelled')).toHaveLength(1);
    expect((await one.post(PING)).status).toBe(404);
    expect(door.sessions).toBe(0);
  });

  test('an initialize that fails opens none', async (context) => {
    const { caller, door } = await openTestDoor(context);
    const reply = await caller().post({ id: 1, method: 'initialize', params: {} });
    expect(reply.status).toBe(400);
    expect(reply.headers['mcp-session-id']).toBeUndefined();
    expect(door.sessions).toBe(0);
  });

  test('the one that was idle longest makes room, never one with a request open', async (context) => {
    const { caller, memory, door } = await openTestDoor(context, { mounts: PATIENT, http: { maxSessions: 2 } });
    const [busy, idle, third, fourth] = [caller(), caller(), caller(), caller()];
    await busy.initialize();
    const called = busy.post(call(1));
    await until(() => memory.attempts('a').some((each) => each.received('tools/call').length > 0), 'the call arrived');
    await idle.initialize();
    await third.initialize();
    expect(door.sessions).toBe(2);
    expect((await idle.post(PING)).status).toBe(404);
    const waiting = third.post(call(2));
    await until(
      () => memory.attempts('a').some((each) => each.received('tools/call').length > 1),
      'the other call arrived',
    );
    const refused = await fourth.initialize();
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      503,
      { error: { data: { code: 'BUSY', limit: 2 } } },
    ]);
    for (const { id } of memory.transport('a').received('tools/call'))
      memory.transport('a').answer(id, { content: [] });
    expect((await called).status).toBe(200);
    expect((await waiting).status).toBe(200);
  });

  test('one that is idle for long ends; one that listens does not', async (context) => {
    const clock = new VirtualClock();
    const { caller, door } = await openTestDoor(context, { clock, http: { idleTimeoutMs: 60_000 } });
    const [idle, listening] = [caller(), caller()];
    await idle.initialize();
    await listening.initialize();
    const stream = await listening.begin({ method: 'GET' });
    await clock.advance(50_000);
    expect(door.sessions).toBe(2);
    await clock.advance(20_000);
    expect((await idle.post(PING)).status).toBe(404);
    expect((await listening.post(PING)).status).toBe(200);
    stream.destroy();
  });
});

describe('the answer', () => {
  test('is JSON, and a stream from the first message that comes before it', async (context) => {
    const script: MemoryScript = {
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
    const { caller } = await openTestDoor(context, { mounts: { a: { scripts: [script] } } });
    const one = caller();
    await one.initialize();
    expect((await one.post(call(1))).headers['content-type']).toBe('application/json');
    for (const reply of [
      await one.post(call(2, {}, { _meta: { progressToken: 't' } })),
      await caller().modern(call(2, {}, { _meta: { progressToken: 't' } })),
    ]) {
      expect(reply.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      expect(eventsOf(reply.text)).toMatchObject([
        { method: 'notifications/progress', params: { progressToken: 't' } },
        { id: 2 },
      ]);
    }
  });

  test('becomes a stream with comments when it is long in coming, for those who can read one', async (context) => {
    const clock = new VirtualClock();
    const { caller, memory } = await openTestDoor(context, { mounts: PATIENT, clock });
    const one = caller();
    await one.initialize();
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(1) });
    const plain = one.send({ body, headers: { accept: 'application/json' } });
    const streamed = one.begin({ body });
    await until(() => (memory.attempts('a').at(-1)?.received('tools/call').length ?? 0) === 2, 'both calls arrived');
    await clock.advance(16_000);
    await clock.advance(30_000);
    const reader = new EventReader(await streamed);
    await until(() => reader.comments >= 2, 'comments came');
    for (const { id } of memory.transport('a').received('tools/call'))
      memory.transport('a').answer(id, { content: [] });
    expect((await plain).headers['content-type']).toBe('application/json');
    await until(() => reader.isOver, 'the stream ended with the answer');
    expect(reader.events).toMatchObject([{ id: 1, result: {} }]);
  });

  test('keeps the bytes of the upstream', async (context) => {
    const result = '{"content":[],"z":12345678901234567890,"a":1.50,"t":"\\u00e9\u2028"}';
    const script: MemoryScript = {
      tools: [toolNamed('x')],
      on: {
        'tools/call': ({ id }, transport) => {
          transport.say(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
          return undefined;
        },
      },
    };
    const { caller } = await openTestDoor(context, { mounts: { a: { scripts: [script] } } });
    const one = caller();
    await one.initialize();
    expect((await one.post(call(1))).text).toBe(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
    const streamed = await one.post(call(1), { accept: 'text/event-stream' });
    expect(streamed.text).toBe(`event: message\ndata: {"jsonrpc":"2.0","id":1,"result":${result}}\n\n`);
  });
});

describe('hanging up', () => {
  test('cancels a request of the 2026 era, at once', async (context) => {
    const { caller, memory } = await openTestDoor(context, { mounts: PATIENT });
    const one = caller();
    const ask = one.modernAsk(call(1));
    const socket = await one.socket();
    const headers = Object.entries({ 'content-type': 'application/json', ...ask.headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const body = String(ask.body);
    socket.write(
      [
        'POST /mcp HTTP/1.1',
        `Host: 127.0.0.1:${one.port}`,
        ...headers,
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
    await until(() => (memory.attempts('a').at(-1)?.received('tools/call').length ?? 0) === 1, 'the call arrived');
    socket.destroy();
    await until(
      () => memory.transport('a').received('notifications/cancelled').length === 1,
      'it was cancelled upstream',
    );
  });

  test('cancels nothing in a session', async (context) => {
    const { caller, memory } = await openTestDoor(context, { mounts: PATIENT });
    const one = caller();
    await one.initialize();
    const socket = await one.socket();
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(1) });
    const id = one.headers['mcp-session-id'];
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${one.port}\r\nContent-Type: application/json\r\nMcp-Session-Id: ${id}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => (memory.attempts('a').at(-1)?.received('tools/call').length ?? 0) === 1, 'the call arrived');
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(memory.transport('a').received('notifications/cancelled')).toEqual([]);
  });
});

describe('the stream of a session', () => {
  const changing: MemoryScript = { tools: [toolNamed('x')] };

  test('carries what belongs to no request, and what came before it was there', async (context) => {
    const { caller, memory } = await openTestDoor(context, { mounts: { a: { scripts: [changing, changing] } } });
    const one = caller();
    await one.initialize();
    await one.post({ id: 1, method: 'logging/setLevel', params: { level: 'debug' } });
    await one.post({ id: 2, method: 'tools/list' });
    const say = (data: string) => {
      const params = { level: 'error', data };
      memory.transport('a').say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }));
    };
    say('before');
    const reader = new EventReader(await one.begin({ method: 'GET' }));
    await until(() => reader.events.length === 1, 'what was kept came');
    say('after');
    await until(() => reader.events.length === 2, 'what happens comes');
    expect(reader.events).toMatchObject([{ params: { data: 'before' } }, { params: { data: 'after' } }]);
  });

  test('a second one takes the place of the first', async (context) => {
    const { caller } = await openTestDoor(context);
    const one = caller();
    await one.initialize();
    const first = new EventReader(await one.begin({ method: 'GET' }));
    const second = new EventReader(await one.begin({ method: 'GET' }));
    await until(() => first.isOver, 'the first ended');
    expect(second.isOver).toBe(false);
  });

  test('needs a session, and an Accept that takes it', async (context) => {
    const { caller } = await openTestDoor(context);
    expect((await caller().send({ method: 'GET' })).status).toBe(400);
    const one = caller();
    await one.initialize();
    expect((await one.send({ method: 'GET', headers: { accept: 'application/json' } })).status).toBe(406);
  });
});

test('a listener of the 2026 era is told on the stream of its request, until it hangs up', async (context) => {
  const { caller } = await openTestDoor(context);
  const one = caller();
  const ask = one.modernAsk({
    id: 7,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true } },
  });
  expect((await one.send({ ...ask, headers: { ...ask.headers, accept: 'application/json' } })).status).toBe(406);
  const answer = await one.begin(ask);
  const reader = new EventReader(answer);
  await until(() => reader.events.length > 0, 'it was acknowledged');
  expect(reader.events[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  answer.destroy();
});

test('an end: what comes is refused, what is under way is answered, listeners are let go', async (context) => {
  const { caller, memory, door } = await openTestDoor(context, { mounts: { a: { scripts: [echo(100)] } } });
  const one = caller();
  await one.initialize();
  const under = one.post(call(1, { n: 1 }));
  const modern = caller().modern(call(2, { n: 2 }));
  const listening = await one.begin(
    one.modernAsk({ id: 7, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }),
  );
  const reader = new EventReader(listening);
  await until(() => (memory.attempts('a').at(-1)?.received('tools/call').length ?? 0) === 2, 'the calls arrived');
  const { DoorError } = await import('../../base/index.js');
  door.refuse(new DoorError('BUSY', 'ending'));
  const late = await one.post(call(3));
  expect([late.status, late.headers.connection]).toEqual([503, 'close']);
  await door.whenIdle();
  expect((await under).text).toContain('"n":1');
  expect((await modern).text).toContain('"n":2');
  await until(() => reader.isOver, 'the listener was let go');
});

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
