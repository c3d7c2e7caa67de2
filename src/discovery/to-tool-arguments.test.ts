import { describe, expect, test } from 'vitest';
import type { ToolsDocument } from './agent-tools.js';
import { toolsDocument } from './agent-tools.js';
import { toToolArguments } from './to-tool-arguments.js';

type Schema = Record<string, unknown>;

function documentOf(inputSchema: Schema, name = 'tool'): ToolsDocument {
  const surface = { server: { name: 'a/b', description: 'd', version: '1' }, capabilities: {}, supportedVersions: [] };
  const document = toolsDocument({ ...surface, path: '/mcp', tools: [{ name, inputSchema }] }, 'openai');
  // As whoever fetched it has it.
  return JSON.parse(JSON.stringify(document)) as ToolsDocument;
}

const closed = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const optional = closed({ a: { type: 'string' } });

describe('null is left out where it can only mean that', () => {
  test.each([
    { why: 'a member', schema: optional, said: { a: null }, meant: {} },
    { why: 'not one that is there', schema: optional, said: { a: 'x' }, meant: { a: 'x' } },
    {
      why: 'not a real one',
      schema: closed({ a: { type: ['string', 'null'] }, b: { type: 'string' } }),
      said: { a: null, b: null },
      meant: { a: null },
    },
    {
      why: 'in an object that may be left out itself',
      schema: closed({ a: closed({ b: { type: 'string' }, c: { type: 'string' } }, ['c']) }),
      said: { a: { b: null, c: 'x' } },
      meant: { a: { c: 'x' } },
    },
    {
      why: 'in items',
      schema: closed({ a: { type: 'array', items: optional } }, ['a']),
      said: { a: [{ a: null }, { a: 'x' }] },
      meant: { a: [{}, { a: 'x' }] },
    },
    {
      why: 'by the branch that fits',
      schema: closed(
        {
          a: {
            anyOf: [
              closed({ k: { const: 1 }, x: { type: 'string' } }, ['k']),
              closed({ k: { const: 2 }, x: { type: 'null' } }, ['k', 'x']),
            ],
          },
        },
        ['a'],
      ),
      said: { a: { k: 1, x: null } },
      meant: { a: { k: 1 } },
    },
    {
      why: 'not by the branch that does not',
      schema: closed(
        {
          a: {
            anyOf: [
              closed({ k: { const: 1 }, x: { type: 'string' } }, ['k']),
              closed({ k: { const: 2 }, x: { type: 'null' } }, ['k', 'x']),
            ],
          },
        },
        ['a'],
      ),
      said: { a: { k: 2, x: null } },
      meant: { a: { k: 2, x: null } },
    },
    {
      why: 'of two branches that fit, by the one in which it is real',
      schema: closed({ a: { anyOf: [closed({ x: { type: 'string' } }), closed({ x: { type: 'null' } }, ['x'])] } }, [
        'a',
      ]),
      said: { a: { x: null } },
      meant: { a: { x: null } },
    },
    {
      why: 'of two in which it is not, by the first',
      schema: closed(
        {
          a: {
            anyOf: [
              closed({ x: { type: 'string' }, y: { type: 'null' } }, ['y']),
              closed({ x: { type: 'integer' }, y: { type: 'integer' } }),
            ],
          },
        },
        ['a'],
      ),
      said: { a: { x: null, y: null } },
      meant: { a: { y: null } },
    },
    {
      why: 'along references, as deep as they go',
      schema: {
        ...closed({ a: { $ref: '#/$defs/Node' } }, ['a']),
        $defs: { Node: closed({ next: { $ref: '#/$defs/Node' }, 'v/~': { type: 'string' } }) },
      },
      said: { a: { next: { next: null, 'v/~': null }, 'v/~': 'x' } },
      meant: { a: { next: {}, 'v/~': 'x' } },
    },
    { why: 'not in members that nobody knows', schema: optional, said: { b: null, a: null }, meant: { b: null } },
    { why: 'not where the shape is another', schema: optional, said: { a: { b: null } }, meant: { a: { b: null } } },
    {
      why: 'not in what fits no branch',
      schema: closed({ a: { anyOf: [optional, { type: 'integer' }] } }, ['a']),
      said: { a: { a: null, z: 1 } },
      meant: { a: { a: null, z: 1 } },
    },
    {
      why: 'not in arrays that are none by the schema',
      schema: closed({ a: { type: 'string' }, b: { type: 'string' } }),
      said: { a: [null], b: null },
      meant: { a: [null] },
    },
  ])('$why', ({ schema, said, meant }) => {
    const before = structuredClone(said);
    expect(toToolArguments(documentOf(schema), { name: 'tool', arguments: said })).toEqual({
      name: 'tool',
      arguments: meant,
    });
    expect(said).toEqual(before);
  });
});

test('arguments that nothing has to be done about are the very same', () => {
  const said = { a: 'x' };
  expect(toToolArguments(documentOf(optional), { name: 'tool', arguments: said }).arguments).toBe(said);
  expect(toToolArguments(documentOf(closed({})), { name: 'tool', arguments: said }).arguments).toBe(said);
});

test('a member called __proto__ is a member', () => {
  const said = JSON.parse('{"__proto__":null,"a":null}') as Schema;
  const { arguments: meant } = toToolArguments(documentOf(optional), { name: 'tool', arguments: said });
  expect(JSON.stringify(meant)).toBe('{"__proto__":null}');
});

test('the tool is called by its own name', () => {
  const document = documentOf(optional, 'files.read');
  const [as] = Object.keys(document.names);
  expect(toToolArguments(document, { name: as!, arguments: {} }).name).toBe('files.read');
  expect(document.names).toEqual({ [as!]: 'files.read' });
});

test('where the model saw the loose definitions, every null is what it wrote', () => {
  const call = { name: 'tool', arguments: { a: null }, variant: 'loose' } as const;
  expect(toToolArguments(documentOf(optional), call).arguments).toEqual({ a: null });
});

test('both forms of OpenAI say the same', () => {
  const document = documentOf(optional);
  const flat = structuredClone(document) as unknown as {
    tools: [{ strict: { definition: Schema & { function?: Schema } } }];
  };
  const { strict } = flat.tools[0];
  strict.definition = { ...strict.definition.function };
  const call = { name: 'tool', arguments: { a: null } };
  expect(toToolArguments(flat as unknown as ToolsDocument, call).arguments).toEqual({});
});

test.each([
  { why: 'one that is not there', name: 'other' },
  { why: 'one that every object has', name: 'constructor' },
  { why: 'one that is too long to be shown', name: 'x'.repeat(500) },
])('a name without a tool is an error: $why', ({ name }) => {
  expect(() => toToolArguments(documentOf(optional), { name, arguments: {} })).toThrow(
    expect.objectContaining({ code: 'TOOL_UNKNOWN', message: `the document has no tool "${name.slice(0, 128)}"` }),
  );
});

test.each([
  { why: 'definitions that are none', spoil: (strict: Schema) => Object.assign(strict, { definition: {} }) },
  {
    why: 'references to nowhere',
    spoil: (strict: Schema) =>
      Object.assign(strict, { definition: { parameters: { properties: { a: { $ref: '#/$defs/x' } } } } }),
  },
])('a document that was spoilt on its way changes nothing it cannot tell: $why', ({ spoil }) => {
  const document = documentOf(closed({ b: { type: 'string' } }));
  spoil(document.tools[0]!.strict as unknown as Schema);
  const said = { a: { x: null } };
  expect(toToolArguments(document, { name: 'tool', arguments: said }).arguments).toEqual(said);
});

test('a branch that is no schema is an error of the document', () => {
  const document = documentOf(closed({ a: { anyOf: [optional, { type: 'null' }] } }, ['a']));
  const text = JSON.stringify(document).replaceAll('"anyOf":[{"type":"object"', '"anyOf":[5,{"type":"nonsense"');
  expect(() =>
    toToolArguments(JSON.parse(text) as ToolsDocument, { name: 'tool', arguments: { a: { a: null } } }),
  ).toThrow(expect.objectContaining({ code: 'SCHEMA_INVALID' }));
});
