/** What a caller can do to a connection. */
import { expect, test } from 'vitest';
import { EventReader } from '../../../test/fixtures/http-caller.js';
import { echo, openTestDoor } from '../../../test/fixtures/http-door.js';
import { toolNamed } from '../../../test/fixtures/memory-gateway.js';
import { until } from '../../../test/fixtures/open-door.js';
import { VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { DoorError } from '../../base/index.js';
import { isLoopback } from './http-door.js';

const LIMIT = 64 * 1024;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const statusOf = (text: string) => Number(text.split(' ')[1]);
const head = (port: number, more: readonly string[]) =>
  ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Type: application/json', ...more, '', ''].join('\r\n');

test('a body over the limit is refused before it has come, be its length told or not', async (context) => {
  const { caller, server } = await openTestDoor(context, { limits: { maxMessageBytes: LIMIT } });
  const one = caller();
  const told = await one.raw(head(server.port, [`Content-Length: ${LIMIT + 1}`]), 300);
  expect(statusOf(told)).toBe(413);
  expect(JSON.parse(told.slice(told.indexOf('\r\n\r\n')))).toMatchObject({
    error: { code: -32603, data: { code: 'MESSAGE_TOO_LARGE', limit: LIMIT } },
  });
  const chunk = `${(LIMIT + 1).toString(16)}\r\n${' '.repeat(LIMIT + 1)}\r\n`;
  const untold = await one.raw(`${head(server.port, ['Transfer-Encoding: chunked'])}${chunk}`, 300);
  expect(statusOf(untold)).toBe(413);
  // A caller that writes all of it before it reads still gets the refusal.
  expect((await one.send({ body: ' '.repeat(8 * 1024 * 1024) })).status).toBe(413);
  const fits = PING.padEnd(LIMIT, ' ');
  expect((await one.send({ body: fits, headers: { 'mcp-session-id': 'x' } })).status).toBe(404);
});

test.for([
  { why: 'two lengths', lines: ['Content-Length: 5', 'Content-Length: 6'] },
  { why: 'a length and chunks', lines: ['Content-Length: 5', 'Transfer-Encoding: chunked'] },
  { why: 'a header with a control character', lines: ['X: a\u0001b'] },
  { why: 'a header that is folded', lines: ['X: a', ' b'] },
])('refused: $why', async ({ lines }, context) => {
  const { caller, server } = await openTestDoor(context);
  expect(statusOf(await caller().raw(`${head(server.port, lines)}${PING}`))).toBe(400);
});

test('too many bytes of headers are refused', async (context) => {
  const { caller, server } = await openTestDoor(context);
  expect(statusOf(await caller().raw(head(server.port, [`X: ${'y'.repeat(40_000)}`])))).toBe(431);
});

test('too many headers are refused, so that none is left out that came twice', async (context) => {
  const { caller } = await openTestDoor(context);
  const one = caller();
  const { headers, body } = one.modernAsk({ method: 'tools/list' });
  const lines = Object.entries(headers ?? {}).map(([key, value]) => `${key}: ${value}`);
  const sent = async (others: number) => {
    const more = Array.from({ length: others }, (_, at) => `X-${at}: y`);
    const last = [`Content-Length: ${String(body).length}`, 'Connection: close', 'Mcp-Method: tools/call'];
    return statusOf(await one.raw(`${head(one.port, [...lines, ...more, ...last])}${body}`));
  };
  expect(await sent(150)).toBe(400);
  expect(await sent(250)).toBe(431);
});

test('a body that is compressed is refused as such', async (context) => {
  const { caller } = await openTestDoor(context);
  const one = caller();
  expect((await one.send({ body: PING, headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
  expect((await one.send({ body: PING, headers: { 'content-encoding': 'identity' } })).status).toBe(400);
});

test('requests in line behind another one are cancelled with it when their caller hangs up', async (context) => {
  const silent = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };
  const { caller, door, memory } = await openTestDoor(context, { mounts: { a: { scripts: [silent] } } });
  const one = caller();
  await one.modern({ method: 'tools/list' });
  const upstream = memory.transport('a');
  const wireOf = ({ headers, body }: ReturnType<typeof one.modernAsk>) => {
    const lines = Object.entries(headers ?? {}).map(([key, value]) => `${key}: ${value}`);
    return `${head(one.port, [...lines, 'Accept: application/json, text/event-stream', `Content-Length: ${String(body).length}`])}${body}`;
  };
  const call = wireOf(one.modernAsk({ method: 'tools/call', params: { name: 'a__x', arguments: {} } }));
  const listen = wireOf(
    one.modernAsk({ method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }),
  );
  const socket = await one.socket();
  socket.write(call.repeat(12) + listen.repeat(2));
  await until(() => upstream.received('tools/call').length === 12, 'all calls are under way');
  socket.destroy();
  await until(() => upstream.received('notifications/cancelled').length === 12, 'all calls are cancelled');
  await door.whenIdle();
});

test('what lies unread in line behind another answer is forgotten with its connection', async (context) => {
  const text = 'x'.repeat(9 * 1024 * 1024);
  const script = {
    tools: [toolNamed('x')],
    on: {
      'tools/call': ({ params }: { params?: Record<string, unknown> | undefined }) =>
        (params?.arguments as { big?: true } | undefined)?.big ? { content: [{ type: 'text', text }] } : undefined,
    },
  };
  const { caller } = await openTestDoor(context, { mounts: { a: { scripts: [script] } } });
  const one = caller();
  await one.initialize();
  const wireOf = (args: object) => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'a__x', arguments: args },
    });
    return `${head(one.port, [`Mcp-Session-Id: ${one.headers['mcp-session-id']}`, `Content-Length: ${body.length}`])}${body}`;
  };
  const statusIs = async (status: number) => {
    for (let times = 0; times < 100; times++) {
      if ((await one.send({ body: PING })).status === status) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`never ${status}`);
  };
  const socket = await one.socket();
  socket.write(wireOf({}) + wireOf({ big: true }));
  await statusIs(503);
  socket.destroy();
  await statusIs(200);
});

test('a session is not opened by what was still coming when the end began', async (context) => {
  const { caller, door } = await openTestDoor(context);
  const one = caller();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const socket = await one.socket();
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  socket.write(`${head(one.port, [`Content-Length: ${body.length}`])}${body.slice(0, 20)}`);
  // Whatever else is answered, the head above has been read.
  expect((await caller().send({ body: PING })).status).toBe(400);
  door.refuse(new DoorError('BUSY', 'ending'));
  socket.write(body.slice(20));
  await until(() => answer !== '', 'it is answered');
  expect(statusOf(answer)).toBe(503);
  expect(door.sessions).toBe(0);
  socket.destroy();
});

test('one header that came twice is none that fits', async (context) => {
  const { caller } = await openTestDoor(context, { mounts: { a: { scripts: [echo()] } } });
  const one = caller();
  const ask = one.modernAsk({ method: 'tools/call', params: { name: 'a__x', arguments: {} } });
  const { 'mcp-name': name, ...rest } = ask.headers as Record<string, string>;
  const lines = Object.entries(rest).map(([key, value]) => `${key}: ${value}`);
  const twice = await one.raw(
    `${head(one.port, [...lines, `Mcp-Name: ${name}`, `Mcp-Name: ${name}`, `Content-Length: ${String(ask.body).length}`, 'Connection: close'])}${ask.body}`,
  );
  expect(statusOf(twice)).toBe(400);
  expect(twice).toContain('-32020');
  await one.initialize();
  const id = one.headers['mcp-session-id'];
  const session = await one.raw(
    `${head(one.port, [`Mcp-Session-Id: ${id}`, `Mcp-Session-Id: ${id}`, `Content-Length: ${PING.length}`, 'Connection: close'])}${PING}`,
  );
  expect(statusOf(session)).toBe(404);
});

test('a caller that does not read loses its connection in the end, and nobody else is held up', async (context) => {
  const clock = new VirtualClock();
  const text = 'x'.repeat(16 * 1024 * 1024);
  const big = { tools: [toolNamed('x')], on: { 'tools/call': () => ({ content: [{ type: 'text', text }] }) } };
  const { caller } = await openTestDoor(context, { mounts: { a: { scripts: [big] } }, clock });
  const one = caller();
  await one.initialize();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a__x', arguments: {} } });
  const request = `${head(one.port, [`Mcp-Session-Id: ${one.headers['mcp-session-id']}`, `Content-Length: ${body.length}`])}${body}`;
  const sockets = await Promise.all(Array.from({ length: 3 }, () => one.socket()));
  let closed = 0;
  for (const socket of sockets) {
    socket.pause();
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    socket.write(request);
  }
  await untilStatus(503);
  const other = caller();
  await other.initialize();
  expect((await other.send({ body })).status).toBe(200);
  await clock.advance(31_000);
  for (const socket of sockets) socket.resume();
  await until(() => closed > 0, 'those that did not read are broken off', 10_000);
  await untilStatus(200);

  async function untilStatus(status: number): Promise<void> {
    for (let times = 0; times < 200; times++) {
      if ((await one.send({ body: PING })).status === status) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never ${status}`);
  }
});

test('a stream that nobody reads any more is noticed, and the session forgets it', async (context) => {
  const { caller, door } = await openTestDoor(context);
  const one = caller();
  await one.initialize();
  const stream = await one.begin({ method: 'GET' });
  const reader = new EventReader(stream);
  stream.destroy();
  await until(() => reader.isOver, 'it is over');
  expect((await one.send({ method: 'DELETE' })).status).toBe(204);
  expect(door.sessions).toBe(0);
});

test('a port that is taken is named, with what to do', async (context) => {
  const { server } = await openTestDoor(context);
  const second = openTestDoor({ onTestFinished: () => {} }, { http: { port: server.port } });
  const error = await second.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DoorError);
  expect(error).toMatchObject({
    code: 'CONFIG_INVALID',
    message: `port ${server.port} on 127.0.0.1 is in use`,
    hint: expect.stringContaining('--port'),
  });
});

test('a door that everybody could walk through is not opened', async () => {
  const open = (http: object) => openTestDoor({ onTestFinished: () => {} }, { http });
  await expect(open({ host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining('http.auth'),
  });
  await expect(open({ host: '::' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.evil.example', false],
  ['10.0.0.1', false],
  ['localhost.example', false],
])('%s is this machine alone: %s', (host, wanted) => expect(isLoopback(host)).toBe(wanted));
