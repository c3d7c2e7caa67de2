/**
 * Siblings of the given cases, in their format: the same kind of failure in the places where it would come back if
 * only the given spot had been mended.
 */
import type { Case } from './cases.js';

const GOOD = { name: 'good', inputSchema: { type: 'object' } };

/** One tool that must be left out for `reason`, beside a healthy one. */
function excluded(
  id: string,
  title: string,
  inputSchema: unknown,
  schemaPath?: string,
  reason = 'InvalidSchema',
): Case {
  const entry = { name: 'bad', reason, ...(schemaPath !== undefined && { schema_path: schemaPath }) };
  const expect = { listed: ['good'], excluded: [entry] };
  return { id, kind: 'tools', title, input: { tools: [{ name: 'bad', inputSchema }, GOOD] }, expect };
}

/** One tool that must be kept, and what its schema says to some arguments. */
function kept(
  id: string,
  title: string,
  definition: object,
  calls: readonly (readonly [string, string?])[] = [],
): Case {
  const judged = calls.map(([arguments_json, error_path]) => {
    const verdict = error_path === undefined ? 'valid' : 'invalid';
    return { tool: 'odd', arguments_json, verdict, ...(error_path !== undefined && { error_path }) };
  });
  const tools = [{ name: 'odd', ...definition }, GOOD];
  return {
    id,
    kind: 'tools',
    title,
    input: { tools, calls: judged },
    expect: { listed: ['odd', 'good'], excluded: [] },
  };
}

const props = (properties: object, more: object = {}) => ({ inputSchema: { type: 'object', properties, ...more } });

export const OWN_TOOLS_CASES: readonly Case[] = [
  excluded('own-string', 'inputSchema is a string', 'object'),
  excluded('own-array', 'inputSchema is an array', []),
  excluded('own-number', 'inputSchema is a number', 7),
  excluded('own-false', 'inputSchema is false', false),
  excluded('own-type', 'a root type nobody knows', { type: 'objekt' }, '/type'),
  excluded(
    'own-type-null',
    'type is null',
    { type: 'object', properties: { a: { type: null } } },
    '/properties/a/type',
  ),
  excluded('own-properties-array', 'properties is an array', { type: 'object', properties: [] }, '/properties'),
  excluded(
    'own-deep-null',
    'null properties far down',
    { type: 'object', properties: { a: { items: { properties: null } } } },
    '/properties/a/items/properties',
  ),
  excluded('own-required-string', 'required is one name', { type: 'object', required: 'a' }, '/required'),
  excluded(
    'own-required-true',
    'required: true on a property, as draft-03 had it',
    { type: 'object', properties: { a: { required: true } } },
    '/properties/a/required',
  ),
  excluded(
    'own-enum-null',
    'enum is null',
    { type: 'object', properties: { a: { enum: null } } },
    '/properties/a/enum',
  ),
  excluded(
    'own-items-null',
    'items is null',
    { type: 'object', properties: { a: { items: null } } },
    '/properties/a/items',
  ),
  excluded(
    'own-additional-null',
    'additionalProperties is null',
    { type: 'object', additionalProperties: null },
    '/additionalProperties',
  ),
  excluded(
    'own-minimum',
    'minimum is a string',
    { type: 'object', properties: { a: { minimum: '0' } } },
    '/properties/a/minimum',
  ),
  excluded(
    'own-length',
    'maxLength is negative',
    { type: 'object', properties: { a: { maxLength: -1 } } },
    '/properties/a/maxLength',
  ),
  excluded('own-anyof', 'anyOf is empty', { type: 'object', properties: { a: { anyOf: [] } } }, '/properties/a/anyOf'),
  excluded('own-defs', 'a definition that is no schema', { type: 'object', $defs: { a: 'string' } }, '/$defs/a'),
  excluded(
    'own-ref-gone',
    '$ref to a definition that is not there',
    { type: 'object', properties: { a: { $ref: '#/$defs/A' } } },
    '/properties/a',
    'UnresolvedRef',
  ),
  excluded(
    'own-ref-unused',
    'a dangling $ref nothing leads to',
    { type: 'object', $defs: { a: { $ref: '#/$defs/b' } } },
    '/$defs/a',
    'UnresolvedRef',
  ),
  excluded(
    'own-ref-file',
    '$ref to a file',
    { type: 'object', properties: { a: { $ref: 'other.json' } } },
    undefined,
    'UnresolvedRef',
  ),
  excluded(
    'own-ref-urn',
    '$ref to a name',
    { type: 'object', properties: { a: { $ref: 'urn:x:y' } } },
    undefined,
    'UnresolvedRef',
  ),
  excluded(
    'own-ref-anchor',
    '$ref to an anchor that is not there',
    { type: 'object', properties: { a: { $ref: '#gone' } } },
    undefined,
    'UnresolvedRef',
  ),
  excluded(
    'own-dialect',
    '$schema names nothing known',
    { $schema: 'https://schemas.example/v9', type: 'object' },
    undefined,
    'UnsupportedDialect',
  ),
  excluded(
    'own-tuple',
    'array-form items without a stamp: 2020-12 has prefixItems',
    { type: 'object', properties: { range: { type: 'array', items: [{ type: 'integer' }] } } },
    '/properties/range/items',
  ),
  {
    id: 'own-names',
    kind: 'tools',
    title: 'definitions without a usable name cost only themselves',
    input: {
      tools: [
        null,
        'x',
        {},
        { name: null, inputSchema: { type: 'object' } },
        { name: 7, inputSchema: { type: 'object' } },
        GOOD,
      ],
    },
    expect: { listed: ['good'], excluded: [] },
  },
  {
    id: 'own-output',
    kind: 'tools',
    title: 'an outputSchema that is no schema costs its tool by default',
    input: {
      tools: [
        { name: 'bad', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: null } },
        GOOD,
      ],
    },
    expect: { listed: ['good'], excluded: [{ name: 'bad', reason: 'InvalidSchema', schema_path: '/properties' }] },
  },
  kept(
    'own-boolean-items',
    'true and false wherever a schema may stand',
    props({ list: { items: true }, none: { items: false }, not: { not: false } }),
    [['{"list":[1,"a",null],"none":[],"not":0}'], ['{"none":[1]}', '/none']],
  ),
  kept(
    'own-required-property',
    'a property named required',
    props({ required: { type: 'boolean' }, properties: true, type: { type: 'string' } }),
    [['{"required":true,"properties":[1],"type":"x"}'], ['{"required":["a"]}', '/required']],
  ),
  kept('own-empty', 'the empty schema, root type missing', { inputSchema: {} }, [['{"anything":1}']]),
  kept(
    'own-root-oneof',
    'oneOf at the root without type',
    { inputSchema: { oneOf: [{ required: ['a'] }, { required: ['b'] }] } },
    [['{"a":1}'], ['{"a":1,"b":1}', ''], ['{}', '']],
  ),
  kept('own-recursive', '$ref to the root', props({ kids: { type: 'array', items: { $ref: '#' } } }), [
    ['{"kids":[{"kids":[]}]}'],
    ['{"kids":[{"kids":1}]}', '/kids/0/kids'],
  ]),
  kept(
    'own-escaped-ref',
    '$ref with escaped and percent-encoded steps',
    {
      inputSchema: {
        type: 'object',
        $defs: { 'a/b c~d': { type: 'integer' } },
        properties: { x: { $ref: '#/$defs/a~1b%20c~0d' } },
      },
    },
    [['{"x":1}'], ['{"x":"1"}', '/x']],
  ),
  kept(
    'own-anchor',
    '$ref to an anchor',
    {
      inputSchema: {
        type: 'object',
        $defs: { a: { $anchor: 'here', type: 'integer' } },
        properties: { x: { $ref: '#here' } },
      },
    },
    [['{"x":1}'], ['{"x":"1"}', '/x']],
  ),
  kept(
    'own-id',
    '$id at the root, and a reference through it',
    {
      inputSchema: {
        $id: 'urn:own:root',
        type: 'object',
        $defs: { a: { type: 'integer' } },
        properties: { x: { $ref: 'urn:own:root#/$defs/a' } },
      },
    },
    [['{"x":1}'], ['{"x":"1"}', '/x']],
  ),
  kept(
    'own-same-id',
    'input and output of one tool share an $id',
    {
      inputSchema: { $id: 'urn:own:same', type: 'object', required: ['a'] },
      outputSchema: { $id: 'urn:own:same', type: 'object' },
    },
    [['{"a":1}'], ['{}', '']],
  ),
  kept(
    'own-metaschema',
    'a parameter that is a schema itself',
    props({ schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } }),
    [['{"schema":{"type":"string"}}'], ['{"schema":{"type":7}}', '/schema/type']],
  ),
  kept(
    'own-hostile-names',
    'properties with the names of inherited members',
    JSON.parse(
      '{"inputSchema":{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"},"hasOwnProperty":{"type":"boolean"}},"required":["toString","__proto__"]}}',
    ),
    [
      ['{"toString":1,"__proto__":1,"constructor":"c","hasOwnProperty":true}'],
      ['{"toString":1}', ''],
      ['{"toString":1,"__proto__":"1"}', '/__proto__'],
      ['{"toString":1,"__proto__":1,"constructor":2}', '/constructor'],
    ],
  ),
  kept(
    'own-null-output',
    'outputSchema is null: there is none',
    { inputSchema: { type: 'object' }, outputSchema: null },
    [['{}']],
  ),
  kept(
    'own-misfits',
    'annotations, title and icons of the wrong kind',
    { title: null, description: null, annotations: null, icons: {}, _meta: null, inputSchema: { type: 'object' } },
    [['{}']],
  ),
  kept(
    'own-unknown',
    'keywords nobody knows',
    {
      inputSchema: {
        type: 'object',
        optional: true,
        'x-order': [1],
        properties: { a: { type: 'string', widget: { kind: null } } },
      },
    },
    [['{"a":"x"}'], ['{"a":1}', '/a']],
  ),
];

const rejected = (error_path: string) => ({
  outcome: 'rejected_before_send',
  code: -32602,
  error_path,
  upstream_calls: 0,
});
const forwarded = (json: string) => ({ outcome: 'forwarded', upstream_calls: 1, forwarded_arguments_json: json });

/** Arguments that pass as they are (no path) or are refused at the path. */
function call(id: string, title: string, inputSchema: object, rows: readonly (readonly [string, string?])[]): Case {
  const variants = rows.map(([arguments_json, path]) => {
    return { arguments_json, expect: path === undefined ? forwarded(arguments_json) : rejected(path) };
  });
  return { id, kind: 'call', title, input: { inputSchema, variants }, expect: {} };
}

export const OWN_CALL_CASES: readonly Case[] = [
  call(
    'own-untouched',
    'nothing is filled in, taken out or put in order',
    { type: 'object', properties: { a: { type: 'integer', default: 7 }, b: { type: ['string', 'null'] } } },
    [['{}'], ['{"z":1,"b":null,"unknown":{"x":[]}}'], ['{"b":"","a":1}'], ['{"b":"  padded  "}']],
  ),
  call(
    'own-scalars',
    'scalars are never read as another type',
    {
      type: 'object',
      properties: {
        b: { type: 'boolean' },
        n: { type: 'number' },
        i: { type: 'integer' },
        s: { type: 'string' },
        z: { type: 'null' },
      },
    },
    [
      ['{"b":true,"n":1.5,"i":1.0,"s":"true","z":null}'],
      ['{"b":"true"}', '/b'],
      ['{"b":1}', '/b'],
      ['{"b":null}', '/b'],
      ['{"n":"1.5"}', '/n'],
      ['{"n":true}', '/n'],
      ['{"i":1.5}', '/i'],
      ['{"i":"7"}', '/i'],
      ['{"s":5}', '/s'],
      ['{"s":null}', '/s'],
      ['{"z":""}', '/z'],
      ['{"z":0}', '/z'],
    ],
  ),
  call(
    'own-containers',
    'containers are never opened or wrapped',
    { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } }, o: { type: 'object' } } },
    [
      ['{"a":[],"o":{}}'],
      ['{"a":"x"}', '/a'],
      ['{"a":"x,y"}', '/a'],
      ['{"a":{"0":"x"}}', '/a'],
      ['{"a":[["x"]]}', '/a/0'],
      ['{"o":[]}', '/o'],
      ['{"o":"{}"}', '/o'],
      ['{"o":null}', '/o'],
    ],
  ),
  call(
    'own-nested',
    'the path leads to the place, however deep',
    {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          items: {
            type: 'object',
            properties: { 'a/b~c': { type: 'integer' } },
            required: ['a/b~c'],
            additionalProperties: false,
          },
        },
      },
    },
    [
      ['{"rows":[{"a/b~c":1}]}'],
      ['{"rows":[{"a/b~c":1},{"a/b~c":"2"}]}', '/rows/1/a~1b~0c'],
      ['{"rows":[{}]}', '/rows/0'],
      ['{"rows":[{"a/b~c":1,"x":1}]}', '/rows/0'],
    ],
  ),
  call(
    'own-meta-key',
    '_meta inside arguments is an argument like any other',
    { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false },
    [['{"a":1}'], ['{"a":1,"_meta":{"progressToken":1}}', '']],
  ),
  call(
    'own-digits',
    'integers past 2^53 are judged by their digits',
    { type: 'object', properties: { id: { type: 'integer', minimum: 0 }, price: { multipleOf: 0.01 } } },
    [
      ['{"id":12345678901234567890}'],
      ['{"id":123456789012345678901234567890}'],
      ['{"id":12345678901234567890.5}', '/id'],
      ['{"id":-12345678901234567890}', '/id'],
      ['{"price":19.99}'],
      ['{"price":19.999}', '/price'],
    ],
  ),
  call(
    'own-enum',
    'enum and const are compared by value, not by likeness',
    { type: 'object', properties: { e: { enum: ['a', 1, null, { k: [1] }] }, c: { const: 0 } } },
    [
      ['{"e":"a"}'],
      ['{"e":1.0}'],
      ['{"e":null}'],
      ['{"e":{"k":[1.0]}}'],
      ['{"c":-0.0}'],
      ['{"e":"A"}', '/e'],
      ['{"e":"1"}', '/e'],
      ['{"e":{"k":["1"]}}', '/e'],
      ['{"c":false}', '/c'],
      ['{"c":""}', '/c'],
    ],
  ),
  call(
    'own-lengths',
    'strings are counted in characters, not in units',
    { type: 'object', properties: { s: { maxLength: 2 } } },
    [['{"s":"😀😀"}'], ['{"s":"\\ud83d\\ude00\\ud83d\\ude00"}'], ['{"s":"😀😀😀"}', '/s']],
  ),
  call(
    'own-formats',
    'formats are annotations',
    {
      type: 'object',
      properties: {
        mail: { type: 'string', format: 'email' },
        at: { format: 'date-time' },
        id: { format: 'uuid' },
        re: { format: 'regex' },
      },
    },
    [['{"mail":"nobody","at":"yesterday","id":"x","re":"("}'], ['{"mail":7}', '/mail']],
  ),
];
