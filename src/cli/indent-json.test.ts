import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson } from './indent-json.js';

test('lays out as JSON.stringify does, whatever the white space was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      expect(indentJson(JSON.stringify(value, null, space))).toBe(JSON.stringify(value, null, 2));
    }),
    { numRuns: 500 },
  );
});

test('numbers and strings stay as they were written', () => {
  expect(indentJson('[12345678901234567890,1.50,"\\u0041 , : { }"]')).toBe(
    '[\n  12345678901234567890,\n  1.50,\n  "\\u0041 , : { }"\n]',
  );
});

test('a margin stands before every line but the first', () => {
  expect(indentJson('{"a":1}', '    ')).toBe('{\n      "a": 1\n    }');
});
