/** What doorward's HTTP door answers, in both eras: statuses, headers and errors as the pages have them. */
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { modernMeta } from '../fixtures/modern-meta.js';
import { anyTool, until, upstreamWith } from '../fixtures/open-door.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';
import { type Asked, type Serving, serve } from './serving.js';
import { sharedContext } from './shared-context.js';

const MIRRORED =
  '{"name":"m","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"}}}}';
const OK = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ok"}]}}';
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$TOKEN,"progress":1}}';

/** A door before an upstream over stdio with three tools: `x` answers, `p` reports first, `slow` never answers. */
const open = (test: TestContext): Promise<Serving> => {
  const [list] = upstreamWith([anyTool('x'), anyTool('p'), anyTool('slow'), MIRRORED]).rules;
  const rules = [
    list,
    { on: 'tools/call', tool: 'slow', emit: [] },
    { on: 'tools/call', tool: 'p', emit: [PROGRESS, OK] },
    { on: 'tools/call', emit: [OK] },
  ];
  return serve(test, { upstreams: { u: { rules } } });
};

/** How many messages of a method the upstream was sent from now on. */
function countingFrom({ folder }: Serving): (method: string) => number {
  const before = folder.received('u').length;
  return (method) =>
    folder
      .received('u')
      .slice(before)
      .filter((line) => line.includes(`"method":"${method}"`)).length;
}

/** A request of 2026-07-28 with the headers that belong to it; `headers` replace or, where undefined, remove some. */
function modern(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string | undefined>> = {},
  id: unknown = 1,
): Asked {
  const name = params.name ?? params.uri;
  const usual = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': String(name) }),
    ...headers,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: modernMeta(), ...params } });
  return {
    headers: Object.fromEntries(
      Object.entries(usual).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    body,
  };
}

describe('a caller of 2026-07-28', () => {
  const context = sharedContext();
  let serving: Serving;
  beforeAll(async () => {
    serving = await open(context);
    await serving.ask(modern('tools/list'));
  });

  test('is answered with JSON or a stream, under its id, with resultType and our name', async () => {
    const { status, headers, messages } = await serving.ask(
      modern('tools/call', { name: 'u__x', arguments: {} }, {}, 'mine'),
    );
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^(application\/json|text\/event-stream)/);
    expect(headers['mcp-session-id']).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({
      jsonrpc: '2.0',
      id: 'mine',
      result: {
        resultType: 'complete',
        content: [{ text: 'ok' }],
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'doorward' } },
      },
    });
  });

  test('discovers revisions, capabilities and our name, and needs not to', async () => {
    const { messages } = await serving.ask(modern('server/discover'));
    expect(messages[0]?.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      capabilities: { tools: expect.any(Object), resources: expect.any(Object), prompts: expect.any(Object) },
      ttlMs: expect.any(Number),
      cacheScope: expect.stringMatching(/^(public|private)$/),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'doorward' } },
    });
    expect(messages[0]?.result?.capabilities).not.toHaveProperty('tasks');
  });

  test.for([
    ['server/discover', {}],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['resources/read', { uri: 'doorward://status' }],
  ] as const)('is told how long the result of %s may be kept, and by whom', async ([method, params]) => {
    const { messages } = await serving.ask(modern(method, params));
    const { ttlMs, cacheScope } = messages.at(-1)?.result ?? {};
    expect(ttlMs).toBeGreaterThanOrEqual(0);
    expect(['public', 'private']).toContain(cacheScope);
  });

  test('gets nothing but messages that the schema allows', async (test) => {
    needWireSchemas(test);
    const asked = [
      ['server/discover', {}, 'DiscoverResult'],
      ['tools/list', {}, 'ListToolsResult'],
      ['tools/call', { name: 'u__x' }, 'CallToolResult'],
      ['resources/list', {}, 'ListResourcesResult'],
      ['resources/templates/list', {}, 'ListResourceTemplatesResult'],
      ['resources/read', { uri: 'doorward://status' }, 'ReadResourceResult'],
      ['prompts/list', {}, 'ListPromptsResult'],
    ] as const;
    for (const [method, params, definition] of asked) {
      const { messages } = await serving.ask(modern(method, params));
      expect(messages.length, method).toBeGreaterThan(0);
      for (const message of messages) expectWireMessage('2026-07-28', 'JSONRPCMessage', message);
      expectWireMessage('2026-07-28', definition, messages.at(-1)?.result);
    }
    for (const [method, params] of [
      ['tools/call', { name: 'u__none' }],
      ['no/such', {}],
      ['resources/read', { uri: 'none:1' }],
    ] as const) {
      const { messages } = await serving.ask(modern(method, params));
      expectWireMessage('2026-07-28', 'JSONRPCErrorResponse', messages.at(-1));
    }
  });

  test('gets progress of its own request on its stream, before the answer, which ends the stream', async () => {
    const token = { _meta: modernMeta({}, { progressToken: 'mine' }) };
    const { headers, messages } = await serving.ask(modern('tools/call', { ...token, name: 'u__p' }));
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    expect(headers['x-accel-buffering']).toBe('no');
    expect(messages.map(({ method }) => method)).toEqual(['notifications/progress', undefined]);
    expect(messages[0]?.params).toMatchObject({ progressToken: 'mine' });
    expect(messages.filter(({ method, id }) => method !== undefined && id !== undefined)).toEqual([]);
  });

  test('that closes its stream cancels its request, and nothing else', async () => {
    const since = countingFrom(serving);
    const call = serving.start(modern('tools/call', { name: 'u__slow' }));
    await until(() => since('tools/call') === 1, 'the call upstream');
    const other = await serving.ask(modern('tools/call', { name: 'u__x' }));
    expect(since('notifications/cancelled')).toBe(0);
    call.hangUp();
    await until(() => since('notifications/cancelled') === 1, 'the cancellation upstream');
    expect(other.status).toBe(200);
  });

  const mismatch = { status: 400, code: -32020 };
  test.for([
    {
      why: 'no revision in the header',
      asked: modern('tools/list', {}, { 'mcp-protocol-version': undefined }),
      status: 400,
      code: undefined,
    },
    {
      why: 'another revision in the header',
      asked: modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
      ...mismatch,
    },
    { why: 'no method in the header', asked: modern('tools/list', {}, { 'mcp-method': undefined }), ...mismatch },
    {
      why: 'another method in the header',
      asked: modern('tools/list', {}, { 'mcp-method': 'tools/call' }),
      ...mismatch,
    },
    { why: 'a method in another case', asked: modern('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }), ...mismatch },
    {
      why: 'no name in the header',
      asked: modern('tools/call', { name: 'u__x' }, { 'mcp-name': undefined }),
      ...mismatch,
    },
    {
      why: 'another name in the header',
      asked: modern('tools/call', { name: 'u__x' }, { 'mcp-name': 'u__p' }),
      ...mismatch,
    },
    {
      why: 'another URI in the header',
      asked: modern('resources/read', { uri: 'doorward://status' }, { 'mcp-name': 'x:1' }),
      ...mismatch,
    },
    {
      why: 'a parameter without its header',
      asked: modern('tools/call', { name: 'u__m', arguments: { region: 'eu' } }),
      ...mismatch,
    },
    {
      why: 'another parameter in its header',
      asked: modern('tools/call', { name: 'u__m', arguments: { region: 'eu' } }, { 'mcp-param-region': 'us' }),
      ...mismatch,
    },
    {
      why: 'a header for a parameter that is not there',
      asked: modern('tools/call', { name: 'u__m', arguments: {} }, { 'mcp-param-region': 'us' }),
      ...mismatch,
    },
    {
      why: 'bad Base64 in a header',
      asked: modern(
        'tools/call',
        { name: 'u__m', arguments: { region: 'eu' } },
        { 'mcp-param-region': '=?base64?%?=' },
      ),
      ...mismatch,
    },
    {
      why: 'no revision in _meta',
      asked: {
        ...modern('tools/list'),
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}',
      },
      status: 400,
      code: -32602,
    },
    {
      why: 'no capabilities in _meta',
      asked: {
        ...modern('tools/list'),
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
      },
      status: 400,
      code: -32602,
    },
    { why: 'a method nobody knows', asked: modern('no/such'), status: 404, code: -32601 },
    {
      why: 'tasks/result, of the older form',
      asked: modern('tasks/result', { taskId: 't' }),
      status: 404,
      code: -32601,
    },
    {
      why: 'initialize',
      asked: modern('initialize', { protocolVersion: '2026-07-28', capabilities: {} }),
      status: 404,
      code: -32601,
    },
    {
      why: 'a batch',
      asked: { ...modern('tools/list'), body: `[${modern('tools/list').body}]` },
      status: 400,
      code: -32600,
    },
    {
      why: 'an answer',
      asked: { ...modern('tools/list'), body: '{"jsonrpc":"2.0","id":1,"result":{}}' },
      status: 400,
      code: undefined,
    },
    { why: 'an id that is null', asked: modern('tools/list', {}, {}, null), status: 400, code: -32600 },
    { why: 'no JSON', asked: { ...modern('tools/list'), body: '{' }, status: 400, code: -32700 },
    { why: 'a tool nobody has', asked: modern('tools/call', { name: 'u__none' }), status: 200, code: -32602 },
    { why: 'a resource nobody has', asked: modern('resources/read', { uri: 'none:1' }), status: 200, code: -32602 },
  ])('is refused by the status and code of the page: $why', async ({ asked, status, code }) => {
    const since = countingFrom(serving);
    const answer = await serving.ask(asked);
    const error = answer.messages.at(-1)?.error;
    expect(answer.status, answer.body).toBe(status);
    if (code !== undefined) expect(error?.code).toBe(code);
    expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
    expect(since('tools/call')).toBe(0);
  });

  test('is refused a parameter without its header also before anything was listed', async (test) => {
    const cold = await open(test);
    const { status, messages } = await cold.ask(modern('tools/call', { name: 'u__m', arguments: { region: 'eu' } }));
    expect(status).toBe(400);
    expect(messages[0]?.error?.code).toBe(-32020);
    expect(cold.folder.received('u', 'tools/call')).toEqual([]);
  });

  test('is refused a revision that we do not speak, with those that we do', async () => {
    const params = { _meta: { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } };
    const { status, messages } = await serving.ask(
      modern('tools/list', params, { 'mcp-protocol-version': '2031-01-01' }),
    );
    expect(status).toBe(400);
    expect(messages[0]?.error).toMatchObject({
      code: -32022,
      data: { supported: expect.arrayContaining(['2026-07-28']), requested: '2031-01-01' },
    });
  });

  test('is refused what needs a capability that its request did not declare, with HTTP 400', async (test) => {
    const elicitations = [{ mode: 'url', message: 'm', url: 'https://x.test/', elicitationId: 'e' }];
    const error = JSON.stringify({ code: -32042, message: 'm', data: { elicitations } });
    const [list] = upstreamWith([anyTool('x')]).rules;
    const rules = [list, { on: 'tools/call', emit: [`{"jsonrpc":"2.0","id":$ID,"error":${error}}`] }];
    const serving = await serve(test, { upstreams: { u: { rules } } });
    const { status, messages } = await serving.ask(modern('tools/call', { name: 'u__x' }));
    expect(status).toBe(400);
    expect(messages).toMatchObject([
      { id: 1, error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } } },
    ]);
  });

  test.for([
    {
      why: 'names of headers in any case',
      headers: { 'MCP-NAME': 'u__m', 'Mcp-Param-REGION': 'eu', 'mcp-name': undefined },
    },
    { why: 'encoded though it need not be', headers: { 'mcp-param-region': '=?base64?ZXU=?=' } },
    { why: 'a name that is encoded', headers: { 'mcp-name': '=?base64?dV9fbQ==?=', 'mcp-param-region': 'eu' } },
    {
      why: 'an integer spelled otherwise',
      headers: { 'mcp-param-region': 'eu', 'mcp-param-count': '42.0' },
      args: { region: 'eu', count: 42 },
    },
    { why: 'null, without a header', headers: { 'mcp-param-region': 'eu' }, args: { region: 'eu', count: null } },
    { why: 'a header for a parameter nobody knows', headers: { 'mcp-param-region': 'eu', 'mcp-param-other': 'x' } },
  ])('is taken at its headers: $why', async ({ headers, args = { region: 'eu' } }) => {
    const answer = await serving.ask(modern('tools/call', { name: 'u__m', arguments: args }, headers));
    // What null is refused for is the schema's affair, not that of the headers.
    expect(answer.messages.at(-1)?.error?.code, answer.body).not.toBe(-32020);
    if (!Object.values(args).includes(null)) expect(answer.status).toBe(200);
  });

  test('has a notification taken with 202 and nothing more, or refused with an error', async () => {
    const notify = (method: string, body: string) => serving.ask({ ...modern(method), body });
    const taken = await notify(
      'notifications/other',
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/other', params: { _meta: modernMeta() } }),
    );
    expect(taken).toMatchObject({ status: 202, body: '' });
    const refused = await notify('notifications/other', '{"jsonrpc":"1.0","method":"notifications/other"}');
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  test('hears on the stream it listens on that it is acknowledged, first, under the id of its subscription', async () => {
    const stream = await serving.open(
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, {}, 'sub'),
    );
    await until(() => stream.messages().length > 0, 'the acknowledgement');
    expect(stream.messages()[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
    });
    expect(stream.headers['x-accel-buffering']).toBe('no');
    stream.close();
  });
});

describe('a caller of 2025-11-25', () => {
  const context = sharedContext();
  let serving: Serving;
  beforeAll(async () => {
    serving = await open(context);
  });

  const INITIALIZE =
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}';
  const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

  async function greeted() {
    const { status, headers, messages } = await serving.ask({ body: INITIALIZE });
    const session = String(headers['mcp-session-id']);
    const with_ = (more: Readonly<Record<string, string>> = {}) => ({
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
      ...more,
    });
    return { status, messages, session, headers: with_ };
  }

  test('gets a session of visible ASCII, another one each time, and answers within it', async () => {
    const { status, messages, session, headers } = await greeted();
    expect(status).toBe(200);
    expect(messages[0]?.result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(session).toMatch(/^[\x21-\x7e]{16,}$/);
    const again = await serving.ask({ body: INITIALIZE });
    expect(again.headers['mcp-session-id']).not.toBe(session);
    const answer = await serving.ask({ headers: headers(), body: PING });
    expect(answer.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(answer.headers['content-type']).toMatch(/^(application\/json|text\/event-stream)/);
  });

  test('has notifications taken with 202 and nothing more', async () => {
    const { headers } = await greeted();
    const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    expect(await serving.ask({ headers: headers(), body })).toMatchObject({ status: 202, body: '' });
  });

  test.for([
    { why: 'no session', headers: { 'mcp-protocol-version': '2025-11-25' }, body: PING, status: 400 },
    { why: 'a session nobody knows', headers: { 'mcp-session-id': 'x'.repeat(32) }, body: PING, status: 404 },
    {
      why: 'a revision nobody knows',
      own: true,
      headers: { 'mcp-protocol-version': '1999-01-01' },
      body: PING,
      status: 400,
    },
    { why: 'a batch', own: true, headers: {}, body: `[${PING}]`, status: 400 },
    { why: 'no JSON', own: true, headers: {}, body: '{', status: 400 },
    { why: 'a notification that is none', own: true, headers: {}, body: '{"jsonrpc":"1.0","method":"n"}', status: 400 },
  ])('is refused by the status of the page: $why', async ({ own = false, headers, body, status }) => {
    const greeting = await greeted();
    const answer = await serving.ask({ headers: own ? greeting.headers(headers) : headers, body });
    expect(answer.status, answer.body).toBe(status);
  });

  test('that ends its session finds it gone', async () => {
    const { headers } = await greeted();
    expect((await serving.ask({ method: 'DELETE', headers: headers() })).status).toBeLessThan(300);
    expect((await serving.ask({ headers: headers(), body: PING })).status).toBe(404);
  });

  test('may open a stream with GET, on which no answer comes', async () => {
    const { headers } = await greeted();
    const get = await serving.open({ method: 'GET', headers: headers({ accept: 'text/event-stream' }) });
    expect([200, 405]).toContain(get.status);
    if (get.status === 200) expect(get.headers['content-type']).toMatch(/^text\/event-stream/);
    await serving.ask({ headers: headers(), body: PING });
    expect(get.messages().filter(({ method }) => method === undefined)).toEqual([]);
    get.close();
  });

  test('that hangs up has not cancelled its call', async () => {
    const { headers } = await greeted();
    const body = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"u__slow"}}';
    const since = countingFrom(serving);
    const call = serving.start({ headers: headers(), body });
    await until(() => since('tools/call') === 1, 'the call upstream');
    call.hangUp();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await serving.ask({ headers: headers(), body: PING });
    expect(since('notifications/cancelled')).toBe(0);
    await serving.ask({
      headers: headers(),
      body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}',
    });
    await until(() => since('notifications/cancelled') === 1, 'the cancellation upstream');
  });

  test('gets progress and answer on the stream of its own request, and on no other', async () => {
    const { headers } = await greeted();
    await serving.ask({ headers: headers(), body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
    const get = await serving.open({ method: 'GET', headers: headers({ accept: 'text/event-stream' }) });
    const other = await greeted();
    const call = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"u__p","_meta":{"progressToken":"t"}}}`;
    const [first, second] = await Promise.all([
      serving.ask({ headers: headers(), body: call(5) }),
      serving.ask({ headers: other.headers(), body: call(6) }),
    ]);
    for (const [id, { messages }] of [
      [5, first],
      [6, second],
    ] as const) {
      expect(messages.map(({ method }) => method)).toEqual(['notifications/progress', undefined]);
      expect(messages.at(-1)).toMatchObject({ id, result: { content: [{ text: 'ok' }] } });
    }
    expect(get.messages().filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    get.close();
  });
});
