import { describe, expect, test } from 'vitest';
import { checkFlatForm } from './index.js';

const form = (properties: unknown, rest: object = {}) => ({ type: 'object', properties, ...rest });
const titled = { const: 'r', title: 'Red' };

describe('a flat form', () => {
  test.each([
    { why: 'nothing to fill in', schema: form({}) },
    {
      why: 'a dialect, labels, required members',
      schema: form(
        { a: { type: 'string' } },
        { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'A', description: 'B', required: ['a'] },
      ),
    },
    {
      why: 'text',
      schema: form({
        a: { type: 'string', title: 'A', description: 'B', minLength: 1, maxLength: 9, format: 'email', default: 'x' },
      }),
    },
    {
      why: 'numbers',
      schema: form({ a: { type: 'number', minimum: 0.5, maximum: 9, default: 1 }, b: { type: 'integer', default: 0 } }),
    },
    { why: 'switches', schema: form({ a: { type: 'boolean', default: false } }) },
    { why: 'a choice', schema: form({ a: { type: 'string', enum: ['r', 'g'], default: 'r' } }) },
    {
      why: 'a choice with names, the old way',
      schema: form({ a: { type: 'string', enum: ['r'], enumNames: ['Red'] } }),
    },
    { why: 'a choice with titles', schema: form({ a: { type: 'string', oneOf: [titled] } }) },
    {
      why: 'several of a choice',
      schema: form({
        a: { type: 'array', items: { type: 'string', enum: ['r'] }, minItems: 1, maxItems: 2, default: ['r'] },
      }),
    },
    { why: 'several of a choice with titles', schema: form({ a: { type: 'array', items: { anyOf: [titled] } } }) },
    {
      why: 'a member called __proto__',
      schema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    },
  ])('$why', ({ schema }) => {
    expect(checkFlatForm(schema)).toEqual([]);
  });
});

describe('outside the flat forms', () => {
  test.each([
    { why: 'an object inside', schema: form({ a: { type: 'object', properties: {} } }), at: ['/properties/a/type'] },
    {
      why: 'a list of objects',
      schema: form({ a: { type: 'array', items: { type: 'object' } } }),
      at: ['/properties/a/items/type', '/properties/a/items'],
    },
    { why: 'a list of anything', schema: form({ a: { type: 'array' } }), at: ['/properties/a'] },
    { why: 'a reference', schema: form({ a: { $ref: '#/$defs/x' } }), at: ['/properties/a'] },
    { why: 'definitions', schema: form({}, { $defs: {} }), at: [''] },
    {
      why: 'a keyword that forms do not show',
      schema: form({ a: { type: 'string', pattern: '^a' } }),
      at: ['/properties/a'],
    },
    { why: 'a keyword of another type', schema: form({ a: { type: 'boolean', minimum: 1 } }), at: ['/properties/a'] },
    {
      why: 'another format',
      schema: form({ a: { type: 'string', format: 'hostname' } }),
      at: ['/properties/a/format'],
    },
    { why: 'an enum of numbers', schema: form({ a: { type: 'string', enum: [1] } }), at: ['/properties/a/enum/0'] },
    {
      why: 'a title that is missing',
      schema: form({ a: { type: 'string', oneOf: [{ const: 'r' }] } }),
      at: ['/properties/a/oneOf/0'],
    },
    {
      why: 'a default of another type',
      schema: form({ a: { type: 'integer', default: 1.5 } }),
      at: ['/properties/a/default'],
    },
    { why: 'a type of several', schema: form({ a: { type: ['string', 'null'] } }), at: ['/properties/a/type'] },
    { why: 'a boolean for a member', schema: form({ a: true }), at: ['/properties/a'] },
    { why: 'no properties', schema: { type: 'object' }, at: [''] },
    { why: 'no object', schema: { type: 'string', properties: {} }, at: ['/type'] },
    { why: 'no schema', schema: null, at: [''] },
  ])('$why', ({ schema, at }) => {
    const problems = checkFlatForm(schema);
    expect(problems.map(({ schemaPath }) => schemaPath)).toEqual(at);
    for (const { message } of problems) expect(message).toMatch(/^expected .+, got .+/);
  });
});
