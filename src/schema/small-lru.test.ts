import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { expect, test } from 'vitest';
import { LRUCache as SmallCache } from './small-lru.js';

const step = fc.record({
  isSet: fc.boolean(),
  key: fc.integer({ min: 0, max: 5 }),
  value: fc.integer({ min: 1, max: 9 }),
});

test.each([
  { why: 'by number', options: { max: 3 } },
  { why: 'by size', options: { maxSize: 12, sizeCalculation: (value: number) => value } },
])('it keeps, forgets and tells of the same entries as lru-cache, $why', ({ options }) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const gone: [number[], number[]] = [[], []];
      const real = new LRUCache<number, number>({
        ...options,
        dispose: (value: number) => void gone[0].push(value),
      } as never);
      const small = new SmallCache<number, number>({ ...options, dispose: (value) => void gone[1].push(value) });
      for (const { isSet, key, value } of steps) {
        if (isSet) {
          real.set(key, value);
          small.set(key, value);
        } else expect(small.get(key)).toBe(real.get(key));
      }
      expect(gone[1]).toEqual(gone[0]);
    }),
  );
});
