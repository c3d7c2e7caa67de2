import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitPatiently } from './patience.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PATIENCE = { timeoutMs: 1_000, hurriedMs: 100 };
const NEVER = new Promise<void>(() => {});

/** A wait, and whether it is over. */
function watched(wait: Promise<void>): { readonly isOver: () => boolean } {
  let isOver = false;
  void wait.then(() => {
    isOver = true;
  });
  return { isOver: () => isOver };
}

test('ends with its task, and leaves no timer behind', async () => {
  await waitPatiently(Promise.resolve(), PATIENCE, NEVER);
  expect(vi.getTimerCount()).toBe(0);
});

test('ends when its time is over, and no sooner', async () => {
  const wait = watched(waitPatiently(NEVER, PATIENCE, NEVER));
  await vi.advanceTimersByTimeAsync(999);
  expect(wait.isOver()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(wait.isOver()).toBe(true);
});

test('waits but for the shorter time once there is no more', async () => {
  let hurry = (): void => {};
  const hurried = new Promise<void>((resolve) => {
    hurry = resolve;
  });
  const wait = watched(waitPatiently(NEVER, PATIENCE, hurried));
  await vi.advanceTimersByTimeAsync(500);
  hurry();
  await vi.advanceTimersByTimeAsync(99);
  expect(wait.isOver()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(wait.isOver()).toBe(true);
});

test('a hurry that comes after its end starts no timer', async () => {
  let hurry = (): void => {};
  const hurried = new Promise<void>((resolve) => {
    hurry = resolve;
  });
  await waitPatiently(Promise.resolve(), PATIENCE, hurried);
  hurry();
  await hurried;
  expect(vi.getTimerCount()).toBe(0);
});

test('a task that fails fails the wait, and leaves no timer behind', async () => {
  const reason = new Error('broken');
  await expect(waitPatiently(Promise.reject(reason), PATIENCE, NEVER)).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});
