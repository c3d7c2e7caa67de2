import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { RestartPolicy } from './restart.js';

const MINUTE_MS = 60_000;

/** A policy whose jitter stands in the middle, unless said otherwise. */
function policyOf(random = (): number => 0.5): { readonly policy: RestartPolicy; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  return { policy: new RestartPolicy({ clock, random }), clock };
}

/** Ends it so many times, that far apart. @returns the delays */
async function ends(policy: RestartPolicy, clock: VirtualClock, count: number, apartMs: number): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 0; i < count; i++) {
    await clock.advance(apartMs);
    delays.push(policy.ended().delayMs);
  }
  return delays;
}

/** Starts it, and lets it be up for so long. */
async function up(policy: RestartPolicy, clock: VirtualClock, ms: number): Promise<void> {
  policy.started();
  await clock.advance(ms);
}

test('the delay doubles from 250 ms to 30 s', async () => {
  const { policy, clock } = policyOf();
  expect(await ends(policy, clock, 10, 20_000)).toEqual([
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
  expect(policy.isOpen).toBe(false);
});

test('a good start does not begin the doubling anew, a stable minute does (case c19)', async () => {
  const { policy, clock } = policyOf();
  await ends(policy, clock, 3, 0);
  await up(policy, clock, MINUTE_MS - 1);
  expect(policy.ended()).toEqual({ delayMs: 2_000, isFirst: false });
  await up(policy, clock, MINUTE_MS);
  expect(policy.ended()).toEqual({ delayMs: 250, isFirst: true });
});

test('a minute in which it was not up is no stable one', async () => {
  const { policy, clock } = policyOf();
  policy.started();
  policy.ended();
  await clock.advance(10 * MINUTE_MS);
  expect(policy.ended()).toEqual({ delayMs: 500, isFirst: false });
});

describe('the breaker', () => {
  test.each([
    { why: 'five ends within a minute open it', count: 5, apartMs: 15_000, isOpen: true },
    { why: 'four do not', count: 4, apartMs: 0, isOpen: false },
    { why: 'nor do five over a little more', count: 5, apartMs: 15_001, isOpen: false },
    { why: 'nor many, far enough apart', count: 40, apartMs: 15_001, isOpen: false },
  ])('$why', async ({ count, apartMs, isOpen }) => {
    const { policy, clock } = policyOf();
    await ends(policy, clock, count, apartMs);
    expect(policy.isOpen).toBe(isOpen);
  });

  test('lets a probe through every 30 s, and none of them closes it by starting well', async () => {
    const { policy, clock } = policyOf();
    await ends(policy, clock, 5, 0);
    for (let i = 0; i < 10; i++) {
      await clock.advance(30_000);
      await up(policy, clock, MINUTE_MS - 1);
      expect(policy.isOpen).toBe(true);
      expect(policy.ended()).toEqual({ delayMs: 30_000, isFirst: false });
    }
  });

  test('is closed by a probe that stays up for a minute, and then needs five ends again', async () => {
    const { policy, clock } = policyOf();
    await ends(policy, clock, 5, 0);
    await up(policy, clock, MINUTE_MS);
    expect(policy.isOpen).toBe(false);
    expect(await ends(policy, clock, 4, 0)).toEqual([250, 500, 1_000, 2_000]);
    expect(policy.isOpen).toBe(false);
    await ends(policy, clock, 1, 0);
    expect(policy.isOpen).toBe(true);
  });
});

/** One life of an upstream, and how it is used when it has ended. */
interface Life {
  /** How long its start takes; only then is it up. */
  readonly startsMs: number;
  /** How long it is up; undefined where the start fails. */
  readonly upMs: number | undefined;
  /** Somebody calls it as soon as it has ended, unless the breaker forbids. */
  readonly isCalled: boolean;
}

const briefly = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(20_000), fc.constant(MINUTE_MS));
const life: fc.Arbitrary<Life> = fc.record({
  startsMs: briefly,
  upMs: fc.option(fc.oneof(briefly, fc.constantFrom(MINUTE_MS - 1, MINUTE_MS, MINUTE_MS + 1)), { nil: undefined }),
  isCalled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
});

/** The most of these moments that lie within any such stretch of time. */
function mostWithin(momentsMs: readonly number[], stretchMs: number): number {
  return Math.max(...momentsMs.map((fromMs, i) => momentsMs.slice(i).filter((ms) => ms - fromMs < stretchMs).length));
}

test('however it lives, fails and is called: starts are bounded, delays as well, and a stable minute makes all good', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(life, { minLength: 1, maxLength: 30 }),
      fc.infiniteStream(fc.float({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      async (lives, floats) => {
        const { policy, clock } = policyOf(() => floats.next().value as number);
        const startedAtMs: number[] = [];
        for (const { startsMs, upMs, isCalled } of lives) {
          startedAtMs.push(clock.monotonicMs());
          await clock.advance(startsMs);
          if (upMs !== undefined) await up(policy, clock, upMs);
          const wasStable = upMs !== undefined && upMs >= MINUTE_MS;
          if (wasStable) expect(policy.isOpen).toBe(false);
          const { delayMs, isFirst } = policy.ended();
          expect(delayMs).toBeGreaterThanOrEqual(200);
          expect(delayMs).toBeLessThanOrEqual(36_000);
          if (wasStable || startedAtMs.length === 1)
            expect({ isFirst, isSoon: delayMs <= 300 }).toEqual({ isFirst: true, isSoon: true });
          if (policy.isOpen) expect(delayMs).toBeGreaterThanOrEqual(24_000);
          if (!isCalled || policy.isOpen) await clock.advance(delayMs);
        }
        // Case c19 asks for 8 at most; five open the breaker, and a probe takes 24 s at least.
        expect(mostWithin(startedAtMs, 30_000)).toBeLessThanOrEqual(6);
        expect(mostWithin(startedAtMs, 24_000)).toBeLessThanOrEqual(5);
      },
    ),
    { numRuns: 300 },
  );
});

test('an upstream that lets nobody in is tried ever more slowly, but never kept from calls', async () => {
  const { policy, clock } = policyOf();
  await ends(policy, clock, 5, 0);
  expect(policy.isOpen).toBe(true);
  const delays: number[] = [];
  for (let i = 0; i < 6; i++) {
    await clock.advance(10);
    delays.push(policy.ended(true).delayMs);
    expect(policy.isOpen).toBe(false);
  }
  expect(delays).toEqual([8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
});
