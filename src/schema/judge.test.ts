import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, parseJson } from '../base/index.js';
import { type CompileOptions, compileSchema, type Judge } from './index.js';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';

function judgeOf(schema: unknown, options?: CompileOptions): Judge {
  const compilation = compileSchema(schema, options);
  if (!compilation.ok) throw compilation.error;
  return compilation.judge;
}

describe('text and values', () => {
  test('a string is text to check, and a value to checkValue', () => {
    const judge = judgeOf({ type: 'string' });
    expect(judge.check('"x"')).toEqual({ valid: true });
    expect(judge.check('5').valid).toBe(false);
    expect(judge.checkValue('5')).toEqual({ valid: true });
    expect(judge.check(5).valid).toBe(false);
  });

  test('valid verdicts are one and the same, and cannot be changed', () => {
    const judge = judgeOf({});
    expect(judge.check('1')).toBe(judge.checkValue(2));
    expect(Object.isFrozen(judge.check('1'))).toBe(true);
  });

  test('every digit of text counts', () => {
    const judge = judgeOf(
      '{"properties":{"id":{"type":"integer","maximum":9007199254740993},"c":{"const":9007199254740993}}}',
    );
    expect(judge.check('{"id":9007199254740993}').valid).toBe(true);
    expect(judge.check('{"id":9007199254740994}')).toMatchObject({
      issues: [{ expected: 'number <= 9007199254740993' }],
    });
    expect(judge.check('{"c":9007199254740992}').valid).toBe(false);
    expect(judge.checkValue(parseJson('{"c":9007199254740993}')).valid).toBe(true);
  });

  test.each([
    { schema: { type: 'number' }, valid: true },
    { schema: { type: 'integer' }, valid: true },
    { schema: { type: 'object' }, valid: false },
    { schema: { type: 'string' }, valid: false },
    { schema: { required: ['text'], minProperties: 1, properties: { text: false } }, valid: true },
    { schema: { enum: ['12345678901234567890'] }, valid: false },
    { schema: { not: { type: 'object' } }, valid: true },
    { schema: { multipleOf: 10 }, valid: true },
    { schema: { multipleOf: 4 }, valid: false },
  ])('a number past a double is a number to $schema', ({ schema, valid }) => {
    expect(judgeOf(schema).checkValue(new ExactNumber('12345678901234567890')).valid).toBe(valid);
  });

  test.each([
    { text: '1', valid: true },
    { text: '1.0', valid: false },
    { text: '1e2', valid: false },
    { text: '12345678901234567890', valid: true },
    { text: '12345678901234567890.0', valid: false },
    { text: '"x"', valid: false },
  ])('in draft-04 $text is an integer: $valid', ({ text, valid }) => {
    expect(judgeOf({ $schema: DRAFT_04, type: 'integer' }).check(text).valid).toBe(valid);
    expect(judgeOf({ $schema: DRAFT_04, type: ['integer', 'string'] }).check(text).valid).toBe(valid || text === '"x"');
    expect(judgeOf({ $schema: DRAFT_04, type: ['number', 'integer'] }).check(text).valid).toBe(text !== '"x"');
    expect(judgeOf({ type: 'integer' }).check(text).valid).toBe(text !== '"x"');
  });

  test('in draft-04 an enum still compares by value', () => {
    expect(judgeOf({ $schema: DRAFT_04, enum: [1] }).check('1.0').valid).toBe(true);
    expect(judgeOf({ $schema: DRAFT_04, type: 'integer' }).check('1.0')).toMatchObject({
      issues: [{ keyword: 'type', expected: 'integer', received: expect.stringContaining('fraction') }],
    });
  });

  test.each([
    { value: Number.NaN },
    { value: Number.POSITIVE_INFINITY },
    { value: 1n },
    { value: undefined },
    { value: () => 1 },
    { value: Symbol('x') },
  ])('what JSON does not know has no type: $value', ({ value }) => {
    const type = ['null', 'boolean', 'number', 'string', 'array', 'object'];
    expect(judgeOf({ type }).checkValue(value).valid).toBe(false);
    expect(judgeOf({}).checkValue(value).valid).toBe(true);
  });
});

describe('giving up is no verdict on the value', () => {
  const recursive = { properties: { a: { $ref: '#' } }, items: { $ref: '#' } };
  const deep = (levels: number): unknown => {
    let value: unknown = {};
    for (let level = 1; level < levels; level += 1) value = { a: value };
    return value;
  };
  const doubling = {
    $defs: {
      n: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] },
      a: { allOf: [{ properties: { c: { $ref: '#/$defs/n' } } }, { required: ['x'] }] },
      b: { allOf: [{ properties: { c: { $ref: '#/$defs/n' } } }, { required: ['y'] }] },
    },
    $ref: '#/$defs/n',
  };
  const chain = (levels: number): string => `${'{"c":'.repeat(levels)}{}${'}'.repeat(levels)}`;

  test.each([
    { why: 'text that is no JSON', schema: {}, value: '{"a":', text: true, says: 'ends too early at offset 5' },
    {
      why: 'text nested too deeply',
      schema: {},
      value: `${'['.repeat(600)}${']'.repeat(600)}`,
      text: true,
      says: 'deeper than 512',
    },
    { why: 'a value nested too deeply', schema: recursive, value: deep(514), says: 'deeper than 512' },
    { why: 'work that doubles with each level', schema: doubling, value: chain(60), text: true, says: 'too much work' },
    {
      why: 'a pattern for a very long text',
      schema: { pattern: '(?=(a|b)*c)(?=(a|b)*d)x' },
      value: 'ab'.repeat(500_000),
      says: 'too much work',
    },
    { why: 'a circle', schema: { not: { enum: [[1]] }, ...recursive }, value: circle(), says: '' },
  ])('$why', ({ schema, value, text, says }) => {
    const judge = judgeOf(schema);
    const verdict = text ? judge.check(value) : judge.checkValue(value);
    expect(verdict).toMatchObject({
      valid: false,
      gaveUp: true,
      truncated: false,
      issues: [{ path: '$', pointer: '', keyword: 'judge', message: expect.stringContaining(says) }],
    });
  });

  test.each([
    { why: 'nested as deeply as allowed', schema: recursive, value: deep(513) },
    {
      why: 'a large value that is judged simply',
      schema: { items: { type: 'integer' } },
      value: Array.from({ length: 1_500_000 }, () => 1),
    },
    { why: 'a long text by a simple pattern', schema: { pattern: '^(?:ab)+$' }, value: 'ab'.repeat(2_000_000) },
    { why: 'deep where the schema does not look', schema: { required: ['a'] }, value: deep(5_000) },
  ])('judged in the end: $why', ({ schema, value }) => {
    expect(judgeOf(schema).checkValue(value)).toEqual({ valid: true });
  });

  test('the depth allowed can be set', () => {
    const judge = judgeOf(recursive, { limits: { maxValueDepth: 3 } });
    expect(judge.checkValue([[[1]]]).valid).toBe(true);
    expect(judge.checkValue([[[[1]]]])).toMatchObject({ gaveUp: true });
    expect(judge.check('[[[1]]]').valid).toBe(true);
    expect(judge.check('[[[[1]]]]')).toMatchObject({ gaveUp: true });
  });

  test('a circle that is looked at again and again comes to an end', () => {
    const wide: unknown[] = [];
    for (let count = 0; count < 50; count += 1) wide.push(wide);
    const started = performance.now();
    expect(judgeOf({ items: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }).checkValue(wide)).toMatchObject({
      gaveUp: true,
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('what was refused stays refused where the reasons would take too long', () => {
    const times = (count: number) => ({ allOf: Array.from({ length: count }, (_, at) => ({ minimum: at })) });
    // The one alternative is tried for the verdict, and tried once more for its reasons: once too often.
    const schema = { items: times(4), anyOf: [{ items: times(2), contains: { const: -1 } }] };
    const verdict = judgeOf(schema).checkValue(Array.from({ length: 20_400 }, () => 5));
    expect(verdict).toMatchObject({
      valid: false,
      truncated: true,
      issues: [{ path: '$', keyword: 'judge', message: expect.stringContaining('does not fit') }],
    });
    expect(verdict).not.toHaveProperty('gaveUp');
  });

  test('an ordinary refusal did not give up', () => {
    expect(judgeOf({ type: 'string' }).checkValue(5)).not.toHaveProperty('gaveUp');
  });
});

function circle(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

describe('formats', () => {
  const schema = { properties: { mail: { type: 'string', format: 'email' }, n: { type: 'integer' } } };
  const wrong = { mail: 'nobody' };

  test('are annotations', () => {
    expect(judgeOf(schema).checkValue(wrong)).toEqual({ valid: true });
  });

  test('are reported where that is asked for, and the value stays valid', () => {
    const judge = judgeOf(schema, { formats: 'report' });
    expect(judge.checkValue(wrong)).toMatchObject({
      valid: true,
      warnings: [{ path: '$.mail', keyword: 'format', expected: 'email address', hint: expect.any(String) }],
    });
    expect(judge.checkValue({ mail: 'a@b.example' })).toEqual({ valid: true });
    expect(judge.checkValue({ ...wrong, n: 'x' })).toMatchObject({ valid: false, issues: [{ path: '$.n' }] });
  });

  test('are asserted where that is asked for', () => {
    const judge = judgeOf(schema, { formats: 'assert' });
    expect(judge.checkValue(wrong)).toMatchObject({ valid: false, issues: [{ path: '$.mail', keyword: 'format' }] });
    expect(judge.checkValue({ mail: 5 })).toMatchObject({ valid: false, issues: [{ keyword: 'type' }] });
    expect(judgeOf({ format: 'uint64' }, { formats: 'assert' }).checkValue('x')).toEqual({ valid: true });
  });
});

describe('whether it looks into strings', () => {
  test.each([
    { schema: { type: 'string' }, looks: false },
    { schema: { minLength: 0 }, looks: false },
    { schema: { minLength: 1 }, looks: true },
    { schema: { maxLength: 1 }, looks: true },
    { schema: { items: { pattern: 'a' } }, looks: true },
    { schema: { enum: [1, null, true] }, looks: false },
    { schema: { enum: [1, 'a'] }, looks: true },
    { schema: { enum: [1, [{ a: 'b' }]] }, looks: true },
    { schema: { const: 5 }, looks: false },
    { schema: { const: 'a' }, looks: true },
    { schema: { uniqueItems: true }, looks: true },
    { schema: { uniqueItems: false }, looks: false },
    { schema: { format: 'email' }, looks: false },
    { schema: { format: 'email' }, options: { formats: 'assert' }, looks: true },
    { schema: { format: 'email' }, options: { formats: 'report' }, looks: true },
    { schema: { format: 'uint64' }, options: { formats: 'assert' }, looks: false },
    { schema: { default: 'a', title: 'b', examples: ['c'], required: ['d'] }, looks: false },
    { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' }, looks: true },
    { schema: { $schema: DRAFT_04, const: 'a' }, looks: false },
  ] satisfies { schema: unknown; options?: CompileOptions; looks: boolean }[])(
    '$schema with $options: $looks',
    ({ schema, options, looks }) => {
      expect(judgeOf(schema, options).looksIntoStrings).toBe(looks);
    },
  );

  test('where it does not, a short string may stand in for any other', () => {
    const leaf = fc.oneof(
      fc.record({ type: fc.constantFrom('string', 'integer', 'null', 'object', 'array') }),
      fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: fc.jsonValue({ maxDepth: 1 }) }),
      fc.record({ minLength: fc.nat(2) }),
      fc.record({ maxLength: fc.nat(2) }),
      fc.record({ uniqueItems: fc.boolean() }),
      fc.constant({ pattern: '^a' }),
      fc.record({ required: fc.constant(['a']), maxProperties: fc.nat(3) }),
      fc.boolean(),
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 2 }) }),
        fc.record({ items: tie('schema') }),
        fc.record({ not: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ contains: tie('schema'), additionalProperties: tie('schema') }),
      ),
    }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 3 });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
      ),
    }));
    let stoodIn = 0;
    fc.assert(
      fc.property(schema, value, text, (made, original, standIn) => {
        const compilation = compileSchema(made);
        if (!compilation.ok || compilation.judge.looksIntoStrings) return;
        stoodIn += 1;
        const replaced = JSON.parse(JSON.stringify(original), (_, member: unknown) =>
          typeof member === 'string' ? standIn : member,
        );
        expect(compilation.judge.checkValue(replaced).valid).toBe(compilation.judge.checkValue(original).valid);
      }),
      { numRuns: 1_500 },
    );
    expect(stoodIn).toBeGreaterThan(200);
  });
});

test('a judge that was forgotten judges as before', () => {
  const first = judgeOf({ type: 'object', required: ['first'] });
  expect(first.checkValue({}).valid).toBe(false);
  for (let count = 0; count < 1_100; count += 1) expect(judgeOf({ const: count }).checkValue(count).valid).toBe(true);
  expect(first.checkValue({}).valid).toBe(false);
  expect(first.checkValue({ first: 1 }).valid).toBe(true);
});
