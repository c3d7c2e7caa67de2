import { describe, expect, test } from 'vitest';
import { lossesOf, memberOf, type Schema, strictOf } from '../../../test/fixtures/strict-schema.js';
import { strictParameters } from './strict.js';

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
