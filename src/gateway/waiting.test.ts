/** How long a caller waits for a list: until all have answered, 1.5 s after the first, 5 s when there is none. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, type MemoryMount, SILENT, slow, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { CallSignal, DoorError } from '../base/index.js';

/** Mounts that list one tool so many milliseconds after they were asked; `never` and `fails` are what they say. */
type Speed = number | 'never' | 'fails';

function started(speeds: readonly Speed[]): MemoryGateway {
  const clock = new VirtualClock();
  const mounts = speeds.map((speed, i): [string, MemoryMount] => {
    if (speed === 'never') return [`m${i}`, { scripts: [SILENT] }];
    if (speed === 'fails') {
      return [`m${i}`, { scripts: [{ open: () => Promise.reject(new DoorError('UPSTREAM_UNREACHABLE', 'no')) }] }];
    }
    return [`m${i}`, { scripts: [slow(clock, speed, [toolNamed('t')])] }];
  });
  return new MemoryGateway(Object.fromEntries(mounts), {}, clock);
}

/** When a list came, in milliseconds, and what was in it. */
async function listed({ gateway, clock }: MemoryGateway): Promise<{ atMs: number; names: string[] }> {
  const beganMs = clock.monotonicMs();
  let came: { atMs: number; names: string[] } | undefined;
  void gateway.listTools().then((entries) => {
    came = { atMs: clock.monotonicMs() - beganMs, names: entries.map(({ name }) => name) };
  });
  for (let i = 0; i < 700 && came === undefined; i++) await clock.advance(10);
  if (came === undefined) throw new Error('no list within 7 s');
  return came;
}

test.each<{ why: string; speeds: readonly Speed[]; atMs: number; names: string[] }>([
  { why: 'no mounts', speeds: [], atMs: 0, names: [] },
  { why: 'all at once', speeds: [0, 0], atMs: 0, names: ['m0__t', 'm1__t'] },
  { why: 'all answered, though slowly', speeds: [1_000, 2_400], atMs: 2_400, names: ['m0__t', 'm1__t'] },
  { why: '1.5 s after the first', speeds: [1_000, 2_600], atMs: 2_500, names: ['m0__t'] },
  { why: 'a hung one costs 1.5 s once', speeds: [0, 'never'], atMs: 1_500, names: ['m0__t'] },
  { why: 'a failed one is waited for no longer', speeds: [0, 'fails'], atMs: 0, names: ['m0__t'] },
  { why: 'a failure is no first list', speeds: ['fails', 3_000], atMs: 3_000, names: ['m1__t'] },
  { why: '5 s when there is none', speeds: ['never', 'never'], atMs: 5_000, names: [] },
  { why: '5 s when the first is later', speeds: [6_000], atMs: 5_000, names: [] },
  {
    why: '1.5 s after a late first, even past the 5 s',
    speeds: [4_900, 6_300],
    atMs: 6_300,
    names: ['m0__t', 'm1__t'],
  },
  { why: 'and no longer', speeds: [4_900, 6_500], atMs: 6_400, names: ['m0__t'] },
  { why: 'all failed', speeds: ['fails', 'fails'], atMs: 0, names: [] },
])('$why', async ({ speeds, atMs, names }) => {
  const fixture = started(speeds);
  const list = await listed(fixture);
  expect(list.names).toEqual(names);
  expect(list.atMs).toBeGreaterThanOrEqual(atMs);
  expect(list.atMs).toBeLessThanOrEqual(atMs + 10);
  // Nothing of the wait is left behind: what remains are the upstreams' own delays.
  await fixture.gateway.close();
  expect(fixture.clock.waiting).toBeLessThanOrEqual(speeds.length - names.length);
});

test('whoever comes later waits for nobody', async () => {
  const fixture = started([0, 'never', 'never']);
  await listed(fixture);
  for (let i = 0; i < 3; i++) {
    const { atMs, names } = await listed(fixture);
    expect(names).toEqual(['m0__t']);
    expect(atMs).toBeLessThanOrEqual(10);
  }
});

test('whoever comes in between waits for the rest of the time', async () => {
  const fixture = started([0, 'never']);
  fixture.gateway.start();
  await fixture.clock.advance(1_000);
  const { atMs } = await listed(fixture);
  expect(atMs).toBeGreaterThanOrEqual(500);
  expect(atMs).toBeLessThanOrEqual(510);
});

test('a list that comes after the wait is told, and there for the next caller', async () => {
  const fixture = started([0, 2_000]);
  let told = 0;
  fixture.gateway.onListChanged(() => told++);
  expect((await listed(fixture)).names).toEqual(['m0__t']);
  const before = told;
  await fixture.clock.advance(600);
  expect(told).toBe(before + 1);
  expect((await listed(fixture)).names).toEqual(['m0__t', 'm1__t']);
});

test('one that was asked for alone, long ago, does not shorten the wait for the others', async () => {
  const fixture = started([0, 300]);
  void fixture.gateway.whenSettled('m0');
  await fixture.clock.advance(60_000);
  expect(fixture.attempts('m1')).toEqual([]);
  expect((await listed(fixture)).names).toEqual(['m0__t', 'm1__t']);
});

describe('giving up', () => {
  test('ends the wait with the reason and leaves nothing behind', async () => {
    const { gateway, clock } = started(['never']);
    const signal = new CallSignal();
    const failure = gateway.listTools({ signal }).catch((thrown: unknown) => thrown);
    await clock.advance(100);
    const before = clock.waiting;
    signal.abort('enough');
    await settled();
    expect(await failure).toBe('enough');
    expect(clock.waiting).toBe(before - 1);
  });

  test('is final: an upstream that settles later starts no new wait', async () => {
    const { gateway, clock } = started(['never', 'never', 500]);
    const signal = new CallSignal();
    const failure = gateway.listTools({ signal }).catch((thrown: unknown) => thrown);
    await clock.advance(100);
    signal.abort('enough');
    await clock.advance(500);
    expect(await failure).toBe('enough');
    // The deadlines of the two starts, the pause after the list was told, and the look at who is slow to start.
    expect(clock.waiting).toBe(4);
  });

  test('before the wait is the same', async () => {
    const { gateway } = started(['never']);
    const signal = new CallSignal();
    signal.abort('before');
    await expect(gateway.listTools({ signal })).rejects.toBe('before');
  });

  test('of one mount does not end it', async () => {
    const { gateway, clock } = started([500]);
    const signal = new CallSignal();
    const failure = gateway.whenSettled('m0', { signal }).catch((thrown: unknown) => thrown);
    signal.abort('not me');
    expect(await failure).toBe('not me');
    await clock.advance(500);
    expect(gateway.upstreams()).toMatchObject([{ id: 'm0', state: { kind: 'ready', tools: 1 } }]);
  });
});
