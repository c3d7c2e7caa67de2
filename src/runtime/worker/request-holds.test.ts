import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestHolds } from './request-holds.js';
import { WorkerClock } from './worker-clock.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A runtime with requests: each ends when its promises have settled, and what it has set ends with it. */
function runtime() {
  const kept: Promise<unknown>[] = [];
  return { context: { waitUntil: (promise: Promise<unknown>) => void kept.push(promise) }, kept };
}

async function settles(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
}

test('a hold keeps its request alive until it is released', async () => {
  const { context, kept } = runtime();
  const holds = new RequestHolds();
  holds.enter(context);
  const release = holds.open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await settles(kept[0]!)).toBe(false);
  release();
  await kept[0];
  expect(holds.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('where a runtime has no need of it nothing beats', () => {
  const holds = new RequestHolds();
  holds.enter(undefined);
  const release = holds.open();
  expect(vi.getTimerCount()).toBe(0);
  release();
});

test('who falls silent is lost to a later request, and only who does', async () => {
  const { context } = runtime();
  const holds = new RequestHolds();
  holds.enter(context);
  const lost: string[] = [];
  holds.open(() => lost.push('ended by its runtime'));
  vi.clearAllTimers(); // what a runtime does when it ends a request
  holds.open(() => lost.push('alive'));
  await vi.advanceTimersByTimeAsync(3_900);
  expect(lost).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(lost).toEqual(['ended by its runtime']);
});

test('an isolate that slept as a whole has lost nobody', async () => {
  const { context } = runtime();
  const holds = new RequestHolds();
  holds.enter(context);
  const lost: string[] = [];
  holds.open(() => lost.push('one'));
  holds.open(() => lost.push('other'));
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.spyOn(performance, 'now').mockReturnValue(3_600_000);
  holds.enter(context);
  vi.mocked(performance.now).mockRestore();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lost).toEqual([]);
});

test('a timer whose request is gone is run by the next one, in order', async () => {
  const holds = new RequestHolds();
  const clock = new WorkerClock(holds);
  const run: string[] = [];
  clock.schedule(20_000, () => run.push('second'));
  clock.schedule(10_000, () => run.push('first'));
  clock.schedule(10_000, () => run.push('cancelled')).cancel();
  clock.schedule(90_000, () => run.push('later'));
  vi.clearAllTimers();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(run).toEqual([]);
  holds.enter(undefined);
  expect(run).toEqual(['first', 'second']);
});

test('a timer runs once', async () => {
  const holds = new RequestHolds();
  const clock = new WorkerClock(holds);
  let runs = 0;
  clock.schedule(10, () => runs++);
  await vi.advanceTimersByTimeAsync(10_000);
  holds.enter(undefined);
  expect(runs).toBe(1);
});

test('a short wait holds its request, a long one does not', () => {
  const holds = new RequestHolds();
  const clock = new WorkerClock(holds);
  clock.schedule(60_000, () => {});
  expect(holds.size).toBe(0);
  const short = clock.schedule(500, () => {});
  expect(holds.size).toBe(1);
  short.cancel();
  expect(holds.size).toBe(0);
});
