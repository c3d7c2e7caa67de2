import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cancel, MemoryDoor, request, type Wire } from '../../test/fixtures/memory-door.js';
import { MemoryGateway, type MemoryMount, toolNamed } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { offering } from '../../test/fixtures/memory-view.js';
import { MODERN_META, modernMeta } from '../../test/fixtures/modern-meta.js';
import { settled, type VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { DoorError, decodeText, encodeText, JsonScanner, joinPieces } from '../base/index.js';
import { REVISIONS } from '../protocol/index.js';
import { ModernDoor, type Sender } from './modern-door.js';
import type { Underway } from './types.js';

const ME: Sender = { principal: { id: 'me', kind: 'local' } };

/** An answer, and the HTTP status that goes with it. */
interface Answered extends Wire {
  readonly status: number | undefined;
}

/** A door by itself, before a gateway in memory. */
class Opened extends MemoryGateway {
  readonly answers: Answered[] = [];
  /** How often it was said that there is nothing to say. */
  silences = 0;
  readonly beside: Wire[] = [];
  readonly door = new ModernDoor({
    limits: this.gateway.limits,
    door: 'test',
    info: { name: 'doorward', version: '1' },
    scanner: new JsonScanner(),
  });

  constructor(mounts: Readonly<Record<string, MemoryMount>> = { a: { scripts: [PATIENT] } }, isAttached = true) {
    super(mounts);
    if (isAttached) this.door.attach(this.gateway);
  }

  send(line: string): Underway {
    const bytes = encodeText(line);
    return this.door.receive(
      {
        bytes,
        start: 0,
        end: bytes.length,
        reply: (pieces, status) => {
          if (pieces.length === 0) this.silences++;
          else this.answers.push({ ...(JSON.parse(decodeText(joinPieces(pieces))) as Wire), status });
        },
        beside: (pieces) => this.beside.push(JSON.parse(decodeText(joinPieces(pieces))) as Wire),
      },
      ME,
    );
  }

  async settled(ms = 600): Promise<void> {
    await this.clock.advance(ms);
    await settled();
  }

  taken(): Answered[] {
    return this.answers.splice(0);
  }

  get called(): number {
    return this.attempts('a').flatMap((transport) => transport.received('tools/call')).length;
  }
}

/** Lists `x`, whose calls are answered by the test, and has one of everything else. */
const PATIENT: MemoryScript = { tools: [toolNamed('x')], on: { ...offering().on, 'tools/call': () => undefined } };
const ANSWERING: MemoryScript = { ...PATIENT, on: { ...PATIENT.on, 'tools/call': () => ({ content: [] }) } };

const modern = (id: unknown, method: string, params: object = {}, more: object = {}): string =>
  request(id, method, { ...params, _meta: modernMeta({}, more as Record<string, unknown>) });
const callOf = (id: unknown): string => modern(id, 'tools/call', { name: 'a__x', arguments: {} });
const ENDING = new DoorError('BUSY', 'the door is being closed');

describe('methods', () => {
  const page = { ttlMs: expect.any(Number), cacheScope: 'private' };

  test.each<{ method: string; params?: object; result: object }>([
    { method: 'server/discover', result: { supportedVersions: REVISIONS, ...page } },
    { method: 'tools/list', result: { tools: [{ name: 'a__x' }], ...page } },
    { method: 'tools/call', params: { name: 'a__x', arguments: {} }, result: { content: [] } },
    { method: 'resources/list', result: { resources: [{ uri: 'x://1' }], ...page } },
    { method: 'resources/templates/list', result: { resourceTemplates: [{ uriTemplate: 'x://t/{id}' }], ...page } },
    { method: 'resources/read', params: { uri: 'x://1' }, result: { contents: [], ...page } },
    { method: 'prompts/list', result: { prompts: [{ name: 'a__p' }], ...page } },
    { method: 'prompts/get', params: { name: 'a__p' }, result: { messages: [] } },
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'a__p' }, argument: { name: 'n', value: '' } },
      result: { completion: { values: [] } },
    },
  ])('$method is answered, and the result says that it is complete', async ({ method, params, result }) => {
    const opened = new Opened({ a: { scripts: [ANSWERING] } });
    opened.send(modern(1, method, params));
    await opened.settled(6_000);
    expect(opened.taken()).toEqual([
      { jsonrpc: '2.0', id: 1, status: undefined, result: expect.objectContaining({ resultType: 'complete' }) },
    ]);
    opened.send(modern(2, method, params));
    await opened.settled(6_000);
    expect(opened.taken()).toMatchObject([{ id: 2, result }]);
    await opened.gateway.close();
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'x',
    '',
  ])('%j is none of this era', async (method) => {
    const opened = new Opened();
    opened.send(modern('1', method, { uri: 'x://1', level: 'debug' }));
    await opened.settled();
    expect(opened.taken()).toMatchObject([{ id: '1', error: { code: -32601 }, status: 404 }]);
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s of a caller who declared no tasks', async (method) => {
    const opened = new Opened();
    opened.send(modern(1, method, { taskId: 't', inputResponses: {} }));
    await opened.settled();
    expect(opened.taken()).toMatchObject([
      { error: { code: -32021, data: { requiredCapabilities: { extensions: {} } } }, status: 400 },
    ]);
  });

  test('a long method is not repeated in full', async () => {
    const opened = new Opened();
    opened.send(modern(1, 'm'.repeat(5_000)));
    expect(JSON.stringify(opened.taken()).length).toBeLessThan(500);
  });
});

describe('what a request must say of itself', () => {
  const { protocolVersion, clientCapabilities, clientInfo, logLevel } = MODERN_META;
  const REVISION = '2026-07-28';
  const good = { [protocolVersion]: REVISION, [clientCapabilities]: {} };

  test.each<{ why: string; params: unknown; code: number; says: string }>([
    { why: 'no params', params: undefined, code: -32602, says: '_meta is missing' },
    { why: 'no _meta', params: {}, code: -32602, says: '_meta is missing' },
    { why: 'a _meta that is null', params: { _meta: null }, code: -32602, says: '_meta is missing' },
    { why: 'a _meta that is a list', params: { _meta: [good] }, code: -32602, says: '_meta is missing' },
    { why: 'no revision', params: { _meta: { [clientCapabilities]: {} } }, code: -32602, says: protocolVersion },
    {
      why: 'a revision that is a number',
      params: { _meta: { ...good, [protocolVersion]: 20260728 } },
      code: -32602,
      says: protocolVersion,
    },
    {
      why: 'a revision of the other era',
      params: { _meta: { ...good, [protocolVersion]: '2025-11-25' } },
      code: -32022,
      says: '2025-11-25',
    },
    {
      why: 'one of the future',
      params: { _meta: { ...good, [protocolVersion]: '2031-01-01' } },
      code: -32022,
      says: '2031-01-01',
    },
    {
      why: 'no capabilities',
      params: { _meta: { [protocolVersion]: REVISION } },
      code: -32602,
      says: clientCapabilities,
    },
    {
      why: 'capabilities that are a list',
      params: { _meta: { ...good, [clientCapabilities]: [] } },
      code: -32602,
      says: clientCapabilities,
    },
    {
      why: 'capabilities that are null',
      params: { _meta: { ...good, [clientCapabilities]: null } },
      code: -32602,
      says: clientCapabilities,
    },
    { why: 'a level that is a number', params: { _meta: { ...good, [logLevel]: 3 } }, code: -32602, says: logLevel },
    { why: 'a level in capitals', params: { _meta: { ...good, [logLevel]: 'DEBUG' } }, code: -32602, says: logLevel },
  ])('$why: it is refused before anything is done', async ({ params, code, says }) => {
    const opened = new Opened();
    for (const method of ['tools/list', 'server/discover', 'subscriptions/listen']) {
      opened.send(request(1, method, params));
      const answers = opened.taken();
      expect(answers).toMatchObject([{ id: 1, error: { code }, status: 400 }]);
      expect(answers[0]?.error?.message).toContain(says);
      if (code === -32022) expect(answers[0]?.error?.data).toMatchObject({ supported: REVISIONS });
    }
    expect(opened.attempts('a'), 'no upstream is started for it').toEqual([]);
  });

  test.each<{ why: string; more: object }>([
    { why: 'nothing of who it is', more: {} },
    { why: 'who it is in an odd way', more: { [clientInfo]: 7 } },
    { why: 'a token that is none', more: { progressToken: {} } },
    { why: 'things that nobody knows', more: { 'x/y': [1], [MODERN_META.subscriptionId]: 3, a: null } },
    { why: 'capabilities that nobody knows', more: { [clientCapabilities]: { future: { a: 1 }, extensions: null } } },
  ])('$why: it is served', async ({ more }) => {
    const opened = new Opened();
    opened.send(request(1, 'tools/list', { _meta: { ...good, ...more } }));
    await opened.settled();
    expect(opened.taken()).toMatchObject([{ id: 1, result: { resultType: 'complete' } }]);
    await opened.gateway.close();
  });
});

describe('before there is a gateway', () => {
  test('discovery is answered, the rest waits and goes in as it came', async () => {
    const opened = new Opened(undefined, false);
    for (const line of [callOf(1), modern(2, 'server/discover'), callOf(3), modern(4, 'tools/list')]) opened.send(line);
    await opened.settled();
    expect(opened.taken().map(({ id }) => id)).toEqual([2]);
    opened.door.attach(opened.gateway);
    await opened.settled();
    expect(opened.taken().map(({ id }) => id)).toEqual([4]);
    expect(opened.called).toBe(2);
    await opened.gateway.close();
  });

  test.each<{ how: string; giveUp: (opened: Opened, underway: Underway) => void }>([
    { how: 'its caller hangs up', giveUp: (_, underway) => underway.cancel() },
    { how: 'it is cancelled by its id', giveUp: (opened) => void opened.send(cancel(7)) },
    { how: 'both', giveUp: (opened, underway) => [opened.send(cancel(7)), underway.cancel()] },
  ])('what is given up is never sent: $how', async ({ giveUp }) => {
    const opened = new Opened(undefined, false);
    const underway = opened.send(callOf(7));
    opened.send(callOf(8));
    giveUp(opened, underway);
    const idle = opened.door.whenIdle();
    opened.door.attach(opened.gateway);
    await opened.settled();
    expect(opened.called, 'the other one').toBe(1);
    const [sent] = opened.transport('a').received('tools/call');
    opened.transport('a').answer(sent?.id, { content: [] });
    await idle;
    expect(opened.taken().map(({ id }) => id)).toEqual([8]);
    await opened.gateway.close();
  });

  test('who has waited can still hang up once there is one', async () => {
    const opened = new Opened(undefined, false);
    const underway = opened.send(callOf(7));
    opened.door.attach(opened.gateway);
    await opened.settled();
    underway.cancel();
    await opened.settled();
    expect(opened.transport('a').received('notifications/cancelled')).toHaveLength(1);
    await opened.door.whenIdle();
    expect(opened.taken()).toEqual([]);
    await opened.gateway.close();
  });

  test('an end answers what has waited, and nothing of it is sent later', async () => {
    const opened = new Opened(undefined, false);
    opened.send(callOf(1));
    opened.door.abandon(ENDING);
    expect(opened.taken()).toMatchObject([{ id: 1, error: { message: expect.stringContaining('being closed') } }]);
    await opened.door.whenIdle();
    opened.door.attach(opened.gateway);
    await opened.settled();
    expect(opened.attempts('a')).toEqual([]);
  });

  test('a close leaves nothing to wait for', async () => {
    const opened = new Opened(undefined, false);
    opened.send(callOf(1));
    await opened.door.close();
    await opened.door.whenIdle();
    opened.door.attach(opened.gateway);
    await opened.settled();
    expect(opened.taken()).toEqual([]);
    expect(opened.attempts('a')).toEqual([]);
  });
});

describe('the end', () => {
  async function calling(): Promise<Opened> {
    const opened = new Opened();
    opened.send(callOf(1));
    await opened.settled();
    return opened;
  }

  test('refuses what comes, discovery aside; what is under way is answered', async () => {
    const opened = await calling();
    opened.door.refuse(ENDING);
    opened.send(callOf(2));
    opened.send(modern(3, 'server/discover'));
    expect(opened.taken()).toMatchObject([
      { id: 2, error: {} },
      { id: 3, result: {} },
    ]);
    const idle = opened.door.whenIdle();
    opened.transport('a').answer(opened.transport('a').received('tools/call')[0]?.id, { content: [] });
    await idle;
    expect(opened.taken()).toMatchObject([{ id: 1, result: {} }]);
    await opened.gateway.close();
  });

  test('that has no more time answers what is open, and cancels it upstream', async () => {
    const opened = await calling();
    opened.door.abandon(ENDING);
    await opened.door.whenIdle();
    expect(opened.taken()).toMatchObject([{ id: 1, error: {} }]);
    expect(opened.transport('a').received('notifications/cancelled')).toHaveLength(1);
    await opened.gateway.close();
  });

  test('of all callers says nothing, cancels their calls, and ends what they listen to', async () => {
    const opened = await calling();
    opened.send(modern('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await opened.settled();
    expect(opened.door.views).toHaveLength(1);
    await opened.door.close();
    opened.send(callOf(2));
    await opened.settled();
    expect(opened.taken()).toEqual([]);
    expect(opened.transport('a').received('notifications/cancelled')).toHaveLength(1);
    expect(opened.door.views).toEqual([]);
    await opened.gateway.close();
  });
});

describe('what is no request', () => {
  test.each<{ why: string; line: string; code?: number }>([
    { why: 'no JSON', line: '{', code: -32700 },
    { why: 'no message', line: '{}', code: -32600 },
    { why: 'a batch', line: `[${callOf(1)}]`, code: -32600 },
    { why: 'a result', line: '{"jsonrpc":"2.0","id":1,"result":{}}', code: -32600 },
    { why: 'an error', line: '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', code: -32600 },
    { why: 'a notification', line: '{"jsonrpc":"2.0","method":"notifications/x"}' },
    { why: 'a cancellation of nothing', line: cancel(99) },
    { why: 'a cancellation without an id', line: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}' },
    { why: 'a cancellation without params', line: '{"jsonrpc":"2.0","method":"notifications/cancelled"}' },
  ])('$why', async ({ line, code }) => {
    const opened = new Opened();
    opened.send(line);
    await opened.settled();
    if (code === undefined) expect([opened.answers, opened.silences]).toEqual([[], 1]);
    else expect(opened.answers).toMatchObject([{ error: { code }, status: 400 }]);
  });
});

describe('listening', () => {
  const listen = (notifications: unknown): string => modern(1, 'subscriptions/listen', { notifications });

  test.each([
    { why: 'no filter', filter: undefined },
    { why: 'a filter that is a list', filter: [] },
    { why: 'a flag that is text', filter: { toolsListChanged: 'true' } },
    { why: 'resources that are no list', filter: { resourceSubscriptions: 'x://1' } },
    { why: 'a resource that is a number', filter: { resourceSubscriptions: ['x://1', 1] } },
    { why: 'too many resources', filter: { resourceSubscriptions: Array.from({ length: 1_001 }, (_, i) => `x:${i}`) } },
  ])('$why is refused, and nothing is listened to', async ({ filter }) => {
    const opened = new Opened();
    opened.send(listen(filter));
    await opened.settled();
    expect(opened.taken()).toMatchObject([{ id: 1, error: { code: -32602 } }]);
    expect([opened.beside, opened.door.views]).toEqual([[], []]);
  });

  test('to nothing is acknowledged with nothing, and stays open', async () => {
    const opened = new Opened();
    opened.send(listen({ toolsListChanged: false }));
    await opened.settled();
    expect(opened.beside).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
    ]);
    expect(opened.taken()).toEqual([]);
    await opened.gateway.close();
  });

  test('holds what is told before it is acknowledged, and then tells it', async () => {
    let acknowledge = (): void => {};
    const subscribe: MemoryScript = {
      ...PATIENT,
      on: {
        ...PATIENT.on,
        'resources/subscribe': ({ id }, transport) => {
          acknowledge = () => transport.answer(id, {});
        },
      },
    };
    const opened = new Opened({ a: { scripts: [subscribe] } });
    opened.send(listen({ resourceSubscriptions: ['x://1'] }));
    await opened.settled(2_000);
    opened.transport('a').say('{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}}');
    await opened.settled();
    expect(opened.beside, 'it has not agreed yet').toEqual([]);
    acknowledge();
    await opened.settled();
    expect(opened.beside.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ]);
    await opened.gateway.close();
  });

  test('does not wait for long for an upstream that does not say whether it agrees', async () => {
    const silent = { ...PATIENT, on: { ...PATIENT.on, 'resources/subscribe': () => undefined } };
    const opened = new Opened({ a: { scripts: [silent] } });
    opened.send(listen({ toolsListChanged: true, resourceSubscriptions: ['x://1'] }));
    await opened.settled(11_000);
    const [acknowledged] = opened.beside;
    expect(acknowledged?.method).toBe('notifications/subscriptions/acknowledged');
    expect(acknowledged?.params?.notifications).toEqual({ toolsListChanged: true });
    await opened.gateway.close();
  });

  test('ends when its caller hangs up, upstream too', async () => {
    const opened = new Opened();
    const underway = opened.send(listen({ resourceSubscriptions: ['x://1'] }));
    await opened.settled(2_000);
    underway.cancel();
    await opened.settled();
    expect(opened.transport('a').received('resources/unsubscribe')).toHaveLength(1);
    expect([opened.taken(), opened.door.views]).toEqual([[], []]);
    await opened.gateway.close();
  });
});

describe('whatever both eras ask on one stream, under whatever ids', () => {
  /** Answers each call when its arguments say so. */
  const timed = (clock: () => VirtualClock): MemoryScript => ({
    tools: [toolNamed('x')],
    on: {
      'tools/call': ({ id, params }, transport) => {
        const { ms } = (params?.arguments ?? {}) as { ms: number };
        clock().schedule(ms, () => transport.answer(id, { content: [] }));
      },
    },
  });
  const anyId = fc.constantFrom<unknown>(1, 2, '1', 'a', 12345678);
  const anyAsked = fc.record({
    id: anyId,
    isModern: fc.boolean(),
    what: fc.oneof(
      fc.constantFrom('list', 'discover or ping', 'unknown method', 'bad arguments', 'unknown tool'),
      fc.constantFrom(0, 300, 1_000),
    ),
    restMs: fc.constantFrom(0, 0, 400),
  });
  type Asked = typeof anyAsked extends fc.Arbitrary<infer Each> ? Each : never;

  function lineOf({ id, isModern, what }: Asked): string {
    const said = (method: string, params: object = {}): string =>
      isModern ? modern(id, method, params) : request(id, method, params);
    if (what === 'list') return said('tools/list');
    if (what === 'discover or ping') return said(isModern ? 'server/discover' : 'ping');
    if (what === 'unknown method') return said('x/y');
    if (what === 'bad arguments') return said('tools/call', { name: 'a__x', arguments: [] });
    if (what === 'unknown tool') return said('tools/call', { name: 'a__none' });
    return said('tools/call', { name: 'a__x', arguments: { ms: what } });
  }

  /** An error looks the same in both. */
  function owedTo({ id, isModern, what }: Asked): string {
    const isGood = typeof what === 'number' || what === 'list' || what === 'discover or ping';
    return `${JSON.stringify(id)} ${isGood ? (isModern ? 'modern' : 'handshake') : 'error'}`;
  }

  function saidBy({ id, result }: Wire): string {
    const era = result?.resultType === undefined ? 'handshake' : 'modern';
    return `${JSON.stringify(id)} ${result === undefined ? 'error' : era}`;
  }

  test('each request gets one answer, of its own era', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAsked, { maxLength: 12 }), fc.nat(3), async (asked, attachAt) => {
        let opened: MemoryDoor | undefined;
        opened = new MemoryDoor({ a: { scripts: [timed(() => opened!.clock)] } }, {}, false);
        for (const [at, each] of asked.entries()) {
          if (at === attachAt) opened.attach();
          await opened.write(lineOf(each));
          if (each.restMs > 0) await opened.clock.advance(each.restMs);
        }
        opened.attach();
        await opened.clock.advance(10_000);
        await opened.write();
        const answers = opened.taken().filter(({ id }) => id !== undefined);
        expect(answers.map(saidBy).sort()).toEqual(asked.map(owedTo).sort());
        await opened.door.whenIdle();
        await opened.door.close();
        await opened.gateway.close();
      }),
      { numRuns: 60 },
    );
  });
});
