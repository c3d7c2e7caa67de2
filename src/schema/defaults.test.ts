import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../base/index.js';
import { applyDefaults, compileSchema } from './index.js';

const schema = {
  type: 'object',
  properties: {
    confirm: { type: 'boolean', default: true },
    retries: { type: 'integer', default: 0 },
    dry: { type: 'boolean', default: false },
    note: { type: 'string', default: '' },
    color: { type: 'string', enum: ['r', 'g'], default: 'g' },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
    free: { type: 'string' },
    any: true,
  },
  required: ['confirm', 'retries'],
};
const all = { confirm: true, retries: 0, dry: false, note: '', color: 'g', tags: ['a'] };

test.each([
  { why: 'nothing was filled in', value: {}, filled: all },
  { why: 'no answer at all', value: undefined, filled: all },
  {
    why: 'what was sent wins',
    value: { confirm: false, retries: 3, free: 'x' },
    filled: { ...all, confirm: false, retries: 3, free: 'x' },
  },
  {
    why: 'a cleared field stays clear',
    value: { note: null, color: undefined },
    filled: { ...all, note: null, color: undefined },
  },
  { why: 'unknown members stay', value: { extra: 1 }, filled: { ...all, extra: 1 } },
])('$why', ({ value, filled }) => {
  expect(applyDefaults(schema, value)).toEqual(filled);
});

test.each([{ value: null }, { value: 'x' }, { value: [] }, { value: 5 }])(
  'what is no object comes back: $value',
  ({ value }) => {
    expect(applyDefaults(schema, value)).toBe(value);
  },
);

test.each([
  { why: 'no schema', schema: null },
  { why: 'true', schema: true },
  { why: 'no properties', schema: { type: 'object' } },
  { why: 'properties that are none', schema: { properties: [{ default: 1 }] } },
  { why: 'inherited ones', schema: Object.create({ properties: { a: { default: 1 } } }) },
  { why: 'nothing missing', schema: { properties: { a: { default: 1 } } } },
  { why: 'a default that is inherited', schema: { properties: { b: Object.create({ default: 1 }) } } },
])('nothing to fill in: $why', ({ schema: other }) => {
  const value = { a: 5 };
  expect(applyDefaults(other, value)).toBe(value);
});

test('neither argument is changed, and the answer shares nothing with the schema', () => {
  const value = {};
  const filled = applyDefaults(schema, value) as { tags: string[] };
  filled.tags.push('b');
  expect(value).toEqual({});
  expect(schema.properties.tags.default).toEqual(['a']);
});

test('own members only, whatever they are called', () => {
  const odd = parseJson(
    '{"properties":{"__proto__":{"default":{"x":1}},"toString":{"default":2},"n":{"default":12345678901234567890}}}',
  );
  const filled = applyDefaults(odd, {});
  expect(stringifyJson(filled)).toBe('{"__proto__":{"x":1},"toString":2,"n":12345678901234567890}');
  expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
});

test('a default is judged like any answer', () => {
  const bad = { properties: { n: { type: 'integer', minimum: 5, default: 1 } }, required: ['n'] };
  const compilation = compileSchema(bad);
  if (!compilation.ok) throw compilation.error;
  expect(compilation.judge.checkValue(applyDefaults(bad, {}))).toMatchObject({
    valid: false,
    issues: [{ pointer: '/n' }],
  });
});
