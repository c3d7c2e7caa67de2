/** What the schemas of a tool become: closed for what comes in, open for what goes out, each where nothing else is said. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { compileSchema } from '../schema/index.js';
import { formSchemaOf, inputSchemaOf, outputSchemaOf } from './json-schema.js';
import type { StandardSchema } from './standard-schema.js';
import type { JsonSchema } from './types.js';

const valibot = (schema: Parameters<typeof toStandardJsonSchema>[0]): StandardSchema =>
  toStandardJsonSchema(schema) as unknown as StandardSchema;

const takes = (schema: JsonSchema, value: unknown): boolean => {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw compiled.error;
  return compiled.judge.checkValue(value).valid;
};

const a = z.object({ a: z.string() });
const b = z.object({ b: z.number().optional() });
const named = z.object({ a: z.string() }).meta({ id: 'Named' });
const texts = z.record(z.string(), z.string());
const tree: z.ZodType = z.object({
  name: z.string(),
  get kids() {
    return z.array(tree);
  },
});

/** `value` is fine; `more` has a member that the author did not name. */
const rows: readonly {
  readonly why: string;
  readonly schema: StandardSchema;
  readonly value: unknown;
  readonly more: unknown;
  readonly input: boolean;
  readonly output: boolean;
}[] = [
  { why: 'plain', schema: a, value: { a: 'x' }, more: { a: 'x', q: 1 }, input: false, output: true },
  {
    why: 'strict',
    schema: z.strictObject({ a: z.string() }),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: false,
    output: false,
  },
  {
    why: 'loose',
    schema: z.looseObject({ a: z.string() }),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: true,
    output: true,
  },
  {
    why: 'catch-all',
    schema: a.catchall(z.number()),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: true,
    output: true,
  },
  {
    why: 'nested',
    schema: z.object({ in: a }),
    value: { in: { a: 'x' } },
    more: { in: { a: 'x', q: 1 } },
    input: false,
    output: true,
  },
  {
    why: 'nested and loose',
    schema: z.object({ in: z.looseObject({}) }),
    value: { in: {} },
    more: { in: { q: 1 } },
    input: true,
    output: true,
  },
  {
    why: 'in a list',
    schema: z.object({ in: z.array(a) }),
    value: { in: [{ a: 'x' }] },
    more: { in: [{ a: 'x', q: 1 }] },
    input: false,
    output: true,
  },
  {
    why: 'optional, with a default',
    schema: z.object({ in: b.default({}) }),
    value: {},
    more: { in: { q: 1 } },
    input: false,
    output: true,
  },
  {
    why: 'nullable',
    schema: z.object({ in: a.nullable() }),
    value: { in: null },
    more: { in: { a: 'x', q: 1 } },
    input: false,
    output: true,
  },
  { why: 'record', schema: texts, value: {}, more: { q: 'x' }, input: true, output: true },
  {
    why: 'record of objects',
    schema: z.record(z.string(), a),
    value: { k: { a: 'x' } },
    more: { k: { a: 'x', q: 1 } },
    input: false,
    output: true,
  },
  { why: 'union', schema: z.union([a, b]), value: { b: 1 }, more: { b: 1, q: 1 }, input: false, output: true },
  {
    why: 'union by a tag',
    schema: z.discriminatedUnion('k', [
      z.object({ k: z.literal('x') }),
      z.object({ k: z.literal('y'), y: z.number() }),
    ]),
    value: { k: 'y', y: 1 },
    more: { k: 'y', y: 1, q: 1 },
    input: false,
    output: true,
  },
  {
    why: 'intersection',
    schema: z.intersection(a, b),
    value: { a: 'x', b: 1 },
    more: { a: 'x', b: 1, q: 1 },
    input: false,
    output: true,
  },
  {
    why: 'intersection with a named object',
    schema: z.object({ in: z.intersection(named, b), other: named }),
    value: { in: { a: 'x', b: 1 }, other: { a: 'x' } },
    more: { in: { a: 'x', b: 1, q: 1 }, other: { a: 'x' } },
    input: false,
    output: true,
  },
  {
    why: 'intersection with a record',
    schema: z.intersection(a, texts),
    value: { a: 'x' },
    more: { a: 'x', q: 'y' },
    input: true,
    output: true,
  },
  { why: 'named', schema: named, value: { a: 'x' }, more: { a: 'x', q: 1 }, input: false, output: true },
  {
    why: 'recursive',
    schema: tree,
    value: { name: 'x', kids: [{ name: 'y', kids: [] }] },
    more: { name: 'x', kids: [{ name: 'y', kids: [], q: 1 }] },
    input: false,
    output: true,
  },
  {
    why: 'transformed',
    schema: a.transform(({ a }) => ({ length: a.length })),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: false,
    output: true,
  },
  {
    why: 'Valibot, plain',
    schema: valibot(v.object({ a: v.string() })),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: false,
    output: true,
  },
  {
    why: 'Valibot, strict',
    schema: valibot(v.strictObject({ a: v.string() })),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: false,
    output: false,
  },
  {
    why: 'Valibot, loose',
    schema: valibot(v.looseObject({ a: v.string() })),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: true,
    output: true,
  },
  {
    why: 'Valibot, with a rest',
    schema: valibot(v.objectWithRest({ a: v.string() }, v.number())),
    value: { a: 'x' },
    more: { a: 'x', q: 1 },
    input: true,
    output: true,
  },
  {
    why: 'Valibot, nested',
    schema: valibot(v.object({ in: v.object({ a: v.string() }) })),
    value: { in: { a: 'x' } },
    more: { in: { a: 'x', q: 1 } },
    input: false,
    output: true,
  },
  {
    why: 'Valibot, intersection',
    schema: valibot(v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })])),
    value: { a: 'x', b: 1 },
    more: { a: 'x', b: 1, q: 1 },
    input: false,
    output: true,
  },
];

describe.each(rows)('an object that is $why', ({ schema, value, more, input, output }) => {
  test.each([
    { side: 'input', convert: inputSchemaOf, takesMore: input },
    { side: 'output', convert: outputSchemaOf, takesMore: output },
  ])('as $side: takes more is $takesMore', ({ convert, takesMore }) => {
    const converted = convert(schema, 'tools/t');
    expect(converted).toMatchObject({ type: 'object' });
    expect(converted).not.toHaveProperty('$schema');
    expect(takes(converted, value)).toBe(true);
    expect(takes(converted, more)).toBe(takesMore);
  });
});

/** A library of one's own, which says what is given. */
const own = (schema: Record<string, unknown>): StandardSchema => ({
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
  },
});

describe('a library that cannot be told how to convert', () => {
  test.each([
    { why: 'a plain root is closed', schema: { type: 'object', properties: {} }, closed: false },
    { why: 'one that speaks of others is left', schema: { type: 'object', patternProperties: {} }, closed: undefined },
    { why: 'one that is open is left', schema: { type: 'object', additionalProperties: true }, closed: true },
    { why: 'a choice is left', schema: { anyOf: [{ type: 'object' }] }, closed: undefined },
  ])('$why', ({ schema, closed }) => {
    expect(inputSchemaOf(own(schema), 'tools/t').additionalProperties).toBe(closed);
  });

  test('nothing is closed that goes out', () => {
    expect(outputSchemaOf(own({ type: 'object' }), 'tools/t')).toEqual({ type: 'object' });
  });
});

test('a conjunction within any keyword is closed as a whole; one that says nothing of others is left', () => {
  const closed = (name: string) => ({ type: 'object', properties: { [name]: {} }, additionalProperties: false });
  const both = () => ({ allOf: [closed('a'), closed('b')] });
  const joined = {
    allOf: [
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { b: {} } },
    ],
    unevaluatedProperties: false,
  };
  const half = { allOf: [closed('a'), { type: 'object' }] };
  const schema = own({
    type: 'object',
    properties: { one: both(), half, open: { allOf: [{ type: 'object' }, true] } },
    items: both(),
    anyOf: [both()],
    $defs: { d: both(), lost: { allOf: [{ $ref: '#/$defs/nobody' }, { $ref: '#/properties/one' }] } },
  });
  expect(outputSchemaOf(schema, 'tools/t')).toEqual({
    type: 'object',
    properties: {
      one: joined,
      half: { allOf: [{ type: 'object', properties: { a: {} } }, { type: 'object' }] },
      open: { allOf: [{ type: 'object' }, true] },
    },
    items: joined,
    anyOf: [joined],
    $defs: { d: joined, lost: { allOf: [{ $ref: '#/$defs/nobody' }, { $ref: '#/properties/one' }] } },
  });
});

describe('what is refused, with tool and path', () => {
  test.each([
    { why: 'no object', schema: z.string(), message: 'must be an object' },
    { why: 'a choice that may be no object', schema: z.union([a, z.string()]), message: 'must be an object' },
    { why: 'a type that JSON has not', schema: z.object({ at: z.date() }), message: 'cannot be turned into JSON' },
    { why: 'of Valibot too', schema: valibot(v.object({ at: v.date() })), message: 'cannot be turned into JSON' },
    { why: 'a reference to nothing', schema: own({ $ref: '#/$defs/x', $defs: {} }), message: 'must be an object' },
    { why: 'a reference to elsewhere', schema: own({ $ref: 'https://example.com' }), message: 'must be an object' },
    { why: 'no schema', schema: {} as StandardSchema, message: 'is no schema' },
    { why: 'nothing', schema: undefined as unknown as StandardSchema, message: 'is no schema' },
    {
      why: 'what its library throws',
      schema: {
        '~standard': {
          ...own({})['~standard'],
          jsonSchema: {
            input: () => {
              throw 'no';
            },
          },
        },
      } as unknown as StandardSchema,
      message: 'cannot be turned into JSON Schema: no',
    },
  ])('$why', ({ schema, message }) => {
    const invalid = (path: string, where = 'tools/t') =>
      expect.objectContaining({
        code: 'CONTRACT_INVALID',
        message: expect.stringContaining(message),
        data: { where, path },
        hint: expect.any(String),
      });
    expect(() => inputSchemaOf(schema, 'tools/t')).toThrow(invalid('/input'));
    expect(() => outputSchemaOf(schema, 'tools/t')).toThrow(invalid('/output'));
    expect(() => formSchemaOf(schema)).toThrow(invalid('', 'a form'));
  });
});

test('what it becomes is frozen through and through', () => {
  const schema = inputSchemaOf(z.object({ in: a }), 'tools/t') as { properties: { in: { required: string[] } } };
  expect(Object.isFrozen(schema.properties.in.required)).toBe(true);
  expect(() => schema.properties.in.required.push('q')).toThrow(TypeError);
});

test('what zod takes, its JSON Schema takes, for any shape of objects', () => {
  const leaf = fc.constantFrom(z.string(), z.number(), z.boolean().optional(), z.string().default('x'));
  const shape = fc.letrec<{ node: z.ZodObject }>((tie) => ({
    node: fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(leaf, tie('node')), { maxKeys: 3 }),
        fc.constantFrom('plain', 'strict', 'loose'),
      )
      .map(([members, kind]) => {
        if (kind === 'strict') return z.strictObject(members);
        return kind === 'loose' ? z.looseObject(members) : z.object(members);
      }),
  })).node;
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('x', 1, true),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('node'), { maxKeys: 3 }),
    ),
  })).node;
  fc.assert(
    fc.property(shape, fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value), (schema, given) => {
      // zod lets a plain object have more; as an input it may not, as an output it may.
      const isTaken = schema.safeParse(given).success;
      expect(takes(outputSchemaOf(schema, 'tools/t'), given)).toBe(isTaken);
      if (!isTaken) expect(takes(inputSchemaOf(schema, 'tools/t'), given)).toBe(false);
    }),
  );
});
