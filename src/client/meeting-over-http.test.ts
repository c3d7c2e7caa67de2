/** Which era an upstream behind HTTP speaks (MCP 2026-07-28 basic/transports/streamable-http, Backward Compatibility). */
import { describe, expect, test } from 'vitest';
import { URL_OF_IT } from '../../test/fixtures/http-transports.js';
import { type MemoryExchange, MemoryWire } from '../../test/fixtures/memory-wire.js';
import { Started } from '../../test/fixtures/started-client.js';
import type { ClientOptions } from './client-options.js';
import { type HttpTransportOptions, httpTransport } from './http/http-transport.js';

interface Said {
  readonly id?: number;
  readonly method?: string;
}
type Answer = (exchange: MemoryExchange, said: Said) => void;
/** By the method of the message, `GET` for the older stream; what is not named is 404 without a word. */
type Server = Readonly<Record<string, Answer>>;

const result =
  (value: object): Answer =>
  (exchange, { id }) =>
    exchange.answer(200, { jsonrpc: '2.0', id, result: value });
const status =
  (code: number, body: unknown = ''): Answer =>
  (exchange) =>
    exchange.answer(code, body);
const refusal =
  (code: number, error: object, id: unknown = undefined): Answer =>
  (exchange, said) =>
    exchange.answer(code, { jsonrpc: '2.0', id: id === undefined ? said.id : id, error });

const tools = result({ tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
const NEWER: Server = {
  'server/discover': result({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
  'tools/list': tools,
};
const OLDER: Server = {
  initialize: result({ protocolVersion: '2025-06-18', capabilities: { tools: {} } }),
  'notifications/initialized': status(202),
  'tools/list': tools,
};

interface Met {
  readonly end: string;
  /** What was asked until it was ready or had failed. */
  readonly asked: string[];
}

async function met(
  server: Server,
  client: Partial<ClientOptions> = {},
  transport: Partial<HttpTransportOptions> = {},
): Promise<Met> {
  const asked: string[] = [];
  const wire = new MemoryWire((exchange) => {
    const said = exchange.body === '' ? {} : (JSON.parse(exchange.body) as Said);
    const what = said.method ?? exchange.method;
    asked.push(what);
    (server[what] ?? status(404))(exchange, said);
  });
  const up: Started = new Started([], {
    era: 'auto',
    connect: () =>
      httpTransport({ url: URL_OF_IT, wire, clock: up.clock, maxMessageBytes: 10_000, server: 'up', ...transport }),
    ...client,
  });
  await up.client.start().catch(() => {});
  const { state } = up.client;
  const known = [...asked];
  const end = state.kind === 'ready' ? state.hello.codec.revision : state.kind === 'failed' ? state.error.code : '?';
  await up.client.close();
  return { end, asked: known };
}

const FALLS_BACK = ['server/discover', 'initialize', 'notifications/initialized'];

describe('a server that refuses the modern request', () => {
  test.each<{ why: string; discover: Answer }>([
    { why: '400 without a body', discover: status(400) },
    { why: '404 without a body', discover: status(404) },
    { why: '405 with a page', discover: status(405, '<h1>Method not allowed</h1>') },
    { why: '400 with JSON that is no JSON-RPC', discover: status(400, { error: 'Bad Request' }) },
    {
      why: '400 with an error of JSON-RPC for no id, as the older SDKs do',
      discover: refusal(400, { code: -32000, message: 'Bad Request: Server not initialized' }, null),
    },
    { why: '404 with -32601', discover: refusal(404, { code: -32601, message: 'Method not found' }) },
    { why: '200 with -32602', discover: refusal(200, { code: -32602, message: 'Invalid params' }) },
    { why: '200 with an error that is none', discover: refusal(200, { code: 'x' }) },
    { why: '200 with an empty result', discover: result({}) },
    {
      why: '400 with the older revisions that it supports',
      discover: refusal(400, { code: -32022, message: 'no', data: { supported: ['2025-06-18'] } }),
    },
  ])('by $why is greeted as of old', async ({ discover }) => {
    const { end, asked } = await met({ ...OLDER, 'server/discover': discover });
    expect(end).toBe('2025-06-18');
    expect(asked.slice(0, 3)).toEqual(FALLS_BACK);
  });

  test.each<{ why: string; discover: Answer; end: string }>([
    { why: '401', discover: status(401), end: 'AUTH_REQUIRED' },
    { why: '403', discover: status(403), end: 'FORBIDDEN' },
    { why: '429', discover: status(429), end: 'UPSTREAM_UNREACHABLE' },
    { why: '500', discover: status(500), end: 'UPSTREAM_UNREACHABLE' },
    { why: '503', discover: status(503), end: 'UPSTREAM_UNREACHABLE' },
    { why: 'a connection that breaks', discover: (exchange) => exchange.fail(), end: 'UPSTREAM_UNREACHABLE' },
    {
      why: 'nobody there',
      discover: (exchange) => exchange.fail('UPSTREAM_UNREACHABLE'),
      end: 'UPSTREAM_UNREACHABLE',
    },
    {
      why: '400 with -32020',
      discover: refusal(400, { code: -32020, message: 'm' }),
      end: 'UPSTREAM_BROKE_PROTOCOL',
    },
    {
      why: '400 with -32021',
      discover: refusal(400, { code: -32021, message: 'm' }),
      end: 'UPSTREAM_BROKE_PROTOCOL',
    },
    {
      why: '400 with revisions that we do not speak',
      discover: refusal(400, { code: -32022, message: 'm', data: { supported: ['2031-01-01'] } }),
      end: 'VERSION_UNSUPPORTED',
    },
  ])('by $why has said nothing of its era: it is not greeted', async ({ discover, end: wanted }) => {
    const { end, asked } = await met({ ...OLDER, 'server/discover': discover });
    expect(end).toBe(wanted);
    expect(asked).toEqual(['server/discover']);
  });
});

test('one that answers it is not greeted', async () => {
  const { end, asked } = await met({ ...OLDER, ...NEWER });
  expect(end).toBe('2026-07-28');
  expect(asked).toEqual(['server/discover', 'tools/list']);
});

describe('HTTP+SSE', () => {
  const olderStill: Server = {
    GET: (exchange) => exchange.stream().data('event: endpoint\ndata: /messages\n\n'),
  };

  test.each([400, 404, 405])('is tried where initialize is refused with %i as well', async (code) => {
    const { asked } = await met({ ...olderStill, initialize: status(code) }, { startTimeoutMs: 1 });
    expect(asked.slice(0, 4)).toEqual(['server/discover', 'initialize', 'GET', 'initialize']);
  });

  test('is not there: what initialize was refused with is not hidden by that', async () => {
    const { end, asked } = await met({});
    expect(asked).toEqual(['server/discover', 'initialize', 'GET']);
    expect(end).toBe('UPSTREAM_UNREACHABLE');
  });

  test('is tried as well where it is known that the server is of the older era', async () => {
    const { asked } = await met({ ...olderStill, initialize: status(405) }, { era: 'handshake' });
    expect(asked.slice(0, 3)).toEqual(['initialize', 'GET', 'initialize']);
  });

  test.each([401, 403, 500])('is not tried where initialize is refused with %i', async (code) => {
    const { asked } = await met({ ...olderStill, initialize: status(code) });
    expect(asked).toEqual(['server/discover', 'initialize']);
  });

  test('is not tried where the configuration names the newer way', async () => {
    const { asked } = await met({ ...olderStill }, {}, { type: 'streamable-http' });
    expect(asked).toEqual(['server/discover', 'initialize']);
  });
});

describe('an era that the configuration names', () => {
  test('handshake: greeted at once', async () => {
    const { end, asked } = await met(OLDER, { era: 'handshake' });
    expect(end).toBe('2025-06-18');
    expect(asked[0]).toBe('initialize');
  });

  test('modern: never greeted', async () => {
    const { end, asked } = await met(OLDER, { era: 'modern' });
    expect(end).toBe('UPSTREAM_UNREACHABLE');
    expect(asked).toEqual(['server/discover']);
  });
});

test('an end at the first question is no reason to start again: no process is behind it', async () => {
  const { asked } = await met({ 'server/discover': (exchange) => exchange.fail() });
  expect(asked).toEqual(['server/discover']);
});

describe('a server that says nothing to the first question', () => {
  const silent: Answer = () => {};

  /** What is asked by starts in a row; each takes all its time where nothing is answered. */
  async function starts(server: Server, count: number): Promise<string[][]> {
    const asked: string[][] = [];
    const wire = new MemoryWire((exchange) => {
      const said = exchange.body === '' ? {} : (JSON.parse(exchange.body) as Said);
      const what = said.method ?? exchange.method;
      asked.at(-1)!.push(what);
      (server[what] ?? status(404))(exchange, said);
    });
    const up: Started = new Started([], {
      era: 'auto',
      connect: () => httpTransport({ url: URL_OF_IT, wire, clock: up.clock, maxMessageBytes: 10_000, server: 'up' }),
    });
    for (let start = 0; start < count && up.client.state.kind !== 'ready'; start++) {
      asked.push([]);
      const started = up.client.start().catch(() => {});
      await up.clock.advance(10_000);
      await started;
    }
    await up.client.close();
    return asked;
  }

  test('is greeted as of old by the next start, and not asked again', async () => {
    const asked = await starts({ ...OLDER, 'server/discover': silent }, 3);
    expect(asked.map(([first]) => first)).toEqual(['server/discover', 'initialize']);
  });

  test('and nothing to a greeting either is asked anew: it may only have been down', async () => {
    const asked = await starts({ 'server/discover': silent, initialize: silent }, 3);
    expect(asked.map(([first]) => first)).toEqual(['server/discover', 'initialize', 'server/discover']);
  });
});
