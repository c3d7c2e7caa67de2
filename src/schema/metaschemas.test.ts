import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileSchema, type Dialect } from './index.js';
import { GRAMMARS } from './keywords.js';

const URI: Readonly<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-04': 'http://json-schema.org/draft-04/schema#',
};

const options = { strict: false, validateFormats: false, logger: false } as const;

/** The metaschemas as they were published, by another's copy of them. */
const PUBLISHED: Readonly<Partial<Record<Dialect, (schema: unknown) => boolean>>> = {
  '2020-12': (schema) => new2020.validateSchema(schema as object) === true,
  '2019-09': (schema) => new2019.validateSchema(schema as object) === true,
  'draft-07': (schema) => new07.validateSchema(schema as object) === true,
  'draft-06': (schema) => new06.validateSchema({ ...(schema as object), $schema: URI['draft-06'] }) === true,
};
const new2020 = new Ajv2020(options);
const new2019 = new Ajv2019(options);
const new07 = new Ajv(options);
const new06 = new Ajv(options);
new06.addMetaSchema(draft06);

/** Where the copy is of an early edition. */
const CORRECTED: Readonly<Partial<Record<Dialect, readonly string[]>>> = { 'draft-07': ['writeOnly'] };

/** What may stand at any keyword, right or wrong. */
const odd = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  '',
  'string',
  'a b',
  '#a',
  'a#',
  '#',
  [],
  ['a'],
  ['a', 'a'],
  ['string', 'integer'],
  [1],
  [{}],
  [true],
  [5],
  [[]],
  {},
  { a: {} },
  { a: true },
  { a: 5 },
  { a: ['b'] },
  { a: ['b', 'b'] },
  { a: 'b' },
  { a: null },
  { type: 'string' },
  { type: 5 },
);

describe.each(Object.keys(URI) as Dialect[])('%s', (dialect) => {
  const keywords = [...GRAMMARS[dialect].shapes.keys()].filter(
    (name) => !['$schema', '$ref', '$recursiveRef', '$dynamicRef'].includes(name),
  );
  const metaschema = compileSchema({ $ref: URI[dialect] });
  if (!metaschema.ok) throw metaschema.error;
  const { judge } = metaschema;

  test.each(keywords)('%s: we check what the metaschema says', (keyword) => {
    fc.assert(
      fc.property(odd, (value) => {
        const schema = { [keyword]: value };
        const compiled = compileSchema(schema, { dialect: URI[dialect] });
        const isRefused = !compiled.ok && compiled.error.code === 'SCHEMA_INVALID';
        expect([schema, !isRefused]).toEqual([schema, judge.checkValue(schema).valid]);
        const published = CORRECTED[dialect]?.includes(keyword) ? undefined : PUBLISHED[dialect];
        if (published !== undefined)
          expect([schema, judge.checkValue(schema).valid]).toEqual([schema, published(schema)]);
      }),
      { numRuns: 120 },
    );
  });

  test("what is no keyword is nobody's business", () => {
    expect(judge.checkValue({ 'x-y': 5, nullable: 'yes' })).toEqual({ valid: true });
  });

  test.each([5, 'x', null, []])('%j is no schema', (schema) => {
    expect(judge.checkValue(schema).valid).toBe(false);
  });
});
