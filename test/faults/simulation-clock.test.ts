import { expect, test } from 'vitest';
import { SimulationClock } from './simulation-clock.js';

test('runs tasks by their time, and those of one moment in the order they were asked for', async () => {
  const clock = new SimulationClock();
  const ran: string[] = [];
  for (const [ms, name] of [
    [30, 'c'],
    [10, 'a'],
    [10, 'b'],
    [40, 'd'],
  ] as const)
    clock.schedule(ms, () => ran.push(name));
  await clock.runUntil(30);
  expect(ran).toEqual(['a', 'b', 'c']);
  expect(clock.monotonicMs()).toBe(30);
  expect(clock.waiting).toBe(1);
});

test('lets promises settle before the next task, and what they ask for comes in its time', async () => {
  const clock = new SimulationClock();
  const ran: string[] = [];
  clock.schedule(10, () => {
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => {
        ran.push(`settled at ${clock.monotonicMs()}`);
        clock.schedule(5, () => ran.push(`asked for late, at ${clock.monotonicMs()}`));
      });
  });
  clock.schedule(11, () => ran.push(`next at ${clock.monotonicMs()}`));
  clock.schedule(16, () => ran.push(`last at ${clock.monotonicMs()}`));
  await clock.runUntil(100);
  expect(ran).toEqual(['settled at 10', 'next at 11', 'asked for late, at 15', 'last at 16']);
});

test('forgets a task that was cancelled, even by the task before it', async () => {
  const clock = new SimulationClock();
  const ran: string[] = [];
  const second = clock.schedule(10, () => ran.push('second'));
  clock.schedule(5, () => second.cancel());
  const third = clock.schedule(20, () => ran.push('third'));
  third.cancel();
  third.cancel();
  expect(clock.waiting).toBe(2);
  await clock.runUntil(50);
  expect(ran).toEqual([]);
  expect(clock.waiting).toBe(0);
});

test('keeps ten thousand tasks in order', async () => {
  const clock = new SimulationClock();
  const ran: number[] = [];
  for (let i = 0; i < 10_000; i++) {
    const ms = (i * 7_919) % 5_003;
    clock.schedule(ms, () => ran.push(ms));
  }
  await clock.runUntil(5_003);
  expect(ran).toHaveLength(10_000);
  expect(ran.every((ms, i) => i === 0 || ran[i - 1]! <= ms)).toBe(true);
});

test('fails where a task throws', async () => {
  const clock = new SimulationClock();
  clock.schedule(1, () => {
    throw new Error('a task went wrong');
  });
  await expect(clock.runUntil(10)).rejects.toThrow('a task went wrong');
});
