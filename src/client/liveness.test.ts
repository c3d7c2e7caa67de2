/** An upstream over HTTP that comes and goes: found out to be gone though nobody calls it. */
import { expect, test } from 'vitest';
import { URL_OF_IT } from '../../test/fixtures/http-transports.js';
import { type MemoryExchange, MemoryWire } from '../../test/fixtures/memory-wire.js';
import { Started } from '../../test/fixtures/started-client.js';
import { httpTransport } from './http/http-transport.js';

interface Said {
  readonly id?: number;
  readonly method?: string;
}
type Answer = (exchange: MemoryExchange, said: Said) => void;

const SOME = { name: 'some', inputSchema: { type: 'object' } };
const result =
  (value: object): Answer =>
  (exchange, { id }) =>
    exchange.answer(200, { jsonrpc: '2.0', id, result: value });
const status =
  (code: number): Answer =>
  (exchange) =>
    exchange.answer(code);
const unreachable: Answer = (exchange) => exchange.fail('UPSTREAM_UNREACHABLE');

/** A server of the handshake era, with a stream for what it says unasked. */
const HANDSHAKE: Readonly<Record<string, Answer>> = {
  initialize: result({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's' } }),
  'tools/list': result({ tools: [SOME] }),
  ping: result({}),
  GET: (exchange) => void exchange.stream(),
};
const MODERN: Readonly<Record<string, Answer>> = {
  'server/discover': result({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true } },
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/list': result({ resultType: 'complete', tools: [SOME], ttlMs: 60_000, cacheScope: 'private' }),
  'subscriptions/listen': (exchange, { id }) => {
    const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: {} };
    const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
    exchange.stream().data(`data: ${JSON.stringify(acknowledged)}\n\n`);
  },
};

class Remote {
  readonly asked: Said[] = [];
  readonly wire: MemoryWire;
  readonly up: Started;
  readonly #on: Record<string, Answer>;

  constructor(on: Readonly<Record<string, Answer>>, comesAndGoes = true) {
    this.#on = { ...on };
    this.wire = new MemoryWire((exchange) => {
      const said = (exchange.body === '' ? { method: exchange.method } : JSON.parse(exchange.body)) as Said;
      this.asked.push(said);
      const answer = this.#on[said.method ?? ''];
      if (answer !== undefined) answer(exchange, said);
      else exchange.answer(said.id === undefined ? 202 : 404);
    });
    const { wire } = this;
    this.up = new Started([], {
      era: 'auto',
      comesAndGoes,
      connect: () =>
        httpTransport({ url: URL_OF_IT, wire, clock: this.up.clock, maxMessageBytes: 10_000, server: 'up' }),
    });
  }

  async started(): Promise<this> {
    await this.up.client.start();
    await this.up.clock.advance(0);
    this.asked.length = 0;
    return this;
  }

  /** From now on every request is answered so, or one of a method. */
  answers(by: Answer, ...methods: readonly string[]): this {
    for (const method of methods.length > 0 ? methods : Object.keys(this.#on)) this.#on[method] = by;
    return this;
  }

  /** The stream that it speaks on unasked. */
  get stream(): MemoryExchange {
    return this.wire.exchanges.find(({ method, body }) => method === 'GET' || body.includes('subscriptions/listen'))!;
  }

  count(method: string): number {
    return this.asked.filter((said) => said.method === method).length;
  }

  get state(): string {
    return this.up.client.state.kind;
  }

  wait(ms: number): Promise<void> {
    return this.up.clock.advance(ms);
  }
}

const ERAS = [
  { era: 'handshake', on: HANDSHAKE, question: 'ping' },
  { era: 'modern', on: MODERN, question: 'server/discover' },
];

test.each(ERAS)('$era: it is asked every half minute, and goes on as long as it answers', async ({ on, question }) => {
  const remote = await new Remote(on).started();
  await remote.wait(125_000);
  expect(remote.count(question)).toBe(4);
  expect(remote.state).toBe('ready');
});

test.each(ERAS)('$era: a stream that ends has it asked at once', async ({ on, question }) => {
  const remote = await new Remote(on).started();
  remote.answers(unreachable);
  remote.stream.fail();
  await remote.wait(200);
  expect(remote.state).toBe('ready');
  await remote.wait(60);
  expect(remote.count(question)).toBe(1);
  expect(remote.up.client.state).toMatchObject({ kind: 'failed', error: { code: 'UPSTREAM_LOST' } });
  expect(remote.up.named('upstream.lost')).toEqual([
    { upstream: 'up', code: 'UPSTREAM_UNREACHABLE', reason: expect.not.stringMatching(/^up: /) },
  ]);
});

test('a stream that ends in good order says no less', async () => {
  const remote = await new Remote(HANDSHAKE).started();
  remote.answers(unreachable);
  remote.stream.end();
  await remote.wait(260);
  expect(remote.state).toBe('failed');
});

test('one that still answers is asked again soon, then ever later', async () => {
  const remote = await new Remote(HANDSHAKE).started();
  remote.answers((exchange) => void exchange.stream(), 'GET');
  remote.stream.end();
  await remote.wait(4_000);
  expect(remote.count('ping'), 'after 0.25, 0.75, 1.75, 3.75 s').toBe(4);
  await remote.wait(60_000);
  expect(remote.count('ping')).toBeLessThanOrEqual(9);
});

test.each([
  { what: 'lets nobody in any more', answer: status(401), code: 'AUTH_REQUIRED' },
  { what: 'does not allow it', answer: status(403), code: 'FORBIDDEN' },
  { what: 'is not there any more', answer: status(404), code: 'UPSTREAM_UNREACHABLE' },
  { what: 'has trouble of its own', answer: status(503), code: 'UPSTREAM_LOST' },
  { what: 'says nothing', answer: () => {}, code: 'TIMEOUT' },
])('one that $what cannot be used', async ({ answer, code }) => {
  const remote = await new Remote(MODERN).started();
  remote.answers(answer, 'server/discover');
  await remote.wait(40_100);
  expect(remote.up.named('upstream.lost')[0]).toMatchObject({ code });
  expect(remote.up.client.state.kind).not.toBe('ready');
});

test('what breaks the protocol is up', async () => {
  const remote = await new Remote(MODERN).started();
  remote.answers((exchange) => exchange.answer(200, 'no message'), 'server/discover');
  await remote.wait(31_000);
  expect(remote.state).toBe('ready');
});

test('a call that gets no answer has it asked; one that is under way is let end', async () => {
  const remote = new Remote({ ...HANDSHAKE, 'tools/call': () => {} });
  await remote.started();
  const pending = remote.up.call('some');
  await remote.wait(0);
  const underWay = remote.wire.last;
  remote.answers(unreachable, 'ping', 'tools/call');
  await expect(remote.up.call('some')).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  await remote.wait(1_000);
  expect(remote.count('ping'), 'after 0.25 and 0.75 s').toBe(2);
  expect(remote.state, 'its answer may still come').toBe('ready');
  underWay.answer(200, { jsonrpc: '2.0', id: underWay.id, result: { content: [] } });
  expect(await pending).toEqual({ content: [] });
  remote.answers(unreachable);
  await remote.wait(1_000);
  expect(remote.state).toBe('failed');
});

test('many signs at once are one question', async () => {
  const remote = await new Remote({ ...HANDSHAKE, 'tools/call': unreachable }).started();
  for (let i = 0; i < 5; i++) await remote.up.call('some').catch(() => {});
  await remote.wait(260);
  expect(remote.count('ping')).toBe(1);
});

test('a sign that comes while it is being asked changes nothing', async () => {
  const remote = await new Remote({ ...HANDSHAKE, 'tools/call': unreachable }).started();
  let answer = (): void => {};
  remote.answers((exchange, said) => {
    answer = () => result({})(exchange, said);
  }, 'ping');
  await remote.wait(30_000);
  await remote.up.call('some').catch(() => {});
  answer();
  await remote.wait(1_000);
  expect(remote.count('ping')).toBe(1);
});

test('what ends by itself is not asked any more', async () => {
  const remote = await new Remote(HANDSHAKE).started();
  remote.answers(() => {}, 'ping');
  await remote.wait(30_000);
  await remote.up.client.close();
  await remote.wait(60_000);
  expect(remote.count('ping')).toBe(1);
});

test('one that does not come and go is not asked at all', async () => {
  const remote = await new Remote(HANDSHAKE, false).started();
  remote.answers(unreachable, 'GET');
  remote.stream.fail();
  await remote.wait(120_000);
  expect(remote.count('ping')).toBe(0);
  expect(remote.state).toBe('ready');
});
