import { describe, expect, test } from 'vitest';
import { lossesOf, memberOf, strictOf } from '../../../test/fixtures/strict-schema.js';
import { strictParameters } from './strict.js';

describe('OpenAI', () => {
  test('every member is required, one that may be left out may be null, and that is recorded', () => {
    const whole = strictOf('openai', {
      properties: {
        city: { type: 'string', description: 'Where.' },
        days: { type: 'integer', minimum: 1, title: 'Days', description: 'How many.', default: 3 },
        unit: { enum: ['c', 'f'] },
        near: { type: 'object', properties: { 'a/b~c': { type: 'boolean' } }, additionalProperties: false },
        any: { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'Either.' },
      },
      required: ['city'],
    });
    expect(whole).toEqual({
      schema: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where.' },
          days: {
            type: ['integer', 'null'],
            minimum: 1,
            title: 'Days',
            description: 'How many.\n\nJSON Schema: {"default":3}',
          },
          unit: { anyOf: [{ type: 'string', enum: ['c', 'f'] }, { type: 'null' }] },
          near: {
            anyOf: [
              {
                type: 'object',
                properties: { 'a/b~c': { type: ['boolean', 'null'] } },
                required: ['a/b~c'],
                additionalProperties: false,
              },
              { type: 'null' },
            ],
          },
          any: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }], description: 'Either.' },
        },
        required: ['city', 'days', 'unit', 'near', 'any'],
        additionalProperties: false,
      },
      fidelity: { kind: 'lossless' },
      nullMeansAbsent: [
        '/properties/days',
        '/properties/unit',
        '/properties/near',
        '/properties/near/anyOf/0/properties/a~1b~0c',
        '/properties/any',
      ],
    });
  });

  test.each([
    { why: 'a list of types', schema: { type: ['string', 'null'] } },
    { why: 'a literal', schema: { enum: ['a', null] } },
    { why: 'a constant', schema: { const: null } },
    { why: 'a branch', schema: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    { why: 'a reference', schema: { $ref: '#/$defs/N' } },
  ])('a member that null is a value of cannot be left out: $why', ({ schema }) => {
    const whole = strictOf('openai', { properties: { a: schema }, $defs: { N: { type: 'null' } } });
    expect(whole).toMatchObject({
      nullMeansAbsent: [],
      fidelity: {
        losses: [
          {
            path: '/properties/a',
            keyword: 'required',
            effect: 'narrower',
            why: 'cannot be left out: null is a value of it',
          },
        ],
      },
    });
  });

  test('where only judging could tell whether null is a value, the member cannot be left out either', () => {
    const a = { type: ['string', 'null'], not: { const: 'x' } };
    expect(lossesOf('openai', { properties: { a } })).toContainEqual({
      path: '/properties/a',
      keyword: 'required',
      effect: 'narrower',
      why: 'cannot be left out: null may be a value of it',
    });
  });

  test.each([
    { why: 'numbers and lengths stay', schema: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' } },
    { why: 'known formats stay', schema: { type: 'string', format: 'date-time' } },
    { why: 'a list of scalar types stays', schema: { type: ['string', 'null'], minLength: 1 } },
    { why: 'constants stay', schema: { type: 'string', const: 'x' } },
    { why: 'counts of items stay', schema: { type: 'array', items: { type: 'null' }, minItems: 1, maxItems: 2 } },
  ])('$why', ({ schema }) => {
    expect(memberOf('openai', schema)).toEqual(schema);
    expect(lossesOf('openai', { properties: { a: schema }, required: ['a'] })).toBe('lossless');
  });

  test.each([
    {
      why: 'literals get the type they have',
      schema: { enum: [1, 2.5, 'x', true, null] },
      strict: { type: ['number', 'string', 'boolean', 'null'], enum: [1, 2.5, 'x', true, null] },
    },
    { why: 'whole numbers are integers', schema: { const: 3 }, strict: { type: 'integer', const: 3 } },
    {
      why: 'literals that are of no named type go',
      schema: { type: 'string', enum: ['x', 1, null] },
      strict: { type: 'string', enum: ['x'] },
    },
    {
      why: 'every integer is a number',
      schema: { type: ['integer', 'number', 'null'] },
      strict: { type: ['number', 'null'] },
    },
    { why: 'what speaks of other types goes', schema: { type: 'integer', minLength: 3 }, strict: { type: 'integer' } },
    {
      why: 'an unknown format is told',
      schema: { type: 'string', format: 'color' },
      strict: { type: 'string', description: 'JSON Schema: {"format":"color"}' },
    },
    {
      why: "notes of somebody's own go",
      schema: { type: 'null', 'x-mine': 1, $comment: 'c' },
      strict: { type: 'null' },
    },
    {
      why: 'one branch of allOf is what it says',
      schema: { allOf: [{ type: 'string', description: 'Inner.' }], description: 'Outer.' },
      strict: { type: 'string', description: 'Outer.' },
    },
    { why: 'allOf of anything says nothing', schema: { type: 'null', allOf: [true] }, strict: { type: 'null' } },
    {
      why: 'a union of unions is one',
      schema: { anyOf: [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, { type: 'integer' }] },
      strict: { anyOf: [{ type: 'null' }, { type: 'string' }, { type: 'integer' }] },
    },
    {
      why: 'branches hold to the type beside them',
      schema: {
        type: ['string', 'integer'],
        anyOf: [{ minLength: 1, maximum: 3 }, { type: ['string', 'null'] }, { type: 'null' }, true],
      },
      strict: {
        anyOf: [
          { type: ['string', 'integer'], minLength: 1, maximum: 3 },
          { type: 'string' },
          { type: ['string', 'integer'] },
        ],
      },
    },
    {
      why: 'branches that shut each other out are alternatives',
      schema: {
        oneOf: [
          { type: 'object', properties: { k: { const: 'a' } }, required: ['k'], additionalProperties: false },
          { type: 'object', properties: { k: { enum: ['b'] } }, required: ['k'], additionalProperties: false },
          { type: 'null' },
        ],
      },
      strict: {
        anyOf: [
          {
            type: 'object',
            properties: { k: { type: 'string', const: 'a' } },
            required: ['k'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { k: { type: 'string', enum: ['b'] } },
            required: ['k'],
            additionalProperties: false,
          },
          { type: 'null' },
        ],
      },
    },
    {
      why: 'branches of several types keep those that are good',
      schema: { type: ['string', 'integer'], anyOf: [{ type: ['null', 'string', 'integer'] }] },
      strict: { anyOf: [{ type: ['string', 'integer'] }] },
    },
    {
      why: 'what speaks of other types goes from arrays too',
      schema: { type: 'array', items: { type: 'null' }, minLength: 1 },
      strict: { type: 'array', items: { type: 'null' } },
    },
    {
      why: 'objects or arrays are written apart',
      schema: {
        type: ['array', 'object', 'null'],
        items: { type: 'null' },
        properties: { x: { type: 'null' } },
        required: ['x'],
        additionalProperties: false,
        description: 'Either.',
      },
      strict: {
        anyOf: [
          { type: 'array', items: { type: 'null' } },
          { type: 'object', properties: { x: { type: 'null' } }, required: ['x'], additionalProperties: false },
          { type: 'null' },
        ],
        description: 'Either.',
      },
    },
    {
      why: 'a member that can be nothing is left out',
      schema: {
        type: 'object',
        properties: { x: false, y: { type: 'null' } },
        required: ['y'],
        additionalProperties: false,
      },
      strict: { type: 'object', properties: { y: { type: 'null' } }, required: ['y'], additionalProperties: false },
    },
  ])('$why', ({ schema, strict }) => {
    expect(memberOf('openai', schema)).toEqual(strict);
    expect(lossesOf('openai', { properties: { a: schema }, required: ['a'] })).toBe('lossless');
  });

  test.each([
    {
      why: 'what strict mode has no word for is in the description',
      schema: { type: 'array', items: { type: 'null' }, uniqueItems: true, description: 'Some.' },
      strict: { type: 'array', items: { type: 'null' }, description: 'Some.\n\nJSON Schema: {"uniqueItems":true}' },
      loss: { path: '/properties/a', keyword: 'uniqueItems', effect: 'wider', why: 'is said in the description alone' },
    },
    {
      why: 'so is a pattern that looks around',
      schema: { type: 'string', pattern: '^(?!x)' },
      strict: { type: 'string', description: 'JSON Schema: {"pattern":"^(?!x)"}' },
      loss: { path: '/properties/a', keyword: 'pattern', effect: 'wider', why: 'is said in the description alone' },
    },
    {
      why: 'so are branches that only add to an object',
      schema: {
        type: 'object',
        properties: { x: { type: 'null' } },
        required: ['x'],
        additionalProperties: false,
        anyOf: [{ required: ['x'] }],
      },
      strict: {
        type: 'object',
        properties: { x: { type: 'null' } },
        required: ['x'],
        additionalProperties: false,
        description: 'JSON Schema: {"anyOf":[{"required":["x"]}]}',
      },
      loss: { path: '/properties/a', keyword: 'anyOf', effect: 'wider', why: 'is said in the description alone' },
    },
    {
      why: 'so are literals that are objects',
      schema: { type: 'string', enum: ['x', {}], not: {} },
      strict: { type: 'string', enum: ['x'], description: 'JSON Schema: {"not":{}}' },
      loss: { path: '/properties/a', keyword: 'not', effect: 'wider', why: 'is said in the description alone' },
    },
    {
      why: 'so are certain objects, where it is said what objects these are',
      schema: {
        type: 'object',
        enum: [{}],
        properties: { x: { type: 'null' } },
        required: ['x'],
        additionalProperties: false,
      },
      strict: {
        type: 'object',
        properties: { x: { type: 'null' } },
        required: ['x'],
        additionalProperties: false,
        description: 'JSON Schema: {"enum":[{}]}',
      },
      loss: { path: '/properties/a', keyword: 'enum', effect: 'wider', why: 'is said in the description alone' },
    },
    {
      why: 'an object closes',
      schema: { type: 'object', properties: { x: { type: 'null' } }, required: ['x'] },
      strict: { type: 'object', properties: { x: { type: 'null' } }, required: ['x'], additionalProperties: false },
      loss: {
        path: '/properties/a',
        keyword: 'additionalProperties',
        effect: 'narrower',
        why: 'members that are not named cannot be given',
      },
    },
    {
      why: 'an object that does not say that it is one is one',
      schema: { properties: { x: { type: 'null' } }, required: ['x'], additionalProperties: false },
      strict: { type: 'object', properties: { x: { type: 'null' } }, required: ['x'], additionalProperties: false },
      loss: {
        path: '/properties/a',
        keyword: 'type',
        effect: 'narrower',
        why: 'values that are no object cannot be given',
      },
    },
    {
      why: 'a branch that cannot be said goes, the others stay',
      schema: { anyOf: [{ type: 'array' }, { type: 'string' }] },
      strict: { anyOf: [{ type: 'string' }] },
      loss: {
        path: '/properties/a/anyOf/0',
        keyword: 'anyOf',
        effect: 'narrower',
        why: 'this branch cannot be said: an array of anything',
      },
    },
    {
      why: 'alternatives that overlap are said as if they did not',
      schema: { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      strict: { anyOf: [{ type: 'integer' }, { type: 'number' }] },
      loss: {
        path: '/properties/a',
        keyword: 'oneOf',
        effect: 'wider',
        why: 'what fits two of its branches at once is refused',
      },
    },
    {
      why: 'a reference in a union that is held to a type may lead to others',
      schema: { type: 'string', anyOf: [{ $ref: '#/$defs/S' }] },
      strict: { anyOf: [{ $ref: '#/$defs/S' }] },
      loss: { path: '/properties/a', keyword: 'type', effect: 'wider', why: 'only string is good here' },
    },
  ])('$why', ({ schema, strict, loss }) => {
    const $defs = { S: { type: ['string', 'null'] } };
    expect(memberOf('openai', schema, $defs)).toEqual(strict);
    expect(lossesOf('openai', { properties: { a: schema }, required: ['a'], $defs })).toEqual([loss]);
  });

  test.each([
    { why: 'a map', schema: { type: 'object', additionalProperties: { type: 'string' } }, says: 'members of any name' },
    { why: 'anything', schema: true, says: 'values of any kind' },
    { why: 'nothing', schema: false, says: 'nothing at all' },
    { why: 'no schema', schema: 5, says: 'this is no schema' },
    { why: 'no type', schema: { description: 'd' }, says: 'no type is named' },
    { why: 'an unknown type', schema: { type: 'any' }, says: '"any" is no type' },
    { why: 'a tuple', schema: { type: 'array', prefixItems: [{ type: 'null' }] }, says: 'a tuple' },
    { why: 'an array of anything', schema: { type: 'array', items: {} }, says: 'an array of anything' },
    { why: 'certain objects', schema: { enum: [{}] }, says: 'only certain objects' },
    { why: 'a literal of no named type', schema: { type: 'null', const: 1 }, says: 'nothing at all' },
    { why: 'branches of which none can be said', schema: { anyOf: [{ type: 'array' }] }, says: 'an array of anything' },
    {
      why: 'branches of which none is of the type',
      schema: { type: 'null', anyOf: [{ type: 'string' }] },
      says: 'no branch',
    },
    { why: 'a reference to nowhere', schema: { $ref: '#/$defs/x' }, says: '"#/$defs/x" is no place' },
    { why: 'a reference to no schema', schema: { $ref: '#/properties/b/type' }, says: 'is no place' },
    {
      why: 'a reference to anything, in a union that is held to a type',
      schema: { type: 'string', not: true, anyOf: [{ $ref: '#/properties/a/not' }] },
      says: 'values of any kind',
    },
    { why: 'certain arrays', schema: { enum: [[]] }, says: 'only certain objects or arrays' },
    { why: 'a reference to elsewhere', schema: { $ref: 'https://x.test/' }, says: 'is no place' },
    {
      why: 'a member that is needed and not described',
      schema: { type: 'object', properties: { x: { type: 'null' } }, required: ['y'] },
      says: 'the member "y" is needed',
    },
    {
      why: 'a member that is needed and can be nothing',
      schema: { type: 'object', properties: { x: false }, required: ['x'] },
      says: 'nothing at all',
    },
  ])('$why: a tool that needs it has no strict projection, any other goes without', ({ schema, says }) => {
    const rest = { properties: { a: schema, b: { type: 'string' } } };
    expect(strictOf('openai', { ...rest, required: ['a', 'b'] })).toEqual({
      path: expect.stringMatching(/^\/properties\/a/),
      why: expect.stringContaining(says),
    });
    if (schema === false) return;
    expect(strictOf('openai', { ...rest, required: ['b'] })).toMatchObject({
      schema: { properties: { b: { type: 'string' } } },
      fidelity: {
        losses: [
          { path: '/properties/a', keyword: 'properties', effect: 'narrower', why: expect.stringContaining(says) },
        ],
      },
    });
  });

  test.each([
    { root: { type: 'string' }, why: 'the root is not one plain object' },
    { root: { anyOf: [{ type: 'object', properties: {} }] }, why: 'the root has anyOf' },
    { root: { type: 'object', oneOf: [{ type: 'object', properties: {} }] }, why: 'the root has oneOf' },
    { root: { $ref: '#/$defs/A', $defs: { A: { type: 'object' } } }, why: 'the root is a reference' },
  ])('the root must be one plain object: $why', ({ root, why }) => {
    expect(strictParameters(root, 'openai')).toEqual({ path: '', why });
  });

  test('a root without members stays one, and closes', () => {
    expect(strictParameters({ type: 'object' }, 'openai')).toMatchObject({
      schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      fidelity: { losses: [{ path: '', keyword: 'additionalProperties', effect: 'narrower' }] },
    });
  });

  test('what is too long to be told is cut off', () => {
    const whole = memberOf('openai', { type: 'string', not: { enum: ['x'.repeat(5_000)] } }) as { description: string };
    expect(whole.description).toHaveLength(2_001);
    expect(whole.description.endsWith('…')).toBe(true);
  });
});
