/** An upstream that ends is started again, by itself or by a call, but never in a storm. The clock's jitter is none. */
import { describe, expect, test } from 'vitest';
import { type MemoryScript, SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { DoorError } from '../base/index.js';
import type { Failed } from './lifecycle.js';

const MINUTE_MS = 60_000;
const ECHO: MemoryScript = { on: { 'tools/call': () => ({ content: [] }) } };
const DEAD: MemoryScript = { open: () => Promise.reject(new Error('no such command')) };
const MUTE: MemoryScript = { on: { initialize: () => undefined } };
/** Shakes hands, lists and exits, as the server of case c19. */
const BOOM: MemoryScript = {
  on: {
    'tools/list': ({ id }, transport) => {
      transport.answer(id, { tools: [SOME_TOOL] });
      setImmediate(() => transport.lose());
    },
  },
};

/** A remote server that nobody has logged in to. */
const SHUT: MemoryScript = {
  open: () =>
    Promise.reject(new DoorError('AUTH_REQUIRED', 'up wants you to log in', { hint: 'Run: doorward login up' })),
};

const failureOf = (task: Promise<unknown>): Promise<unknown> =>
  task.then(
    () => 'it did not fail',
    (thrown: unknown) => thrown,
  );

async function ready(...scripts: readonly MemoryScript[]): Promise<Started> {
  const up = new Started(scripts);
  await up.client.start();
  return up;
}

/** Loses it as soon as it is up, until the breaker is open. */
async function flapping(...scripts: readonly MemoryScript[]): Promise<Started> {
  const up = new Started(scripts);
  for (let i = 0; i < 5; i++) {
    await up.client.start();
    up.transport.lose();
  }
  return up;
}

function failedOf({ client: { state } }: Started): Failed {
  if (state.kind !== 'failed') throw new Error(`it is ${state.kind}`);
  return state;
}

describe('by itself', () => {
  test('it starts again after it was lost, and is listed anew', async () => {
    const up = await ready({}, { tools: [{ name: 'new', inputSchema: { type: 'object' } }] });
    up.transport.lose();
    await up.clock.advance(249);
    expect(up.transports).toHaveLength(1);
    await up.clock.advance(1);
    expect(up.client.state.kind).toBe('ready');
    expect(up.tools()).toEqual(['new']);
    expect(up.named('upstream.connected')).toHaveLength(2);
  });

  test('it starts again after a start that failed, each time later', async () => {
    const up = new Started([DEAD]);
    await failureOf(up.client.start());
    const startedAtMs: number[] = [];
    for (let i = 0; i < 400; i++) {
      const before = up.transports.length;
      await up.clock.advance(10);
      if (up.transports.length > before) startedAtMs.push(up.clock.nowMs());
    }
    expect(startedAtMs).toEqual([250, 750, 1_750, 3_750]);
  });

  test('it does not start before it was asked for', async () => {
    const up = new Started([{}]);
    await up.clock.advance(10 * MINUTE_MS);
    expect(up.transports).toHaveLength(0);
  });

  test.each<{ why: string; on: NonNullable<MemoryScript['on']> }>([
    { why: 'broke the protocol', on: { initialize: () => ({ protocolVersion: 'none' }) } },
    { why: 'listed nonsense', on: { 'tools/list': () => ({ tools: 'none' }) } },
    {
      why: 'flooded its stdout',
      on: { 'tools/list': (_, transport) => void transport.sayBytes(new Uint8Array(20_000).fill(0x78)) },
    },
  ])('also after it $why while starting', async ({ on }) => {
    const up = new Started([{ on }, {}]);
    expect(await failureOf(up.client.start())).toBeInstanceOf(DoorError);
    await up.clock.advance(250);
    expect(up.client.state.kind).toBe('ready');
  });
});

describe('when it is called', () => {
  test('it starts at once, one start for all calls, and is not started again by the timer', async () => {
    const up = await ready(ECHO);
    up.transport.lose();
    const answers = await Promise.all([1, 2, 3].map(() => up.call('some')));
    expect(answers).toEqual([{ content: [] }, { content: [] }, { content: [] }]);
    expect(up.clock.nowMs()).toBe(0);
    await up.clock.advance(MINUTE_MS);
    expect(up.transports).toHaveLength(2);
    expect(up.clock.waiting).toBe(0);
  });

  test('what was sent before it was lost is never sent again: one error, outcome unknown', async () => {
    const up = await ready({});
    const failure = failureOf(up.call('some'));
    up.transport.lose();
    expect(await failure).toMatchObject({ code: 'UPSTREAM_LOST', data: { outcome: 'unknown' } });
    await up.clock.advance(MINUTE_MS);
    expect(up.transports).toHaveLength(2);
    expect(up.transports[1]!.received('tools/call')).toEqual([]);
  });

  test('it fails at once while it keeps ending, and says why and until when', async () => {
    const up = await flapping(ECHO);
    const { retryAtMs, isFlapping } = failedOf(up);
    expect({ retryAtMs, isFlapping }).toEqual({ retryAtMs: 30_000, isFlapping: true });
    for (const task of [up.call('some'), up.client.start()]) {
      expect(await failureOf(task)).toMatchObject({
        code: 'UPSTREAM_UNREACHABLE',
        message: 'up: keeps ending, and is next tried in 30 s. It ended with: the process exited with code 1',
        data: { upstream: 'up', retryAtMs },
        hint: expect.any(String),
      });
    }
    expect(up.transports).toHaveLength(5);
  });

  test('one that wants a login says so at each call, and takes calls as soon as there was one', async () => {
    const up = new Started([SHUT, SHUT, SHUT, SHUT, SHUT, SHUT, ECHO]);
    for (let i = 0; i < 6; i++) {
      expect(await failureOf(up.client.start())).toMatchObject({
        code: 'AUTH_REQUIRED',
        hint: 'Run: doorward login up',
      });
    }
    await up.client.start();
    expect(await up.call('some')).toEqual({ content: [] });
    expect(up.clock.nowMs()).toBe(0);
    expect(up.named('upstream.lost')).toHaveLength(1);
  });

  test('a probe that is up takes calls, and is on trial for a minute', async () => {
    const up = await flapping(ECHO);
    await up.clock.advance(30_000);
    expect(await up.call('some')).toEqual({ content: [] });
    await up.clock.advance(MINUTE_MS - 1);
    up.transport.lose();
    expect(failedOf(up)).toMatchObject({ isFlapping: true, retryAtMs: up.clock.nowMs() + 30_000 });
    await up.clock.advance(30_000 + MINUTE_MS);
    up.transport.lose();
    expect(failedOf(up)).toMatchObject({ isFlapping: false, retryAtMs: up.clock.nowMs() + 250 });
    expect(await up.call('some')).toEqual({ content: [] });
  });

  test('while a probe is starting, calls wait for it', async () => {
    const up = await flapping(ECHO, ECHO, ECHO, ECHO, ECHO, { ...ECHO, on: { ...ECHO.on, ...MUTE.on } });
    await up.clock.advance(30_000);
    expect(up.client.state.kind).toBe('connecting');
    const answer = up.call('some');
    up.transport.answer(1, { protocolVersion: '2025-11-25', capabilities: { tools: {} } });
    expect(await answer).toEqual({ content: [] });
  });
});

describe('a server that lists and exits (case c19)', () => {
  test.each<{ how: string; use: (up: Started) => unknown }>([
    { how: 'left alone', use: () => {} },
    { how: 'started over and over', use: (up) => failureOf(up.client.start()) },
    { how: 'called over and over', use: (up) => (up.lists.length > 0 ? failureOf(up.call('some')) : undefined) },
  ])('is spawned at most 8 times in 30 s, $how', async ({ use }) => {
    const up = new Started([BOOM]);
    void failureOf(up.client.start());
    for (let ms = 0; ms < 30_000; ms += 50) {
      await use(up);
      await up.clock.advance(50);
    }
    expect(up.transports.length).toBeLessThanOrEqual(8);
    expect(up.transports.length).toBeGreaterThanOrEqual(5);
    // At first, and once more for the one loss that was told.
    expect(up.named('upstream.connected')).toHaveLength(2);
    expect(up.named('upstream.lost')).toHaveLength(1);
    expect(failedOf(up).isFlapping).toBe(true);
    // An hour of it costs a probe every 30 s and fills no log.
    const before = up.transports.length;
    for (let second = 0; second < 3_600; second++) await up.clock.advance(1_000);
    expect(up.transports.length - before).toBeGreaterThan(115);
    expect(up.transports.length - before).toBeLessThanOrEqual(121);
    expect(up.named('upstream.lost').length).toBeLessThanOrEqual(2);
    expect(up.named('upstream.connected').length).toBeLessThanOrEqual(3);
    await up.client.close();
    expect(up.clock.waiting).toBe(0);
  });
});

test('the noise of a server that keeps ending is told once in half a minute, over all its starts', async () => {
  const noisy: MemoryScript = {
    on: {
      ...BOOM.on,
      initialize: (_, transport) => {
        transport.say('Server listening on stdio');
        return { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
      },
    },
  };
  const up = new Started([noisy]);
  await up.client.start();
  for (let ms = 0; ms < 29_000; ms += 250) await up.clock.advance(250);
  expect(up.transports.length).toBeGreaterThanOrEqual(5);
  expect(up.warnings()).toEqual(['noise-on-stdout']);
  for (let ms = 0; ms < 60_000; ms += 250) await up.clock.advance(250);
  expect(up.warnings().length).toBeGreaterThanOrEqual(2);
  expect(up.warnings().length).toBeLessThanOrEqual(3);
});

describe('upstream.connected', () => {
  test('is told again once its loss was told, and only then', async () => {
    const up = await flapping({});
    expect(up.named('upstream.lost')).toHaveLength(1);
    expect(up.named('upstream.connected')).toHaveLength(2);
    await up.clock.advance(2 * MINUTE_MS);
    up.transport.lose();
    await up.clock.advance(1_000);
    expect(up.client.state.kind).toBe('ready');
    expect(up.named('upstream.lost')).toHaveLength(2);
    expect(up.named('upstream.connected')).toHaveLength(3);
  });
});

describe('the state', () => {
  test('says since when it fails, why, and when it is tried again', async () => {
    const up = await ready({}, DEAD, MUTE, {});
    await up.clock.advance(1_000);
    up.transport.lose();
    expect(up.client.state).toMatchObject({
      kind: 'failed',
      error: { code: 'UPSTREAM_LOST' },
      sinceMs: 1_000,
      retryAtMs: 1_250,
      isFlapping: false,
    });
    await up.clock.advance(250);
    const second = failedOf(up);
    expect(second).toMatchObject({ error: { code: 'UPSTREAM_UNREACHABLE' }, sinceMs: 1_000, retryAtMs: 1_750 });
    await up.clock.advance(500);
    expect(up.client.state).toMatchObject({ kind: 'connecting', sinceMs: 1_750, failed: second });
  });

  test('of a first start names no failure', () => {
    const up = new Started([MUTE]);
    void failureOf(up.client.start());
    expect(up.client.state).toMatchObject({ kind: 'connecting', failed: undefined });
  });

  test('a new row of failures begins after a stable minute only', async () => {
    const up = await ready({});
    up.transport.lose();
    await up.clock.advance(250 + MINUTE_MS - 1);
    up.transport.lose();
    expect(failedOf(up).sinceMs).toBe(0);
    await up.clock.advance(500 + MINUTE_MS);
    up.transport.lose();
    expect(failedOf(up).sinceMs).toBe(up.clock.nowMs());
  });
});

describe('upstream.lost', () => {
  const reasons = (up: Started): unknown[] => up.named('upstream.lost').map(({ reason }) => reason);

  test('is told once for a reason, and anew after a stable minute', async () => {
    const up = await ready({});
    const oom = new DoorError('UPSTREAM_LOST', 'the process was ended by SIGKILL');
    for (const reason of [undefined, undefined, oom, undefined]) {
      up.transport.lose(reason);
      await up.client.start();
    }
    expect(reasons(up)).toEqual(['the process exited with code 1', 'the process was ended by SIGKILL']);
    await up.clock.advance(MINUTE_MS);
    up.transport.lose();
    expect(reasons(up)).toHaveLength(3);
  });

  test('fills no log, even when the words are new each time', async () => {
    let attempts = 0;
    const up = new Started([{ open: () => Promise.reject(new Error(`attempt ${attempts++}`)) }]);
    await failureOf(up.client.start());
    await up.clock.advance(24 * 60 * MINUTE_MS);
    expect(attempts).toBeGreaterThan(1_000);
    expect(reasons(up)).toHaveLength(16);
  });
});

test('every failure is heard of, also one that is not told again', async () => {
  const heard: unknown[] = [];
  const up: Started = new Started([{}], { failed: () => heard.push(failedOf(up).isFlapping) });
  for (let i = 0; i < 6; i++) {
    if (i === 5) await up.clock.advance(30_000);
    else await up.client.start();
    up.transport.lose();
  }
  expect(heard).toEqual([false, false, false, false, true, true]);
  expect(up.named('upstream.lost')).toHaveLength(1);
});

describe('an end that takes its time', () => {
  /** Ends only when it is told to. */
  function slowToEnd(): { readonly script: MemoryScript; end(): void } {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { script: { close: () => ended }, end };
  }

  test('keeps nobody waiting who wants to know how the start went', async () => {
    const { script, end } = slowToEnd();
    const up = new Started([{ ...DEAD, ...script }, {}]);
    expect(await failureOf(up.client.start())).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    expect(up.client.state.kind).toBe('failed');
    // Two of a kind are never started, not even by the timer.
    await up.clock.advance(5_000);
    expect(up.transports).toHaveLength(1);
    end();
    await settled();
    expect(up.client.state.kind).toBe('ready');
  });

  test('takes nothing from the time that the next start has', async () => {
    const { script, end } = slowToEnd();
    const up = await ready(script, MUTE);
    up.transport.lose();
    await up.clock.advance(20_000);
    end();
    await up.clock.advance(9_999);
    expect(up.client.state.kind).toBe('connecting');
    await up.clock.advance(1);
    expect(up.client.state).toMatchObject({ kind: 'failed', error: { code: 'TIMEOUT' } });
  });

  test('is waited for by close, and nothing is started after it', async () => {
    const { script, end } = slowToEnd();
    const up = await ready(script);
    up.transport.lose();
    await up.clock.advance(1_000);
    const start = failureOf(up.client.start());
    let isClosed = false;
    const closing = up.client.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    end();
    await closing;
    expect(await start).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: 'up: closed while starting' });
    expect(up.transports).toHaveLength(1);
  });
});

test.each<{ when: string; make: () => Promise<Started> }>([
  { when: 'it waits for the next attempt', make: async () => new Started([DEAD]) },
  { when: 'it keeps ending', make: () => flapping({}) },
  { when: 'it is up', make: () => ready({}) },
])('closing while $when leaves no timer, and nothing starts again', async ({ make }) => {
  const up = await make();
  await failureOf(up.client.start());
  const before = up.transports.length;
  await up.client.close();
  expect(up.clock.waiting).toBe(0);
  await up.clock.advance(10 * MINUTE_MS);
  expect(up.transports).toHaveLength(before);
  expect(up.client.state).toEqual({ kind: 'closed' });
});
