import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDefaults, checkFlatForm, compileSchema } from '../../src/schema/index.js';

// Embedders hand over whatever they have: each of these has an answer, none an exception.

function cyclic(): object {
  const one: Record<string, unknown> = { type: 'object' };
  one.properties = { self: one };
  return one;
}

function shared(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value, b: value };
  return value;
}

const thrower = Object.defineProperty({}, 'type', {
  enumerable: true,
  get(): never {
    throw new Error('a getter that throws');
  },
});

const trap = new Proxy(
  {},
  {
    ownKeys(): never {
      throw new Error('a trap that throws');
    },
  },
);

const ODD: readonly { readonly why: string; readonly make: () => unknown }[] = [
  { why: 'undefined', make: () => undefined },
  { why: 'a function', make: () => () => true },
  { why: 'a symbol', make: () => Symbol('x') },
  { why: 'a BigInt', make: () => 12345678901234567890n },
  { why: 'NaN', make: () => Number.NaN },
  { why: 'infinity', make: () => Number.POSITIVE_INFINITY },
  { why: 'a date', make: () => new Date(0) },
  { why: 'a map', make: () => new Map([['type', 'object']]) },
  { why: 'a typed array', make: () => new Uint8Array(3) },
  { why: 'an object without a prototype', make: () => Object.assign(Object.create(null), { type: 'integer' }) },
  { why: 'an object with an odd prototype', make: () => Object.create({ type: 'integer' }) },
  { why: 'a list with holes', make: () => new Array(5) },
  { why: 'something that holds itself', make: cyclic },
  { why: 'something that holds the same 2^12 times', make: () => shared(12) },
  { why: 'a getter that throws', make: () => thrower },
  { why: 'a proxy that throws', make: () => trap },
  { why: 'toJSON that throws', make: () => ({ toJSON: () => thrower }) },
  { why: 'a wrapped string', make: () => new String('{"type":"object"}') },
];

describe.each(ODD)('$why', ({ make }) => {
  test('as a schema', () => {
    for (const schema of [make(), { properties: { a: make() } }, { enum: [make()] }, { default: make() }, [make()]]) {
      const compilation = compileSchema(schema);
      if (compilation.ok) expect(compilation.judge.check('{"a":1}')).toHaveProperty('valid');
      else
        expect(compilation.error.code).toMatch(
          /^(SCHEMA_INVALID|SCHEMA_TOO_LARGE|UNSUPPORTED_DIALECT|UNRESOLVED_REF)$/,
        );
    }
  });

  test('as a value', () => {
    const schemas = [
      { type: 'object', properties: { a: { type: 'integer' }, self: { $ref: '#' } }, required: ['a'] },
      { uniqueItems: true, items: { enum: [1, {}, 'x'] }, minLength: 1, multipleOf: 0.1, not: { const: { a: [] } } },
      { unevaluatedProperties: { type: 'string' }, unevaluatedItems: { maximum: 3 } },
    ];
    for (const schema of schemas) {
      const compilation = compileSchema(schema);
      if (!compilation.ok) throw compilation.error;
      for (const value of [make(), [make(), make()], { a: make() }]) {
        expect(compilation.judge.checkValue(value)).toHaveProperty('valid');
        expect(compilation.judge.check(value)).toHaveProperty('valid');
      }
    }
  });
});

// The functions for forms take parsed JSON: what cannot be read at all is the reader's own affair there.
test.each(ODD.filter(({ why }) => !why.includes('that throws')))('$why, as a form', ({ make }) => {
  expect(Array.isArray(checkFlatForm(make()))).toBe(true);
  expect(() => applyDefaults({ properties: { a: { default: 1 } } }, make())).not.toThrow();
  expect(() => applyDefaults(make(), {})).not.toThrow();
});

test('any text, as a schema and as a value', () => {
  const judge = compileSchema({ type: 'object' });
  if (!judge.ok) throw judge.error;
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const compilation = compileSchema(text);
      expect(compilation.ok || compilation.error.code.length > 0).toBe(true);
      expect(judge.judge.check(text)).toHaveProperty('valid');
    }),
    { numRuns: 500 },
  );
});

test('any JSON under any keyword', () => {
  const keywords = [
    'type',
    'enum',
    'properties',
    'items',
    '$ref',
    '$id',
    '$schema',
    'allOf',
    'pattern',
    'required',
    '$defs',
    '$anchor',
    'minimum',
    'dependentSchemas',
  ];
  const schema = fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(schema, fc.jsonValue(), (made, value) => {
      const compilation = compileSchema(made);
      if (compilation.ok) expect(compilation.judge.checkValue(value)).toHaveProperty('valid');
      else expect(typeof compilation.error.data.schemaPath).toBe('string');
    }),
    { numRuns: 500 },
  );
});
