import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText, sliceOf } from '../base/index.js';
import { encodeHeaderValue } from './header-values.js';
import { checkParamHeaders, type ParamHeader, paramHeadersOf, readParamHeaders } from './param-headers.js';

const slice = (json: string) => sliceOf(encodeText(json));
const string = (name: unknown) => ({ type: 'string', 'x-mcp-header': name });

describe('reading a schema', () => {
  test('finds annotated properties at any depth, in order', () => {
    const schema = {
      type: 'object',
      properties: {
        owner: { type: 'string', 'x-mcp-header': 'owner' },
        plain: { type: 'string' },
        deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      },
    };
    expect(readParamHeaders(schema)).toEqual({
      headers: [
        { header: 'Mcp-Param-owner', path: ['owner'] },
        { header: 'Mcp-Param-N', path: ['deep', 'n'] },
        { header: 'Mcp-Param-Dry', path: ['dry'] },
      ],
      flaws: [],
    });
  });

  test.each([
    { why: 'true', schema: true },
    { why: 'no schema', schema: undefined },
    { why: 'no annotation', schema: { type: 'object', properties: { a: { type: 'string' } } } },
    {
      why: 'a property that is called like the keyword',
      schema: { properties: { 'x-mcp-header': { type: 'string' } } },
    },
    {
      why: 'data that looks like an annotation',
      schema: { default: string('A'), enum: [string('B')], const: string('C') },
    },
    { why: 'examples', schema: { properties: { a: { type: 'object', examples: [string('A')] } } } },
  ])('finds nothing: $why', ({ schema }) => expect(readParamHeaders(schema)).toEqual({ headers: [], flaws: [] }));

  test.each([
    { why: 'empty', property: string('') },
    { why: 'a number', property: string(7) },
    { why: 'null', property: string(null) },
    { why: 'with a space', property: string('My Region') },
    { why: 'with a colon', property: string('Region:Primary') },
    { why: 'past ASCII', property: string('Région') },
    { why: 'with a tab', property: string('Region\t1') },
    { why: 'with a line break', property: string('A\r\nB') },
    { why: 'with a line feed at the end', property: string('A\n') },
    { why: 'on an object', property: { type: 'object', 'x-mcp-header': 'A' } },
    { why: 'on an array', property: { type: 'array', 'x-mcp-header': 'A' } },
    { why: 'on null', property: { type: 'null', 'x-mcp-header': 'A' } },
    { why: 'on a number', property: { type: 'number', 'x-mcp-header': 'A' } },
    { why: 'on several types', property: { type: ['string', 'null'], 'x-mcp-header': 'A' } },
    { why: 'on no type', property: { 'x-mcp-header': 'A' } },
  ])('$why is a flaw of the property', ({ property }) => {
    const { headers, flaws } = readParamHeaders({ type: 'object', properties: { 'a/b': property, ok: string('Ok') } });
    expect(headers).toEqual([{ header: 'Mcp-Param-Ok', path: ['ok'] }]);
    expect(flaws).toEqual([{ schemaPath: '/properties/a~1b', message: expect.stringContaining('x-mcp-header') }]);
  });

  test.each([
    { why: 'the same', second: 'Region' },
    { why: 'in another case', second: 'rEGION' },
  ])('a name that is there twice is a flaw of the second: $why', ({ second }) => {
    const schema = { properties: { a: string('Region'), b: { type: 'object', properties: { c: string(second) } } } };
    const { headers, flaws } = readParamHeaders(schema);
    expect(headers).toEqual([{ header: 'Mcp-Param-Region', path: ['a'] }]);
    expect(flaws.map(({ schemaPath }) => schemaPath)).toEqual(['/properties/b/properties/c']);
  });

  test.each([
    ...['items', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedProperties'],
    ...['unevaluatedItems', 'not', 'if', 'then', 'else', 'contentSchema'],
  ])('an annotation under %s is a flaw, also where properties lead on from there', (keyword) => {
    const direct = readParamHeaders({ properties: { a: { type: 'array', [keyword]: string('A') } } });
    expect(direct.flaws.map(({ schemaPath }) => schemaPath)).toEqual([`/properties/a/${keyword}`]);
    const further = readParamHeaders({ [keyword]: { properties: { a: string('A') } } });
    expect(further.headers).toEqual([]);
    expect(further.flaws.map(({ schemaPath }) => schemaPath)).toEqual([`/${keyword}/properties/a`]);
  });

  test.each(['oneOf', 'anyOf', 'allOf', 'prefixItems', 'items'])('and in the array of %s', (keyword) => {
    const { flaws } = readParamHeaders({ [keyword]: [{}, { properties: { a: string('A') } }] });
    expect(flaws.map(({ schemaPath }) => schemaPath)).toEqual([`/${keyword}/1/properties/a`]);
  });

  test.each(['$defs', 'definitions', 'patternProperties', 'dependentSchemas', 'dependencies'])(
    'and in %s',
    (keyword) => {
      const { flaws } = readParamHeaders({ [keyword]: { 'x-mcp-header': string('A'), list: ['b'] } });
      expect(flaws.map(({ schemaPath }) => schemaPath)).toEqual([`/${keyword}/x-mcp-header`]);
    },
  );

  test('at the root it is a flaw', () => {
    expect(readParamHeaders({ ...string('A') }).flaws.map(({ schemaPath }) => schemaPath)).toEqual(['']);
  });

  test('a schema of any depth is read without recursion', () => {
    let schema: unknown = string('A');
    for (let i = 0; i < 50_000; i++) schema = { not: schema };
    expect(readParamHeaders(schema).flaws).toHaveLength(1);
  });
});

describe('the headers of a call', () => {
  const b22 = readParamHeaders({
    type: 'object',
    properties: {
      owner: { type: 'string', 'x-mcp-header': 'owner' },
      n: { type: 'integer', 'x-mcp-header': 'N' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      greet: { type: 'string', 'x-mcp-header': 'Greet' },
    },
  }).headers;

  test('case b22', () => {
    const args = slice('{"owner":"octo","n":42,"dry":false,"greet":"Hello, 世界"}');
    expect(paramHeadersOf(b22, args)).toEqual([
      ['Mcp-Param-owner', 'octo'],
      ['Mcp-Param-N', '42'],
      ['Mcp-Param-Dry', 'false'],
      ['Mcp-Param-Greet', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ]);
  });

  test('case b22: null or absent, header omitted', () => {
    expect(paramHeadersOf(b22, slice('{"owner":null,"n":1}'))).toEqual([['Mcp-Param-N', '1']]);
    expect(paramHeadersOf(b22, undefined)).toEqual([]);
    expect(paramHeadersOf([], slice('{"owner":"x"}'))).toEqual([]);
  });

  const n: readonly ParamHeader[] = [{ header: 'Mcp-Param-N', path: ['n'] }];
  test.each([
    { text: '42.0', value: '42' },
    { text: '4.2e1', value: '42' },
    { text: '-7', value: '-7' },
    { text: '-0', value: '0' },
    { text: '9007199254740991', value: '9007199254740991' },
    { text: '-9007199254740991', value: '-9007199254740991' },
  ])('an integer is written in decimal: $text', ({ text, value }) => {
    expect(paramHeadersOf(n, slice(`{"n":${text}}`))).toEqual([['Mcp-Param-N', value]]);
  });

  test.each(['9007199254740992', '12345678901234567890', '4.5', '9007199254740990.5', '1e400', '{}', '[1]'])(
    'what no header can say has none: %s',
    (text) => expect(paramHeadersOf(n, slice(`{"n":${text}}`))).toEqual([]),
  );

  test.each([
    { path: ['a', 'b'], json: '{"a":{"b":"x"},"b":"no"}' },
    { path: ['a', 'b', 'c'], json: '{"c":"no","a":{"c":"no","b":{"c":"x"}}}' },
    { path: ['a', 'b', 'c', 'd', 'e'], json: '{"a":{"b":{"c":{"d":{"e":"x","d":{"e":"no"}}}}}}' },
    { path: ['größe'], json: '{"gr\\u00f6\\u00dfe":"x"}' },
    { path: ['a', '名'], json: '{"a":{"名":"no","z":{"名":"no"},"名":"x"},"名":"no"}' },
    { path: ['a"b'], json: '{"a\\"b":"x"}' },
    { path: [''], json: '{"":"x"}' },
  ])('a value is read at its very path: $path', ({ path, json }) => {
    expect(paramHeadersOf([{ header: 'H', path }], slice(json))).toEqual([['H', 'x']]);
  });

  test.each(['{"a":{}}', '{"a":"b"}', '{"a":["b"]}', '{"a":null}', '{}', '{"b":"x"}', '{"a":{"c":{"b":"x"}}}'])(
    'where the path ends early there is none: %s',
    (json) => {
      expect(paramHeadersOf([{ header: 'H', path: ['a', 'b'] }], slice(json))).toEqual([]);
      expect(paramHeadersOf([{ header: 'H', path: ['a', 'b', 'c'] }], slice(json))).toEqual([]);
    },
  );
});

describe('at the door', () => {
  const of = (...pairs: readonly (readonly [string, string])[]) => {
    const map = new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    return (name: string) => map.get(name);
  };
  const region: readonly ParamHeader[] = [{ header: 'Mcp-Param-Region', path: ['region'] }];
  const n: readonly ParamHeader[] = [{ header: 'Mcp-Param-N', path: ['n'] }];

  test.each([
    { why: 'the same', json: '{"region":"eu"}', value: 'eu' },
    { why: 'encoded though it need not be', json: '{"region":"eu"}', value: '=?base64?ZXU=?=' },
    { why: 'encoded', json: '{"region":" eu"}', value: '=?base64?IGV1?=' },
    { why: 'an escape in the body', json: '{"region":"\\u0065u"}', value: 'eu' },
    { why: 'empty', json: '{"region":""}', value: '' },
    { why: 'a boolean', json: '{"region":true}', value: 'true' },
  ])('accepts $why', ({ json, value }) => {
    expect(checkParamHeaders(region, slice(json), of(['mcp-param-region', value]))).toBeUndefined();
  });

  test.each([
    { why: 'another value', json: '{"region":"eu"}', value: 'us' },
    { why: 'another case', json: '{"region":"eu"}', value: 'EU' },
    { why: 'the same header twice', json: '{"region":"eu"}', value: 'eu, eu' },
    { why: 'the same header twice, encoded', json: '{"region":"eu"}', value: '=?base64?ZXU=?=, =?base64?ZXU=?=' },
    { why: 'bad Base64', json: '{"region":"eu"}', value: '=?base64?ZXU?=' },
    { why: 'invalid characters', json: '{"region":"caf\\u00e9"}', value: 'café' },
    { why: 'a value that the body has not', json: '{}', value: 'eu' },
    { why: 'a value where the body has null', json: '{"region":null}', value: 'null' },
    { why: 'a boolean in another case', json: '{"region":true}', value: 'TRUE' },
    { why: 'what no header can say', json: '{"region":{}}', value: '{}' },
  ])('refuses $why', ({ json, value }) => {
    const flaw = checkParamHeaders(region, slice(json), of(['mcp-param-region', value]));
    expect(flaw).toMatch(/^Mcp-Param-Region /);
    expect(flaw).not.toContain('eu');
  });

  test('refuses a value without its header, and says which header', () => {
    expect(checkParamHeaders(region, slice('{"region":"eu"}'), of())).toBe(
      'Mcp-Param-Region is missing, but its value is in the arguments',
    );
    expect(checkParamHeaders(n, slice('{"n":12345678901234567890}'), of())).toMatch(/missing/);
  });

  test.each(['{}', '{"region":null}', '{"region":{"a":1}}'])('expects no header for %s', (json) => {
    expect(checkParamHeaders(region, slice(json), of(['mcp-param-other', 'x']))).toBeUndefined();
  });

  test('without arguments it expects none, and refuses one', () => {
    expect(checkParamHeaders(region, undefined, of())).toBeUndefined();
    expect(checkParamHeaders(region, undefined, of(['Mcp-Param-Region', 'x']))).toMatch(/not in the arguments/);
  });

  test.each([
    { body: '42', value: '42.0', same: true },
    { body: '42.0', value: '42', same: true },
    { body: '42', value: '4.2e1', same: true },
    { body: '42', value: '=?base64?NDI=?=', same: true },
    { body: '-0', value: '0', same: true },
    { body: '12345678901234567890', value: '12345678901234567890', same: true },
    { body: '12345678901234567890', value: '12345678901234567891', same: false },
    { body: '42', value: '43', same: false },
    { body: '42', value: '42.00000000000000000000001', same: false },
    { body: '42', value: '0x2a', same: false },
    { body: '42', value: '', same: false },
    { body: '0', value: '', same: false },
    { body: '42', value: '42, 42', same: false },
    { body: '1e400', value: '1e401', same: false },
    { body: '4.5', value: '4.5', same: true },
  ])('compares integers as numbers: $body and $value', ({ body, value, same }) => {
    const flaw = checkParamHeaders(n, slice(`{"n":${body}}`), of(['mcp-param-n', value]));
    expect(flaw === undefined).toBe(same);
  });

  test('what paramHeadersOf makes is accepted, and any other text in its place refused', () => {
    const value = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.boolean());
    const path = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b')), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(path, value, fc.string(), (names, held, other) => {
        const args = names.reduceRight<unknown>((inner, name) => ({ x: 1, ...{ [name]: inner } }), held);
        const headers = [{ header: 'Mcp-Param-P', path: names }];
        const json = slice(JSON.stringify(args));
        const [pair] = paramHeadersOf(headers, json);
        expect(checkParamHeaders(headers, json, () => pair![1])).toBeUndefined();
        if (other !== String(held) && Number(other) !== held) {
          expect(checkParamHeaders(headers, json, () => encodeHeaderValue(other))).toBeDefined();
        }
      }),
    );
  });
});
