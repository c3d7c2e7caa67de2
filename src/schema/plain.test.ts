import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSchema } from './compile.js';
import { isPlainlyFit } from './plain.js';

test.each([
  { why: 'an object', schema: { type: 'object', properties: { a: { type: 'string' } } }, isFit: true },
  { why: 'anything', schema: true, isFit: true },
  { why: 'no schema', schema: 'text', isFit: false },
  { why: 'a wrong keyword', schema: { type: 'objekt' }, isFit: false },
  { why: 'a reference, which has to be followed', schema: { $ref: '#/$defs/a', $defs: { a: {} } }, isFit: false },
  { why: 'a large one', schema: { description: 'x'.repeat(100_000) }, isFit: false },
])('$why: $isFit', ({ schema, isFit }) => {
  expect(isPlainlyFit(schema)).toBe(isFit);
});

test('what it takes, compiling takes', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'required',
    'enum',
    'minimum',
    'anyOf',
    'not',
    'pattern',
  );
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('object', 'string', 1, true, null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(keyword, tie('node'), { maxKeys: 3 }),
    ),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(keyword, value, { maxKeys: 4 }), (schema) => {
      fc.pre(isPlainlyFit(schema));
      expect(compileSchema(schema).ok).toBe(true);
    }),
    { numRuns: 300 },
  );
});
