import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { stateStoreCases } from './cases/state-store-cases.js';
import { MemoryStore } from './memory-store.js';

describe('what every store does', () => {
  stateStoreCases(() => {
    const clock = new VirtualClock();
    return Promise.resolve({ store: new MemoryStore({ clock }), clock, pass: (ms) => clock.advance(ms) });
  });
});

test('what has expired is forgotten while others come, behind one that lasts as well', async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  await store.useOnce('lasts', 1e9);
  for (let at = 0; at < 10_000; at++) {
    await clock.advance(1);
    await store.useOnce(String(at), clock.nowMs() + 100);
  }
  // A sweep looks at two keys for each one that comes.
  expect(store.size).toBeLessThan(500);
  expect(await store.isUsed('lasts')).toBe(true);
  expect(clock.scheduled).toBe(0);
}, 20_000);

test('with no room left nothing good is forgotten: what is new is refused, until something expires', async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock, maxKeys: 3 });
  for (const key of ['a', 'b', 'c']) expect(await store.useOnce(key, 1000)).toBe(true);
  expect(await store.useOnce('d', 1000)).toBe(false);
  expect(await store.isUsed('a')).toBe(true);
  await clock.advance(1000);
  expect(await store.useOnce('d', 2000)).toBe(true);
  expect(store.size).toBeLessThanOrEqual(3);
});

test('once closed it holds nothing', async () => {
  const store = new MemoryStore({ clock: new VirtualClock() });
  await store.useOnce('a', 1000);
  await store.close();
  expect(store.size).toBe(0);
});
