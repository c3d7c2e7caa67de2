/** Cases at the HTTP door, over real connections on loopback. */

import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { loadHttpDoor } from '../../src/doors/index.js';
import { EventReader, eventsOf, type HttpCaller } from '../fixtures/http-caller.js';
import { echo, openTestDoor } from '../fixtures/http-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';
import { until } from '../fixtures/open-door.js';
import { getCase, titleOf } from './cases.js';

/** Nobody may be ended by another's misfortune. */
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => {
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  expect(unhandled).toEqual([]);
});

interface HeaderRow {
  readonly headers: Readonly<Record<string, string>>;
  readonly body_method: string;
  readonly body_name: string;
  readonly expect: { readonly status: number; readonly code?: number };
}

test(titleOf('b24'), async (context) => {
  const { caller, memory } = await openTestDoor(context, {
    mounts: {
      a: { scripts: [{ tools: [toolNamed('t')], on: { 'tools/call': () => ({ content: [] }) } }], prefix: 'never' },
    },
  });
  const rows = getCase('b24').input.requests as readonly HeaderRow[];
  for (const { headers, body_method: method, body_name: name, expect: wanted } of rows) {
    const ask = caller().modernAsk({ method, params: { name, arguments: {} } }, headers);
    // Only what the row says: a header that it leaves out is left out.
    const named = Object.keys(headers).map((header) => header.toLowerCase());
    const usual = Object.keys(ask.headers ?? {}).filter((header) => !(header in headers) && !named.includes(header));
    const reply = await caller().send({
      ...ask,
      headers: { ...headers, ...Object.fromEntries(usual.map((h) => [h, null])) },
    });
    expect(reply.status, JSON.stringify(headers)).toBe(wanted.status);
    if (wanted.code !== undefined) expect(JSON.parse(reply.text)).toMatchObject({ error: { code: wanted.code } });
  }
  const calls = memory.attempts('a').flatMap((each) => each.received('tools/call'));
  expect(calls).toHaveLength(rows.filter((row) => row.expect.status === 200).length);
});

test(titleOf('c16'), async (context) => {
  const { caller } = await openTestDoor(context);
  const clients = 32;
  const lists = await Promise.all(
    Array.from({ length: clients }, async (_, at) => {
      const one = caller();
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: `c${at}`, version: '1' } };
      const { headers } = await one.post({ id: 'i', method: 'initialize', params });
      const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
      const [list, called, initialized] = await Promise.all([
        one.post({ id: 1, method: 'tools/list' }, session),
        one.post({ id: 2, method: 'tools/call', params: { name: 'a__x', arguments: { at } } }, session),
        one.post({ method: 'notifications/initialized' }, session),
      ]);
      expect(initialized).toMatchObject({ status: 202, text: '' });
      expect(JSON.parse(called.text)).toMatchObject({ id: 2, result: { structuredContent: { at } } });
      return JSON.parse(list.text) as { readonly result: { readonly tools: readonly unknown[] } };
    }),
  );
  const { all_lists_ok: ok } = getCase('c16').expect as { readonly all_lists_ok: number };
  expect(lists.filter(({ result }) => result.tools.length === 1)).toHaveLength(ok);
});

test(titleOf('c23'), async (context) => {
  const { caller } = await openTestDoor(context);
  const gone = { 'mcp-session-id': 'gone' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const replies = [
    await caller().post({ id: 1, method: 'tools/list' }, gone),
    await caller().post({ id: 1, method: 'initialize', params }, gone),
    await caller().post({ id: 1, method: 'tools/list' }),
    await caller().send({ method: 'DELETE', headers: gone }),
    await caller().modern({ method: 'tools/list' }, gone),
  ];
  const statuses = (getCase('c23').expect.statuses as readonly (number | string)[]).map((status) =>
    Number.parseInt(String(status), 10),
  );
  expect(replies.map(({ status }) => status)).toEqual(statuses);
  const [, begun, , , modern] = replies;
  expect(begun?.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{32,}$/);
  expect(begun?.headers['mcp-session-id']).not.toBe('gone');
  // The modern era neither knows a session nor makes one.
  expect(modern?.headers['mcp-session-id']).toBeUndefined();
  for (const { headers } of replies) expect(headers['content-type'] ?? '').not.toContain('event-stream');
  for (const { status, text } of replies.filter((reply) => reply.status >= 400)) {
    expect(JSON.parse(text), String(status)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    expect(JSON.parse(text)).not.toHaveProperty('id');
  }
});

describe(titleOf('c45'), () => {
  const { input, expect: wanted } = getCase('c45');
  const requests = input.requests as readonly { readonly accept: string | null }[];
  const statuses = wanted.accept_status as readonly number[];

  test.for(requests.map(({ accept }, at) => ({ accept, status: statuses[at] })))(
    'Accept: $accept',
    async ({ accept, status }, context) => {
      const { caller } = await openTestDoor(context);
      const one = caller();
      await one.initialize();
      const reply = await one.post({ id: 1, method: 'tools/list' }, { accept });
      expect(reply.status).toBe(status);
      if (status === 200) {
        const type = String(reply.headers['content-type']);
        const isStream = accept === 'text/event-stream';
        expect(type).toBe(isStream ? 'text/event-stream' : 'application/json');
        const message = isStream ? eventsOf(reply.text)[0] : (JSON.parse(reply.text) as object);
        expect(message).toMatchObject({ id: 1, result: { tools: [{ name: 'a__x' }] } });
      }
    },
  );

  test('Content-Type', async (context) => {
    const { caller } = await openTestDoor(context);
    const one = caller();
    await one.initialize();
    const types = input.content_types as readonly string[];
    const replies = [];
    for (const type of types) replies.push(await one.post({ id: 1, method: 'ping' }, { 'content-type': type }));
    expect(replies.map(({ status }) => status)).toEqual(wanted.content_type_status);
  });
});

test(titleOf('e14'), async () => {
  const { input, expect: wanted } = getCase('e14');
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
  const { issuerIdentifier } = await loadHttpDoor();
  const identifier = issuerIdentifier({
    issuer: 'https://as.test',
    audience: input.expected as string,
    jwksUri: 'https://as.test/keys',
    fetch: async () => Response.json({ keys: [jwk] }),
    clock: systemClock,
  });
  const accepted = [];
  for (const aud of input.aud as readonly (string | string[])[]) {
    const token = await new SignJWT({ aud })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer('https://as.test')
      .setSubject('ada')
      .setExpirationTime('5m')
      .sign(privateKey);
    accepted.push((await identifier.identify(`Bearer ${token}`)).kind === 'known');
  }
  expect(accepted).toEqual(wanted.accepted);
});

test(`${titleOf('g04')} (a hundred of each kind)`, async (context) => {
  const { caller, server } = await openTestDoor(context);
  const rude = caller();
  const each = 100;
  const sockets = await Promise.all(Array.from({ length: 4 * each }, () => rude.socket()));
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`;
  for (const [at, socket] of sockets.entries()) {
    socket.on('error', () => {});
    const kind = at % 4;
    if (kind === 0) socket.end(`${head}\r\n{"half`);
    else if (kind === 1) socket.write(`${head}\r\n{"mid`, () => socket.resetAndDestroy());
    else if (kind === 2) {
      socket.pause();
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    } else socket.write(head.slice(0, 40));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(countConnections(), 'they are counted').toBeGreaterThan(each);
  // It still serves, while all of them hang on.
  expect(await openSessionAndCall(caller())).toBe(200);
  for (const socket of sockets) socket.destroy();
  await until(() => countConnections() <= 40, 'the connections are gone', 10_000);
  expect(await openSessionAndCall(caller())).toBe(200);
});

/** Both ends of a connection are in this process, until one of them is gone. */
function countConnections(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

describe(titleOf('g05'), () => {
  test('after the head, before the result', async (context) => {
    const { caller } = await openTestDoor(context, { mounts: { a: { scripts: [echo(150)] } } });
    const clients = await Promise.all(
      Array.from({ length: getCase('g05').input.clients as number }, async () => {
        const one = caller();
        await one.initialize();
        return one;
      }),
    );
    const call = (at: number) => ({ id: 2, method: 'tools/call', params: { name: 'a__x', arguments: { at } } });
    const [first, ...others] = clients;
    const socket = await first!.socket();
    socket.on('error', () => {});
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(0) });
    socket.write(
      [
        'POST /mcp HTTP/1.1',
        `Host: 127.0.0.1:${first!.port}`,
        'Content-Type: application/json',
        `Mcp-Session-Id: ${first!.headers['mcp-session-id']}`,
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    const calls = others.map((one, at) => one.post(call(at + 1)));
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.resetAndDestroy();
    const replies = await Promise.all(calls);
    for (const [at, { status, text }] of replies.entries()) {
      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ id: 2, result: { structuredContent: { at: at + 1 } } });
    }
    // Its session outlives the connection.
    expect((await first!.post({ id: 3, method: 'ping' })).status).toBe(200);
  });

  test('while it is being asked', async (context) => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const { caller, memory } = await openTestDoor(context, {
      mounts: {
        a: {
          scripts: [
            {
              tools: [toolNamed('x')],
              on: {
                'tools/call': (_, transport) => {
                  const params = { mode: 'form', message: 'sure?', requestedSchema: schema };
                  transport.say(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }));
                  return undefined;
                },
              },
            },
          ],
        },
      },
    });
    const one = caller();
    await one.initialize('2025-11-25', { elicitation: {} });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'a__x', arguments: {} },
    });
    const answer = await one.begin({ body });
    const reader = new EventReader(answer);
    await until(() => reader.events.length > 0, 'the question came on the stream of its call');
    expect(reader.events).toMatchObject([{ method: 'elicitation/create', params: { message: 'sure?' } }]);
    answer.destroy();
    // The question can still be answered: hanging up is no cancelling in this era.
    const reply = await one.post({ id: reader.events[0]?.id, result: { action: 'decline' } });
    expect(reply.status).toBe(202);
    const asked = memory.attempts('a').find((each) => each.received('tools/call').length > 0);
    await until(
      () => asked?.sent.some(({ id, method }) => id === 'q' && method === undefined) ?? false,
      'the upstream has its answer',
    );
    expect((await one.post({ id: 4, method: 'ping' })).status).toBe(200);
  });
});

async function openSessionAndCall(one: HttpCaller): Promise<number> {
  await one.initialize();
  return (await one.post({ id: 1, method: 'tools/call', params: { name: 'a__x', arguments: {} } })).status;
}
