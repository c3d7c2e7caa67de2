import { describe, expect, test } from 'vitest';
import { type CompileOptions, compileSchema, type Judge } from './index.js';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';

function judgeOf(schema: unknown, options?: CompileOptions): Judge {
  const compilation = compileSchema(schema, options);
  if (!compilation.ok) throw compilation.error;
  return compilation.judge;
}

describe('references', () => {
  test.each([
    {
      why: 'dangling',
      schema: { properties: { a: { $ref: '#/$defs/b' } } },
      at: '/properties/a/$ref',
      ref: '#/$defs/b',
    },
    { why: 'never reached', schema: { $defs: { a: { $ref: '#/b' } } }, at: '/$defs/a/$ref', ref: '#/b' },
    {
      why: 'remote',
      schema: { $ref: 'http://127.0.0.1:9/secret.json' },
      at: '/$ref',
      ref: 'http://127.0.0.1:9/secret.json',
    },
    { why: 'a file', schema: { $ref: 'file:///etc/passwd' }, at: '/$ref', ref: 'file:///etc/passwd' },
    { why: 'relative, to nothing', schema: { $id: 'http://a.test/x/', $ref: 'b.json' }, at: '/$ref', ref: 'b.json' },
    { why: 'an unknown anchor', schema: { $ref: '#here' }, at: '/$ref', ref: '#here' },
    { why: 'a fragment that cannot be read', schema: { $ref: '#/%zz' }, at: '/$ref', ref: '#/%zz' },
    { why: 'no URI at all', schema: { $ref: 'http://[' }, at: '/$ref', ref: 'http://[' },
    { why: 'what is no schema', schema: { required: ['a'], $ref: '#/required' }, at: '/$ref', ref: '#/required' },
    { why: 'an inherited name', schema: { $ref: '#/constructor' }, at: '/$ref', ref: '#/constructor' },
    { why: 'dynamic, to nothing', schema: { $dynamicRef: '#a' }, at: '/$dynamicRef', ref: '#a' },
    {
      why: 'an anchor of another dialect',
      schema: { $schema: DRAFT_07, definitions: { a: { $anchor: 'a' } }, allOf: [{ $ref: '#a' }] },
      at: '/allOf/0/$ref',
      ref: '#a',
    },
  ])('$why leads nowhere', ({ schema, at, ref }) => {
    expect(compileSchema(schema)).toMatchObject({
      ok: false,
      error: { code: 'UNRESOLVED_REF', data: { schemaPath: at, ref } },
    });
  });

  const string = { type: 'string' };
  test.each([
    { why: 'a pointer into properties', schema: { properties: { a: string, b: { $ref: '#/properties/a' } } } },
    {
      why: 'a pointer to an unknown keyword',
      schema: { 'x-a': { b: string }, properties: { b: { $ref: '#/x-a/b' } } },
    },
    {
      why: 'a pointer into a list',
      schema: { allOf: [{ properties: { x: string } }], properties: { b: { $ref: '#/allOf/0/properties/x' } } },
    },
    {
      why: 'an escaped pointer',
      schema: { $defs: { 'a/b~c%': string }, properties: { b: { $ref: '#/$defs/a~1b~0c%25' } } },
    },
    {
      why: 'an anchor',
      schema: { $defs: { x: { ...string, $anchor: 'here' } }, properties: { b: { $ref: '#here' } } },
    },
    {
      why: 'an old anchor',
      schema: {
        $schema: DRAFT_07,
        definitions: { x: { ...string, $id: '#here' } },
        properties: { b: { $ref: '#here' } },
      },
    },
    {
      why: 'an old anchor with a URI',
      schema: {
        $schema: DRAFT_07,
        definitions: { x: { ...string, $id: 'http://a.test/x#here' } },
        properties: { b: { $ref: 'http://a.test/x#here' } },
      },
    },
    {
      why: 'a draft-04 identity',
      schema: {
        $schema: DRAFT_04,
        definitions: { x: { ...string, id: 'http://a.test/x' } },
        properties: { b: { $ref: 'http://a.test/x' } },
      },
    },
    {
      why: 'an embedded identity, relative to the root',
      schema: {
        $id: 'http://a.test/dir/root',
        $defs: { x: { ...string, $id: 'other' } },
        properties: { b: { $ref: 'http://a.test/dir/other' } },
      },
    },
    {
      why: 'an identity that is no URL',
      schema: { $id: 'urn:x:root', $defs: { x: string }, properties: { b: { $ref: 'urn:x:root#/$defs/x' } } },
    },
    {
      why: 'a reference to a reference',
      schema: { $defs: { x: { $ref: '#/$defs/y' }, y: string }, properties: { b: { $ref: '#/$defs/x' } } },
    },
    {
      why: 'definitions and $defs alike',
      schema: {
        definitions: { x: string },
        $defs: { y: { $ref: '#/definitions/x' } },
        properties: { b: { $ref: '#/$defs/y' } },
      },
    },
    {
      why: 'definitions beside an old reference',
      schema: {
        $schema: DRAFT_07,
        $ref: '#/definitions/root',
        definitions: { root: { properties: { b: { $ref: '#/definitions/x' } } }, x: string },
      },
    },
    {
      why: 'a boolean',
      schema: { $defs: { x: false }, properties: { b: { if: string, else: { $ref: '#/$defs/x' } } } },
    },
  ])('$why leads to a schema', ({ schema }) => {
    const judge = judgeOf(schema);
    expect(judge.checkValue({ b: 'text' })).toEqual({ valid: true });
    expect(judge.checkValue({ b: 5 })).toMatchObject({ valid: false, issues: [{ path: '$.b' }] });
  });

  test('beside an old reference nothing counts, beside a new one all does', () => {
    const schema = {
      definitions: { s: { type: 'string' } },
      properties: { b: { $ref: '#/definitions/s', minLength: 3 } },
    };
    expect(judgeOf({ $schema: DRAFT_07, ...schema }).checkValue({ b: 'x' }).valid).toBe(true);
    expect(judgeOf({ $schema: DRAFT_2019, ...schema }).checkValue({ b: 'x' }).valid).toBe(false);
    expect(judgeOf(schema).checkValue({ b: 'x' }).valid).toBe(false);
  });

  test('documents are where references lead, by their URI and by the one they give themselves', () => {
    const documents = {
      'http://a.test/found': { $id: 'http://a.test/named', $defs: { n: { type: 'integer' } } },
      'http://a.test/text': '{"maximum":9007199254740993}',
    };
    for (const $ref of ['http://a.test/found#/$defs/n', 'http://a.test/named#/$defs/n']) {
      expect(judgeOf({ $ref }, { documents }).checkValue('x').valid).toBe(false);
    }
    expect(compileSchema({ $ref: 'http://a.test/text' }, { documents }).ok).toBe(false);
    expect(compileSchema({ $ref: 'http://a.test/found' }).ok).toBe(false);
  });

  test('documents are copied: what is done to one later does not matter', () => {
    const shared = { type: 'integer' };
    const documents = { 'http://a.test/n': shared };
    const judge = judgeOf({ $ref: 'http://a.test/n' }, { documents });
    shared.type = 'string';
    expect(judge.checkValue('x').valid).toBe(false);
  });

  test('what a document refers to must be there, too', () => {
    const documents = { 'http://a.test/a': { properties: { x: { $ref: 'gone' } } } };
    expect(compileSchema({ $ref: 'http://a.test/a' }, { documents })).toMatchObject({
      error: { code: 'UNRESOLVED_REF' },
    });
  });

  test('a document is read in its own dialect, or else in that of whoever refers to it', () => {
    const tuple = { items: [{ type: 'string' }] };
    const documents = { 'http://a.test/own': { $schema: DRAFT_07, ...tuple }, 'http://a.test/silent': tuple };
    expect(judgeOf({ $ref: 'http://a.test/own' }, { documents }).checkValue([1]).valid).toBe(false);
    expect(compileSchema({ $ref: 'http://a.test/silent' }, { documents })).toMatchObject({
      error: { code: 'SCHEMA_INVALID' },
    });
    const old = judgeOf({ $schema: DRAFT_07, allOf: [{ $ref: 'http://a.test/silent' }] }, { documents });
    expect(old.checkValue([1]).valid).toBe(false);
  });

  test.each([
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/draft-06/schema',
    'http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeInteger',
    'https://json-schema.org/draft/2020-12/schema',
  ])('the official metaschemas are at hand: %s', ($ref) => {
    expect(judgeOf({ $ref }).checkValue(-1).valid).toBe(false);
  });

  test.each([
    'https://json-schema.org/draft/2020-12/meta/nothing',
    'http://json-schema.org/draft-05/schema',
    'http://json-schema.org/draft-07/schemas',
  ])('but nothing besides: %s', ($ref) => {
    expect(compileSchema({ $ref })).toMatchObject({ error: { code: 'UNRESOLVED_REF' } });
  });

  test('an identity is no key across schemas', () => {
    const one = judgeOf({ $id: 'urn:case:shared', type: 'integer' });
    const other = judgeOf({ $id: 'urn:case:shared', type: 'string' });
    expect([one.checkValue(1).valid, one.checkValue('1').valid]).toEqual([true, false]);
    expect([other.checkValue(1).valid, other.checkValue('1').valid]).toEqual([false, true]);
  });
});

describe('dialects', () => {
  test.each([
    { schema: {}, dialect: '2020-12' },
    { schema: { $schema: DRAFT_04 }, dialect: 'draft-04' },
    { schema: {}, options: { dialect: DRAFT_07 }, dialect: 'draft-07' },
    { schema: { $schema: DRAFT_2019 }, options: { dialect: DRAFT_07 }, dialect: '2019-09' },
    { schema: true, options: { dialect: DRAFT_07 }, dialect: 'draft-07' },
  ])('$schema with $options is read as $dialect', ({ schema, options, dialect }) => {
    expect(judgeOf(schema, options).dialect).toBe(dialect);
  });

  test.each([
    { why: 'private', schema: { $schema: 'https://schemas.example/private/v3#' }, at: '/$schema' },
    { why: 'assumed', schema: {}, options: { dialect: 'x' }, at: '/$schema' },
    { why: 'of a part', schema: { $defs: { a: { $id: 'http://a.test/', $schema: 'x' } } }, at: '/$defs/a/$schema' },
    { why: 'no string', schema: { $schema: 7 }, at: '/$schema' },
  ])('unknown: $why', ({ schema, options, at }) => {
    expect(compileSchema(schema, options)).toMatchObject({
      ok: false,
      error: { code: 'UNSUPPORTED_DIALECT', data: { schemaPath: at } },
    });
  });

  test('a part with an identity may have a dialect of its own', () => {
    const part = { $schema: DRAFT_07, items: [{ type: 'string' }] };
    expect(judgeOf({ $ref: '#/$defs/a', $defs: { a: { $id: 'http://a.test/', ...part } } }).checkValue([1]).valid).toBe(
      false,
    );
    expect(compileSchema({ $defs: { a: part } })).toMatchObject({ ok: false, error: { code: 'SCHEMA_INVALID' } });
  });

  const base = 'https://json-schema.org/draft/2020-12';
  const withoutNumbers = {
    $schema: `${base}/schema`,
    $vocabulary: { [`${base}/vocab/core`]: true, [`${base}/vocab/applicator`]: true, 'http://a.test/unknown': false },
    properties: { title: { type: 'string' }, properties: { type: 'object' } },
  };

  test('a metaschema among the documents says which keywords count', () => {
    const documents = { 'http://a.test/meta': withoutNumbers };
    const judge = judgeOf({ $schema: 'http://a.test/meta', properties: { a: false }, minimum: 10 }, { documents });
    expect(judge.checkValue(1).valid).toBe(true);
    expect(judge.checkValue({ a: 1 }).valid).toBe(false);
  });

  test('a schema must fit the metaschema it names', () => {
    const documents = { 'http://a.test/meta': withoutNumbers };
    expect(compileSchema({ $schema: 'http://a.test/meta', title: 5 }, { documents })).toMatchObject({
      error: { code: 'SCHEMA_INVALID', data: { schemaPath: '/title' }, message: expect.stringContaining('metaschema') },
    });
  });

  test('a vocabulary that must be understood and is not', () => {
    const documents = { 'http://a.test/meta': { ...withoutNumbers, $vocabulary: { 'http://a.test/unknown': true } } };
    expect(compileSchema({ $schema: 'http://a.test/meta' }, { documents })).toMatchObject({
      error: { code: 'UNSUPPORTED_DIALECT', message: expect.stringContaining('http://a.test/unknown') },
    });
  });

  test('a metaschema that names no vocabularies adds nothing to its dialect', () => {
    const documents = { 'http://a.test/meta': { $schema: DRAFT_07, required: ['title'] } };
    const schema = { $schema: 'http://a.test/meta', title: 'x', items: [{ type: 'string' }] };
    expect(judgeOf(schema, { documents })).toMatchObject({ dialect: 'draft-07' });
    expect(judgeOf(schema, { documents }).checkValue([1]).valid).toBe(false);
    expect(compileSchema({ ...schema, title: undefined }, { documents }).ok).toBe(false);
  });
});
