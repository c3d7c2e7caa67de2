import { describe, expect, test } from 'vitest';
import { compileSchema, type Dialect } from '../../src/schema/index.js';
import { Oracle } from './oracle.js';
import { DIALECT_URI, DIALECTS } from './suite.js';

const SINCE_2019: readonly Dialect[] = ['2019-09', '2020-12'];
const SINCE_07: readonly Dialect[] = [...SINCE_2019, 'draft-07'];
const SINCE_06: readonly Dialect[] = [...SINCE_07, 'draft-06'];
const UNTIL_2019: readonly Dialect[] = ['draft-04', 'draft-06', 'draft-07', '2019-09'];

interface BadKeyword {
  readonly keyword: string;
  readonly values: readonly unknown[];
  readonly dialects?: readonly Dialect[];
}

/** Values that the dialect's own metaschema forbids. */
const BAD_KEYWORDS: readonly BadKeyword[] = [
  { keyword: 'type', values: ['any', 5, [], ['string', 'string'], ['string', 'nothing'], { type: 'string' }, null] },
  { keyword: 'enum', values: [5, {}, 'a', null] },
  { keyword: 'enum', values: [[], [1, 1]], dialects: ['draft-04'] },
  { keyword: 'minimum', values: ['1', null, [1], true] },
  { keyword: 'maximum', values: ['1', null, {}, false] },
  { keyword: 'exclusiveMinimum', values: ['1', null, true, false], dialects: SINCE_06 },
  { keyword: 'exclusiveMaximum', values: ['1', null, true, false], dialects: SINCE_06 },
  { keyword: 'exclusiveMinimum', values: [1, 'true', null], dialects: ['draft-04'] },
  { keyword: 'exclusiveMaximum', values: [1, 'true', null], dialects: ['draft-04'] },
  { keyword: 'multipleOf', values: [0, -1, '1', null] },
  { keyword: 'minLength', values: [-1, 1.5, '1', null] },
  { keyword: 'maxLength', values: [-1, 1.5, '1', null] },
  { keyword: 'pattern', values: [5, null, ['a'], {}] },
  { keyword: 'format', values: [5, null, ['email']], dialects: SINCE_06 },
  { keyword: 'items', values: [5, 'string', null] },
  { keyword: 'items', values: [[{}]], dialects: ['2020-12'] },
  { keyword: 'items', values: [true, false], dialects: ['draft-04'] },
  { keyword: 'items', values: [[5], []], dialects: UNTIL_2019 },
  { keyword: 'additionalItems', values: [5, 'string', null], dialects: UNTIL_2019 },
  { keyword: 'prefixItems', values: [{}, [], [5], true, null], dialects: ['2020-12'] },
  { keyword: 'minItems', values: [-1, 0.5, '0', null] },
  { keyword: 'maxItems', values: [-1, 0.5, '0', null] },
  { keyword: 'uniqueItems', values: ['yes', 1, null] },
  { keyword: 'contains', values: [5, [], null], dialects: SINCE_06 },
  { keyword: 'minContains', values: [-1, 0.5, '0'], dialects: SINCE_2019 },
  { keyword: 'maxContains', values: [-1, 0.5, '0'], dialects: SINCE_2019 },
  { keyword: 'unevaluatedItems', values: [5, [], null], dialects: SINCE_2019 },
  { keyword: 'properties', values: [null, [], 'a', { a: null }, { a: 5 }, { a: ['coin'] }, { required: ['coin'] }] },
  { keyword: 'properties', values: [{ a: true }, { a: false }], dialects: ['draft-04'] },
  { keyword: 'patternProperties', values: [null, [], { '^a': null }, { '^a': 5 }] },
  { keyword: 'additionalProperties', values: [null, [], 5, 'no'] },
  { keyword: 'propertyNames', values: [null, [], 5], dialects: SINCE_06 },
  { keyword: 'required', values: [null, {}, 'a', [5], [null], ['a', 'a'], true, false] },
  { keyword: 'required', values: [[]], dialects: ['draft-04'] },
  { keyword: 'minProperties', values: [-1, 0.5, '0', null] },
  { keyword: 'maxProperties', values: [-1, 0.5, '0', null] },
  {
    keyword: 'dependencies',
    values: [null, [], { a: 5 }, { a: [5] }, { a: 'b' }],
    dialects: ['draft-04', 'draft-06', 'draft-07'],
  },
  { keyword: 'dependentRequired', values: [null, [], { a: 5 }, { a: [5] }, { a: ['b', 'b'] }], dialects: SINCE_2019 },
  { keyword: 'dependentSchemas', values: [null, [], { a: 5 }, { a: [] }], dialects: SINCE_2019 },
  { keyword: 'unevaluatedProperties', values: [5, [], null], dialects: SINCE_2019 },
  { keyword: 'allOf', values: [[], {}, [5], null] },
  { keyword: 'anyOf', values: [[], {}, [5], null] },
  { keyword: 'oneOf', values: [[], {}, [null], true] },
  { keyword: 'not', values: [5, [], null, 'a'] },
  { keyword: 'not', values: [true, false], dialects: ['draft-04'] },
  { keyword: 'if', values: [5, [], null], dialects: SINCE_07 },
  { keyword: 'then', values: [5, [], null], dialects: SINCE_07 },
  { keyword: 'else', values: [5, [], null], dialects: SINCE_07 },
  { keyword: '$ref', values: [5, null, {}], dialects: SINCE_06 },
  { keyword: '$defs', values: [5, [], { a: 5 }], dialects: SINCE_2019 },
  { keyword: 'definitions', values: [5, [], null, { a: 5 }, { a: null }] },
  { keyword: 'id', values: [5, null], dialects: ['draft-04'] },
  { keyword: '$id', values: [5, null], dialects: SINCE_06 },
  { keyword: '$id', values: ['#part', 'https://example.org/a#part'], dialects: SINCE_2019 },
  { keyword: '$anchor', values: [5, '#a', '1a', ''], dialects: SINCE_2019 },
  { keyword: '$dynamicAnchor', values: [5, '#a', '1a'], dialects: ['2020-12'] },
  { keyword: '$dynamicRef', values: [5, null], dialects: ['2020-12'] },
  { keyword: '$recursiveRef', values: [5, null], dialects: ['2019-09'] },
  { keyword: '$recursiveAnchor', values: [5, 'yes'], dialects: ['2019-09'] },
  { keyword: '$vocabulary', values: [5, [], { 'https://example.org/v': 'yes' }], dialects: SINCE_2019 },
  { keyword: 'title', values: [5, null, {}] },
  { keyword: 'description', values: [5, null, ['a']] },
  { keyword: '$comment', values: [5, null], dialects: SINCE_07 },
  { keyword: 'examples', values: [5, {}, 'a'], dialects: SINCE_06 },
  { keyword: 'readOnly', values: ['yes', 1, null], dialects: SINCE_07 },
  { keyword: 'writeOnly', values: ['yes', 1, null], dialects: SINCE_07 },
  { keyword: 'deprecated', values: ['yes', 1, null], dialects: SINCE_2019 },
  { keyword: 'contentMediaType', values: [5, null], dialects: SINCE_07 },
  { keyword: 'contentEncoding', values: [5, null], dialects: SINCE_07 },
  { keyword: 'contentSchema', values: [5, []], dialects: SINCE_2019 },
];

const PLACES = [
  { at: '', wrap: (schema: object) => schema },
  { at: '/properties/a~1b', wrap: (schema: object) => ({ properties: { 'a/b': schema } }) },
  { at: '/definitions/never reached', wrap: (schema: object) => ({ definitions: { 'never reached': schema } }) },
  { at: '/items/anyOf/1', wrap: (schema: object) => ({ items: { anyOf: [{}, schema] } }) },
];

describe.each(DIALECTS)('%s: a keyword its metaschema forbids is SCHEMA_INVALID, with the path', (dialect) => {
  const rows = BAD_KEYWORDS.filter(({ dialects = DIALECTS }) => dialects.includes(dialect));

  test.each(rows)('$keyword: $values', ({ keyword, values }) => {
    for (const value of values) {
      for (const { at, wrap } of PLACES) {
        const schema = wrap({ [keyword]: value });
        const compilation = compileSchema(schema, { dialect: DIALECT_URI[dialect] });
        const got = compilation.ok
          ? 'compiled'
          : `${compilation.error.code} ${keywordAt(compilation.error.data.schemaPath, at)}`;
        expect({ schema, got }).toEqual({ schema, got: `SCHEMA_INVALID ${at}/${keyword}` });
      }
    }
  });

  test('no row is stricter than the metaschema, by the oracle', async () => {
    const oracle = new Oracle(dialect);
    const accepted: string[] = [];
    for (const { keyword, values } of rows) {
      for (const value of values) {
        if (await oracle.acceptsSchema({ [keyword]: value })) accepted.push(JSON.stringify({ [keyword]: value }));
      }
    }
    expect(accepted.join('\n')).toBe('');
  });

  test('an unknown keyword may hold anything', () => {
    for (const value of [5, null, [], { type: 'nonsense' }]) {
      expect(compileSchema({ 'x-note': value }, { dialect: DIALECT_URI[dialect] }).ok).toBe(true);
    }
  });
});

/** The path may lead into the keyword's value: that names the place more closely, not less. */
function keywordAt(schemaPath: unknown, at: string): string {
  const path = String(schemaPath);
  const end = path.indexOf('/', at.length + 1);
  return end < 0 ? path : path.slice(0, end);
}

test.each<{ why: string; schema: unknown; dialect?: string; code: string; at?: string }>([
  { why: 'null', schema: null, code: 'SCHEMA_INVALID', at: '' },
  { why: 'absent', schema: undefined, code: 'SCHEMA_INVALID', at: '' },
  { why: 'an array', schema: [], code: 'SCHEMA_INVALID', at: '' },
  { why: 'a number', schema: 5, code: 'SCHEMA_INVALID', at: '' },
  { why: 'text that is no JSON', schema: '{"type":', code: 'SCHEMA_INVALID', at: '' },
  { why: 'text of a JSON string', schema: '"object"', code: 'SCHEMA_INVALID', at: '' },
  { why: 'true in draft-04', schema: true, dialect: DIALECT_URI['draft-04'], code: 'SCHEMA_INVALID', at: '' },
  {
    why: 'draft-04 exclusiveMinimum without minimum',
    schema: { exclusiveMinimum: true },
    dialect: DIALECT_URI['draft-04'],
    code: 'SCHEMA_INVALID',
  },
  { why: 'draft-03', schema: { $schema: 'http://json-schema.org/draft-03/schema#' }, code: 'UNSUPPORTED_DIALECT' },
  { why: 'a private dialect', schema: { $schema: 'https://schemas.example/private/v3#' }, code: 'UNSUPPORTED_DIALECT' },
  { why: '"latest"', schema: { $schema: 'http://json-schema.org/schema#' }, code: 'UNSUPPORTED_DIALECT' },
  {
    why: 'a dialect with a fragment',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#a' },
    code: 'UNSUPPORTED_DIALECT',
  },
  { why: 'a name that every object inherits', schema: { $schema: 'constructor' }, code: 'UNSUPPORTED_DIALECT' },
  { why: 'an empty name', schema: { $schema: '' }, code: 'UNSUPPORTED_DIALECT' },
  {
    why: 'an assumed dialect nobody knows',
    schema: {},
    dialect: 'https://example.org/mine',
    code: 'UNSUPPORTED_DIALECT',
  },
  {
    why: 'a part in an unknown dialect',
    schema: { $defs: { a: { $id: 'a', $schema: 'https://example.org/mine' } } },
    code: 'UNSUPPORTED_DIALECT',
  },
  { why: 'dangling', schema: { $ref: '#/$defs/ScreenInstance' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  {
    why: 'dangling, never reached',
    schema: { $defs: { a: { items: { $ref: '#/$defs/b' } } } },
    code: 'UNRESOLVED_REF',
    at: '/$defs/a/items/$ref',
  },
  {
    why: 'through a name that every object inherits',
    schema: { $defs: {}, $ref: '#/$defs/constructor' },
    code: 'UNRESOLVED_REF',
    at: '/$ref',
  },
  { why: 'through __proto__', schema: { $ref: '#/__proto__' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  {
    why: 'into the length of a list',
    schema: { allOf: [{}], $ref: '#/allOf/length' },
    code: 'UNRESOLVED_REF',
    at: '/$ref',
  },
  { why: 'past the end of a list', schema: { allOf: [{}], $ref: '#/allOf/1' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  {
    why: 'by an index with a zero in front',
    schema: { allOf: [{}, {}], $ref: '#/allOf/01' },
    code: 'UNRESOLVED_REF',
    at: '/$ref',
  },
  { why: 'to no anchor', schema: { $ref: '#nowhere' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  {
    why: 'to an anchor of another part',
    schema: { $defs: { a: { $id: 'a', $defs: { b: { $anchor: 'here' } } } }, $ref: '#here' },
    code: 'UNRESOLVED_REF',
    at: '/$ref',
  },
  {
    why: 'remote',
    schema: { properties: { a: { $ref: 'http://127.0.0.1:9/secret.json' } } },
    code: 'UNRESOLVED_REF',
    at: '/properties/a/$ref',
  },
  { why: 'a file', schema: { $ref: 'file:///etc/passwd' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  { why: 'relative, without a base', schema: { $ref: 'other.json' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  { why: 'a broken escape', schema: { $ref: '#/$defs/%E0%A4%A' }, code: 'UNRESOLVED_REF', at: '/$ref' },
  { why: '$dynamicRef to nothing', schema: { $dynamicRef: '#nowhere' }, code: 'UNRESOLVED_REF', at: '/$dynamicRef' },
])('refused: $why', ({ schema, dialect, code, at }) => {
  const compilation = compileSchema(schema, dialect === undefined ? {} : { dialect });
  if (compilation.ok) expect.fail('it compiled');
  expect(compilation.error.code).toBe(code);
  expect(compilation.error.message).toMatch(/\w+ \w+/);
  if (at !== undefined) expect(compilation.error.data.schemaPath).toBe(at);
});

test.each([
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2020-12/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft/2019-09/schema#',
  'http://json-schema.org/draft-07/schema',
  'https://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-06/schema#',
  'https://json-schema.org/draft-06/schema',
  'http://json-schema.org/draft-04/schema',
  'https://json-schema.org/draft-04/schema#',
])('known by http or https, with or without an empty fragment: %s', ($schema) => {
  const compilation = compileSchema({ $schema, type: 'integer' });
  if (!compilation.ok) expect.fail(compilation.error.message);
  expect($schema).toContain(compilation.judge.dialect);
  expect(compilation.judge.check('"x"').valid).toBe(false);
});

test('an identifier is never a key across schemas', () => {
  const judges = ['integer', 'string'].map((type) =>
    compileSchema({ $id: 'urn:case:shared', properties: { a: { type } } }),
  );
  const verdicts = judges.map((one) =>
    one.ok ? ['{"a":1}', '{"a":"1"}'].map((text) => one.judge.check(text).valid) : one.error,
  );
  expect(verdicts).toEqual([
    [true, false],
    [false, true],
  ]);
});
