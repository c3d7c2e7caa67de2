import { expect, test } from 'vitest';
import { strictParameters } from './strict.js';

type Schema = Record<string, unknown>;

const closed = (properties: Schema): Schema => ({ type: 'object', properties, additionalProperties: false });
const many = (count: number, name = 'p'): Schema =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, { type: 'null' }]));
const nested = (levels: number): Schema => (levels === 0 ? { type: 'null' } : closed({ a: nested(levels - 1) }));
const values = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => String(at).padStart(length, 'x'));

test.each([
  { why: 'as many members as there may be', schema: closed(many(5_000)), says: undefined },
  { why: 'one more', schema: closed(many(5_001)), says: '5001 properties, the limit is 5000' },
  { why: 'as deep as may be', schema: nested(10), says: undefined },
  { why: 'one deeper', schema: nested(11), says: '11 levels, the limit is 10' },
  { why: 'as many values as there may be', schema: closed({ a: { enum: values(1_000, 4) } }), says: undefined },
  { why: 'one more', schema: closed({ a: { enum: values(1_001, 4) } }), says: '1001 enum values, the limit is 1000' },
  {
    why: 'too many characters in all',
    schema: closed({ [`n${'x'.repeat(119_999)}`]: { const: 'ab' } }),
    says: '120002 characters of names and enum values, the limit is 120000',
  },
  { why: 'many short values', schema: closed({ a: { enum: values(251, 59) } }), says: undefined },
  {
    why: 'many long values',
    schema: closed({ a: { enum: values(251, 60) } }),
    says: '15060 characters in an enum of over 250 values, the limit is 15000',
  },
  { why: 'few long values', schema: closed({ a: { enum: values(250, 400) } }), says: undefined },
])('$why: $says', ({ schema, says }) => {
  const strict = strictParameters(schema, 'openai');
  expect('why' in strict ? strict.why : undefined).toBe(says);
  expect('why' in strictParameters(schema, 'anthropic')).toBe(false);
});
