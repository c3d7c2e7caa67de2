import { type Bomb, json, list, MOST_PROPERTIES, MOST_SCHEMAS, members, nest, orGaveUp, TOO_LARGE } from './bomb.js';

/** d0 is a string; each d(i) meets d(i-1) twice: 2^levels schemas at one place. */
function fanOut(levels: number, keyword: string): string {
  const twice = (at: number) => ({ [keyword]: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] });
  const $defs = members(levels + 1, (at) => [`d${at}`, at === 0 ? { type: 'string' } : twice(at)]);
  return json({ $defs, properties: { x: { $ref: `#/$defs/d${levels}` } } });
}

const NESTING: readonly Bomb[] = [
  {
    name: 'properties nested 10,000 deep',
    named: true,
    answers: TOO_LARGE,
    schema: () => nest(10_000, '{"properties":{"a":', '{}', '}}'),
  },
  { name: 'not nested 10,000 deep', answers: TOO_LARGE, schema: () => nest(10_000, '{"not":', '{}', '}') },
  {
    name: 'items nested 10,000 deep, as a value',
    answers: TOO_LARGE,
    asValues: true,
    schema: () => nest(10_000, '{"items":', '{}', '}'),
  },
  {
    name: 'allOf nested 10,000 deep',
    named: true,
    answers: TOO_LARGE,
    schema: () => nest(10_000, '{"allOf":[', '{}', ']}'),
  },
  {
    name: 'a default nested 10,000 deep',
    answers: TOO_LARGE,
    schema: () => `{"default":${nest(10_000, '[', '', ']')}}`,
  },
  {
    name: 'an enum nested 10,000 deep, as a value',
    answers: TOO_LARGE,
    asValues: true,
    schema: () => `{"enum":[${nest(10_000, '[', '', ']')}]}`,
  },
  {
    name: 'an unknown keyword nested 10,000 deep',
    answers: TOO_LARGE,
    schema: () => `{"x-y":${nest(10_000, '{"a":', '1', '}')}}`,
  },
  {
    name: 'a million opening brackets',
    answers: ['SCHEMA_TOO_LARGE', 'SCHEMA_INVALID'],
    schema: () => '['.repeat(1_000_000),
  },
  {
    name: 'a million opening brackets after 200 KB of white space',
    answers: ['SCHEMA_TOO_LARGE', 'SCHEMA_INVALID'],
    schema: () => `${' '.repeat(200_000)}${'{"a":'.repeat(200_000)}`,
  },
];

const FAN_OUT: readonly Bomb[] = [
  { name: 'allOf fan-out 2^22', named: true, answers: TOO_LARGE, schema: () => fanOut(22, 'allOf') },
  { name: 'anyOf fan-out 2^40', answers: TOO_LARGE, schema: () => fanOut(40, 'anyOf') },
  { name: 'oneOf fan-out 2^60', answers: TOO_LARGE, schema: () => fanOut(60, 'oneOf') },
  {
    name: 'a reference to itself twice',
    named: true,
    answers: TOO_LARGE,
    schema: () => '{"allOf":[{"$ref":"#"},{"$ref":"#"}]}',
  },
  { name: 'a reference to itself', named: true, answers: TOO_LARGE, schema: () => '{"$ref":"#"}' },
  {
    name: 'a reference to itself, draft-07',
    answers: TOO_LARGE,
    schema: () =>
      json({ $schema: 'http://json-schema.org/draft-07/schema#', definitions: { a: { $ref: '#/definitions/a' } } }),
  },
  {
    name: 'two that refer to each other',
    named: true,
    answers: TOO_LARGE,
    schema: () => json({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }),
  },
  {
    name: 'a cycle of 1,000',
    named: true,
    answers: TOO_LARGE,
    schema: () => json({ $defs: members(1000, (at) => [`d${at}`, { $ref: `#/$defs/d${(at + 1) % 1000}` }]) }),
  },
  { name: 'a cycle through not', answers: TOO_LARGE, schema: () => '{"not":{"$ref":"#"}}' },
  { name: 'a cycle through if', answers: TOO_LARGE, schema: () => '{"if":{"$ref":"#"},"then":true}' },
  {
    name: 'a cycle through dependentSchemas',
    answers: TOO_LARGE,
    schema: () => '{"dependentSchemas":{"a":{"$ref":"#"}}}',
  },
  {
    name: 'a cycle through $dynamicRef',
    answers: TOO_LARGE,
    schema: () => '{"$dynamicAnchor":"n","anyOf":[{"$dynamicRef":"#n"}]}',
  },
  {
    name: 'a cycle through $recursiveRef',
    answers: TOO_LARGE,
    schema: () => json({ $schema: 'https://json-schema.org/draft/2019-09/schema', oneOf: [{ $recursiveRef: '#' }] }),
  },
  {
    name: 'a chain of 1,000 references',
    answers: ['valid', 'SCHEMA_TOO_LARGE'],
    schema: () =>
      json({
        $defs: members(1000, (at) => [`d${at}`, at === 0 ? {} : { $ref: `#/$defs/d${at - 1}` }]),
        $ref: '#/$defs/d999',
      }),
    value: () => '1',
  },
];

const WIDE = Math.min(MOST_PROPERTIES, Math.floor(MOST_SCHEMAS / 2));
const SMALL_OBJECTS = Math.floor(MOST_SCHEMAS / 29);

const WIDTH: readonly Bomb[] = [
  {
    name: '20,000 properties with patterns',
    named: true,
    answers: TOO_LARGE,
    schema: () => json({ properties: members(20_000, (at) => [`p${at}`, { pattern: `^a${at}$` }]) }),
  },
  {
    name: '20,000 patternProperties',
    named: true,
    answers: TOO_LARGE,
    schema: () => json({ patternProperties: members(20_000, (at) => [`^a${at}$`, {}]) }),
  },
  {
    name: '100,000 enum strings',
    named: true,
    answers: TOO_LARGE,
    schema: () => json({ enum: list(100_000, (at) => `value ${at}`) }),
  },
  {
    name: '100,000 enum strings, as a value',
    answers: TOO_LARGE,
    asValues: true,
    schema: () => json({ enum: list(100_000, (at) => `value ${at}`) }),
  },
  { name: '200,000 short enum numbers', answers: TOO_LARGE, schema: () => json({ enum: list(200_000, (at) => at) }) },
  { name: '10 MB of text', answers: TOO_LARGE, schema: () => json({ description: 'x'.repeat(10_000_000) }) },
  {
    name: 'a million properties that are false',
    answers: TOO_LARGE,
    schema: () => `{"properties":{${list(1_000_000, (at) => `"${at}":false`).join()}}}`,
  },
  {
    name: '100,000 subschemas in one anyOf',
    answers: TOO_LARGE,
    schema: () => json({ anyOf: list(100_000, () => ({})) }),
  },
  {
    name: 'maps as wide as the bounds allow',
    answers: ['valid'],
    schema: () =>
      json({
        properties: members(Math.floor(MOST_SCHEMAS / WIDE), (at) => [
          `o${at}`,
          { type: 'object', properties: members(WIDE - 1, (one) => [`p${one}`, { type: 'integer' }]) },
        ]),
      }),
    value: () => json({ o0: { p0: 1, p989: 2 } }),
  },
  {
    name: 'as many subschemas as the bounds allow, which all say something',
    answers: ['invalid'],
    schema: () =>
      json({
        properties: members(SMALL_OBJECTS, (at) => [
          `o${at}`,
          {
            type: 'object',
            required: ['p1'],
            properties: members(28, (one) => [
              `p${one}`,
              { type: ['string', 'null'], minLength: one, enum: ['a', null] },
            ]),
          },
        ]),
      }),
    value: () => json(members(SMALL_OBJECTS, (at) => [`o${at}`, { p1: 5 }])),
  },
  {
    name: '10,000 enum strings, within the bounds',
    answers: ['invalid'],
    schema: () => json({ items: { enum: list(10_000, (at) => `value ${at}`) } }),
    value: () => json(list(50_000, (at) => `value ${at}`)),
  },
  {
    name: '5,000 enum objects against 5,000 objects',
    answers: orGaveUp('invalid'),
    schema: () => json({ items: { enum: list(5000, (at) => ({ at, a: { b: [at] } })) } }),
    value: () => json(list(5000, (at) => ({ at: at + 1, a: { b: [at] } }))),
  },
  {
    name: '20,000 required names',
    answers: ['invalid', 'SCHEMA_TOO_LARGE'],
    schema: () => json({ required: list(20_000, (at) => `n${at}`) }),
    value: () => '{}',
  },
];

/** Schemas too deep, too wide, or endless. */
export const SCHEMA_BOMBS: readonly Bomb[] = [...NESTING, ...FAN_OUT, ...WIDTH];
