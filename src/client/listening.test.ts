/** What an upstream of the 2026 era tells unasked is listened for (MCP 2026-07-28 basic/patterns/subscriptions). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryTransport, type Reaction, type Sent } from '../../test/fixtures/memory-transport.js';
import { MODERN_META } from '../../test/fixtures/modern-meta.js';
import { acknowledged } from '../../test/fixtures/modern-script.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { DoorError, encodeText, sliceOf, toDoorError } from '../base/index.js';
import { MODERN } from '../protocol/index.js';
import { Connection } from './connection.js';
import { helloOf } from './handshake.js';
import { Listening } from './listening.js';

const LISTS = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } };
const TIMEOUT_MS = 10_000;

interface Opened {
  readonly listening: Listening;
  readonly transport: MemoryTransport;
  readonly clock: VirtualClock;
  readonly warnings: string[];
  /** What was asked for by each request so far. */
  readonly asked: () => unknown[];
  /** The request that was made last. */
  readonly last: () => Sent;
  readonly isOver: (sent: Sent) => boolean;
  /** How often changes may have gone by. */
  readonly missed: () => number;
  /** The resources that requests ask for which neither side has ended; one request an entry. */
  readonly open: () => string[][];
  readonly acknowledge: (sent?: Sent, uris?: readonly string[]) => void;
  readonly end: (sent: Sent, error?: object) => void;
}

async function opened(capabilities: object = {}, react: Reaction = () => undefined): Promise<Opened> {
  const transport = new MemoryTransport({ on: { 'subscriptions/listen': react } });
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const ended = new Set<unknown>();
  let missed = 0;
  const connection = new Connection({
    upstream: 'up',
    transport,
    clock,
    maxMessageBytes: 100_000,
    notified: (method, params) => {
      if (method === 'notifications/subscriptions/acknowledged') listening.acknowledged(params);
    },
    lost: () => {},
    warn: () => {},
    activity: () => {},
  });
  await connection.open();
  connection.agree(MODERN);
  const hello = helloOf(MODERN, 'up', { capabilities: capabilities as Record<string, unknown> });
  const warn = (warning: string): void => void warnings.push(warning);
  const listening = new Listening({
    upstream: 'up',
    connection,
    hello,
    clock,
    timeoutMs: TIMEOUT_MS,
    warn,
    missed: () => missed++,
  });
  const requests = (): Sent[] => transport.received('subscriptions/listen');
  const isOver = ({ id }: Sent): boolean =>
    ended.has(id) || transport.received('notifications/cancelled').some(({ params }) => params?.requestId === id);
  const last = (): Sent => requests().at(-1)!;
  return {
    listening,
    transport,
    clock,
    warnings,
    last,
    isOver,
    missed: () => missed,
    asked: () => requests().map(({ params }) => params?.notifications),
    open: () =>
      requests()
        .filter((sent) => !isOver(sent))
        .map(urisOf),
    acknowledge: (sent = last(), uris = urisOf(sent)) => {
      transport.say(acknowledged(sent.id, { resourceSubscriptions: uris }));
    },
    end: (sent, error) => {
      ended.add(sent.id);
      const said = error === undefined ? { result: { resultType: 'complete' } } : { error };
      transport.say(JSON.stringify({ jsonrpc: '2.0', id: sent.id, ...said }));
    },
  };
}

function urisOf({ params }: Sent): string[] {
  const { resourceSubscriptions = [] } = (params?.notifications ?? {}) as { resourceSubscriptions?: string[] };
  return [...resourceSubscriptions].sort();
}

/** How something ends, as soon as it has. */
function endOf(task: Promise<unknown>): { end: unknown } {
  const seen: { end: unknown } = { end: 'open' };
  task.then(
    () => {
      seen.end = 'done';
    },
    (thrown: unknown) => {
      seen.end = toDoorError(thrown).code;
    },
  );
  return seen;
}

describe('what is listened for', () => {
  test.each([
    { why: 'each list that it tells of', capabilities: LISTS, asked: [allLists()] },
    {
      why: 'one of them',
      capabilities: { tools: { listChanged: true }, prompts: {} },
      asked: [{ toolsListChanged: true }],
    },
    {
      why: 'nothing where it tells of nothing',
      capabilities: { tools: {}, resources: { subscribe: true } },
      asked: [],
    },
  ])('at first is $why', async ({ capabilities, asked }) => {
    const up = await opened(capabilities);
    up.listening.start();
    await settled();
    expect(up.asked()).toEqual(asked);
  });

  test('grows by a resource: the new request is acknowledged before the old one ends', async () => {
    const up = await opened(LISTS);
    up.listening.start();
    await settled();
    const first = up.last();
    up.acknowledge();
    const added = endOf(up.listening.add('x:1'));
    await settled();
    expect(up.asked()).toEqual([allLists(), { ...allLists(), resourceSubscriptions: ['x:1'] }]);
    expect(up.open(), 'both, so that nothing is missed between').toEqual([[], ['x:1']]);
    expect(added.end).toBe('open');
    for (const { id } of [first, up.last()]) expect(up.listening.owns(metaOf(id))).toBe(true);
    up.acknowledge();
    await settled();
    expect(added.end).toBe('done');
    expect(up.open()).toEqual([['x:1']]);
    expect(up.listening.owns(metaOf(first.id)), 'the old one is over').toBe(false);
    expect(up.listening.owns(metaOf(up.last().id))).toBe(true);
  });

  test('what is wanted while a request is under way goes into the next one, all of it', async () => {
    const up = await opened();
    const first = endOf(up.listening.add('x:1'));
    await settled();
    const others = ['x:2', 'x:3'].map((uri) => endOf(up.listening.add(uri)));
    up.listening.remove('x:1');
    await settled();
    expect(up.open()).toEqual([['x:1']]);
    up.acknowledge();
    await settled();
    expect(first.end).toBe('done');
    expect(others.map(({ end }) => end)).toEqual(['open', 'open']);
    up.acknowledge();
    await settled();
    expect(others.map(({ end }) => end)).toEqual(['done', 'done']);
    expect(up.open()).toEqual([['x:2', 'x:3']]);
    expect(up.asked()).toHaveLength(2);
  });

  test('who wants the same waits for the same, and hears the same of it', async () => {
    const up = await opened();
    const both = [endOf(up.listening.add('x:1')), endOf(up.listening.add('x:1'))];
    await settled();
    expect(both.map(({ end }) => end)).toEqual(['open', 'open']);
    up.acknowledge(up.last(), []);
    await settled();
    expect(both.map(({ end }) => end)).toEqual(['RESOURCE_UNKNOWN', 'RESOURCE_UNKNOWN']);
    const again = endOf(up.listening.add('x:1'));
    await settled();
    up.acknowledge();
    await settled();
    expect(again.end, 'it may be asked for again').toBe('done');
    expect(endOf(up.listening.add('x:1'))).toEqual({ end: 'open' });
    await settled();
    expect(up.asked(), 'and what holds is not asked for again').toHaveLength(2);
  });

  test('nothing any more: the stream ends, and none is opened', async () => {
    const up = await opened();
    const added = up.listening.add('x:1');
    await settled();
    up.acknowledge();
    await added;
    up.listening.remove('x:1');
    await up.clock.advance(60_000);
    expect(up.open()).toEqual([]);
    expect(up.asked()).toHaveLength(1);
  });

  test('as the requests of the handshake era have it said', async () => {
    const up = await opened();
    await up.listening.request('logging/setLevel', '{"level":"debug"}');
    const added = up.listening.request('resources/subscribe', '{"uri":"x:1"}');
    await settled();
    up.acknowledge();
    await added;
    expect(up.open()).toEqual([['x:1']]);
    await up.listening.request('resources/unsubscribe', '{"uri":"x:1"}');
    await settled();
    expect(up.open()).toEqual([]);
  });
});

describe('an acknowledgment', () => {
  test.each([
    { why: 'of no subscription', params: { notifications: { resourceSubscriptions: ['x:1'] } } },
    { why: 'of another', params: { _meta: { [MODERN_META.subscriptionId]: 99 }, notifications: {} } },
    { why: 'of none that is one', params: { _meta: { [MODERN_META.subscriptionId]: {} }, notifications: null } },
  ])('$why is none', async ({ params }) => {
    const up = await opened();
    const added = endOf(up.listening.add('x:1'));
    await settled();
    up.listening.acknowledged(sliceOf(encodeText(JSON.stringify(params))));
    up.listening.acknowledged(undefined);
    await settled();
    expect(added.end).toBe('open');
  });

  test('that names no resources agrees to none', async () => {
    const up = await opened();
    const added = endOf(up.listening.add('x:1'));
    await settled();
    up.transport.say(acknowledged(up.last().id, { resourceSubscriptions: 'x:1' }));
    await settled();
    expect(added.end).toBe('RESOURCE_UNKNOWN');
  });

  test('that does not come in time fails those who wait for it; what held before goes on', async () => {
    const up = await opened(LISTS);
    up.listening.start();
    await settled();
    up.acknowledge();
    const added = endOf(up.listening.add('x:1'));
    await up.clock.advance(TIMEOUT_MS - 1);
    expect(added.end).toBe('open');
    await up.clock.advance(1);
    expect(added.end).toBe('TIMEOUT');
    expect(up.open()).toEqual([[]]);
    await up.clock.advance(120_000);
    expect(up.asked(), 'nothing is missing').toHaveLength(2);
  });
});

describe('a stream that ends', () => {
  test('is opened again after longer and longer, told of once, and for what is wanted by then', async () => {
    const up = await opened({ tools: { listChanged: true } });
    up.listening.start();
    await settled();
    const delays: number[] = [];
    for (let round = 0; round < 7; round++) {
      const before = up.asked().length;
      up.end(up.last());
      let waitedMs = 0;
      while (up.asked().length === before && waitedMs < 60_000) {
        await up.clock.advance(500);
        waitedMs += 500;
      }
      delays.push(waitedMs);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(up.warnings).toEqual(['listen-failed']);
    up.acknowledge();
    await settled();
    await up.clock.advance(5_000);
    up.end(up.last());
    await up.clock.advance(1_000);
    expect(up.asked(), 'one that held begins anew').toHaveLength(9);
  });

  test('each time it has been agreed to is opened again after longer and longer, too', async () => {
    const up = await opened({ tools: { listChanged: true } });
    up.listening.start();
    await settled();
    for (let ms = 0; ms < 120_000; ms += 500) {
      if (!up.isOver(up.last())) {
        up.acknowledge();
        await settled();
        up.end(up.last());
      }
      await up.clock.advance(500);
    }
    expect(up.asked().length).toBeGreaterThan(5);
    expect(up.asked().length).toBeLessThan(10);
    expect(up.missed()).toBeLessThan(10);
  });

  test('may have left changes untold: once it tells again, that is said', async () => {
    const up = await opened({ tools: { listChanged: true } });
    up.listening.start();
    await settled();
    up.acknowledge();
    await settled();
    expect(up.missed(), 'at first there was nothing to miss').toBe(0);
    up.end(up.last());
    await up.clock.advance(1_000);
    expect(up.missed(), 'not before it tells again').toBe(0);
    up.acknowledge();
    await settled();
    expect(up.missed()).toBe(1);
    const refused = endOf(up.listening.add('x:1'));
    await settled();
    up.end(up.last(), { code: -32602, message: 'no' });
    const added = endOf(up.listening.add('x:2'));
    await settled();
    up.acknowledge();
    await settled();
    expect([refused.end, added.end]).toEqual(['UPSTREAM_LOST', 'done']);
    expect(up.missed(), 'one that was told of without a break missed nothing').toBe(1);
  });

  test('because the upstream knows no such request is not opened again, and nobody can wait for it', async () => {
    const up = await opened({ tools: { listChanged: true } });
    up.listening.start();
    await settled();
    up.end(up.last(), { code: -32601, message: 'Method not found' });
    await up.clock.advance(120_000);
    expect(up.asked()).toHaveLength(1);
    expect(endOf(up.listening.add('x:1')).end).toBe('open');
    await expect(up.listening.add('x:1')).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
    expect(up.asked()).toHaveLength(1);
  });

  test('because a resource is refused costs that one, and what held before goes on', async () => {
    const up = await opened(LISTS);
    up.listening.start();
    await settled();
    up.acknowledge();
    const added = endOf(up.listening.add('x:1'));
    await settled();
    up.end(up.last(), { code: -32602, message: 'no' });
    await settled();
    expect(added.end).toBe('UPSTREAM_LOST');
    expect(up.open()).toEqual([[]]);
    await up.clock.advance(60_000);
    expect(up.asked()).toHaveLength(2);
  });

  test('with its connection is not opened again on it', async () => {
    const up = await opened({ tools: { listChanged: true } });
    up.listening.start();
    await settled();
    const added = endOf(up.listening.add('x:1'));
    up.transport.lose(new DoorError('UPSTREAM_LOST', 'gone'));
    await up.clock.advance(60_000);
    expect(up.asked()).toHaveLength(1);
    expect(added.end).toBe('UPSTREAM_LOST');
  });
});

describe('whatever is wanted, said and ended, in whatever order', () => {
  const anyUri = fc.constantFrom('x:1', 'x:2', 'x:3');
  const anyStep = fc.oneof(
    fc.record({ does: fc.constantFrom('add' as const, 'remove' as const), uri: anyUri }),
    fc.record({
      does: fc.constantFrom('acknowledge', 'acknowledge', 'refuse', 'end', 'wait') as fc.Arbitrary<'wait'>,
      uri: anyUri,
    }),
    fc.record({ does: fc.constantFrom('settle' as const), uri: anyUri }),
  );

  test.each([
    { lists: 'with lists', capabilities: LISTS },
    { lists: 'without', capabilities: {} },
  ])('in the end exactly what is wanted is acknowledged on one open stream, $lists', async ({ capabilities }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
        const up = await opened(capabilities);
        const answered = new Set<unknown>();
        /** Does it to the oldest request that has not been answered yet. */
        const answer = (how: 'acknowledge' | 'refuse'): void => {
          const sent = up.transport
            .received('subscriptions/listen')
            .find((sent) => !answered.has(sent.id) && !up.isOver(sent));
          if (sent === undefined) return;
          answered.add(sent.id);
          if (how === 'acknowledge') up.acknowledge(sent);
          else up.end(sent, { code: -32603, message: 'not now' });
        };
        const wanted = new Map<string, { end: unknown }>();
        up.listening.start();
        for (const { does, uri } of steps as { does: string; uri: string }[]) {
          if (does === 'add') {
            // Whoever was refused before wants it anew.
            const known = wanted.get(uri);
            if (known === undefined || known.end !== 'done') wanted.set(uri, endOf(up.listening.add(uri)));
          } else if (does === 'remove') {
            wanted.delete(uri);
            up.listening.remove(uri);
          } else if (does === 'acknowledge' || does === 'refuse') answer(does);
          else if (does === 'end' && answered.has(up.last()?.id)) up.end(up.last());
          else if (does === 'wait') await up.clock.advance(5_000);
          else await settled();
        }
        // From now on the upstream is of good will.
        for (let i = 0; i < 8; i++) {
          await up.clock.advance(31_000);
          answer('acknowledge');
          await settled();
        }
        const held = [...wanted].filter(([, { end }]) => end === 'done').map(([uri]) => uri);
        expect([...wanted.values()].map(({ end }) => end)).not.toContain('open');
        const isNothing = held.length === 0 && !('tools' in capabilities);
        expect(up.open()).toEqual(isNothing ? [] : [held.sort()]);
      }),
      { numRuns: 150 },
    );
  });
});

function allLists(): object {
  return { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
}

function metaOf(id: unknown) {
  return sliceOf(encodeText(JSON.stringify({ _meta: { [MODERN_META.subscriptionId]: id } })));
}
