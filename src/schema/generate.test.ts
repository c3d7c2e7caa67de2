import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText, JsonScanner, parseJson } from '../base/index.js';
import { Documents } from './documents.js';
import { generateCheck, type PlainSchema } from './engine.js';
import { generateFor } from './generate.js';
import { DEFAULT_LIMITS } from './limits.js';
import { linkRules } from './link.js';
import { ValueRun } from './run.js';
import { type Survey, surveySchema } from './survey.js';
import type { TextJudge } from './text-judge.js';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

function survey(schema: unknown): Survey {
  const raw = typeof schema === 'string' ? parseJson(schema) : schema;
  const options = {
    dialect: undefined,
    documents: Documents.of(undefined),
    limits: DEFAULT_LIMITS,
    readsFormats: true,
  };
  return surveySchema(raw as Record<string, unknown>, options);
}

/** What the engine would be handed; undefined where it would not be asked. */
function handedOver(schema: unknown, assertsFormats = false): { plain: PlainSchema; tests: string[] } | undefined {
  let handed: { plain: PlainSchema; tests: string[] } | undefined;
  generateFor(survey(schema), assertsFormats, (plain, formats) => {
    handed = { plain, tests: Object.keys(formats) };
    return () => true;
  });
  return handed;
}

describe('what the engine is handed is plain', () => {
  test.each([
    {
      why: 'a common schema as it is',
      schema: { type: 'object', properties: { a: { type: 'string', minLength: 1 } }, required: ['a'] },
      plain: { type: 'object', properties: { a: { type: 'string', minLength: 1 } }, required: ['a'] },
    },
    {
      why: 'nothing that judges nothing',
      schema: { $schema: DRAFT_07, $id: 'http://a.test/', title: 'x', default: 1, nullable: true, type: 'string' },
      plain: { type: 'string' },
    },
    {
      why: 'no references',
      schema: { $defs: { s: { type: 'string' } }, items: { $ref: '#/$defs/s' } },
      plain: { items: { type: 'string' } },
    },
    {
      why: 'what stands beside a reference stands beside it',
      schema: { $defs: { s: { type: 'string' } }, $ref: '#/$defs/s', minLength: 1 },
      plain: { allOf: [{ minLength: 1 }, { type: 'string' }] },
    },
    {
      why: 'no type around allOf',
      schema: { type: 'string', allOf: [{ minLength: 1 }, { maxLength: 2 }] },
      plain: { allOf: [{ type: 'string' }, { minLength: 1 }, { maxLength: 2 }] },
    },
    { why: 'one whole is no allOf', schema: { allOf: [{ minLength: 1 }] }, plain: { minLength: 1 } },
    {
      why: 'old tuples',
      schema: { $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: false },
      plain: { prefixItems: [{ type: 'string' }], items: false },
    },
    {
      why: 'new tuples',
      schema: { prefixItems: [true], items: { type: 'null' } },
      plain: { prefixItems: [true], items: { type: 'null' } },
    },
    {
      why: 'additionalItems without a tuple says nothing',
      schema: { $schema: DRAFT_07, items: { type: 'null' }, additionalItems: false },
      plain: { items: { type: 'null' } },
    },
    {
      why: 'draft-04 bounds',
      schema: { $schema: DRAFT_04, minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false },
      plain: { exclusiveMinimum: 1, maximum: 2 },
    },
    {
      why: 'bounds',
      schema: { minimum: 1, exclusiveMinimum: 0, maximum: 2, exclusiveMaximum: 3 },
      plain: { minimum: 1, exclusiveMinimum: 0, maximum: 2, exclusiveMaximum: 3 },
    },
    { why: 'a short enum of strings', schema: { enum: ['a', 'b'] }, plain: { enum: ['a', 'b'] } },
    { why: 'a short enum', schema: { enum: ['a', 1, null] }, plain: { enum: ['a', 1, null] } },
    {
      why: 'names that are strings',
      schema: { propertyNames: { type: 'string' }, maxProperties: 1 },
      plain: { maxProperties: 1 },
    },
    {
      why: 'nothing allowed',
      schema: { properties: {}, additionalProperties: false, maxProperties: 3 },
      plain: { maxProperties: 0 },
    },
    { why: 'nothing allowed, in short', schema: { additionalProperties: false }, plain: { maxProperties: 0 } },
    {
      why: 'conditions',
      schema: '{"if":{"type":"string"},"then":{"minLength":1},"else":false}',
      plain: JSON.parse('{"if":{"type":"string"},"then":{"minLength":1},"else":false}'),
    },
    { why: 'no branch without a condition', schema: '{"then":{"minLength":1},"else":false}', plain: {} },
    {
      why: 'alternatives',
      schema: { anyOf: [true, { oneOf: [{ not: {} }] }] },
      plain: { anyOf: [true, { oneOf: [{ not: {} }] }] },
    },
    {
      why: 'a boolean',
      schema: { additionalProperties: false, properties: { a: true } },
      plain: { additionalProperties: false, properties: { a: true } },
    },
    { why: 'unique where that is not asked for', schema: { uniqueItems: false, minItems: 1 }, plain: { minItems: 1 } },
    {
      why: 'an old reference alone',
      schema: { $schema: DRAFT_07, $ref: '#/definitions/a', minimum: 5, definitions: { a: { type: 'null' } } },
      plain: { type: 'null' },
    },
  ])('$why', ({ schema, plain }) => {
    expect(handedOver(schema)).toEqual({ plain, tests: [] });
  });

  test.each([
    { why: 'a long enum', schema: { enum: [...'abcdefghi'] }, plain: { type: 'string', format: 'test0' } },
    {
      why: 'a long enum of a type that allows more',
      schema: { type: ['string', 'null'], enum: [...'abcdefghi'] },
      plain: { type: 'string', format: 'test0' },
    },
    { why: 'a pattern', schema: { type: 'string', pattern: '^a' }, plain: { type: 'string', format: 'test0' } },
    { why: 'a format that is asserted', schema: { format: 'date' }, plain: { format: 'test0' } },
  ])('tests on strings go by name: $why', ({ schema, plain }) => {
    expect(handedOver(schema, true)).toEqual({ plain, tests: ['test0'] });
  });

  test('a format that is not asserted, and a pattern that cannot be, are nothing', () => {
    expect(handedOver({ format: 'date', pattern: '(a)\\1' })).toEqual({ plain: {}, tests: [] });
  });
});

describe('what stays with the rules', () => {
  test.each([
    { why: 'multiples: engines reckon with doubles', schema: { multipleOf: 0.01 } },
    { why: 'unique items: engines compare each with each', schema: { uniqueItems: true } },
    { why: 'names by pattern', schema: { patternProperties: { '^a': true } } },
    { why: 'names by schema', schema: { propertyNames: { maxLength: 1 } } },
    { why: 'names that are never there', schema: { propertyNames: false } },
    { why: 'contained items', schema: { contains: true } },
    { why: 'unevaluated members', schema: { unevaluatedProperties: false } },
    { why: 'unevaluated items', schema: { unevaluatedItems: false } },
    { why: 'dependent schemas', schema: { dependentSchemas: { a: true } } },
    { why: 'dependent names', schema: { dependentRequired: { a: ['b'] } } },
    { why: 'references that depend on the way', schema: { $dynamicAnchor: 'a', items: { $dynamicRef: '#a' } } },
    { why: 'schemas that come back to themselves', schema: { properties: { a: { $ref: '#' } } } },
    { why: 'numbers past a double', schema: '{"maximum":9007199254740993}' },
    { why: 'an enum with one', schema: '{"enum":[9007199254740993]}' },
    { why: 'a constant that is one', schema: '{"const":9007199254740993}' },
    { why: 'objects to compare with', schema: { enum: [{ a: 1 }] } },
    { why: 'a constant that is an array', schema: { const: [] } },
    { why: 'a long enum of more than strings', schema: { enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] } },
    { why: 'a long enum that the type forbids', schema: { type: 'integer', enum: [...'abcdefghi'] } },
    { why: 'names that every object inherits', schema: { properties: { toString: true } } },
    { why: 'such a name required', schema: { required: ['constructor'] } },
    {
      why: 'required names that may not be there',
      schema: { properties: { a: true, b: true }, required: ['a', 'c'], additionalProperties: false },
    },
    {
      why: 'more schemas than code is worth',
      schema: { anyOf: Array.from({ length: 10 }, () => ({ properties: wide(50) })) },
    },
    { why: 'one that becomes large when references are written out', schema: doubling(9) },
    {
      why: 'many alternatives for each item',
      schema: { items: { anyOf: Array.from({ length: 65 }, (_, at) => ({ const: at })) } },
    },
    {
      why: 'alternatives of alternatives',
      schema: { anyOf: Array.from({ length: 9 }, () => ({ items: { anyOf: Array.from({ length: 9 }, () => ({})) } })) },
    },
  ])('$why', ({ schema }) => {
    expect(handedOver(schema)).toBeUndefined();
  });

  test.each([
    {
      why: 'as many as code is worth',
      schema: { properties: { a: { properties: wide(248) }, b: { properties: wide(248) } } },
    },
    {
      why: 'as many alternatives as may be',
      schema: { items: { anyOf: Array.from({ length: 63 }, (_, at) => ({ const: at })) } },
    },
    {
      why: 'many members, each with few alternatives',
      schema: { properties: wide(60, { anyOf: [{ type: 'string' }, { type: 'null' }] }) },
    },
    {
      why: 'a required name that is among the properties',
      schema: { properties: { a: true }, required: ['a'], additionalProperties: false },
    },
  ])('but not: $why', ({ schema }) => {
    expect(handedOver(schema)).toBeDefined();
  });
});

function wide(count: number, schema: unknown = true): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]));
}

function doubling(times: number): object {
  const $defs: Record<string, unknown> = { d0: { type: 'string' } };
  for (let level = 1; level <= times; level += 1) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { properties: { a: { $ref }, b: { $ref } } };
  }
  return { $defs, $ref: `#/$defs/d${times}` };
}

test('an engine that declines is not insisted on', () => {
  expect(generateFor(survey({ type: 'string' }), false, () => undefined)).toBeUndefined();
});

test('patterns that take too long end the check', () => {
  const check = generateFor(survey({ items: { pattern: '(a|b)*c' } }), false, generateCheck)!.check;
  const text = 'ab'.repeat(1_000_000);
  expect(() => check([text, text])).toThrow('too much work');
  expect(check(['c', 'abc'])).toBe(true);
  expect(check(['d'])).toBe(false);
});

function acceptsAsText(acceptsText: TextJudge, value: unknown): boolean {
  const bytes = encodeText(JSON.stringify(value));
  const scanner = new JsonScanner();
  scanner.scan(bytes, 0, bytes.length);
  return acceptsText(bytes, scanner.tokens, 0);
}

describe('generated code and rules give the same verdict', () => {
  const { schema } = fc.letrec((tie) => {
    const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
    const keyword: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      type: fc.oneof(
        fc.constantFrom('string', 'integer', 'number', 'object', 'array', 'null', 'boolean'),
        fc.constantFrom(['string', 'null'], ['object', 'array'], ['integer', 'boolean']),
      ),
      enum: fc.constantFrom(['a', 'b'], [1, 'a'], [null], [...'abcdefghijk'], [true, 2.5]),
      const: fc.constantFrom('a', 1, null, false),
      minimum: fc.integer({ min: -2, max: 2 }),
      maximum: fc.integer({ min: -2, max: 2 }),
      exclusiveMinimum: fc.integer({ min: -2, max: 2 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
      minLength: fc.nat(2),
      maxLength: fc.nat(2),
      pattern: fc.constantFrom('^a', 'b$', '(a|b)+'),
      items: tie('schema'),
      prefixItems: list,
      minItems: fc.nat(2),
      maxItems: fc.nat(2),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
      additionalProperties: tie('schema'),
      required: names,
      minProperties: fc.nat(2),
      maxProperties: fc.nat(2),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: tie('schema'),
      if: tie('schema'),
      else: tie('schema'),
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
    };
    const pair = fc.constantFrom(...Object.keys(keyword)).chain((name) => fc.tuple(fc.constant(name), keyword[name]!));
    const object = fc.array(pair, { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs));
    return { schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), object, object) };
  });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom<unknown>('a', 'b', 'ab', '', 'k', '😀', 1, 0, -2, 2.5, null, true, false, [], {}),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 4 }),
    ),
  }));

  test('for any common schema and any value', () => {
    let generated = 0;
    let valid = 0;
    let accepted = 0;
    const $defs = { one: { type: ['string', 'object'], maxLength: 1 }, two: { required: ['a'], type: 'object' } };
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 4, maxLength: 4 }), (made, values) => {
        const surveyed = survey(typeof made === 'boolean' ? made : { ...(made as object), $defs });
        const judges = generateFor(surveyed, false, generateCheck);
        if (judges === undefined) return;
        const { check, acceptsText } = judges;
        generated += 1;
        const rules = linkRules(surveyed, false);
        for (const each of values) {
          const run = new ValueRun(each, { maxValueDepth: 512, isDynamic: false });
          const isValid = run.accepts(rules.root, each, undefined);
          expect([each, check(each)]).toEqual([each, isValid]);
          const isAccepted = acceptsAsText(acceptsText, each);
          if (isAccepted) expect(isValid, JSON.stringify(each)).toBe(true);
          valid += isValid ? 1 : 0;
          accepted += isAccepted ? 1 : 0;
        }
      }),
      { numRuns: 3_000 },
    );
    expect(generated).toBeGreaterThan(1_500);
    // The rest has keywords that need parsing.
    expect(accepted / valid).toBeGreaterThan(0.6);
  });
});
