import { describe, expect, test } from 'vitest';
import { SEVEN_DAYS, SimulatedWorld, type SimulationResult } from './simulation-world.js';

const SMALL = { ...SEVEN_DAYS, upstreams: 5, callers: 6, declaring: 2, minutes: 120, flapEveryMs: 15 * 60_000 };
/** DOORWARD_MINUTES=10080 runs case g12 as it is written: seven days. */
const MINUTES = Number(process.env.DOORWARD_MINUTES ?? 3 * 60);

function expectPromises({ misses, pending, timersBefore, timersAfter }: SimulationResult): void {
  expect(misses).toEqual([]);
  expect(pending).toBe(0);
  expect(timersAfter, 'timers left over').toBeLessThanOrEqual(timersBefore);
}

describe('a simulated time', () => {
  test.each([1, 2, 3])('has one right answer for every call, whatever breaks (seed %i)', async (seed) => {
    const result = await new SimulatedWorld({ ...SMALL, seed }).run();
    expectPromises(result);
    expect(result.connections, 'one connection to each upstream').toBe(SMALL.upstreams);
    // Otherwise nothing was tried.
    for (const what of ['result', 'TIMEOUT', 'UPSTREAM_LOST', 'vanished', 'cancelled']) {
      expect(result.counts[`ended: ${what}`], what).toBeGreaterThan(0);
    }
    for (const what of [
      'callers asked',
      'reads of what is fixed',
      'reads of what is made',
      'resources listed',
      'lists that came late',
      'updates told',
      'subscribed',
    ]) {
      expect(result.counts[what], what).toBeGreaterThan(0);
    }
  });

  test('passes in the same way for the same seed', async () => {
    const run = async (): Promise<object> => {
      const { counts, tasks } = await new SimulatedWorld({ ...SMALL, minutes: 60, seed: 4 }).run();
      return { counts, tasks };
    };
    expect(await run()).toEqual(await run());
  });

  test('costs no call of the other upstreams when one ends all the time', async () => {
    const result = await new SimulatedWorld({ ...SMALL, breaking: 1, flapEveryMs: 8_000, seed: 5 }).run();
    // A call that fails on an upstream that was never lost is a miss.
    expectPromises(result);
    expect(result.counts.flaps).toBeGreaterThan(500);
  });
});

test(`g12: 30 upstreams that flap and change for ${MINUTES} simulated minutes leave nothing behind`, {
  timeout: 300_000,
}, async () => {
  const result = await new SimulatedWorld({ ...SEVEN_DAYS, minutes: MINUTES, seed: 12 }).run();
  expectPromises(result);
  expect(result.connections).toBe(30);
  expect(result.heapGrowthMb).toBeLessThan(15);
});
