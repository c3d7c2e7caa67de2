import { expect, test } from 'vitest';
import { ExactNumber, mayHoldExactNumber } from './exact-number.js';

// In a file of its own: no other test may have made one before.
test('a process that never made an exact number is not searched for one', () => {
  let looked = 0;
  const value = {
    get member() {
      looked += 1;
      return 1;
    },
  };
  expect(mayHoldExactNumber(value)).toBe(false);
  expect(looked).toBe(0);
  expect(mayHoldExactNumber([{ a: new ExactNumber('1e400') }])).toBe(true);
  expect(mayHoldExactNumber(value)).toBe(false);
  expect(looked).toBe(1);
});

test('whatever is nested without end counts as holding one', () => {
  const circle: unknown[] = [new ExactNumber('1e400').text];
  circle.push(circle);
  expect(mayHoldExactNumber(circle)).toBe(true);
  expect(mayHoldExactNumber([[[null, 'text', 1, true, undefined]]])).toBe(false);
});
