import { describe, expect, test } from 'vitest';
import { type CompileOptions, compileSchema, DEFAULT_LIMITS, type Judge } from './index.js';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

function judgeOf(schema: unknown, options?: CompileOptions): Judge {
  const compilation = compileSchema(schema, options);
  if (!compilation.ok) throw compilation.error;
  return compilation.judge;
}

function members(count: number, schema: unknown = true): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]));
}

function nested(depth: number): unknown {
  let schema: unknown = {};
  for (let level = 1; level < depth; level += 1) schema = { not: schema };
  return schema;
}

describe('a schema that is none', () => {
  test.each([
    { why: 'null', schema: null, at: '' },
    { why: 'absent', schema: undefined, at: '' },
    { why: 'an array', schema: [], at: '' },
    { why: 'a number past a double', schema: '12345678901234567890', at: '' },
    { why: 'text that is no JSON', schema: '{"type":', at: '', says: 'offset 8' },
    { why: 'a function inside', schema: { default: () => 1 }, at: '/default', says: 'function' },
    { why: 'no value in a list', schema: { enum: [undefined] }, at: '/enum/0', says: 'undefined' },
    { why: 'a number that JSON does not know', schema: { default: { a: Number.NaN } }, at: '/default/a' },
    { why: 'properties that are null', schema: { properties: null }, at: '/properties', says: 'must be an object' },
    { why: 'required that is null', schema: { required: null }, at: '/required' },
    { why: 'required among the properties', schema: { properties: { required: ['a'] } }, at: '/properties/required' },
    { why: 'an unknown type', schema: { type: 'any' }, at: '/type', says: 'a type name' },
    { why: 'types twice', schema: { type: ['string', 'string'] }, at: '/type' },
    { why: 'required names twice', schema: { required: ['a', 'a'] }, at: '/required' },
    { why: 'a length below zero', schema: { items: { maxLength: -1 } }, at: '/items/maxLength' },
    { why: 'a length that is no whole number', schema: { allOf: [{ minLength: 1.5 }] }, at: '/allOf/0/minLength' },
    { why: 'a multiple of zero', schema: { multipleOf: 0 }, at: '/multipleOf' },
    { why: 'an empty anyOf', schema: { anyOf: [] }, at: '/anyOf' },
    { why: 'a tuple in the old way', schema: { items: [{}] }, at: '/items' },
    { why: 'an old exclusive bound', schema: { exclusiveMinimum: true }, at: '/exclusiveMinimum' },
    { why: 'a name with a slash', schema: { properties: { 'a/b': 5 } }, at: '/properties/a~1b' },
    { why: 'an unused definition', schema: { $defs: { a: { type: 5 } } }, at: '/$defs/a/type' },
    { why: 'dependentRequired of no names', schema: { dependentRequired: { a: 'b' } }, at: '/dependentRequired' },
    {
      why: 'old dependencies that are neither',
      schema: { $schema: DRAFT_07, dependencies: { a: 5 } },
      at: '/dependencies/a',
    },
    { why: 'an anchor with blanks', schema: { $anchor: 'a b' }, at: '/$anchor' },
    { why: 'an identity with a fragment', schema: { $id: 'a#b' }, at: '/$id' },
    { why: 'draft-04: a boolean', schema: { $schema: DRAFT_04, not: true }, at: '/not', says: 'must be an object' },
    {
      why: 'draft-04: an exclusive bound alone',
      schema: { $schema: DRAFT_04, exclusiveMaximum: true },
      at: '/exclusiveMaximum',
    },
    { why: 'draft-04: nothing required', schema: { $schema: DRAFT_04, required: [] }, at: '/required' },
    {
      why: 'beside an old reference',
      schema: { $schema: DRAFT_07, $ref: '#/definitions/a', type: 5, definitions: { a: {} } },
      at: '/type',
    },
  ])('$why', ({ schema, at, says = '' }) => {
    expect(compileSchema(schema)).toMatchObject({
      ok: false,
      error: { code: 'SCHEMA_INVALID', message: expect.stringContaining(says), data: { schemaPath: at } },
    });
  });

  test.each([
    { why: 'true', schema: true, value: 1, valid: true },
    { why: 'false', schema: false, value: 1, valid: false },
    {
      why: 'draft-04: booleans for what is left over',
      schema: { $schema: DRAFT_04, additionalProperties: false },
      value: { a: 1 },
      valid: false,
    },
    {
      why: 'unknown keywords say nothing',
      schema: { nullable: true, 'x-y': [5], type: 'string' },
      value: null,
      valid: false,
    },
    { why: 'a member without a value is none', schema: { type: undefined, minimum: 1 }, value: 'x', valid: true },
  ])('but this is one: $why', ({ schema, value, valid }) => {
    expect(judgeOf(schema).checkValue(value).valid).toBe(valid);
  });
});

describe('bounds: at the limit it compiles, past it it does not', () => {
  const limits = {
    maxBytes: 2_000,
    maxDepth: 5,
    maxSubschemas: 20,
    maxProperties: 10,
    maxEnum: 10,
    maxPatterns: 3,
    maxExpansion: 8,
  };
  const wide = (count: number) => ({ allOf: Array.from({ length: count - 1 }, () => ({})) });
  const patterns = (count: number) => ({ patternProperties: members(count - 1), pattern: 'a' });
  const names = (count: number) => Object.keys(members(count));
  test.each([
    { what: 'bytes', make: (count: number) => ({ title: 'x'.repeat(count - 12) }), limit: limits.maxBytes, at: '' },
    {
      what: 'bytes that are not characters',
      make: (count: number) => ({ title: `${'é'.repeat(900)}${'x'.repeat(count - 1_812)}` }),
      limit: limits.maxBytes,
      at: '',
    },
    { what: 'levels', make: nested, limit: limits.maxDepth, at: '/not/not/not/not/not' },
    {
      what: 'schemas',
      make: (count: number) => ({ $defs: { a: wide(7), b: wide(8), ...members(count - 16) } }),
      limit: limits.maxSubschemas,
    },
    {
      what: 'properties',
      make: (count: number) => ({ properties: members(count) }),
      limit: limits.maxProperties,
      at: '/properties',
    },
    {
      what: 'definitions',
      make: (count: number) => ({ $defs: members(count) }),
      limit: limits.maxProperties,
      at: '/$defs',
    },
    {
      what: 'required names',
      make: (count: number) => ({ required: names(count) }),
      limit: limits.maxProperties,
      at: '/required',
    },
    {
      what: 'dependent names',
      make: (count: number) => ({ dependentRequired: members(count, []) }),
      limit: limits.maxProperties,
      at: '/dependentRequired',
    },
    { what: 'enum values', make: (count: number) => ({ enum: names(count) }), limit: limits.maxEnum, at: '/enum' },
    { what: 'patterns', make: patterns, limit: limits.maxPatterns },
    { what: 'expansion', make: wide, limit: limits.maxExpansion, at: '' },
  ])('$what', ({ make, limit, at }) => {
    expect(compileSchema(make(limit), { limits })).toMatchObject({ ok: true });
    const refused = compileSchema(make(limit + 1), { limits });
    expect(refused).toMatchObject({ ok: false, error: { code: 'SCHEMA_TOO_LARGE', hint: expect.any(String) } });
    if (!refused.ok) expect(refused.error.message).toContain(String(limit));
    if (!refused.ok && at !== undefined) expect(refused.error.data.schemaPath).toBe(at);
  });

  test.each([
    { why: 'a schema that is itself', schema: { $ref: '#' } },
    { why: 'through allOf, twice', schema: { allOf: [{ $ref: '#' }, { $ref: '#' }] } },
    { why: 'through not', schema: { not: { $ref: '#' } } },
    { why: 'through if', schema: '{"if":{"$ref":"#"},"then":true}' },
    {
      why: 'two of them',
      schema: { $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [true, { $ref: '#/$defs/a' }] } } },
    },
    { why: 'a dynamic one', schema: { $dynamicAnchor: 'a', $dynamicRef: '#a' } },
    { why: 'old dependencies', schema: { $schema: DRAFT_07, dependencies: { a: { $ref: '#' } } } },
    { why: 'doubling forty times', schema: doubling(40) },
  ])('endless: $why', ({ schema }) => {
    expect(compileSchema(schema)).toMatchObject({ ok: false, error: { code: 'SCHEMA_TOO_LARGE' } });
  });

  test.each([
    { why: 'into members', schema: { properties: { a: { $ref: '#' } } } },
    { why: 'into items', schema: { items: { anyOf: [{ $ref: '#' }, true] } } },
    { why: 'a then without an if is never asked', schema: '{"then":{"$ref":"#"},"else":{"$ref":"#"}}' },
    { why: 'dependencies are no keyword any more', schema: { dependencies: { a: { $ref: '#' } } } },
    { why: 'doubling a few times', schema: doubling(8) },
  ])('not endless: $why', ({ schema }) => {
    expect(compileSchema(schema)).toMatchObject({ ok: true });
  });

  test.each([
    { why: 'nesting of text', schema: `{"default":${'['.repeat(600)}${']'.repeat(600)}}` },
    { why: 'nesting of a value', schema: { default: deepArray(600) } },
    { why: 'a circle', schema: circle() },
    { why: 'more text than blanks may explain', schema: `{}${' '.repeat(DEFAULT_LIMITS.maxBytes * 4)}` },
    {
      why: 'more arrays and objects than any schema needs',
      schema: { default: Array.from({ length: 20_001 }, () => []) },
    },
    { why: 'a number of a thousand digits and one', schema: `{"multipleOf":1${'0'.repeat(1_000)}}` },
  ])('too much: $why', ({ schema }) => {
    expect(compileSchema(schema)).toMatchObject({ ok: false, error: { code: 'SCHEMA_TOO_LARGE' } });
  });

  test.each([
    { why: 'nesting that is no schema', schema: { default: deepArray(500) } },
    { why: 'blanks do not count', schema: `{${' '.repeat(DEFAULT_LIMITS.maxBytes)}}` },
    { why: 'a number of a thousand digits', schema: `{"multipleOf":1${'0'.repeat(999)}}` },
  ])('not too much: $why', ({ schema }) => {
    expect(compileSchema(schema)).toMatchObject({ ok: true });
  });
});

function doubling(times: number): object {
  const $defs: Record<string, unknown> = { d0: { type: 'string' } };
  for (let level = 1; level <= times; level += 1) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
  }
  return { $defs, properties: { x: { $ref: `#/$defs/d${times}` } } };
}

function deepArray(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function circle(): object {
  const schema: Record<string, unknown> = {};
  schema.not = schema;
  return schema;
}

describe('warnings', () => {
  test.each([
    {
      why: 'another language',
      schema: { properties: { h: { pattern: '(?i)\\A[a-f]+\\z' } } },
      at: '/properties/h/pattern',
    },
    { why: 'a backreference', schema: { pattern: '(a)\\1' }, at: '/pattern' },
    { why: 'in a name', schema: { patternProperties: { '(': true } }, at: '/patternProperties/(' },
    { why: 'long', schema: { pattern: 'a'.repeat(16_385) }, at: '/pattern' },
  ])('a pattern that cannot be enforced: $why', ({ schema, at }) => {
    expect(compileSchema(schema)).toMatchObject({
      ok: true,
      warnings: [{ schemaPath: at, message: expect.stringContaining('not enforced') }],
    });
  });

  test('are the same when the schema comes again', () => {
    const schema = { pattern: '(a)\\1', title: 'again' };
    const [one, other] = [compileSchema(schema), compileSchema(schema)];
    expect(one).toEqual(other);
    expect(one).toMatchObject({ warnings: [{ schemaPath: '/pattern' }] });
  });

  test('there are none for formats nobody knows', () => {
    expect(compileSchema({ type: 'integer', format: 'uint64' })).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('one judge for each schema', () => {
  test.each([
    { why: 'the same text', schema: '{"type":"string","minLength":1}', same: true },
    { why: 'a value', schema: { type: 'string', minLength: 1 }, same: true },
    { why: 'members in another order', schema: { minLength: 1, type: 'string' }, same: true },
    { why: 'blanks', schema: ' { "type" : "string", "minLength": 1.0 } ', same: true },
    { why: 'another schema', schema: { type: 'string', minLength: 2 }, same: false },
    { why: 'another dialect', schema: { type: 'string', minLength: 1 }, options: { dialect: DRAFT_07 }, same: false },
    { why: 'formats', schema: { type: 'string', minLength: 1 }, options: { formats: 'assert' }, same: false },
    { why: 'showing values', schema: { type: 'string', minLength: 1 }, options: { showReceived: true }, same: false },
    { why: 'limits', schema: { type: 'string', minLength: 1 }, options: { limits: { maxValueDepth: 9 } }, same: false },
    { why: 'documents', schema: { type: 'string', minLength: 1 }, options: { documents: { 'x:y': {} } }, same: false },
    {
      why: 'the defaults said aloud',
      schema: { type: 'string', minLength: 1 },
      options: { formats: 'ignore', showReceived: false },
      same: true,
    },
  ] satisfies { why: string; schema: unknown; options?: CompileOptions; same: boolean }[])(
    '$why',
    ({ schema, options, same }) => {
      const judge = judgeOf({ type: 'string', minLength: 1 });
      const other = judgeOf(schema, options);
      expect(other === judge).toBe(same);
      expect(other.digest === judge.digest).toBe(same);
      expect(judge.digest).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test('a schema changed by its owner changes nothing', () => {
    const schema = { properties: { a: { type: 'string' } } };
    const judge = judgeOf(schema);
    schema.properties.a.type = 'integer';
    expect(judge.checkValue({ a: 'x' }).valid).toBe(true);
    expect(judgeOf(schema)).not.toBe(judge);
  });
});
