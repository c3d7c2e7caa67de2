import { describe, expect, test } from 'vitest';
import { looseParameters } from './loose.js';
import { TARGETS } from './types.js';

describe('a loose projection is the schema as it is', () => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/A' }, b: { type: 'string', minLength: 1 } },
    required: ['a'],
    $defs: { A: { type: 'array', items: { type: 'null' }, uniqueItems: true } },
  };

  test.each(TARGETS)('%s: but for the dialect', (target) => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(looseParameters({ $schema, ...schema }, target)).toEqual({
      schema,
      fidelity: { kind: 'lossless' },
      nullMeansAbsent: [],
    });
  });

  test('Gemini: with a union at its root', () => {
    const union = { type: 'object', anyOf: [{ required: ['a'] }] };
    expect(looseParameters(union, 'gemini').schema).toEqual(union);
  });
});

describe.each(['openai', 'anthropic'] as const)('%s', (target) => {
  test('takes no union at the root: the description has it', () => {
    const { schema, fidelity } = looseParameters(
      { type: 'object', description: 'Search.', anyOf: [{ required: ['a'] }], not: { required: ['b'] } },
      target,
    );
    expect(schema).toEqual({
      type: 'object',
      properties: {},
      description: 'Search.\n\nJSON Schema: {"anyOf":[{"required":["a"]}],"not":{"required":["b"]}}',
    });
    expect(fidelity).toMatchObject({
      losses: [
        { path: '', keyword: 'anyOf', effect: 'wider' },
        { path: '', keyword: 'not', effect: 'wider' },
      ],
    });
  });

  test('a root without description gets one', () => {
    expect(looseParameters({ type: 'object', oneOf: [true] }, target).schema.description).toBe(
      'JSON Schema: {"oneOf":[true]}',
    );
  });

  test('members are always named, be there none', () => {
    expect(looseParameters({ type: 'object' }, target).schema).toEqual({ type: 'object', properties: {} });
  });
});

test('OpenAI: arrays say what is in them, anything if nothing was said; what is named `items` is no such place', () => {
  const { schema, fidelity } = looseParameters(
    {
      type: 'object',
      properties: {
        items: { type: 'array' },
        a: { anyOf: [{ type: 'array' }, true] },
        b: { type: 'array', items: { type: 'array' } },
        c: { type: 'array', prefixItems: [{ type: 'null' }], items: false },
        d: { enum: [{ type: 'array' }] },
      },
      $defs: { same: { type: 'string' } },
    },
    'openai',
  );
  expect(schema).toEqual({
    type: 'object',
    properties: {
      items: { type: 'array', items: {} },
      a: { anyOf: [{ type: 'array', items: {} }, true] },
      b: { type: 'array', items: { type: 'array', items: {} } },
      c: { type: 'array', prefixItems: [{ type: 'null' }], items: false },
      d: { enum: [{ type: 'array' }] },
    },
    $defs: { same: { type: 'string' } },
  });
  expect(fidelity.kind).toBe('lossless');
});
