import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameJson } from './same-json.js';

test('two copies of whatever JSON are the same', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => isSameJson(value, structuredClone(value))));
});

test('two values are the same where their texts, members in order, are', () => {
  const sorted = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, member: unknown) =>
        typeof member === 'object' && member !== null && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
          : member,
      ),
    );
  const small = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, '', 'a'),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(small, small, (left, right) => {
      expect(isSameJson(left, right)).toBe(JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)));
    }),
  );
});

test.each([
  [{ toString: 1 }, {}],
  [{ a: undefined }, { b: undefined }],
  [[], {}],
  [{ 0: 'a' }, ['a']],
  [null, {}],
  [{}, null],
])('%j is not %j', (left, right) => expect(isSameJson(left, right)).toBe(false));
