/**
 * An outputSchema that is shown wrapped accepts `{ result: v }` just where the schema itself accepts `v`: by our own judge,
 * on every schema of the official suite where that is at hand, and on schemas made of all that refers to something.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTestData } from '../conformance/schema/data.js';
import { encodeText, sliceOf } from '../src/base/index.js';
import { wrapOutputSchema } from '../src/protocol/index.js';
import { compileSchema, type Judge } from '../src/schema/index.js';

function wrap(schema: unknown): string | undefined {
  return wrapOutputSchema(sliceOf(encodeText(JSON.stringify(schema))));
}

function judgeOf(schema: unknown): Judge {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw compiled.error;
  return compiled.judge;
}

/** Whether both say the same of each value. */
function expectSame(schema: unknown, values: readonly unknown[]): void {
  const before = judgeOf(schema);
  const after = judgeOf(JSON.parse(wrap(schema)!));
  for (const value of values) {
    expect(after.checkValue({ result: value }).valid, JSON.stringify(value)).toBe(before.checkValue(value).valid);
  }
  expect(after.checkValue({}).valid).toBe(false);
  expect(after.checkValue(values[0] ?? null).valid).toBe(false);
}

const TAIL = '},"required":["result"]}';
const HEAD = '"type":"object","properties":{"result":';

test.each([
  {
    why: 'every byte stays',
    schema: '{ "type" : "array" , "maxItems":1e1 }',
    becomes: `{${HEAD}{ "type" : "array" , "maxItems":1e1 }${TAIL}`,
  },
  { why: 'true', schema: 'true', becomes: `{${HEAD}{}${TAIL}` },
  { why: 'false', schema: 'false', becomes: `{${HEAD}{"not":{}}${TAIL}` },
  {
    why: 'the dialect is that of the whole',
    schema: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"array"}',
    becomes: `{"$schema":"http://json-schema.org/draft-07/schema#",${HEAD}{"type":"array"}${TAIL}`,
  },
  {
    why: 'references move, in schemas only',
    schema:
      '{"items":{"$ref":"#/$defs/a"},"not":{"$ref":"#"},"enum":[{"$ref":"#"}],"properties":{"$ref":{"$ref":"#/$defs/a"},"enum":{"$ref":"#/x"}}}',
    becomes: `{${HEAD}{"items":{"$ref":"#/properties/result/$defs/a"},"not":{"$ref":"#/properties/result"},"enum":[{"$ref":"#"}],"properties":{"$ref":{"$ref":"#/properties/result/$defs/a"},"enum":{"$ref":"#/properties/result/x"}}}${TAIL}`,
  },
  {
    why: 'names and other documents stay',
    schema: '{"anyOf":[{"$ref":"#name"},{"$ref":"other"},{"$dynamicRef":"#name"},{"$ref":"https://x.test/#/a"}]}',
    becomes: `{${HEAD}{"anyOf":[{"$ref":"#name"},{"$ref":"other"},{"$dynamicRef":"#name"},{"$ref":"https://x.test/#/a"}]}${TAIL}`,
  },
  {
    why: 'a document with an id of its own stays as it is',
    schema: '{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://x.test/a","items":{"$ref":"#"}}',
    becomes: `{"$schema":"https://json-schema.org/draft/2020-12/schema",${HEAD}{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://x.test/a","items":{"$ref":"#"}}${TAIL}`,
  },
  {
    why: 'so does one inside',
    schema: '{"items":{"$id":"a","not":{"$ref":"#/$defs/x"}},"contains":{"$ref":"#/items"}}',
    becomes: `{${HEAD}{"items":{"$id":"a","not":{"$ref":"#/$defs/x"}},"contains":{"$ref":"#/properties/result/items"}}${TAIL}`,
  },
])('$why', ({ schema, becomes }) => {
  expect(wrapOutputSchema(sliceOf(encodeText(schema)))).toBe(becomes);
});

const RECURSIVE = 'https://json-schema.org/draft/2019-09/schema';

test.each([
  { why: 'beside a reference', schema: { items: { $ref: '#/$defs/a', $recursiveRef: '#' }, $defs: { a: true } } },
  {
    why: 'by way of another document',
    schema: { $recursiveAnchor: true, items: { $id: 'a', $recursiveAnchor: true, items: { $recursiveRef: '#' } } },
  },
  {
    why: 'being a document of its own, which clients compile for ever',
    schema: { $id: 'a', $ref: '#/$defs/a', $defs: { a: true } },
  },
])('what refers to the root and cannot be moved is not wrapped: $why', ({ schema }) => {
  expect(wrap({ $schema: RECURSIVE, type: 'array', ...schema })).toBeUndefined();
});

describe('accepts what the schema accepts', () => {
  const VALUES = [
    null,
    0,
    1,
    'a',
    'ab',
    [],
    ['a'],
    [['a']],
    [0],
    {},
    { a: 'x' },
    { a: [] },
    { a: { a: { a: 0 } } },
    [{ a: 1 }],
  ];

  test.each([
    { schema: { type: ['array', 'string'], items: { $ref: '#' } } },
    { schema: { type: 'array', items: { $ref: '#/$defs/a~1b' }, $defs: { 'a/b': { type: 'string' } } } },
    { schema: { type: 'array', items: { $ref: '#/%24defs/a' }, $defs: { a: { type: 'string' } } } },
    { schema: { items: { $ref: '#n' }, $defs: { a: { $anchor: 'n', type: 'string' } } } },
    { schema: { $dynamicAnchor: 'n', type: ['array', 'integer'], items: { $dynamicRef: '#n' } } },
    {
      schema: { $id: 'case.result.v1', type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: { type: 'string' } } },
    },
    {
      schema: {
        $id: 'https://x.test/a',
        type: 'array',
        items: { $ref: 'a#/$defs/a' },
        $defs: { a: { type: 'string' } },
      },
    },
    { schema: { $schema: RECURSIVE, type: ['array', 'integer'], items: { $recursiveRef: '#' } } },
    {
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: '#x',
        items: { $ref: '#/definitions/a' },
        definitions: { a: { type: 'string' } },
      },
    },
    {
      schema: {
        $schema: 'http://json-schema.org/draft-04/schema#',
        id: 'http://x.test/',
        items: { $ref: '#' },
        type: ['array', 'string'],
      },
    },
  ])('$schema', ({ schema }) => expectSame(schema, VALUES));

  test('any schema that refers to its own parts', () => {
    const names = fc.constantFrom('a', 'b', 'c/d', 'e~f', 'enum', '$ref');
    const pointer = names.map((name) => `#/$defs/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    const reference = fc.oneof(pointer, fc.constantFrom('#', '#/$defs/a', '#anchor'));
    const leaf = fc.constantFrom<unknown>(
      { type: 'string' },
      { type: 'array' },
      { const: { $ref: '#' } },
      { enum: [0, 'a'] },
      {},
    );
    const part = fc.oneof(
      leaf,
      reference.map(($ref) => ({ type: ['array', 'object'], items: { $ref }, additionalProperties: { $ref } })),
      fc
        .tuple(reference, leaf)
        .map(([$ref, other]) => ({ anyOf: [other, { items: { $ref } }], default: { $ref: '#' } })),
    );
    const definitions = fc.tuple(part, part, part, part, part, part).map(([a, b, c, d, e, f]) => ({
      ...{ a, b, 'c/d': c, 'e~f': d, enum: e, $ref: f },
      anchored: { $anchor: 'anchor', type: ['string', 'array'] },
    }));
    fc.assert(
      fc.property(part, definitions, (root, $defs) => expectSame({ ...(root as object), $defs }, VALUES)),
      { numRuns: 150 },
    );
  });

  const DIALECTS = {
    'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
    'draft2019-09': RECURSIVE,
    draft7: 'http://json-schema.org/draft-07/schema#',
    draft6: 'http://json-schema.org/draft-06/schema#',
    draft4: 'http://json-schema.org/draft-04/schema#',
  };
  const data = findTestData();

  test.skipIf(data.kind === 'absent').each(Object.entries(DIALECTS))('the official suite, %s', (folder, $schema) => {
    if (data.kind === 'absent') return;
    let count = 0;
    for (const { schema, tests } of groupsIn(join(data.suite, 'tests', folder))) {
      if (typeof schema !== 'object') continue;
      const whole = { $schema, ...schema };
      if (!compileSchema(whole).ok || wrap(whole) === undefined) continue;
      expectSame(
        whole,
        tests.map((each) => each.data),
      );
      count++;
    }
    expect(count).toBeGreaterThan(150);
  });
});

interface Group {
  readonly schema: object | boolean;
  readonly tests: readonly { readonly data: unknown }[];
}

function groupsIn(folder: string): Group[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Group[]);
}
