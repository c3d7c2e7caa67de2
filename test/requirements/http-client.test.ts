/** What doorward sends to upstreams over HTTP, in both eras, as a server sees it that writes everything down. */
import { createHash } from 'node:crypto';
import { describe, expect, type TestContext, test } from 'vitest';
import { modernMeta } from '../fixtures/modern-meta.js';
import { namesOf, openDoor, textOf, until } from '../fixtures/open-door.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';
import {
  type HttpUpstream,
  handshakeScript,
  modernScript,
  type Script,
  startHttpUpstream,
  type Taken,
} from './http-upstream.js';
import { serve } from './serving.js';
import { sharedContext } from './shared-context.js';

const PLAIN = { name: 'x', inputSchema: { type: 'object' } };
const MIRRORED = {
  name: 'größe',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      deep: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
    },
  },
};
const BROKEN = {
  name: 'broken',
  inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } },
};
const META = 'io.modelcontextprotocol/';

/** A door before one upstream over HTTP, under the mount `u`. */
async function doorBefore(test: TestContext, usual: Script, script?: Script) {
  const upstream = await startHttpUpstream(test, usual, script);
  const { door } = await openDoor(test, { servers: { u: { type: 'http', url: upstream.url } } });
  return { upstream, door };
}

const posts = (upstream: HttpUpstream): Taken[] => upstream.taken.filter(({ method }) => method === 'POST');

describe('to a server of 2026-07-28', () => {
  const context = sharedContext();
  let session: ReturnType<typeof use> | undefined;

  /** What has been used once, for all tests that look at what was sent. */
  const used = () => {
    session ??= use();
    return session;
  };

  /** Lists, calls, reads and gets. */
  async function use() {
    const opened = await doorBefore(context, modernScript([PLAIN, MIRRORED, BROKEN]));
    const names = namesOf(await opened.door.request('tools/list'));
    const called = names.find((name) => name !== 'u__x' && !name.includes('broken'))!;
    await opened.door.call('u__x', '{"a":1}');
    await opened.door.call(called, '{"region":" é","count":42.0,"deep":{"flag":true}}');
    await opened.door.request('resources/list');
    await opened.door.request('resources/read', { uri: 'x:é' });
    await opened.door.request('prompts/list');
    await opened.door.request('prompts/get', { name: 'u__p' });
    return { ...opened, names, called };
  }

  test('each message is a POST of its own, with one request in it, and both kinds of answer accepted', async () => {
    const { upstream } = await used();
    expect(upstream.taken.length).toBeGreaterThan(6);
    for (const { method, headers, message } of upstream.taken) {
      expect(method).toBe('POST');
      expect(headers.accept).toContain('application/json');
      expect(headers.accept).toContain('text/event-stream');
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(message).toMatchObject({ jsonrpc: '2.0', method: expect.any(String) });
    }
  });

  test('no JSON-RPC response is ever sent, and no initialize', async () => {
    const { upstream } = await used();
    expect(upstream.taken.filter(({ message }) => message?.method === undefined)).toEqual([]);
    expect(upstream.of('initialize')).toEqual([]);
    expect(upstream.of('server/discover').length).toBeGreaterThan(0);
    expect(upstream.taken.indexOf(upstream.of('server/discover')[0]!)).toBe(0);
  });

  test('each request names revision, client and capabilities in its _meta, and the same revision in its header', async () => {
    const { upstream } = await used();
    for (const { headers, message } of posts(upstream)) {
      const meta = message?.params?._meta ?? {};
      expect(meta[`${META}protocolVersion`]).toBe('2026-07-28');
      expect(meta[`${META}clientCapabilities`]).toEqual(expect.any(Object));
      expect(meta[`${META}clientInfo`]).toMatchObject({ name: 'doorward', version: expect.any(String) });
      expect(headers['mcp-protocol-version']).toBe('2026-07-28');
    }
  });

  test('each request repeats its method in a header, and its name where it has one, encoded where it must be', async () => {
    const { upstream } = await used();
    const encoded = (text: string) => `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
    for (const { headers, message } of posts(upstream)) expect(headers['mcp-method']).toBe(message?.method);
    const names = (method: string) => upstream.of(method).map(({ headers }) => headers['mcp-name']);
    expect(names('tools/call')).toEqual(['x', encoded('größe')]);
    expect(names('resources/read')).toEqual([encoded('x:é')]);
    expect(names('prompts/get')).toEqual(['p']);
    expect(names('tools/list').filter((name) => name !== undefined)).toEqual([]);
  });

  test('annotated parameters are repeated in headers, encoded; absent and null ones are not', async () => {
    const { upstream, door, called } = await used();
    const headersOf = () => upstream.of('tools/call').at(-1)!.headers;
    expect(headersOf()).toMatchObject({
      'mcp-param-region': `=?base64?${Buffer.from(' é', 'utf8').toString('base64')}?=`,
      'mcp-param-count': '42',
      'mcp-param-flag': 'true',
    });
    await door.call(called, '{"region":"=?base64?eA==?=","deep":{}}');
    expect(headersOf()['mcp-param-region']).toBe(`=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`);
    expect(headersOf()['mcp-param-count']).toBeUndefined();
    expect(headersOf()['mcp-param-flag']).toBeUndefined();
  });

  test('a tool whose annotations break the rules is left out, alone, and the log says which and why', async () => {
    const { names, door } = await used();
    expect(names).toHaveLength(2);
    expect(names.join()).not.toContain('broken');
    await until(() => door.stderr.includes('broken'), 'a word about the tool');
    expect(door.stderr).toContain('x-mcp-header');
  });

  test('ids are not used twice, and are never null', async () => {
    const { upstream } = await used();
    const ids = posts(upstream).map(({ message }) => message?.id);
    expect(ids.every((id) => typeof id === 'string' || Number.isInteger(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every message is one that the schema allows', async (test) => {
    needWireSchemas(test);
    const { upstream } = await used();
    for (const { message } of posts(upstream)) expectWireMessage('2026-07-28', 'ClientRequest', message);
  });

  test.for([{ asStream: false }, { asStream: true }])(
    'an answer is taken as JSON and as a stream (%j)',
    async ({ asStream }, test) => {
      const { door } = await doorBefore(test, modernScript([PLAIN]), ({ message }) =>
        message?.method === 'tools/call'
          ? { result: { resultType: 'complete', content: [{ type: 'text', text: 'here' }] }, asStream }
          : undefined,
      );
      expect(textOf(await door.call('u__x'))).toBe('here');
    },
  );

  test('requests about a task name it in their header, by the id that its server knows, and are answered as complete', async (test) => {
    const task = {
      taskId: 'task-é',
      status: 'working',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttlMs: null,
    };
    const { upstream, door } = await doorBefore(test, modernScript([PLAIN]), ({ message }) => {
      if (message?.method === 'tools/call') return { result: { resultType: 'task', ...task } };
      const inputRequests = {
        q: {
          method: 'elicitation/create',
          params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
        },
      };
      if (message?.method === 'tasks/get') return { result: { ...task, status: 'input_required', inputRequests } };
      return message?.method?.startsWith('tasks/') ? { result: {} } : undefined;
    });
    const _meta = modernMeta({ elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } });
    const { message } = await door.request('tools/call', { name: 'u__x', arguments: {}, _meta });
    const { taskId } = message!.result as { readonly taskId: string };
    expect(taskId).not.toContain('task-é');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const more = method === 'tasks/update' ? { inputResponses: { q: { action: 'decline' } } } : {};
      const answer = await door.request(method, { taskId, ...more, _meta });
      expect(answer.message?.result, answer.raw).toMatchObject({ resultType: 'complete' });
      const [taken] = upstream.of(method);
      expect(taken?.message?.params?.taskId).toBe('task-é');
      expect(taken?.headers['mcp-name']).toBe(`=?base64?${Buffer.from('task-é', 'utf8').toString('base64')}?=`);
    }
    expect(upstream.of('notifications/cancelled')).toEqual([]);
  });

  test('a caller of the older era is given no task, whatever it declares', async (test) => {
    const { upstream, door } = await doorBefore(test, modernScript([PLAIN]), ({ message }) =>
      message?.method === 'tools/call' ? { result: { resultType: 'task', taskId: 't', status: 'working' } } : undefined,
    );
    const capabilities = {
      extensions: { 'io.modelcontextprotocol/tasks': {} },
      tasks: { requests: { tools: { call: {} } } },
    };
    await door.initialize(capabilities, '2025-11-25');
    const { message } = await door.call('u__x');
    expect(message?.error).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_BROKE_PROTOCOL' } });
    const declared = upstream.of('tools/call')[0]?.message?.params?._meta?.[`${META}clientCapabilities`];
    expect(JSON.stringify(declared)).not.toContain('tasks');
  });

  test('a HeaderMismatch leads to one new list and one more try', async (test) => {
    let refused = false;
    const { upstream, door } = await doorBefore(test, modernScript([PLAIN]), ({ message }) => {
      if (message?.method !== 'tools/call' || refused) return undefined;
      refused = true;
      return { error: { code: -32020, message: 'Header mismatch' }, status: 400 };
    });
    const lists = () => upstream.of('tools/list').length;
    await door.request('tools/list');
    const before = lists();
    expect(textOf(await door.call('u__x', '{"a":1}'))).toBe('{"a":1}');
    expect(upstream.of('tools/call')).toHaveLength(2);
    expect(lists()).toBe(before + 1);
  });

  test.for([
    { why: 'a type nobody knows is no result', result: { resultType: 'mystery', content: [] }, error: true },
    { why: 'no type is a complete result', result: { content: [{ type: 'text', text: 'old' }] }, error: false },
  ])('$why', async ({ result, error }, test) => {
    const { door } = await doorBefore(test, modernScript([PLAIN]), ({ message }) =>
      message?.method === 'tools/call' ? { result } : undefined,
    );
    const { message } = await door.call('u__x');
    if (error) expect(message?.error).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_BROKE_PROTOCOL' } });
    else expect(message?.result).toMatchObject(result);
  });
});

describe('to a server of 2025-11-25', () => {
  const calls = async (door: Awaited<ReturnType<typeof doorBefore>>['door']) =>
    textOf(await door.call('u__x', '{"a":1}'));

  test('each message is a POST of its own, with the session and the negotiated revision after initialize', async (test) => {
    const { upstream, door } = await doorBefore(test, handshakeScript([PLAIN]));
    expect(await calls(door)).toBe('{"a":1}');
    const [initialize] = upstream.of('initialize');
    expect(initialize?.headers['mcp-session-id']).toBeUndefined();
    const after = posts(upstream).slice(posts(upstream).indexOf(initialize!) + 1);
    expect(after.map(({ message }) => message?.method)).toEqual(
      expect.arrayContaining(['notifications/initialized', 'tools/list', 'tools/call']),
    );
    for (const { headers, body } of after) {
      expect(headers['mcp-session-id']).toBe('session-1');
      expect(headers['mcp-protocol-version']).toBe('2025-11-25');
      expect(headers.accept).toContain('application/json');
      expect(headers.accept).toContain('text/event-stream');
      expect(Array.isArray(JSON.parse(body))).toBe(false);
    }
    for (const { headers } of upstream.taken.filter(({ method }) => method === 'GET')) {
      expect(headers.accept).toContain('text/event-stream');
    }
  });

  test.for([{ asStream: false }, { asStream: true }])(
    'an answer is taken as JSON and as a stream (%j)',
    async ({ asStream }, test) => {
      const { door } = await doorBefore(test, handshakeScript([PLAIN]), ({ message }) =>
        message?.method === 'tools/call'
          ? { result: { content: [{ type: 'text', text: 'here' }] }, asStream }
          : undefined,
      );
      expect(textOf(await door.call('u__x'))).toBe('here');
    },
  );

  test('a session that is gone is answered with a new initialize', async (test) => {
    const ended = new Set<string>();
    const { upstream, door } = await doorBefore(test, handshakeScript([PLAIN], ended));
    expect(await calls(door)).toBe('{"a":1}');
    ended.add('session-1');
    expect(await calls(door)).toBe('{"a":1}');
    expect(upstream.of('initialize')).toHaveLength(2);
    expect(upstream.of('initialize')[1]?.headers['mcp-session-id']).toBeUndefined();
    expect(upstream.of('tools/call').at(-1)?.headers['mcp-session-id']).toBe('session-2');
  });

  test('a session id is in no log, however much is logged', async (test) => {
    const upstream = await startHttpUpstream(test, handshakeScript([PLAIN]));
    const { door } = await openDoor(test, {
      servers: { u: { type: 'http', url: upstream.url } },
      env: { DOORWARD_LOG_LEVEL: 'info' },
    });
    await calls(door);
    await door.call('u__x', '{"a":2}');
    expect(upstream.taken.at(-1)?.headers['mcp-session-id']).toBe('session-1');
    expect(door.stderr).toContain('upstream.connected');
    expect(door.stderr).not.toContain('session-1');
  });

  test('a session is ended with DELETE when the door ends', async (test) => {
    const { upstream, door } = await doorBefore(test, handshakeScript([PLAIN]));
    await calls(door);
    door.endInput();
    await until(() => upstream.taken.some(({ method }) => method === 'DELETE'), 'a DELETE');
    expect(upstream.taken.find(({ method }) => method === 'DELETE')?.headers['mcp-session-id']).toBe('session-1');
  });

  test('a call given up is cancelled by a notification', async (test) => {
    const { upstream, door } = await doorBefore(test, handshakeScript([PLAIN]), ({ message }) =>
      message?.method === 'tools/call'
        ? { write: (response) => void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n') }
        : undefined,
    );
    await door.request('tools/list');
    door.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"u__x"}}');
    await until(() => upstream.of('tools/call').length === 1, 'the call');
    door.notify('notifications/cancelled', { requestId: 7 });
    await until(() => upstream.of('notifications/cancelled').length === 1, 'the cancellation');
    const [cancelled] = upstream.of('notifications/cancelled');
    expect(cancelled?.message?.params?.requestId).toBe(upstream.of('tools/call')[0]?.message?.id);
  });

  test('a stream that breaks is taken up again after the time that the server asked for, with the last id', async (test) => {
    let asked = 0;
    let reconnectedMs = 0;
    const { door } = await doorBefore(test, handshakeScript([PLAIN]), ({ method, headers, message }) => {
      if (message?.method === 'tools/call') {
        asked = Number(message.id);
        const start = {
          write: (response: import('node:http').ServerResponse) => {
            response.writeHead(200, { 'Content-Type': 'text/event-stream' });
            response.end('id: s1-1\nretry: 300\ndata:\n\n');
            reconnectedMs = performance.now();
          },
        };
        return start;
      }
      if (method !== 'GET' || headers['last-event-id'] === undefined) return undefined;
      expect(headers['last-event-id']).toBe('s1-1');
      reconnectedMs = performance.now() - reconnectedMs;
      const result = { content: [{ type: 'text', text: 'after all' }] };
      return {
        write: (response) => {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.end(`id: s1-2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: asked, result })}\n\n`);
        },
      };
    });
    expect(textOf(await door.call('u__x'))).toBe('after all');
    expect(reconnectedMs).toBeGreaterThan(290);
  });
});

test('what a caller shows to get in goes no further, and what we show upstream is our own', async (test) => {
  const upstream = await startHttpUpstream(test, modernScript([PLAIN]));
  const token = 'the-token-of-ada';
  const sha256 = createHash('sha256').update(token).digest('hex');
  const serving = await serve(test, {
    servers: { u: { type: 'http', url: upstream.url, headers: { Authorization: 'Bearer our-own' } } },
    config: { http: { auth: { tokens: [{ name: 'ada', sha256 }] } } },
  });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'u__x', _meta: modernMeta() },
  });
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'u__x' };
  expect((await serving.ask({ headers, body })).status).toBe(401);
  const answer = await serving.ask({
    headers: { ...headers, authorization: `Bearer ${token}`, 'mcp-param-other': 'x' },
    body,
  });
  expect(answer.messages).toMatchObject([{ id: 1, result: { resultType: 'complete' } }]);
  expect(upstream.of('tools/call')).toHaveLength(1);
  for (const { headers, rawHeaders, body } of upstream.taken) {
    expect(headers.authorization).toBe('Bearer our-own');
    expect(`${rawHeaders.join()}${body}`).not.toContain(token);
  }
});
