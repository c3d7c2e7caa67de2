import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText, JsonScanner } from '../base/index.js';
import { compileSchema } from './compile.js';
import type { PlainSchema } from './engine.js';
import { makeTextJudge } from './text-judge.js';
import type { Judge } from './types.js';
import { prepareEngine } from './warm-up.js';

const scanner = new JsonScanner();
const formats = { test0: (text: string): boolean => /^[A-Z]{3}$/.test(text) };

function accepts(schema: PlainSchema, text: string): boolean {
  // In the middle of a message, where texts stand.
  const bytes = encodeText(`{"a":[1,{"b":"c"}],"params":${text},"z":{}}`);
  expect(scanner.scan(bytes, 0, bytes.length)).toBe(true);
  return makeTextJudge(schema, formats)(bytes, scanner.tokens, scanner.token[scanner.find('params', bytes)]!);
}

const RECORD: PlainSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { enum: ['red', 'ü'] }, maxItems: 2 },
  },
  required: ['id'],
  additionalProperties: false,
};

describe('a text is accepted that surely fits', () => {
  test.each<{ why: string; schema: PlainSchema; text: string }>([
    { why: 'anything', schema: true, text: '[{"a":[]},1]' },
    { why: 'a record', schema: RECORD, text: '{"id":12,"tags":["red","ü"]}' },
    { why: 'members in another order', schema: RECORD, text: '{"tags":[],"id":0}' },
    { why: 'space wherever it may be', schema: RECORD, text: ' { "tags" : [ "red" ] ,\t"id" : 0 } ' },
    { why: 'what is not described', schema: { required: ['b'] }, text: '{"a":{"c":[[]]},"b":null}' },
    {
      why: 'others by their schema',
      schema: { additionalProperties: { type: 'boolean' } },
      text: '{"x":true,"y":false}',
    },
    { why: 'a null beside a type', schema: { type: ['string', 'null'] }, text: 'null' },
    { why: 'one of several', schema: { anyOf: [{ type: 'string' }, { type: 'null' }] }, text: 'null' },
    { why: 'all of several', schema: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, text: '1.5' },
    { why: 'a constant', schema: { const: 'a"b' }, text: '"a\\"b"' },
    {
      why: 'a place of its own',
      schema: { prefixItems: [{ type: 'null' }], items: { type: 'string' } },
      text: '[null,"a"]',
    },
    { why: 'a number at its bound', schema: { minimum: -90, maximum: 90 }, text: '90' },
    { why: 'a fraction near its bound', schema: { minimum: -90, maximum: 90 }, text: '-89.999999' },
    { why: 'a fraction of many digits', schema: { minimum: 0, maximum: 1 }, text: '0.12345678901234567' },
    { why: 'a bound between whole numbers', schema: { exclusiveMaximum: 0.3 }, text: '0.29' },
    { why: 'characters, not bytes', schema: { maxLength: 2, minLength: 2 }, text: '"😀ü"' },
    { why: 'a text that is tested', schema: { format: 'test0' }, text: '"ABC"' },
  ])('$why', ({ schema, text }) => expect(accepts(schema, text)).toBe(true));
});

describe('a text is not accepted that does not, or may not, fit', () => {
  test.each<{ why: string; schema: PlainSchema; text: string }>([
    {
      why: 'one whose name is not ASCII',
      schema: { properties: { größe: { type: 'null' } } },
      text: '{"größe":1}',
    },
    { why: 'nothing', schema: false, text: '1' },
    { why: 'another type', schema: RECORD, text: '[]' },
    { why: 'one that is missing', schema: RECORD, text: '{"tags":[]}' },
    { why: 'one that is not allowed', schema: RECORD, text: '{"id":1,"ID":1}' },
    { why: 'one that begins like an allowed one', schema: RECORD, text: '{"id":1,"tagsx":[]}' },
    { why: 'one that only hashes alike', schema: { required: ['AaBB'] }, text: '{"BBBB":1,"AaAa":1}' },
    {
      why: 'an allowed one that only hashes alike',
      schema: { properties: { Aa: true }, additionalProperties: false },
      text: '{"BB":1}',
    },
    {
      why: 'properties that hash alike',
      schema: { properties: { Aa: { type: 'null' }, BB: { type: 'null' } } },
      text: '{"Aa":1}',
    },
    { why: 'an item deep down', schema: RECORD, text: '{"id":1,"tags":["red","blue"]}' },
    { why: 'too many items', schema: RECORD, text: '{"id":1,"tags":["red","red","red"]}' },
    { why: 'a fraction', schema: { type: 'integer' }, text: '1.5' },
    { why: 'a whole number with a point', schema: { type: 'integer' }, text: '1.0' },
    { why: 'a fraction past its bound', schema: { maximum: 90 }, text: '90.000001' },
    { why: 'a number at a bound that excludes', schema: { exclusiveMinimum: 0 }, text: '0' },
    { why: 'minus zero, too', schema: { exclusiveMinimum: 0 }, text: '-0' },
    { why: 'many digits too near a bound to tell', schema: { exclusiveMaximum: 1 }, text: '0.99999999999999999' },
    { why: 'a string too long', schema: { maxLength: 1 }, text: '"ab"' },
    { why: 'a string too short', schema: { minLength: 2 }, text: '"😀"' },
    { why: 'escapes that may be fewer characters', schema: { minLength: 2 }, text: '"\\ud83d\\ude00"' },
    { why: 'a text that fails its test', schema: { format: 'test0' }, text: '"abc"' },
    { why: 'none of several', schema: { anyOf: [{ type: 'string' }, { type: 'null' }] }, text: '1' },
    { why: 'a keyword that is not understood', schema: { oneOf: [true] }, text: '1' },
    { why: 'another constant', schema: { const: 1 }, text: '10' },
  ])('$why', ({ schema, text }) => expect(accepts(schema, text)).toBe(false));
});

describe('judges', () => {
  const judgeOf = (schema: unknown, options = {}): Judge => {
    const compiled = compileSchema(schema as Record<string, unknown>, options);
    if (!compiled.ok) throw compiled.error;
    return compiled.judge;
  };
  const acceptsText = (judge: Judge, text: string): boolean => {
    const bytes = encodeText(text);
    scanner.scan(bytes, 0, bytes.length);
    return judge.acceptsText(bytes, scanner.tokens, 0);
  };

  test('accept no text before they are warm, and none whose formats are to be reported', async () => {
    const judge = judgeOf({ type: 'string', title: 'cold' });
    expect(acceptsText(judge, '"a"')).toBe(false);
    await prepareEngine();
    expect(acceptsText(judge, '"a"')).toBe(true);
    expect(acceptsText(judgeOf({ format: 'email' }, { formats: 'report' }), '"a"')).toBe(false);
    expect(acceptsText(judgeOf({ format: 'email' }, { formats: 'assert' }), '"a"')).toBe(false);
  });

  test('accept no text of which tokens are missing, nor one that would take too much work', async () => {
    await prepareEngine();
    const judge = judgeOf({ type: 'array' });
    expect(acceptsText(judge, `[${'0,'.repeat(1_000)}0]`)).toBe(true);
    expect(acceptsText(judge, `[${'0,'.repeat(300_000)}0]`)).toBe(false);
    expect(acceptsText(judge, '[0]')).toBe(true);
    const text = `"${'ab'.repeat(1_000_000)}"`;
    expect(acceptsText(judgeOf({ items: { pattern: '(a|b)*c' } }), `[${text},${text}]`)).toBe(false);
  });

  test('compare numbers with bounds as the numbers they are', async () => {
    await prepareEngine();
    const bound = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 }),
      fc.constantFrom(0.1, 0.3, 1e-7),
    );
    const anyNumber = fc
      .oneof(
        fc.tuple(fc.integer({ min: -100, max: 100 }), fc.nat(99_999_999)).map(([whole, rest]) => `${whole}.${rest}`),
        bound.map(String).filter((text) => !text.includes('e')),
      )
      .map((text) => text.slice(0, 18));
    const tally = { accepted: 0, valid: 0 };
    fc.assert(
      fc.property(
        bound,
        fc.constantFrom('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
        anyNumber,
        (limit, keyword, text) => {
          const schema = { [keyword]: limit };
          const isValid = judgeOf(schema).checkValue(Number(text)).valid;
          const isAccepted = accepts(schema, text.endsWith('.') ? `${text}0` : text);
          if (isAccepted) expect(isValid).toBe(true);
          tally.accepted += isAccepted ? 1 : 0;
          tally.valid += isValid ? 1 : 0;
        },
      ),
      { numRuns: 1_000 },
    );
    expect(tally.accepted / tally.valid).toBeGreaterThan(0.9);
  });
});
