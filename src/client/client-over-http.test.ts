/** What a client does that only HTTP can tell it to: send once more what surely did not run, and list anew what wants other headers. */
import { describe, expect, test } from 'vitest';
import { URL_OF_IT } from '../../test/fixtures/http-transports.js';
import { type MemoryExchange, MemoryWire } from '../../test/fixtures/memory-wire.js';
import { Started } from '../../test/fixtures/started-client.js';
import { CallSignal, encodeText, JsonScanner } from '../base/index.js';
import { locateRequestParams, type RequestParams } from '../protocol/index.js';
import { httpTransport } from './http/http-transport.js';

interface Said {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}
type Answer = (exchange: MemoryExchange, said: Said) => void;

const SOME = { name: 'some', inputSchema: { type: 'object' } };

class OverHttp {
  readonly asked: Said[] = [];
  readonly wire: MemoryWire;
  readonly up: Started;
  readonly #on: Record<string, Answer>;

  constructor(on: Readonly<Record<string, Answer>>) {
    this.#on = { ...on };
    this.wire = new MemoryWire((exchange) => {
      const said = (exchange.body === '' ? {} : JSON.parse(exchange.body)) as Said;
      this.asked.push(said);
      const answer = this.#on[said.method ?? exchange.method];
      if (answer !== undefined) answer(exchange, said);
      else exchange.answer(said.id === undefined ? 202 : 404);
    });
    this.up = new Started([], {
      era: 'auto',
      maxInFlight: 100,
      connect: () =>
        httpTransport({ url: URL_OF_IT, wire: this.wire, clock: this.up.clock, maxMessageBytes: 10_000, server: 'up' }),
    });
  }

  async started(): Promise<this> {
    await this.up.client.start();
    return this;
  }

  answers(method: string, answer: Answer): void {
    this.#on[method] = answer;
  }

  count(method: string): number {
    return this.asked.filter((said) => said.method === method).length;
  }

  async settled(ms = 2_000): Promise<void> {
    await this.up.clock.advance(ms);
  }
}

const result =
  (value: object): Answer =>
  (exchange, { id }) =>
    exchange.answer(200, { jsonrpc: '2.0', id, result: value });
const outcomeOf = (task: Promise<unknown>): Promise<unknown> =>
  task.catch((thrown: { code: string; data: object }) => ({ code: thrown.code, ...thrown.data }));

describe('a session that the server no longer knows (MCP 2025-11-25 basic/transports, Session Management)', () => {
  /** Gives session ids in turn; `ended` are answered with 404. */
  function sessions(ended: Set<string>, call: Answer = result({ content: [] })): OverHttp {
    let count = 0;
    const known =
      (answer: Answer): Answer =>
      (exchange, said) =>
        ended.has(String(exchange.headers['Mcp-Session-Id'] ?? exchange.headers['mcp-session-id']))
          ? exchange.answer(404)
          : answer(exchange, said);
    return new OverHttp({
      GET: (exchange) => exchange.answer(405),
      DELETE: (exchange) => exchange.answer(200),
      initialize: (exchange, { id }) => {
        const value = { protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {} } };
        exchange.answer(200, { jsonrpc: '2.0', id, result: value }, { 'mcp-session-id': `s${++count}` });
      },
      'tools/list': known(result({ tools: [SOME] })),
      'tools/call': known(call),
      'prompts/get': known(result({ messages: [] })),
    });
  }

  test('costs no call: all are sent once more in one new session, and run once', async () => {
    const ended = new Set<string>();
    let runs = 0;
    const run: Answer = (exchange, said) => {
      runs++;
      result({ content: [] })(exchange, said);
    };
    const server = await sessions(ended, run).started();
    ended.add('s1');
    const calls = Array.from({ length: 12 }, () => outcomeOf(server.up.call('some')));
    await server.settled();
    expect(await Promise.all(calls)).toEqual(Array(12).fill({ content: [] }));
    expect([runs, server.count('tools/call'), server.count('initialize')]).toEqual([12, 24, 2]);
    await server.up.client.close();
  });

  test('costs no other request either', async () => {
    const ended = new Set<string>();
    const server = await sessions(ended).started();
    ended.add('s1');
    const got = server.up.client.relay('prompts/get', promptParams(), 'p', { principal: { id: 'me', kind: 'local' } });
    await server.settled();
    expect((await got).kind).toBe('result');
    expect([server.count('prompts/get'), server.count('initialize')]).toEqual([2, 2]);
    await server.up.client.close();
  });

  test('is told as lost where the server forgets every session at once, after one more try', async () => {
    const server = await sessions(new Set(), (exchange) => exchange.answer(404)).started();
    const outcome = outcomeOf(server.up.call('some'));
    await server.settled();
    expect(await outcome).toMatchObject({ code: 'UPSTREAM_LOST', outcome: 'not-executed' });
    expect(server.count('tools/call')).toBe(2);
    await server.up.client.close();
  });

  test('is not begun anew for a caller who has given up', async () => {
    const ended = new Set<string>();
    const server = await sessions(ended).started();
    ended.add('s1');
    const signal = new CallSignal();
    const outcome = server.up.call('some', '{}', { signal }).catch((reason: unknown) => reason);
    signal.abort('enough');
    await server.settled();
    expect(await outcome).toBe('enough');
    expect(server.count('tools/call')).toBe(1);
    await server.up.client.close();
  });

  test('is another thing than a connection that broke: whatever may have run is not sent again', async () => {
    const server = await sessions(new Set(), (exchange) => exchange.fail()).started();
    const outcome = outcomeOf(server.up.call('some'));
    await server.settled();
    expect(await outcome).toMatchObject({ code: 'UPSTREAM_LOST', outcome: 'unknown' });
    expect(server.count('tools/call')).toBe(1);
    await server.up.client.close();
  });
});

describe('a tool that wants other headers by now (MCP 2026-07-28 basic/transports, Client Behavior)', () => {
  const caching = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
  const mismatch: Answer = (exchange, { id }) =>
    exchange.answer(400, { jsonrpc: '2.0', id, error: { code: -32020, message: 'Header mismatch' } });
  const HEADED = {
    name: 'some',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  };

  /** Lists these in turn, the last one from then on; undefined is not answered. */
  function listing(lists: readonly (readonly object[] | undefined)[], call: Answer): OverHttp {
    let count = 0;
    return new OverHttp({
      'server/discover': result({ ...caching, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
      'tools/list': (exchange, said) => {
        const tools = lists[Math.min(count++, lists.length - 1)];
        if (tools !== undefined) result({ ...caching, tools })(exchange, said);
      },
      'tools/call': call,
    });
  }

  const region = (exchange: MemoryExchange): string | undefined =>
    Object.entries(exchange.headers).find(([name]) => name.toLowerCase() === 'mcp-param-region')?.[1];
  const wantsRegion: Answer = (exchange, said) =>
    region(exchange) === undefined
      ? mismatch(exchange, said)
      : result({ resultType: 'complete', content: [], region: region(exchange) })(exchange, said);

  test('is listed anew, not once for each of its calls, and each is sent once more with what it wants', async () => {
    const server = await listing([[SOME], [HEADED]], wantsRegion).started();
    const calls = Array.from({ length: 5 }, () => outcomeOf(server.up.call('some', '{"region":"eu"}')));
    await server.settled();
    expect(await Promise.all(calls)).toEqual(Array(5).fill({ resultType: 'complete', content: [], region: 'eu' }));
    expect(server.count('tools/call')).toBe(10);
    // Those refused while it is being listed anew may want what has changed since: one more list for all of them.
    expect(server.count('tools/list')).toBeLessThanOrEqual(3);
    await server.up.client.close();
  });

  test('and says so again has failed, and is not tried a third time', async () => {
    const server = await listing([[SOME]], mismatch).started();
    const outcome = outcomeOf(server.up.call('some'));
    await server.settled();
    expect(await outcome).toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL', upstreamError: { code: -32020 } });
    expect(server.count('tools/call')).toBe(2);
    await server.up.client.close();
  });

  test.each([
    { why: 'is gone from the new list', tools: [], code: 'TOOL_UNKNOWN' },
    {
      why: 'takes other arguments by now',
      tools: [{ name: 'some', inputSchema: { type: 'object', required: ['x'] } }],
      code: 'INVALID_ARGUMENTS',
    },
  ])('and $why is not called again', async ({ tools, code }) => {
    const server = await listing([[SOME], tools], mismatch).started();
    const outcome = outcomeOf(server.up.call('some'));
    await server.settled();
    expect(await outcome).toMatchObject({ code });
    expect(server.count('tools/call')).toBe(1);
    await server.up.client.close();
  });

  test('and whose new list is slow keeps no caller waiting who has given up, and calls nothing for it', async () => {
    const server = await listing([[SOME], undefined], wantsRegion).started();
    const signal = new CallSignal();
    const outcome = server.up.call('some', '{"region":"eu"}', { signal }).catch((reason: unknown) => reason);
    await server.settled(1_000);
    expect(server.count('tools/list')).toBe(2);
    signal.abort('enough');
    expect(await outcome).toBe('enough');
    await server.settled(60_000);
    expect(server.count('tools/call')).toBe(1);
    await server.up.client.close();
  });
});

describe('a server that was started anew, or replaced, without a sign (MCP 2026-07-28 basic/versioning)', () => {
  type Kind = 'modern' | 'sessions' | 'plain';
  const caching = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
  const nobody = { jsonrpc: '2.0', error: { code: -32_000, message: 'No valid session ID provided' }, id: null };

  /** Servers of each kind refuse those of the others as SDKs' examples do. */
  class Changing {
    readonly server: OverHttp;
    kind: Kind;
    /** Sessions of before a restart are not known after it. */
    restarts = 0;

    constructor(kind: Kind) {
      this.kind = kind;
      const call = this.#known({ resultType: 'complete', content: [] });
      this.server = new OverHttp({
        GET: (exchange) => exchange.answer(405),
        DELETE: (exchange) => exchange.answer(200),
        'server/discover': this.#known({ ...caching, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
        initialize: (exchange, { id }) => {
          if (this.kind === 'modern') return this.#refuse(exchange, id);
          const session: Record<string, string> =
            this.kind === 'plain' ? {} : { 'mcp-session-id': `s${this.restarts}` };
          const value = { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
          exchange.answer(200, { jsonrpc: '2.0', id, result: value }, session);
        },
        ping: this.#known({}),
        'tools/list': this.#known({ ...caching, tools: [SOME] }),
        'tools/call': call,
      });
    }

    #known(value: object): Answer {
      return (exchange, said) => {
        const { headers } = exchange;
        const isModern = headers['mcp-protocol-version'] === '2026-07-28';
        const hasSession = headers['mcp-session-id'] === `s${this.restarts}`;
        const isOurs = { modern: isModern, sessions: hasSession, plain: !isModern }[this.kind];
        if (isOurs) result(value)(exchange, said);
        else this.#refuse(exchange, said.id);
      };
    }

    #refuse(exchange: MemoryExchange, id: number | undefined): void {
      const data = { supported: ['2026-07-28'] };
      const version = { jsonrpc: '2.0', id, error: { code: -32_022, message: 'Unsupported protocol version', data } };
      if (this.kind === 'plain') exchange.answer(400, 'Bad Request');
      else exchange.answer(400, this.kind === 'modern' ? version : nobody);
    }
  }

  const KINDS: readonly Kind[] = ['modern', 'sessions', 'plain'];
  const changes = KINDS.flatMap((before) => KINDS.map((after) => ({ before, after })));

  test.each(changes)(
    '$before, then $after: it is found out, and calls are answered again',
    async ({ before, after }) => {
      const up = new Changing(before);
      const { server } = up;
      await server.started();
      up.kind = after;
      up.restarts++;
      const first = outcomeOf(server.up.call('some'));
      await server.settled(5_000);
      expect(await first).toBeDefined();
      for (let count = 0; count < 3; count++) {
        const next = outcomeOf(server.up.call('some'));
        await server.settled(100);
        expect(await next).toMatchObject({ content: [] });
      }
      expect(server.count('tools/call'), 'none is sent twice').toBe(4);
      await server.up.client.close();
    },
  );

  test('one that knows us and refuses a call is left as it is, and asked once for many', async () => {
    const up = new Changing('sessions');
    const { server } = up;
    server.answers('tools/call', (exchange) => exchange.answer(400, 'Bad Request'));
    await server.started();
    const calls = Array.from({ length: 5 }, () => outcomeOf(server.up.call('some')));
    await server.settled();
    for (const each of await Promise.all(calls))
      expect(each).toMatchObject({ httpStatus: 400, outcome: 'not-executed' });
    expect([server.count('tools/call'), server.count('ping'), server.count('initialize')]).toEqual([5, 1, 1]);
    await server.up.client.close();
  });

  test('an error that names its request is no reason to ask', async () => {
    const up = new Changing('modern');
    const { server } = up;
    server.answers('tools/call', (exchange, { id }) =>
      exchange.answer(404, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }),
    );
    await server.started();
    const outcome = outcomeOf(server.up.call('some'));
    await server.settled();
    await outcome;
    expect(server.count('server/discover')).toBe(1);
    await server.up.client.close();
  });
});

test.each([-32_020, -32_021, -32_022])(
  'a server of the handshake era whose own error is %i has run the call: it is not called again',
  async (code) => {
    const server = new OverHttp({
      GET: (exchange) => exchange.answer(405),
      initialize: result({ protocolVersion: '2025-11-25', capabilities: { tools: {} } }),
      'tools/list': result({ tools: [SOME] }),
      'tools/call': (exchange, { id }) =>
        exchange.answer(200, { jsonrpc: '2.0', id, error: { code, message: 'an error of its own' } }),
    });
    await server.started();
    const outcome = outcomeOf(server.up.call('some'));
    await server.settled();
    expect(await outcome).toMatchObject({ upstreamError: { code } });
    expect(server.count('tools/call')).toBe(1);
    await server.up.client.close();
  },
);

describe('an answer on the stream of another request', () => {
  /** Two calls are under way; the first is answered under the id of the second, which is answered right afterwards. */
  const swapped =
    (say: (exchange: MemoryExchange, message: string) => void): Answer =>
    (exchange, said) => {
      held.push([exchange, said]);
      if (held.length < 2) return;
      const [[first], [second, { id }]] = held.splice(0) as [[MemoryExchange, Said], [MemoryExchange, Said]];
      const named = (to: string): string =>
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: to }] } });
      say(first, named('for the first'));
      say(second, named('for the second'));
    };
  const held: [MemoryExchange, Said][] = [];

  test.each<{ how: string; say: (exchange: MemoryExchange, message: string) => void }>([
    { how: 'JSON', say: (exchange, message) => exchange.answer(200, message) },
    { how: 'a batch', say: (exchange, message) => exchange.answer(200, `[${message}]`) },
    { how: 'events', say: (exchange, message) => exchange.stream().data(`data: ${message}\n\n`).end() },
    {
      how: 'JSON that is no good answer',
      say: (exchange, message) => exchange.answer(200, message.replace('2.0', '1')),
    },
  ])('($how) goes to no other caller: each has its own, or an error', async ({ say }) => {
    const server = new OverHttp({
      GET: (exchange) => exchange.answer(405),
      initialize: result({ protocolVersion: '2025-03-26', capabilities: { tools: {} } }),
      'tools/list': result({ tools: [SOME] }),
      'tools/call': swapped(say),
    });
    await server.started();
    const calls = [outcomeOf(server.up.call('some')), outcomeOf(server.up.call('some'))];
    await server.settled();
    const [first, second] = (await Promise.all(calls)) as { readonly code?: string }[];
    expect(['UPSTREAM_BROKE_PROTOCOL', 'UPSTREAM_LOST']).toContain(first?.code);
    if (second?.code === undefined) expect(second).toEqual({ content: [{ type: 'text', text: 'for the second' }] });
    else expect(second.code).toBe('UPSTREAM_BROKE_PROTOCOL');
    await server.up.client.close();
  });
});

function promptParams(): RequestParams {
  const bytes = encodeText('{"params":{"name":"p"}}');
  const scanner = new JsonScanner();
  scanner.scan(bytes, 0, bytes.length);
  return locateRequestParams(scanner, bytes, scanner.find('params', bytes), 'prompt') as RequestParams;
}
