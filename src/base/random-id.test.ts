import { expect, test } from 'vitest';
import { randomId } from './random-id.js';

test('is 128 bits in hex, or as many as are wanted', () => {
  expect(randomId()).toMatch(/^[0-9a-f]{32}$/);
  expect(randomId(32)).toMatch(/^[0-9a-f]{64}$/);
});

test('is never the same', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => randomId())).size).toBe(1_000);
});
