/** Which era an upstream speaks, and how that is found out (MCP 2026-07-28 basic/versioning, Backward Compatibility). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemoryScript, Reaction, Sent } from '../../test/fixtures/memory-transport.js';
import { modernScript } from '../../test/fixtures/modern-script.js';
import { Started } from '../../test/fixtures/started-client.js';
import type { ClientOptions } from './client-options.js';

const PROBE_MS = 2_500;

function errorOf(code: unknown, data?: unknown): Reaction {
  return ({ id }) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no', data } });
}

const supporting = (...supported: readonly unknown[]): Reaction => errorOf(-32022, { supported });

interface Met {
  readonly up: Started;
  /** `2026-07-28`, `2025-11-25`, or the code that the start failed with. */
  readonly end: string;
}

async function met(
  scripts: readonly MemoryScript[],
  options: Partial<ClientOptions> = {},
  waitMs = 3_000,
): Promise<Met> {
  const up = new Started(scripts, { era: 'auto', ...options });
  const start = up.client.start().catch(() => {});
  await up.clock.advance(waitMs);
  const end = endOf(up);
  await up.client.close();
  await start;
  return { up, end };
}

function endOf({ client: { state } }: Started): string {
  if (state.kind === 'ready') return state.hello.codec.revision;
  return state.kind === 'failed' ? state.error.code : state.kind;
}

const requestsTo = ({ transports }: Started): string[][] =>
  transports.map(({ sent }) => sent.flatMap(({ method, id }) => (id === undefined ? [] : [String(method)])));

describe('on a stream, what server/discover is answered with decides', () => {
  const modern = (more: MemoryScript['on'] = {}): MemoryScript =>
    modernScript({ capabilities: { tools: {} }, on: more });
  const ASKED = ['server/discover'];
  const GREETED = ['server/discover', 'initialize'];

  test.each<{ why: string; script: MemoryScript; end: string; asked: string[] }>([
    { why: 'it is discovered', script: modern(), end: '2026-07-28', asked: ASKED },
    {
      why: 'it names revisions of both eras: the newer one',
      script: modernScript({
        capabilities: { tools: {} },
        supportedVersions: ['2024-11-05', '2026-07-28', '2025-11-25'],
      }),
      end: '2026-07-28',
      asked: ASKED,
    },
    {
      why: 'it names older revisions only',
      script: { on: { 'server/discover': () => ({ supportedVersions: ['2025-06-18'] }) } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: 'it names none that we speak',
      script: { on: { 'server/discover': () => ({ supportedVersions: ['2031-01-01'] }) } },
      end: 'VERSION_UNSUPPORTED',
      asked: ASKED,
    },
    {
      why: 'it refuses the revision it supports: asked once more, as it says, and no third time',
      script: { on: { 'server/discover': supporting('2026-07-28') } },
      end: 'UPSTREAM_BROKE_PROTOCOL',
      asked: ['server/discover', 'server/discover'],
    },
    {
      why: '-32022 names older revisions',
      script: { on: { 'server/discover': supporting('2025-06-18', 7, null) } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: '-32022 names none that we speak',
      script: { on: { 'server/discover': supporting('2031-01-01') } },
      end: 'VERSION_UNSUPPORTED',
      asked: ASKED,
    },
    {
      why: '-32022 names nothing: only servers of the newer era know that code',
      script: { on: { 'server/discover': errorOf(-32022) } },
      end: 'UPSTREAM_BROKE_PROTOCOL',
      asked: ASKED,
    },
    {
      why: '-32020',
      script: { on: { 'server/discover': errorOf(-32020) } },
      end: 'UPSTREAM_BROKE_PROTOCOL',
      asked: ASKED,
    },
    {
      why: '-32021',
      script: { on: { 'server/discover': errorOf(-32021) } },
      end: 'UPSTREAM_BROKE_PROTOCOL',
      asked: ASKED,
    },
    { why: 'it never heard of it', script: {}, end: '2025-11-25', asked: GREETED },
    { why: 'an empty result', script: { on: { 'server/discover': () => ({}) } }, end: '2025-11-25', asked: GREETED },
    {
      why: 'a result that is null',
      script: { on: { 'server/discover': () => null } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: 'a result that is text',
      script: { on: { 'server/discover': resultOf('"ok"') } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: 'versions that are no list',
      script: { on: { 'server/discover': () => ({ supportedVersions: '2026-07-28' }) } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: 'an error that is no JSON-RPC error',
      script: { on: { 'server/discover': ({ id }) => `{"jsonrpc":"2.0","id":${id},"error":"unknown method"}` } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: 'an error whose code is text',
      script: { on: { 'server/discover': errorOf('METHOD_NOT_FOUND') } },
      end: '2025-11-25',
      asked: GREETED,
    },
    {
      why: 'an answer that is neither result nor error',
      script: { on: { 'server/discover': ({ id }) => `{"jsonrpc":"2.0","id":${id}}` } },
      end: '2025-11-25',
      asked: GREETED,
    },
  ])('$why', async ({ script, end: wanted, asked }) => {
    const { up, end } = await met([script], {}, 100);
    expect(end).toBe(wanted);
    expect(requestsTo(up)[0]?.slice(0, asked.length)).toEqual(asked);
    expect(requestsTo(up)[0]?.filter((method) => method === 'initialize')).toHaveLength(
      asked.filter((method) => method === 'initialize').length,
    );
  });

  function resultOf(json: string): Reaction {
    return ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":${json}}`;
  }
});

describe('on a stream, silence', () => {
  const later =
    (ms: number, result: unknown) =>
    (clock: () => Started): Reaction =>
    ({ id }, transport) =>
      void clock().clock.schedule(ms, () => transport.answer(id, result));
  const DISCOVERED = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
  const INITIALIZED = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'i' } };

  async function metSlowly(
    discover: ((up: () => Started) => Reaction) | undefined,
    initialize: ((up: () => Started) => Reaction) | undefined,
    waitMs = 8_000,
  ): Promise<Met> {
    let up: Started | undefined;
    const now = (): Started => up!;
    const silent: Reaction = () => undefined;
    up = new Started(
      [{ on: { 'server/discover': discover?.(now) ?? silent, initialize: initialize?.(now) ?? silent } }],
      { era: 'auto' },
    );
    const start = up.client.start().catch(() => {});
    await up.clock.advance(waitMs);
    const end = endOf(up);
    const ready = up.client.state.kind === 'ready' ? up.client.state.connection.codec.revision : end;
    expect(ready, 'what is agreed on is what is spoken').toBe(end);
    await up.client.close();
    await start;
    return { up, end };
  }

  test('is waited for as long as a probe may take, then it is greeted as well', async () => {
    const up = new Started([{ on: { 'server/discover': () => undefined } }], { era: 'auto' });
    const start = up.client.start();
    await up.clock.advance(PROBE_MS - 1);
    expect(requestsTo(up)).toEqual([['server/discover']]);
    await up.clock.advance(1);
    await start;
    expect(requestsTo(up)).toEqual([['server/discover', 'initialize', 'tools/list']]);
    expect(endOf(up)).toBe('2025-11-25');
    await up.client.close();
  });

  test('of one that starts slowly ends with the answer to the first question', async () => {
    const { up, end } = await metSlowly(later(4_000, DISCOVERED), undefined);
    expect(end).toBe('2026-07-28');
    expect(requestsTo(up)[0]).toEqual(['server/discover', 'initialize', 'tools/list']);
  });

  test('of one that speaks both eras ends with whichever it answers first, and the other answer changes nothing', async () => {
    const newer = await metSlowly(later(4_000, DISCOVERED), later(3_000, INITIALIZED));
    expect(newer.end).toBe('2026-07-28');
    expect(newer.up.transport.received('notifications/initialized'), 'it is in the newer era by now').toEqual([]);
    const older = await metSlowly(later(5_000, DISCOVERED), later(500, INITIALIZED));
    expect(older.end).toBe('2025-06-18');
    expect(older.up.transport.received('notifications/initialized')).toHaveLength(1);
  });

  test('that ends with a refusal of both questions fails with what initialize was told', async () => {
    const late = (ms: number, code: number) => (up: () => Started) =>
      (({ id }, transport) =>
        void up().clock.schedule(ms, () =>
          transport.say(String(errorOf(code)({ id } as Sent, transport))),
        )) as Reaction;
    const { end, up } = await metSlowly(late(3_000, -32601), late(1_000, -32603), 3_600);
    expect(end).toBe('UPSTREAM_BROKE_PROTOCOL');
    expect(JSON.stringify(up.named('upstream.lost'))).toContain('-32603');
  });

  test('to both questions ends with the time that a start may take, once', async () => {
    const { up, end } = await metSlowly(undefined, undefined, 10_050);
    expect(end).toBe('TIMEOUT');
    expect(up.transports).toHaveLength(1);
  });
});

describe('an upstream that ends when it is asked', () => {
  const fatal: MemoryScript = { on: { 'server/discover': (_, transport) => transport.lose() } };

  test('is started once more and greeted as of old, and from then on at once (case c29)', async () => {
    const up = new Started([fatal], { era: 'auto' });
    await up.client.start();
    expect(requestsTo(up)).toEqual([['server/discover'], ['initialize', 'tools/list']]);
    expect(up.named('upstream.lost'), 'nobody was without it').toEqual([]);
    up.transport.lose();
    await up.clock.advance(1_000);
    expect(requestsTo(up)[2]).toEqual(['initialize', 'tools/list']);
    await up.client.close();
  });

  test('also after it was silent for a while', async () => {
    let up: Started | undefined;
    const slow: MemoryScript = {
      on: {
        'server/discover': (_, transport) => void up?.clock.schedule(4_000, () => transport.lose()),
        initialize: () => undefined,
      },
    };
    up = new Started([slow, {}], { era: 'auto' });
    const start = up.client.start();
    await up.clock.advance(5_000);
    await start;
    expect(requestsTo(up)[1]).toEqual(['initialize', 'tools/list']);
    await up.client.close();
  });

  test('and ends again when it is greeted has failed, after two starts and no more', async () => {
    const { up, end } = await met([{ on: { '*': (_, transport) => transport.lose() } }], {}, 100);
    expect(end).toBe('UPSTREAM_UNREACHABLE');
    expect(requestsTo(up)).toEqual([['server/discover'], ['initialize']]);
  });

  test('behind its answer is not started for that', async () => {
    const ends: MemoryScript = modernScript({ on: { 'tools/list': (_, transport) => transport.lose() } });
    const { up } = await met([ends], {}, 100);
    expect(up.transports).toHaveLength(1);
  });
});

describe('what was found out', () => {
  const HOURS = 3_600_000;
  const discovers = (up: Started): number =>
    up.transports.filter((each) => each.received('server/discover').length > 0).length;

  async function restarted(up: Started, afterMs: number): Promise<void> {
    await up.clock.advance(afterMs);
    up.transport.lose();
    await up.clock.advance(5_000);
    expect(up.client.state.kind).toBe('ready');
  }

  test('of an older upstream holds for a day, then it is asked again', async () => {
    const up = new Started([{}], { era: 'auto' });
    await up.client.start();
    await restarted(up, 23 * HOURS);
    expect(discovers(up)).toBe(1);
    // It was seen to speak so at that start, too.
    await restarted(up, 24 * HOURS);
    expect(discovers(up)).toBe(2);
    await up.client.close();
  });

  test.each([
    { atMs: 0, why: 'is believed for a day', asked: 0 },
    { atMs: -24 * HOURS, why: 'is too old after that', asked: 1 },
  ])('in an earlier process $why', async ({ atMs, asked }) => {
    const up = new Started([{}], { era: 'auto' });
    up.client.recallEra('handshake', atMs);
    await up.client.start();
    expect(discovers(up)).toBe(asked);
    await up.client.close();
  });

  test('is forgotten when it no longer greets as of old', async () => {
    const up = new Started([{}, modernScript()], { era: 'auto' });
    await up.client.start();
    up.transport.lose();
    await up.clock.advance(5_000);
    expect(endOf(up)).toBe('2026-07-28');
    expect(requestsTo(up).map(([first]) => first)).toEqual(['server/discover', 'initialize', 'server/discover']);
    await up.client.close();
  });
});

describe('an era that the configuration names', () => {
  test('handshake: it is never asked', async () => {
    const { up, end } = await met([{}], { era: 'handshake' });
    expect(end).toBe('2025-11-25');
    expect(requestsTo(up)).toEqual([['initialize', 'tools/list']]);
  });

  test('modern: it is never greeted, and says whose setting that was where it speaks no such thing', async () => {
    expect((await met([modernScript()], { era: 'modern' })).end).toBe('2026-07-28');
    const { up, end } = await met([{}], { era: 'modern' }, 100);
    expect(end).toBe('UPSTREAM_BROKE_PROTOCOL');
    expect(requestsTo(up)).toEqual([['server/discover']]);
  });

  test('modern: silence is a start that takes too long', async () => {
    const { up, end } = await met([{ on: { '*': () => undefined } }], { era: 'modern' }, 10_050);
    expect(end).toBe('TIMEOUT');
    expect(requestsTo(up)).toEqual([['server/discover']]);
  });
});

describe('whatever a server does when it is asked', () => {
  const anyJson = fc.json({ maxDepth: 2 });
  const anyVersions = fc.array(fc.constantFrom('2026-07-28', '2025-11-25', '2024-11-05', '2031-01-01', 'x', 7, null));
  const anyMember = fc.record(
    {
      supportedVersions: fc.oneof(anyVersions, fc.constant('2026-07-28')),
      capabilities: fc.oneof(
        fc.constantFrom({ tools: {} }, {}, null, 5, 'x'),
        fc.dictionary(fc.string(), fc.jsonValue()),
      ),
      serverInfo: fc.jsonValue({ maxDepth: 1 }),
      _meta: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  );
  const anySaid = fc.oneof(
    anyMember.map((result) => `"result":${JSON.stringify(result)}`),
    anyJson.map((json) => `"result":${json}`),
    anyJson.map((json) => `"error":${json}`),
    fc
      .record({ code: fc.constantFrom(-32601, -32602, -32020, -32021, -32022, 0, 'x'), supported: anyVersions })
      .map(({ code, supported }) => `"error":${JSON.stringify({ code, message: 'm', data: { supported } })}`),
    fc.constant('"neither":1'),
  );
  /** What it does, after how long. */
  const anyDeed = fc.record({
    afterMs: fc.constantFrom(0, 1_000, 2_499, 2_500, 3_000, 9_000),
    does: fc.oneof(
      {
        weight: 6,
        arbitrary: anySaid.map((said) => (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${said}}`),
      },
      { weight: 1, arbitrary: fc.constant(() => undefined) },
      { weight: 1, arbitrary: fc.constant('ends' as const) },
      { weight: 1, arbitrary: fc.string().map((text) => () => text.replaceAll('\n', ' ')) },
    ),
  });

  test('it is ready or has failed in time, and no connection is greeted twice', async () => {
    await fc.assert(
      fc.asyncProperty(anyDeed, anyDeed, async (discover, initialize) => {
        let up: Started | undefined;
        const react =
          ({ afterMs, does }: typeof discover, usual?: Reaction): Reaction =>
          (sent, transport) =>
            void up?.clock.schedule(afterMs, () => {
              if (does === 'ends') return transport.lose();
              if (usual !== undefined) return transport.answer(sent.id, usual(sent, transport));
              const line = does(sent.id);
              if (line !== undefined) transport.say(line);
            });
        const greeted = () => ({ protocolVersion: '2025-11-25', capabilities: {} });
        const greets = initialize.afterMs > 0 ? greeted : undefined;
        up = new Started([{ on: { 'server/discover': react(discover), initialize: react(initialize, greets) } }], {
          era: 'auto',
        });
        let isOver = false;
        const start = up.client.start().then(
          () => (isOver = true),
          () => (isOver = true),
        );
        // Two starts, where it ended when it was asked.
        const endsWhenAsked = discover.does === 'ends' || initialize.does === 'ends';
        await up.clock.advance(endsWhenAsked ? 20_000 : 10_000);
        expect(isOver).toBe(true);
        for (const transport of up.transports) {
          expect(transport.received('initialize').length).toBeLessThanOrEqual(1);
        }
        const { state } = up.client;
        if (state.kind === 'ready') expect(state.connection.codec).toBe(state.hello.codec);
        else expect(['failed', 'connecting']).toContain(state.kind);
        if (state.kind === 'failed') expect(state.error.code).not.toBe('INTERNAL');
        await up.client.close();
        await start;
      }),
      { numRuns: 200 },
    );
  });
});
