import { describe, expect, test } from 'vitest';
import { lossesOf, memberOf, type Schema, strictOf } from '../../../test/fixtures/strict-schema.js';

describe('alternatives that may overlap, as far as anybody looks', () => {
  const kind = (k: unknown, required: readonly string[] = ['k']): Schema => ({
    type: 'object',
    properties: { k },
    required,
    additionalProperties: false,
  });
  const deep = (levels: number, value: number): Schema =>
    levels === 0 ? { const: value } : kind(deep(levels - 1, value));

  test.each([
    { why: 'told apart by a member of members', oneOf: [deep(4, 1), deep(4, 2)], isWider: false },
    { why: 'told apart too deep', oneOf: [deep(6, 1), deep(6, 2)], isWider: true },
    { why: 'told apart by their type', oneOf: [{ type: 'string' }, { type: ['integer', 'null'] }], isWider: false },
    { why: 'one of them is nothing', oneOf: [{ type: 'string' }, false], isWider: false },
    { why: 'the member need not be there', oneOf: [kind({ const: 1 }, []), kind({ const: 2 }, [])], isWider: true },
    {
      why: 'the member is not described',
      oneOf: [kind({ const: 1 }), { ...kind({ const: 2 }), properties: {} }],
      isWider: true,
    },
    { why: 'they share a value', oneOf: [{ enum: [1, 2] }, { enum: [2, 3] }], isWider: true },
    { why: 'one leads in a circle', oneOf: [{ type: 'string' }, { $ref: '#/$defs/L' }], isWider: true },
    { why: 'more than are looked at', oneOf: Array.from({ length: 65 }, (_, at) => ({ const: at })), isWider: true },
    { why: 'as many as are looked at', oneOf: Array.from({ length: 64 }, (_, at) => ({ const: at })), isWider: false },
  ])('$why: wider $isWider', ({ oneOf, isWider }) => {
    const $defs = { L: { $ref: '#/$defs/M' }, M: { $ref: '#/$defs/L' } };
    const losses = lossesOf('gemini', { properties: { a: { oneOf } }, $defs });
    const told =
      Array.isArray(losses) && losses.some(({ keyword, effect }) => keyword === 'oneOf' && effect === 'wider');
    expect(losses === 'unsupported' || told).toBe(isWider);
  });
});

test('a fault is no loss', () => {
  const faulty = {
    get type(): string {
      throw new Error('a fault');
    },
  };
  for (const a of [faulty, { anyOf: [faulty] }, { $ref: '#/$defs/F' }]) {
    expect(() => strictOf('openai', { properties: { a }, $defs: { F: faulty } })).toThrow('a fault');
  }
});

test('a schema that would have to be written anew again and again is given up', () => {
  const chain = (length: number) => {
    const $defs: Record<string, Schema> = {};
    const properties: Record<string, Schema> = {};
    for (let at = 0; at < length; at++) {
      const before = at === 0 ? { type: 'object' } : { $ref: `#/$defs/N${at - 1}` };
      const next = at + 1 < length ? { next: { $ref: `#/$defs/N${at + 1}` } } : {};
      $defs[`N${at}`] = { type: 'object', properties: { ...next, before }, required: ['before'] };
      properties[`p${at}`] = { $ref: `#/$defs/N${at}` };
    }
    return strictOf('openai', { properties, $defs });
  };
  expect(chain(15)).toMatchObject({ schema: { properties: {} } });
  expect(chain(30)).toEqual({ path: '', why: 'too many of its definitions cannot be said' });
});

describe('Anthropic', () => {
  test('what may be left out may still be; nothing means null', () => {
    const properties = { a: { type: 'string' }, b: { type: 'integer' } };
    expect(strictOf('anthropic', { properties, required: ['a'] })).toEqual({
      schema: { type: 'object', properties, required: ['a'], additionalProperties: false },
      fidelity: { kind: 'lossless' },
      nullMeansAbsent: [],
    });
    expect(strictOf('anthropic', { properties })).toMatchObject({ fidelity: { kind: 'lossless' } });
  });

  test.each([
    { why: 'literals stand alone', schema: { type: 'string', enum: ['x'] }, strict: { enum: ['x'] } },
    { why: 'a constant too', schema: { const: null }, strict: { const: null } },
    {
      why: 'several types are several branches',
      schema: { type: ['string', 'null'], format: 'uri' },
      strict: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
    },
    { why: 'arrays may be of anything', schema: { type: 'array', items: {} }, strict: { type: 'array' } },
    { why: 'arrays may be of true', schema: { type: 'array', items: true }, strict: { type: 'array' } },
    {
      why: 'at least one item can be asked for',
      schema: { type: 'array', items: { type: 'null' }, minItems: 1 },
      strict: { type: 'array', items: { type: 'null' }, minItems: 1 },
    },
  ])('$why', ({ schema, strict }) => {
    expect(memberOf('anthropic', schema)).toEqual(strict);
    expect(lossesOf('anthropic', { properties: { a: schema }, required: ['a'] })).toBe('lossless');
  });

  test.each([
    ['minItems', { type: 'array', items: { type: 'null' }, minItems: 2 }],
    ['maximum', { type: 'integer', maximum: 2 }],
    ['exclusiveMinimum', { type: 'integer', exclusiveMinimum: 2 }],
    ['pattern', { type: 'string', pattern: 'x' }],
  ])('%s is said in the description alone', (keyword, schema) => {
    expect(lossesOf('anthropic', { properties: { a: schema }, required: ['a'] })).toMatchObject([
      { keyword, effect: 'wider' },
    ]);
  });
});

describe('Gemini', () => {
  test.each([
    {
      why: 'objects may be open, and maps',
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      strict: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    },
    { why: 'open by default', schema: { type: 'object' }, strict: { type: 'object', properties: {} } },
    {
      why: 'closed by either keyword',
      schema: { type: 'object', properties: {}, unevaluatedProperties: false },
      strict: { type: 'object', properties: {}, additionalProperties: false },
    },
    {
      why: 'a member that is needed and not described is there',
      schema: { type: 'object', required: ['x'] },
      strict: { type: 'object', properties: { x: {} }, required: ['x'] },
    },
    {
      why: 'and is what other members are',
      schema: { type: 'object', required: ['x'], additionalProperties: { type: 'null' } },
      strict: {
        type: 'object',
        properties: { x: { type: 'null' } },
        required: ['x'],
        additionalProperties: { type: 'null' },
      },
    },
    { why: 'anything may be anything', schema: { description: 'd' }, strict: { description: 'd' } },
    { why: 'true too', schema: true, strict: {} },
    { why: 'constants are enums of one', schema: { const: 'x' }, strict: { type: 'string', enum: ['x'] } },
    {
      why: 'null is a type, not a literal',
      schema: { enum: ['x', null] },
      strict: { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] },
    },
    { why: 'both booleans are the type', schema: { enum: [true, false] }, strict: { type: 'boolean' } },
    {
      why: 'between whole numbers, bounds that are left out are the next ones',
      schema: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      strict: { type: 'integer', minimum: 1, maximum: 9 },
    },
    {
      why: 'the nearer bound counts',
      schema: { type: 'integer', exclusiveMinimum: 0, minimum: 5, exclusiveMaximum: 10, maximum: 20 },
      strict: { type: 'integer', minimum: 5, maximum: 9 },
    },
    {
      why: 'tuples stay',
      schema: { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' } },
      strict: { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' } },
    },
    {
      why: 'nothing behind a tuple is a bound',
      schema: { type: 'array', prefixItems: [{ type: 'null' }], items: false, maxItems: 5 },
      strict: { type: 'array', prefixItems: [{ type: 'null' }], maxItems: 1 },
    },
    {
      why: 'open tuples are open',
      schema: { type: 'array', prefixItems: [{ type: 'null' }], maxItems: 3 },
      strict: { type: 'array', prefixItems: [{ type: 'null' }], maxItems: 3 },
    },
    {
      why: 'tuples of older drafts are written as new ones',
      schema: { type: 'array', items: [{ type: 'null' }], additionalItems: { type: 'string' } },
      strict: { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' } },
    },
  ])('$why', ({ schema, strict }) => {
    expect(memberOf('gemini', schema)).toEqual(strict);
    expect(lossesOf('gemini', { properties: { a: schema }, required: ['a'] })).toBe('lossless');
  });

  test.each([
    ['const', { const: true }, { type: 'boolean', description: 'JSON Schema: {"const":true}' }],
    [
      'enum',
      { enum: [false, null] },
      { anyOf: [{ type: 'boolean' }, { type: 'null' }], description: expect.anything() },
    ],
    ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 0 }, { type: 'number', description: expect.anything() }],
    ['minLength', { type: 'string', minLength: 1 }, { type: 'string', description: expect.anything() }],
    [
      'patternProperties',
      { type: 'object', patternProperties: { x: {} }, additionalProperties: false },
      { type: 'object', properties: {}, description: expect.anything() },
    ],
    ['not', { not: {} }, { description: 'JSON Schema: {"not":{}}' }],
  ])('%s can only be told', (keyword, schema, strict) => {
    expect(memberOf('gemini', schema)).toEqual(strict);
    const losses = lossesOf('gemini', { properties: { a: schema }, required: ['a'] });
    expect(losses).toContainEqual(expect.objectContaining({ effect: 'wider', keyword }));
  });

  test('a member that is needed and may not be there: nothing is good', () => {
    const a = { type: 'object', required: ['x'], additionalProperties: false };
    expect(memberOf('gemini', a)).toMatchObject({ why: 'the member "x" is needed and may not be there' });
  });
});
