import { expect, test } from 'vitest';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { Coalescer } from './coalesce.js';

function counted(pauseMs: number, taskMs = 0) {
  const clock = new VirtualClock();
  const ranAtMs: number[] = [];
  const coalescer = new Coalescer(clock, pauseMs, async () => {
    ranAtMs.push(clock.monotonicMs());
    if (taskMs > 0) await new Promise<void>((resolve) => void clock.schedule(taskMs, resolve));
  });
  return { clock, ranAtMs, coalescer };
}

test('the first wish is granted at once, all of a storm in one more run', async () => {
  const { clock, ranAtMs, coalescer } = counted(500);
  for (let i = 0; i < 100; i++) coalescer.want();
  expect(ranAtMs).toEqual([0]);
  await clock.advance(5_000);
  expect(ranAtMs).toEqual([0, 500]);
});

test('a wish during a run is granted after it and the pause, for it may have come too late for that run', async () => {
  const { clock, ranAtMs, coalescer } = counted(500, 200);
  coalescer.want();
  await clock.advance(100);
  coalescer.want();
  expect(coalescer.running).toBeDefined();
  await clock.advance(5_000);
  expect(ranAtMs).toEqual([0, 700]);
  expect(coalescer.running).toBeUndefined();
});

test('after the pause a wish is granted at once again', async () => {
  const { clock, ranAtMs, coalescer } = counted(500);
  coalescer.want();
  await clock.advance(600);
  coalescer.want();
  expect(ranAtMs).toEqual([0, 600]);
});

test('who asks waits for a run that began after that, and for none that never comes', async () => {
  const { clock, ranAtMs, coalescer } = counted(500, 100);
  const endedAtMs: number[] = [];
  const ask = (): void => void coalescer.want().then(() => endedAtMs.push(clock.monotonicMs()));
  ask();
  await clock.advance(50);
  ask();
  ask();
  await clock.advance(1_000);
  expect(ranAtMs).toEqual([0, 600]);
  expect(endedAtMs).toEqual([100, 700, 700]);
  ask();
  coalescer.close();
  await settled();
  expect(endedAtMs).toHaveLength(4);
});

test('closed, it runs no more and keeps no timer', async () => {
  const { clock, ranAtMs, coalescer } = counted(500, 100);
  coalescer.want();
  coalescer.want();
  coalescer.close();
  coalescer.want();
  await clock.advance(100);
  await settled();
  expect(ranAtMs).toEqual([0]);
  expect(clock.waiting).toBe(0);
});
