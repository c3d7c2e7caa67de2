import { expect, test } from 'vitest';
import type { Clock } from '../../base/index.js';
import type { StateStore } from '../types.js';

/** A store that a case has for itself. */
export interface StoreUnderTest {
  readonly store: StateStore;
  readonly clock: Clock;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

/** What every StateStore does, in memory or not: each implementation runs these. */
export function stateStoreCases(open: () => Promise<StoreUnderTest>): void {
  test('a key is used once', async () => {
    const { store, clock } = await open();
    const untilMs = clock.nowMs() + 60_000;
    expect(await store.isUsed('a')).toBe(false);
    expect(await store.useOnce('a', untilMs)).toBe(true);
    expect(await store.useOnce('a', untilMs)).toBe(false);
    expect(await store.isUsed('a')).toBe(true);
    expect(await store.isUsed('b')).toBe(false);
    expect(await store.useOnce('b', untilMs)).toBe(true);
    await store.close();
  });

  test('of many who use it at once, one has it', async () => {
    const { store, clock } = await open();
    const untilMs = clock.nowMs() + 60_000;
    const used = await Promise.all(Array.from({ length: 50 }, () => store.useOnce('a', untilMs)));
    expect(used.filter(Boolean)).toHaveLength(1);
    await store.close();
  });

  test('keys are texts like any other', async () => {
    const { store, clock } = await open();
    const untilMs = clock.nowMs() + 60_000;
    for (const key of ['__proto__', 'constructor', '', `a'b\\"`, 'é\u2028', 'x'.repeat(1000)]) {
      expect(await store.useOnce(key, untilMs)).toBe(true);
      expect(await store.useOnce(key, untilMs)).toBe(false);
    }
    await store.close();
  });

  test('it is remembered until it expires, and no use before makes it last less', async () => {
    const { store, clock, pass } = await open();
    const nowMs = clock.nowMs();
    await store.useOnce('long', nowMs + 60_000);
    for (let at = 0; at < 20; at++) await store.useOnce(`short ${at}`, nowMs + 10);
    await pass(1_000);
    for (let at = 0; at < 100; at++) await store.useOnce(`more ${at}`, nowMs + 60_000);
    expect(await store.isUsed('long')).toBe(true);
    expect(await store.useOnce('long', nowMs + 60_000)).toBe(false);
    await store.close();
  });
}
