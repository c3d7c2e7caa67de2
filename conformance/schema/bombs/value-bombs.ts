import { type Bomb, json, list, MOST_PATTERNS, MOST_SCHEMAS, members, nest, orGaveUp } from './bomb.js';

const PATTERNS: readonly Bomb[] = [
  {
    name: '^(a+)+$ on 50 KB',
    named: true,
    answers: ['invalid'],
    schema: () => '{"pattern":"^(a+)+$"}',
    value: () => json(`${'a'.repeat(50_000)}!`),
  },
  {
    name: '^(x+x+)+y$ on 50 KB',
    answers: ['invalid'],
    schema: () => json({ properties: { s: { pattern: '^(x+x+)+y$' } } }),
    value: () => json({ s: 'x'.repeat(50_000) }),
  },
  {
    name: '^(.*)*(.*)*=$ on 50 KB',
    answers: ['invalid'],
    schema: () => '{"pattern":"^(.*)*(.*)*=$"}',
    value: () => json('x'.repeat(50_000)),
  },
  {
    name: '\\s+$ on 50 KB of spaces',
    answers: ['invalid'],
    schema: () => '{"pattern":"\\\\s+$"}',
    value: () => json(`${' '.repeat(50_000)}x`),
  },
  {
    name: '(a|aa)+$ on 50 KB',
    answers: ['invalid'],
    schema: () => '{"pattern":"^(a|aa)+$"}',
    value: () => json(`${'a'.repeat(50_000)}!`),
  },
  {
    name: 'lookahead around (a+)+ on 50 KB',
    named: true,
    answers: ['invalid', 'valid'],
    warnsAt: '/pattern',
    schema: () => '{"pattern":"^(?=(a+)+$)"}',
    value: () => json(`${'a'.repeat(50_000)}!`),
  },
  {
    name: 'lookbehind around (a+)+ on 50 KB',
    named: true,
    answers: ['invalid', 'valid'],
    warnsAt: '/pattern',
    schema: () => '{"pattern":"(?<=^(a+)+)b"}',
    value: () => json('a'.repeat(50_000)),
  },
  {
    name: 'a backreference in a loop on 50 KB',
    answers: ['invalid', 'valid'],
    warnsAt: '/pattern',
    schema: () => '{"pattern":"^((a+)\\\\2?)+$"}',
    value: () => json(`${'a'.repeat(50_000)}!`),
  },
  {
    name: 'a safe lookahead on 1 MB',
    answers: ['valid', 'no verdict'],
    schema: () => '{"pattern":"^(?!x)"}',
    value: () => json('a'.repeat(1_000_000)),
  },
  {
    name: 'a{1,1000000}',
    answers: ['valid', 'invalid'],
    schema: () => '{"pattern":"^a{1,1000000}$"}',
    value: () => json('b'),
  },
  {
    name: 'counts within counts',
    answers: ['valid', 'invalid'],
    schema: () => '{"pattern":"^(((a{1,100}){1,100}){1,100}){1,100}$"}',
    value: () => json('b'),
  },
  {
    name: 'a pattern of 200 KB',
    answers: ['valid', 'invalid', 'SCHEMA_TOO_LARGE'],
    schema: () => json({ pattern: `^(?:${list(30_000, (at) => `w${at}`).join('|')})$` }),
    value: () => json('w29999x'),
  },
  {
    name: '10,000 groups within each other',
    answers: ['valid', 'invalid', 'SCHEMA_TOO_LARGE'],
    schema: () => json({ pattern: nest(10_000, '(', 'a', ')') }),
    value: () => json('b'),
  },
  {
    name: 'large character classes, as many as allowed',
    answers: ['valid', 'invalid'],
    schema: () => json({ allOf: list(MOST_PATTERNS, (at) => ({ pattern: `^[\\p{L}\\p{N}\\p{S}]{${at}}` })) }),
    value: () => json('x'),
  },
  {
    name: 'as many patterns as allowed on 1 MB of text',
    answers: orGaveUp('invalid'),
    schema: () => json({ anyOf: list(MOST_PATTERNS, (at) => ({ pattern: `[a-z]+${at}$` })) }),
    value: () => json('a'.repeat(1_000_000)),
  },
  {
    name: 'as many patternProperties as allowed on 50,000 names',
    answers: orGaveUp('valid'),
    schema: () => json({ patternProperties: members(MOST_PATTERNS, (at) => [`^[a-z]*${at}$`, {}]) }),
    value: () => json(members(50_000, (at) => [`abcdefghij${at}`, 1])),
  },
];

const VALUES: readonly Bomb[] = [
  {
    name: 'uniqueItems on 20,000 objects',
    named: true,
    answers: ['valid'],
    schema: () => '{"uniqueItems":true}',
    value: () => json(list(20_000, (at) => ({ id: at, name: `n${at}`, tags: [at] }))),
  },
  {
    name: 'uniqueItems on 20,000 objects, the last twice',
    named: true,
    answers: ['invalid'],
    schema: () => '{"uniqueItems":true}',
    value: () => json([...list(20_000, (at) => ({ id: at, name: `n${at}` })), { name: 'n19999', id: 19_999 }]),
  },
  {
    name: 'uniqueItems on 100,000 numbers',
    answers: ['valid'],
    schema: () => '{"uniqueItems":true}',
    value: () => json(list(100_000, (at) => at)),
  },
  {
    name: 'uniqueItems on nested lists of lists',
    answers: ['valid'],
    schema: () => '{"uniqueItems":true,"items":{"uniqueItems":true,"items":{"uniqueItems":true}}}',
    value: () => json(list(30, (a) => list(30, (b) => list(100, (c) => [a, b, c])))),
  },
  {
    name: 'uniqueItems on 25,000 long numbers',
    answers: ['valid'],
    schema: () => '{"uniqueItems":true}',
    value: () => `[${list(25_000, (at) => `1234567890123456789012345${100_000 + at}`).join()}]`,
  },
  {
    name: 'a recursive schema, twice a level, 100 levels',
    answers: orGaveUp('valid'),
    schema: () => json({ allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] }),
    value: () => nest(100, '{"a":', '1', '}'),
  },
  {
    name: 'anyOf that fails late, twice a level, 60 levels',
    answers: orGaveUp('invalid'),
    schema: () =>
      json({
        anyOf: [
          { type: 'string' },
          { required: ['a'], properties: { a: { $ref: '#' } } },
          { required: ['a'], properties: { a: { $ref: '#' } } },
        ],
        not: { type: 'integer' },
      }),
    value: () => nest(60, '{"a":', '1', '}'),
  },
  {
    name: 'unevaluatedProperties, twice a level, 100 levels',
    answers: orGaveUp('valid'),
    schema: () =>
      json({
        anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }],
        unevaluatedProperties: false,
      }),
    value: () => nest(100, '{"a":', '{}', '}'),
  },
  {
    name: '500 branches on 100,000 items',
    answers: orGaveUp('invalid'),
    schema: () => json({ items: { anyOf: list(500, (at) => ({ const: `c${at}` })) } }),
    value: () => json(list(100_000, () => 'c499x')),
  },
  {
    name: '500 branches of objects on 20,000 objects',
    answers: orGaveUp('invalid'),
    schema: () =>
      json({
        items: { oneOf: list(500, (at) => ({ properties: { kind: { const: `k${at}` } }, required: ['kind', 'x'] })) },
      }),
    value: () => json(list(20_000, (at) => ({ kind: `k${at % 500}` }))),
  },
  {
    name: 'as many lengths as allowed of 1 MB of text',
    answers: orGaveUp('valid'),
    schema: () => json({ allOf: list(MOST_SCHEMAS, (at) => ({ minLength: at })) }),
    value: () => json('😀'.repeat(250_000)),
  },
  {
    name: 'as many contains as allowed on 50,000 items',
    answers: orGaveUp('invalid'),
    schema: () => json({ allOf: list(Math.floor(MOST_SCHEMAS / 2), (at) => ({ contains: { const: -1 - at } })) }),
    value: () => json(list(50_000, (at) => at)),
  },
  {
    name: 'a value 512 deep',
    answers: ['valid'],
    schema: () => '{"properties":{"a":{"$ref":"#"}}}',
    value: () => nest(511, '{"a":', '1', '}'),
  },
  {
    name: 'a value 10,000 deep',
    answers: ['no verdict'],
    schema: () => '{"properties":{"a":{"$ref":"#"}}}',
    value: () => nest(10_000, '{"a":', '1', '}'),
  },
  {
    name: 'a value 10,000 deep, as a value',
    answers: ['no verdict'],
    asValues: true,
    schema: () => '{"properties":{"a":{"$ref":"#"}}}',
    value: () => nest(10_000, '{"a":', '1', '}'),
  },
  {
    name: 'text that is no JSON',
    answers: ['no verdict', 'invalid'],
    schema: () => '{}',
    value: () => `[${'1,'.repeat(300_000)}`,
  },
  {
    name: '300,000 items, all wrong',
    answers: ['invalid'],
    schema: () => '{"items":{"type":"string"}}',
    value: () => `[${'1,'.repeat(300_000)}1]`,
  },
  {
    name: '50,000 unknown names beside 1,000 known',
    answers: ['invalid'],
    schema: () => json({ properties: members(1000, (at) => [`property${at}`, {}]), additionalProperties: false }),
    value: () => json(members(50_000, (at) => [`propertx${at}`, 1])),
  },
  {
    name: 'an unknown name of 500 KB beside a known one of 200 KB',
    answers: ['invalid'],
    schema: () => json({ properties: { ['n'.repeat(200_000)]: {} }, additionalProperties: false }),
    value: () => json({ ['m'.repeat(500_000)]: 1 }),
  },
  {
    name: 'an ordinary megabyte',
    answers: ['valid'],
    schema: () =>
      json({
        items: {
          type: 'object',
          properties: { id: { type: 'integer' }, name: { type: 'string', minLength: 1 }, on: { type: 'boolean' } },
          required: ['id'],
        },
      }),
    value: () => json(list(20_000, (at) => ({ id: at, name: `name ${at}`, on: true }))),
  },
  {
    name: 'an ordinary megabyte without any bound on its text',
    answers: ['valid'],
    schema: () => json({ properties: { text: { type: 'string' } } }),
    value: () => json({ text: 'x'.repeat(1_000_000) }),
  },
];

const NUMBERS: readonly Bomb[] = [
  {
    name: 'a number of a million digits by multipleOf 7',
    answers: orGaveUp('invalid'),
    schema: () => '{"multipleOf":7}',
    value: () => `1${'0'.repeat(999_999)}`,
  },
  {
    name: 'a number of a million digits against a bound',
    answers: orGaveUp('invalid'),
    schema: () => '{"maximum":10,"type":"integer"}',
    value: () => '9'.repeat(1_000_000),
  },
  {
    name: '1e1000000000 by multipleOf 7',
    answers: orGaveUp('invalid'),
    schema: () => '{"multipleOf":7,"type":"number"}',
    value: () => '1e1000000000',
  },
  {
    name: '1e-1000000000 as a step',
    answers: orGaveUp('valid'),
    schema: () => '{"multipleOf":1e-1000000000}',
    value: () => '123',
  },
  {
    name: '1e1000000000 as a bound',
    answers: ['invalid'],
    schema: () => '{"minimum":1e1000000000}',
    value: () => '12345678901234567890',
  },
  {
    name: 'an exponent of a million digits',
    answers: orGaveUp('valid'),
    schema: () => '{"type":"number","minimum":0}',
    value: () => `1e${'9'.repeat(1_000_000)}`,
  },
  {
    name: 'a step of 200,000 digits',
    answers: ['valid', 'invalid', 'no verdict', 'SCHEMA_TOO_LARGE'],
    schema: () => `{"multipleOf":${'7'.repeat(200_000)}}`,
    value: () => '7'.repeat(900_000),
  },
  {
    name: '50,000 long numbers by multipleOf',
    answers: orGaveUp('valid'),
    schema: () => '{"items":{"multipleOf":10,"type":"integer","minimum":12345678901234567890}}',
    value: () => `[${list(45_000, () => '123456789012345678900').join()}]`,
  },
];

/** Schemas within every bound, with a value that makes them dear. */
export const VALUE_BOMBS: readonly Bomb[] = [...PATTERNS, ...VALUES, ...NUMBERS];
