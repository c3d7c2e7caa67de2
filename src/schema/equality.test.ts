import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, parseJson } from '../base/index.js';
import { findDuplicate, isEqual, ValueSet } from './equality.js';

const EQUAL: readonly (readonly [string, string])[] = [
  ['1', '1.0'],
  ['1e2', '100'],
  ['0', '-0'],
  ['12345678901234567890', '1234567890123456789e1'],
  ['[1,{"a":2}]', '[1.0,{"a":2.0}]'],
  ['{"a":1,"b":[]}', '{"b":[],"a":1}'],
  ['[1e400]', '[10e399]'],
  ['{"__proto__":1}', '{"__proto__":1.0}'],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['1', '"1"'],
  ['1', 'true'],
  ['0', 'false'],
  ['null', '0'],
  ['[]', '{}'],
  ['[1]', '[1,1]'],
  ['[1,2]', '[2,1]'],
  ['["a","b"]', '["ab"]'],
  ['{"a":1}', '{"b":1}'],
  ['{"a":1}', '{"a":1,"b":1}'],
  ['{"a":1,"b":2}', '{"a":2,"b":1}'],
  ['{"__proto__":1}', '{}'],
  ['{"toString":1}', '{"a":1}'],
  ['12345678901234567890', '12345678901234567891'],
  ['1e400', '1e401'],
  ['1e400', '-1e400'],
  ['[null]', '[{}]'],
  ['{"a":null}', '{}'],
  ['12345678901234567890', '12345678901234567000'],
];

describe('two values', () => {
  test.each(EQUAL)('%s and %s are equal', (left, right) => {
    expect(isEqual(parseJson(left), parseJson(right))).toBe(true);
    expect(new ValueSet([parseJson(left)]).has(parseJson(right))).toBe(true);
    expect(new ValueSet([parseJson(right)]).has(parseJson(left))).toBe(true);
    expect(findDuplicate([parseJson(left), 'between', parseJson(right)])).toBe(2);
  });

  test.each(DIFFERENT)('%s and %s differ', (left, right) => {
    expect(isEqual(parseJson(left), parseJson(right))).toBe(false);
    expect(isEqual(parseJson(right), parseJson(left))).toBe(false);
    expect(new ValueSet([parseJson(left)]).has(parseJson(right))).toBe(false);
    expect(new ValueSet([parseJson(right)]).has(parseJson(left))).toBe(false);
    expect(findDuplicate([parseJson(left), parseJson(right)])).toBe(-1);
  });
});

test('a number made by hand equals the plain one', () => {
  expect(new ValueSet([1]).has(new ExactNumber('1.0'))).toBe(true);
  expect(new ValueSet([new ExactNumber('1.0')]).has(1)).toBe(true);
  expect(isEqual([new ExactNumber('1.0')], [1])).toBe(true);
  expect(isEqual(new ExactNumber('1'), {})).toBe(false);
  expect(findDuplicate([[1], [new ExactNumber('10e-1')]])).toBe(1);
});

test('any two values: the same answer as by sorted text', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(json, json, (left, right) => {
      const same = sortedText(left) === sortedText(right);
      expect(isEqual(left, right)).toBe(same);
      expect(new ValueSet([left]).has(right)).toBe(same);
      expect(findDuplicate([left, right]) === 1).toBe(same);
      expect(isEqual(left, structuredClone(left))).toBe(true);
      expect(new ValueSet([left]).has(structuredClone(left))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member))
      return Object.is(member, -0) ? 0 : member;
    return Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

test('values whose hashes meet are still told apart', () => {
  // More values than there are hashes of so few bits would need; what counts is that none is lost or taken for another.
  const values = Array.from({ length: 120_000 }, (_, at) => [at]);
  const set = new ValueSet(values);
  for (let at = 0; at < 120_000; at += 997) expect(set.has([at])).toBe(true);
  expect(set.has([120_000])).toBe(false);
  expect(findDuplicate([...values, [119_999]])).toBe(120_000);
});

test('the work is told, and a large value costs no more than the largest in the set', () => {
  let work = 0;
  const spend = (more: number) => {
    work += more;
  };
  const large = Array.from({ length: 10_000 }, (_, at) => at);
  expect(new ValueSet([[1, 2, 3]]).has(large, spend)).toBe(false);
  expect(work).toBeGreaterThan(0);
  expect(work).toBeLessThan(100);
  findDuplicate([large, [...large, 1]], spend);
  expect(work).toBeGreaterThan(20_000);
});
