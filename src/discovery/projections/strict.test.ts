import { describe, expect, test } from 'vitest';
import { strictParameters } from './strict.js';
import type { Fidelity, Loss, Target } from './types.js';

type Schema = Record<string, unknown>;

/** What becomes of one required member, `a`. */
function memberOf(target: Target, a: unknown, $defs?: Schema): unknown {
  const whole = strictOf(target, { properties: { a }, required: ['a'], ...($defs && { $defs }) });
  return 'schema' in whole ? (whole.schema.properties as Schema).a : whole;
}

function strictOf(target: Target, rest: Schema) {
  return strictParameters({ type: 'object', additionalProperties: false, ...rest }, target);
}

function lossesOf(target: Target, rest: Schema): readonly Loss[] | Fidelity['kind'] {
  const whole = strictOf(target, rest);
  if (!('schema' in whole)) return 'unsupported';
  return whole.fidelity.kind === 'lossy' ? whole.fidelity.losses : whole.fidelity.kind;
}

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

describe('references', () => {
  const Node = {
    type: 'object',
    properties: { next: { $ref: '#/$defs/Node' }, 'a b': { type: 'string' } },
    additionalProperties: false,
  };

  test('definitions are written once; those that nothing leads to are not', () => {
    const $defs = { Node, Unused: { type: 'array' } };
    expect(strictOf('openai', { properties: { a: { $ref: '#/$defs/Node' } }, required: ['a'], $defs })).toEqual({
      schema: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/Node' } },
        required: ['a'],
        additionalProperties: false,
        $defs: {
          Node: {
            type: 'object',
            properties: {
              next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] },
              'a b': { type: ['string', 'null'] },
            },
            required: ['next', 'a b'],
            additionalProperties: false,
          },
        },
      },
      fidelity: { kind: 'lossless' },
      nullMeansAbsent: ['/$defs/Node/properties/next', '/$defs/Node/properties/a b'],
    });
  });

  test('they may lead anywhere in the schema; what stands beside them is kept around them', () => {
    const whole = strictOf('openai', {
      properties: {
        a: { type: 'string' },
        b: { $ref: '#/properties/a', description: 'As a.' },
        c: { $ref: '#' },
        d: { allOf: [{ $ref: '#/definitions/x~1y%20z' }] },
        e: { $ref: '#/$defs/a' },
        f: { $ref: '#/%' },
      },
      required: ['a', 'b', 'c', 'd', 'e'],
      definitions: { 'x/y z': { type: 'null' } },
      $defs: { a: { type: 'boolean' } },
      '%': { type: 'integer' },
    });
    expect(whole).toMatchObject({
      schema: {
        properties: {
          b: { anyOf: [{ $ref: '#/$defs/a' }], description: 'As a.' },
          c: { $ref: '#/$defs/root' },
          d: { $ref: '#/$defs/x_1y_20z' },
          e: { $ref: '#/$defs/a_2' },
          f: { anyOf: [{ $ref: '#/$defs/_' }, { type: 'null' }] },
        },
        $defs: { a: { type: 'string' }, x_1y_20z: { type: 'null' }, a_2: { type: 'boolean' }, _: { type: 'integer' } },
      },
      fidelity: { kind: 'lossless' },
    });
  });

  test('in an older draft what stands beside them means nothing', () => {
    const whole = strictParameters(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { $ref: '#/definitions/S', maxLength: 1, description: 'Not said.' } },
        additionalProperties: false,
        definitions: { S: { type: 'string' } },
      },
      'openai',
    );
    expect(whole).toMatchObject({
      schema: { properties: { a: { anyOf: [{ $ref: '#/$defs/S' }, { type: 'null' }] } } },
      fidelity: { kind: 'lossless' },
      nullMeansAbsent: ['/properties/a'],
    });
  });

  test('in the newer ones it holds too, and is said where it cannot be held to', () => {
    const a = { $ref: '#/$defs/S', maxLength: 1 };
    expect(lossesOf('openai', { properties: { a }, required: ['a'], $defs: { S: { type: 'string' } } })).toEqual([
      { path: '/properties/a', keyword: 'maxLength', effect: 'wider', why: 'is said in the description alone' },
    ]);
  });

  test('losses are told once, at the definition', () => {
    const properties = { a: { $ref: '#/$defs/S' }, b: { $ref: '#/$defs/S' } };
    const $defs = { S: { type: 'string', pattern: '(?=x)' } };
    expect(lossesOf('openai', { properties, required: ['a', 'b'], $defs })).toEqual([
      { path: '/$defs/S', keyword: 'pattern', effect: 'wider', why: 'is said in the description alone' },
    ]);
  });

  test('a definition that cannot be said costs whatever leads to it, and nothing else', () => {
    const $defs = {
      A: { type: 'object', properties: { b: { $ref: '#/$defs/B' }, map: { type: 'object' } }, required: ['map'] },
      B: { type: 'object', properties: { a: { $ref: '#/$defs/A' }, x: { type: 'null' } }, required: ['x'] },
    };
    const rest = {
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' }, c: { $ref: '#/$defs/A' } },
      $defs,
    };
    expect(strictOf('openai', { ...rest, required: ['b'] })).toMatchObject({
      schema: {
        properties: { b: { $ref: '#/$defs/B' } },
        $defs: { B: { properties: { x: { type: 'null' } } } },
      },
    });
    expect(strictOf('openai', { ...rest, required: ['a'] })).toMatchObject({
      why: 'an object with members of any name',
    });
  });

  test.each([
    { target: 'openai', why: undefined },
    { target: 'anthropic', why: '$defs/Node leads back to itself' },
    { target: 'gemini', why: undefined },
  ] as const)('a schema that leads back to itself through what may be left out: $target', ({ target, why }) => {
    const whole = strictOf(target, { properties: { a: { $ref: '#/$defs/Node' } }, required: ['a'], $defs: { Node } });
    expect('why' in whole ? whole.why : undefined).toBe(why);
  });

  test.each([
    { target: 'openai', why: undefined },
    { target: 'gemini', why: '$defs/List leads back to itself' },
  ] as const)('through what may not: $target', ({ target, why }) => {
    const List = {
      type: 'object',
      properties: { 'a/b': { type: 'array', items: { $ref: '#/$defs/List' } } },
      required: ['a/b'],
      additionalProperties: false,
    };
    const whole = strictOf(target, { properties: { a: { $ref: '#/$defs/List' } }, $defs: { List } });
    expect('why' in whole ? whole.why : undefined).toBe(why);
  });

  test('a circle that no value gets out of is taken by nobody', () => {
    const $defs = { A: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'null' }] }, B: { $ref: '#/$defs/A' } };
    expect(strictOf('openai', { properties: { a: { $ref: '#/$defs/A' } }, required: ['a'], $defs })).toEqual({
      path: '',
      why: '$defs/A leads back to itself',
    });
  });
});

describe('allOf of objects', () => {
  const part = (name: string, rest: Schema = {}) => ({
    type: 'object',
    properties: { [name]: { type: 'null' } },
    ...rest,
  });

  test('open ones that do not disagree become one', () => {
    const allOf = [
      part('x', { required: ['x'] }),
      { $ref: '#/$defs/Y' },
      { allOf: [part('z')], type: 'object' },
      part('x', { description: 'Again.' }),
    ];
    const $defs = { Y: part('y') };
    expect(memberOf('openai', { allOf, description: 'Both.' }, $defs)).toMatchObject({
      type: 'object',
      properties: { x: { type: 'null' }, y: { type: 'null' }, z: { type: 'null' } },
      description: 'Both.',
    });
  });

  test('beside members of its own', () => {
    expect(memberOf('openai', { ...part('w', { required: ['w'] }), allOf: [part('x')] })).toMatchObject({
      properties: { w: { type: 'null' }, x: { type: 'null' } },
    });
  });

  test.each([
    { why: 'one is closed', branch: part('x', { additionalProperties: false }) },
    { why: 'they disagree about a member', branch: { type: 'object', properties: { w: { type: 'string' } } } },
    { why: 'one is no object', branch: { type: 'string' } },
    { why: 'one may be something else too', branch: { properties: { x: { type: 'null' } } } },
    { why: 'one is no schema of this document', branch: { $ref: '#/nowhere' } },
    { why: 'one is nothing', branch: false },
  ])('else they are said in the description: $why', ({ branch }) => {
    const schema = { ...part('w', { required: ['w'] }), allOf: [branch, branch] };
    expect(memberOf('openai', schema)).toMatchObject({ properties: { w: { type: 'null' } } });
    expect(lossesOf('openai', { properties: { a: schema }, required: ['a'] })).toMatchObject([
      { keyword: 'additionalProperties' },
      { keyword: 'allOf' },
    ]);
  });

  test('and cannot be said where nothing else is', () => {
    expect(memberOf('openai', { allOf: [{ type: 'string' }, { minLength: 1 }] })).toMatchObject({
      why: 'no type is named',
    });
    const loop = { allOf: [{ $ref: '#/$defs/L' }, { $ref: '#/$defs/L' }] };
    expect(memberOf('openai', { $ref: '#/$defs/L' }, { L: loop })).toMatchObject({ why: 'no type is named' });
  });
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
