/** Every message that doorward writes, to callers and to upstreams, held against the schema of the revision it speaks. */
import { describe, expect, test } from 'vitest';
import { call, cancel, MemoryDoor, request } from '../fixtures/memory-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';
import { LIST_CHANGED, type MemoryScript } from '../fixtures/memory-transport.js';
import { settled } from '../fixtures/virtual-clock.js';
import { expectWireMessage, hasWireDefinition, needWireSchemas } from '../fixtures/wire-schemas.js';

/** A message as it went over the wire. */
interface Wire {
  readonly jsonrpc: string;
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: { readonly progressToken?: unknown };
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

const FORM = { message: 'sure?', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } };
const asked = (id: string, method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const told = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', method, params });

/** An upstream that has one of everything, and asks one of everything before it answers a call. */
function everything(revision: string): MemoryScript {
  return {
    tools: [
      toolNamed('x', { inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }),
      toolNamed('s'),
    ],
    on: {
      initialize: () => ({
        protocolVersion: revision,
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true },
          prompts: {},
          completions: {},
          logging: {},
        },
        serverInfo: { name: 'in memory', version: '1.0.0' },
      }),
      'resources/list': () => ({ resources: [{ uri: 'x:1', name: 'one' }] }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'y:{id}', name: 'many' }] }),
      'resources/read': () => ({ contents: [{ uri: 'x:1', text: 'content' }] }),
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
      'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
      'prompts/get': () => ({ messages: [] }),
      'completion/complete': () => ({ completion: { values: [] } }),
      'logging/setLevel': () => ({}),
      'tools/call': ({ id, params }, transport) => {
        if (params?.name === 's') return undefined;
        const { progressToken } = (params?._meta ?? {}) as { readonly progressToken?: unknown };
        transport.say(told('notifications/progress', { progressToken, progress: 1 }));
        transport.say(told('notifications/message', { level: 'error', data: 'm' }));
        transport.say(told('notifications/resources/updated', { uri: 'x:1' }), LIST_CHANGED);
        transport.say(asked('q1', 'ping'), asked('q2', 'elicitation/create', FORM), asked('q3', 'roots/list'));
        transport.say(asked('q4', 'sampling/createMessage', { messages: [], maxTokens: 1 }), asked('q5', 'no/such'));
        transport.answer(id, { content: [{ type: 'text', text: 'done' }] });
        return undefined;
      },
    },
  };
}

/** One of everything that a caller may want. */
const ASKED: readonly (readonly [method: string, params?: object])[] = [
  ['ping'],
  ['tools/list'],
  ['tools/call', { name: 'a__x', arguments: { n: 1 }, _meta: { progressToken: 'mine' } }],
  ['tools/call', { name: 'a__x', arguments: { n: 'x' } }],
  ['tools/call', { name: 'a__none' }],
  ['resources/list'],
  ['resources/templates/list'],
  ['resources/read', { uri: 'x:1' }],
  ['resources/read', { uri: 'doorward://status' }],
  ['resources/read', { uri: 'none:1' }],
  ['resources/subscribe', { uri: 'x:1' }],
  ['resources/unsubscribe', { uri: 'x:1' }],
  ['prompts/list'],
  ['prompts/get', { name: 'a__p' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'a__p' }, argument: { name: 'n', value: '' } }],
  ['logging/setLevel', { level: 'warning' }],
  ['no/such'],
];

const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'elicitation/create': 'ElicitResult',
  'roots/list': 'ListRootsResult',
};

/** The one message of the 2026 era that an older upstream may be sent: it tells the eras apart. */
const isProbe = ({ method }: Wire): boolean => method === 'server/discover';

/** Holds one message against the schema, by who wrote it and what it answers. */
function expectMessage(revision: string, from: 'Client' | 'Server', message: Wire, answered?: string): void {
  expectWireMessage(revision, 'JSONRPCMessage', message);
  if (message.method !== undefined) {
    expectWireMessage(revision, `${from}${message.id === undefined ? 'Notification' : 'Request'}`, message);
  } else if (message.result !== undefined) {
    const definition = RESULTS[answered ?? ''] ?? 'EmptyResult';
    if (answered !== 'sampling/createMessage') expectWireMessage(revision, definition, message.result);
  } else {
    expect(Number.isInteger(message.error?.code)).toBe(true);
    expect(message.error?.message).toEqual(expect.any(String));
  }
}

describe.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('in revision %s', (revision) => {
  const elicits = revision >= '2025-06-18';
  const capabilities = { roots: { listChanged: true }, sampling: {}, ...(elicits && { elicitation: {} }) };

  /** A whole session; what the caller read, what the upstream read, and the methods by the ids of each side. */
  async function session() {
    const opened = new MemoryDoor({ a: { scripts: [everything(revision)] } });
    const methods = new Map<unknown, string>([['init', 'initialize']]);
    const clientInfo = { name: 'c', version: '1' };
    await opened.write(request('init', 'initialize', { protocolVersion: revision, capabilities, clientInfo }));
    await opened.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    for (const [at, [method, params]] of ASKED.entries()) {
      methods.set(at, method);
      await opened.write(request(at, method, params));
    }
    await opened.write(call('given up', 'a__s'), cancel('given up'), told('notifications/roots/list_changed', {}));
    const read = opened.taken() as Wire[];
    for (const { id, method } of read.filter((each) => each.method !== undefined && each.id !== undefined)) {
      const result = method === 'roots/list' ? { roots: [] } : { action: 'accept', content: { ok: true } };
      await opened.write(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    opened.clock.advance?.(1_000);
    await settled();
    const sent = opened
      .attempts('a')
      .flatMap((transport) => transport.sent.map(({ message }) => message as unknown as Wire));
    await opened.gateway.close();
    return { read: [...read, ...(opened.taken() as Wire[])], sent, methods };
  }

  test('every message to the caller is one that the schema allows', async (context) => {
    needWireSchemas(context);
    const { read, methods } = await session();
    const answered = read.filter(({ result, error }) => result ?? error).map(({ id }) => id);
    expect(answered.sort()).toEqual([...ASKED.keys(), 'init'].sort());
    for (const message of read) {
      if (elicits || message.method !== 'elicitation/create')
        expectMessage(revision, 'Server', message, methods.get(message.id));
    }
    const unasked = new Set(read.flatMap(({ method }) => method ?? []));
    for (const method of ['notifications/progress', 'sampling/createMessage', 'roots/list'])
      expect(unasked).toContain(method);
  });

  test('every message to the upstream is one that the schema allows', async (context) => {
    needWireSchemas(context);
    const { sent } = await session();
    const [probes, rest] = [sent.filter(isProbe), sent.filter((each) => !isProbe(each))];
    for (const probe of probes) expectWireMessage('2026-07-28', 'DiscoverRequest', probe);
    const asks: Readonly<Record<string, string>> = {
      q2: 'elicitation/create',
      q3: 'roots/list',
      q4: 'sampling/createMessage',
    };
    for (const message of rest) {
      if (!elicits && message.id === 'q2') continue;
      expectMessage(revision, 'Client', message, asks[String(message.id)]);
    }
    const methods = rest.flatMap(({ method }) => method ?? []);
    expect(methods.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', expect.any(String)]);
    expect(methods).toEqual(expect.arrayContaining(['tools/call', 'notifications/cancelled', 'prompts/get']));
    expect(
      sent
        .filter(({ method }) => method === undefined)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['q1', 'q2', 'q3', 'q4', 'q5']);
  });

  test('no two requests of ours have one id, and no id is null', async () => {
    const { read, sent } = await session();
    for (const written of [read, sent]) {
      const ids = written.filter(({ method, id }) => method !== undefined && id !== undefined).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(typeof id === 'string' || Number.isInteger(id)).toBe(true);
    }
  });
});

test('the schemas are those of the revisions', (context) => {
  needWireSchemas(context);
  expect(hasWireDefinition('2025-11-25', 'InitializeRequest')).toBe(true);
  expect(hasWireDefinition('2026-07-28', 'InitializeRequest')).toBe(false);
  expect(() => expectWireMessage('2025-11-25', 'PingRequest', { jsonrpc: '1.0', id: 1, method: 'ping' })).toThrow(
    'jsonrpc',
  );
});
