import { expect, test } from 'vitest';
import { systemClock } from './clock.js';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('runs a task once, not before its time', async () => {
  const startedAtMs = systemClock.monotonicMs();
  const ranAtMs: number[] = [];
  systemClock.schedule(30, () => ranAtMs.push(systemClock.monotonicMs()));
  await wait(100);
  expect(ranAtMs).toHaveLength(1);
  // A timer may be a millisecond early against the finer clock.
  expect(ranAtMs[0]! - startedAtMs).toBeGreaterThan(28);
});

test('a cancelled task does not run, and may be cancelled again or after it ran', async () => {
  let ran = 0;
  const task = systemClock.schedule(5, () => ran++);
  task.cancel();
  task.cancel();
  const other = systemClock.schedule(1, () => ran++);
  await wait(30);
  other.cancel();
  expect(ran).toBe(1);
});

test('a delay beyond what a platform timer holds does not run at once', async () => {
  let ran = 0;
  const tasks = [2 ** 31, 1e12, Number.MAX_VALUE, Number.POSITIVE_INFINITY].map((delayMs) =>
    systemClock.schedule(delayMs, () => ran++),
  );
  await wait(30);
  for (const task of tasks) task.cancel();
  expect(ran).toBe(0);
});

test('never goes back, and tells the time of day beside it', () => {
  let lastMs = systemClock.monotonicMs();
  for (let i = 0; i < 1_000; i++) {
    const nowMs = systemClock.monotonicMs();
    expect(nowMs).toBeGreaterThanOrEqual(lastMs);
    lastMs = nowMs;
  }
  expect(Math.abs(systemClock.nowMs() - Date.now())).toBeLessThan(1_000);
});

test('a task that waits does not keep the process alive', () => {
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const tasks = Array.from({ length: 5 }, () => systemClock.schedule(60_000, () => {}));
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')).toHaveLength(before);
  for (const task of tasks) task.cancel();
});
