import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { compileSchema } from '../../schema/index.js';
import { synthesize } from './synthesize.js';

function isAccepted(schema: unknown): boolean {
  const compiled = compileSchema(schema as object);
  if (!compiled.ok) throw compiled.error;
  return compiled.judge.checkValue(synthesize(schema)).valid;
}

test.each([
  { why: 'only what is required', schema: z.object({ a: z.string(), b: z.number().optional() }), is: { a: 'example' } },
  { why: 'a choice', schema: z.object({ a: z.enum(['x', 'y']) }), is: { a: 'x' } },
  { why: 'a constant', schema: z.object({ a: z.literal(5) }), is: { a: 5 } },
  { why: 'lengths', schema: z.object({ a: z.string().min(9), b: z.string().max(2) }), is: { a: 'exampleee', b: 'ex' } },
  { why: 'bounds', schema: z.object({ a: z.int().min(3), b: z.number().lt(0) }), is: { a: 3, b: -1 } },
  { why: 'multiples', schema: z.object({ a: z.number().multipleOf(5) }), is: { a: 5 } },
  {
    why: 'a list that may not be empty',
    schema: z.object({ a: z.array(z.boolean()).min(2) }),
    is: { a: [true, true] },
  },
  { why: 'one of several', schema: z.object({ a: z.union([z.number(), z.string()]) }), is: { a: 1 } },
  { why: 'formats', schema: z.object({ a: z.email() }), is: { a: 'someone@example.com' } },
])('makes $why', ({ schema, is }) => {
  const json = z.toJSONSchema(schema);
  expect(synthesize(json)).toEqual(is);
});

test.each([
  {
    why: 'references',
    schema: { $defs: { a: { type: 'object', required: ['b'], properties: { b: { const: 1 } } } }, $ref: '#/$defs/a' },
  },
  { why: 'parts', schema: { type: 'object', allOf: [{ required: ['a'] }, { properties: { a: { type: 'null' } } }] } },
  { why: 'a loop of references that nothing requires', schema: { type: 'object', properties: { a: { $ref: '#' } } } },
  {
    why: 'tuples',
    schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer', exclusiveMinimum: 4 }] },
  },
])('makes what is accepted: $why', ({ schema }) => expect(isAccepted(schema)).toBe(true));

const leaf = fc.oneof(
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat(9), format: fc.constantFrom('email', 'uri', 'date') }),
  fc.nat(20).map((minLength) => ({ type: 'string', minLength, maxLength: minLength + 3 })),
  fc.integer({ min: -50, max: 50 }).map((minimum) => ({ type: 'integer', minimum, maximum: minimum + 9 })),
  fc.integer({ min: -50, max: 50 }).map((exclusiveMinimum) => ({ type: 'integer', exclusiveMinimum })),
  fc.integer({ min: -50, max: 50 }).map((exclusiveMaximum) => ({ type: 'number', exclusiveMaximum })),
  fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: 'integer', multipleOf, minimum: -3 })),
  fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((choices) => ({ enum: [...new Set(choices)] })),
);

const { schema: anySchema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.dictionary(fc.string({ minLength: 1 }), tie('schema'), { maxKeys: 3 }).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
  ),
}));

test('whatever it makes of types, bounds, choices and what they are put together to is accepted', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      expect(isAccepted(schema)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
