import fc from 'fast-check';
import { closest, distance } from 'fastest-levenshtein';
import { expect, test } from 'vitest';
import { closest as smallClosest, distance as smallDistance } from './small-distance.js';

test('it counts as fastest-levenshtein does', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      expect(smallDistance(one, other)).toBe(distance(one, other));
    }),
  );
  fc.assert(
    fc.property(word, fc.array(word, { minLength: 1, maxLength: 6 }), (one, others) => {
      expect(smallClosest(one, others)).toBe(closest(one, others));
    }),
  );
});
