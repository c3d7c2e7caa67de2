import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../base/index.js';
import { Documents } from './documents.js';
import { holdExpansion } from './expansion.js';
import { GRAMMARS } from './keywords.js';
import { DEFAULT_LIMITS } from './limits.js';
import { preflight } from './preflight.js';
import type { RawSchema } from './site.js';
import { surveySchema } from './survey.js';
import type { Dialect, SchemaLimits } from './types.js';

const URI: Readonly<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-04': 'http://json-schema.org/draft-04/schema#',
};

function look(schema: unknown, dialect: Dialect = '2020-12', limits: Partial<SchemaLimits> = {}) {
  const raw = (typeof schema === 'string' ? parseJson(schema) : schema) as RawSchema;
  return preflight(raw, { grammar: GRAMMARS[dialect], limits: { ...DEFAULT_LIMITS, ...limits }, readsFormats: false });
}

describe('plain schemas are fit at a glance', () => {
  test.each([
    { why: 'a boolean', schema: false, looks: false },
    {
      why: 'a tool like any other',
      schema: { $schema: URI['2020-12'], type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      looks: false,
    },
    { why: 'strings looked into', schema: { items: { enum: ['a'] } }, looks: true },
    { why: 'definitions that nobody refers to', schema: { $defs: { a: { maxLength: 1 } } }, looks: true },
    { why: 'unknown keywords, whatever is in them', schema: { 'x-a': { $ref: '#/gone', type: 5 } }, looks: false },
    { why: 'a reference that is a default', schema: { default: { $ref: '#/gone' }, const: 1 }, looks: false },
    { why: 'a property called $ref', schema: { properties: { $ref: { type: 'string' } } }, looks: false },
  ])('$why', ({ schema, looks }) => {
    expect(look(schema)).toEqual({ looksIntoStrings: looks });
  });
});

describe('the rest is left to a survey', () => {
  test.each([
    { why: 'references', schema: { $ref: '#/$defs/a', $defs: { a: true } } },
    { why: 'names', schema: { $defs: { a: { $id: 'http://a.test/' } } } },
    { why: 'anchors', schema: { $anchor: 'a' } },
    { why: 'patterns: there may be warnings', schema: { properties: { a: { pattern: 'a' } } } },
    { why: 'patterns for names', schema: { patternProperties: {} } },
    { why: 'numbers past a double', schema: '{"maximum":9007199254740993}' },
    { why: 'what is wrong', schema: { properties: { a: { type: 'any' } } } },
    { why: 'what is no schema', schema: { properties: { a: 5 } } },
    { why: 'what is no schema in a list', schema: { allOf: [true, null] } },
    { why: 'too many levels', schema: { not: { not: { not: true } } }, limits: { maxDepth: 3 } },
    { why: 'too many schemas', schema: { allOf: [true, true, true] }, limits: { maxSubschemas: 3 } },
    { why: 'too many at one place', schema: { allOf: [true, true, true] }, limits: { maxExpansion: 3 } },
    { why: 'too many members', schema: { properties: { a: true, b: true, c: true } }, limits: { maxProperties: 2 } },
    { why: 'too many required names', schema: { required: ['a', 'b', 'c'] }, limits: { maxProperties: 2 } },
    {
      why: 'too many dependent names',
      schema: { dependentRequired: { a: [], b: [], c: [] } },
      limits: { maxProperties: 2 },
    },
    { why: 'too many values', schema: { enum: [1, 2, 3] }, limits: { maxEnum: 2 } },
    {
      why: 'large schemas',
      schema: { properties: Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, true])) },
    },
    { why: 'old dependencies', schema: { dependencies: {} }, dialect: 'draft-07' },
    { why: 'draft-04', schema: {}, dialect: 'draft-04' },
  ] satisfies { why: string; schema: unknown; dialect?: Dialect; limits?: Partial<SchemaLimits> }[])(
    '$why',
    ({ schema, dialect, limits }) => {
      expect(look(schema, dialect, limits)).toBeUndefined();
    },
  );

  test('at the limit it is still plain', () => {
    expect(
      look({ properties: Object.fromEntries(Array.from({ length: 399 }, (_, at) => [`p${at}`, true])) }),
    ).toBeDefined();
    expect(look({ not: { not: true } }, '2020-12', { maxDepth: 3 })).toBeDefined();
    expect(look({ allOf: [true, true] }, '2020-12', { maxSubschemas: 3, maxExpansion: 3 })).toBeDefined();
    expect(
      look({ properties: { a: true, b: true }, enum: [1, 2] }, '2020-12', { maxProperties: 2, maxEnum: 2 }),
    ).toBeDefined();
  });
});

test('whatever is found fit at a glance, a survey finds fit, and says the same of it', () => {
  const odd = fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    2,
    -1,
    'a',
    'string',
    [],
    ['a'],
    ['a', 'a'],
    [true],
    {},
    { a: true },
    { a: ['b'] },
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      odd,
      fc.dictionary(
        fc.constantFrom(
          'type',
          'enum',
          'const',
          'minLength',
          'maxLength',
          'uniqueItems',
          'required',
          'format',
          'items',
          'not',
          'title',
          '$ref',
        ),
        odd,
        { maxKeys: 2 },
      ),
      fc.dictionary(fc.constantFrom('items', 'not', 'additionalProperties', 'contains', 'if', 'x'), tie('schema'), {
        maxKeys: 2,
      }),
      fc.dictionary(
        fc.constantFrom('properties', '$defs', 'dependentSchemas', 'definitions'),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        { maxKeys: 2 },
      ),
      fc.dictionary(
        fc.constantFrom('allOf', 'anyOf', 'prefixItems', 'items'),
        fc.array(tie('schema'), { maxLength: 2 }),
        { maxKeys: 2 },
      ),
    ),
  }));
  const limits = { ...DEFAULT_LIMITS, maxDepth: 4, maxSubschemas: 8, maxProperties: 1, maxExpansion: 5 };
  let fit = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom(...(Object.keys(URI) as Dialect[])), (made, dialect) => {
      if (typeof made !== 'boolean' && (typeof made !== 'object' || made === null || Array.isArray(made))) return;
      const found = preflight(made as RawSchema, { grammar: GRAMMARS[dialect], limits, readsFormats: true });
      if (found === undefined) return;
      fit += 1;
      const survey = surveySchema(made as RawSchema, {
        dialect: URI[dialect],
        documents: Documents.of(undefined),
        limits,
        readsFormats: true,
      });
      holdExpansion(survey.sites, limits.maxExpansion);
      expect(survey).toMatchObject({ looksIntoStrings: found.looksIntoStrings, warnings: [] });
    }),
    { numRuns: 3_000 },
  );
  expect(fit).toBeGreaterThan(500);
});
