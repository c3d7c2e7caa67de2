import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTestData } from '../../conformance/schema/data.js';
import { encodeText } from '../base/index.js';
import { buildSnapshot, type ListedTool, NameBook } from '../catalog/index.js';
import type { Era } from '../protocol/index.js';
import { definitionsOf, readCachedTools } from './cached-tools.js';
import { readDefinition } from './tool-definition.js';

const SCHEMA = '{"type":"object"}';

/** What the client makes of the same text when an upstream lists it. */
function listed(definition: string, era: Era = 'handshake'): ListedTool {
  const options = {
    upstream: 'up',
    uncompilableOutput: 'exclude',
    era,
    hasHeaders: false,
    position: 1,
    warn: () => {},
  } as const;
  const read = readDefinition(encodeText(definition), options);
  if (read.kind === 'exclusion') throw new Error(read.exclusion.reason);
  return read.tool;
}

function readOne(definition: string, era?: Era): ListedTool | undefined {
  return readCachedTools('up', [definition], era)[0];
}

function advertisedOf(tool: ListedTool): string | undefined {
  const list = { mount: 'm', prefix: 'always', filter: {}, tools: [tool], exclusions: [] } as const;
  return buildSnapshot([list], new NameBook(), () => {}).entries[0]?.advertised;
}

describe.each<{ why: string; definition: string; era?: Era }>([
  { why: 'the usual one', definition: `{"name":"a","description":"d","inputSchema":${SCHEMA}}` },
  { why: 'the name is not first', definition: `{"inputSchema":${SCHEMA},"description":"d", "name" : "a" }` },
  { why: 'spaces before the name', definition: `{ "name":"a","inputSchema":${SCHEMA}}` },
  {
    why: 'another name deeper down',
    definition: `{"name":"a","inputSchema":{"type":"object","properties":{"name":{}}}}`,
  },
  { why: 'the name comes twice: the last counts', definition: `{"name":"a","inputSchema":${SCHEMA},"name":"b"}` },
  { why: 'the second one spelled otherwise', definition: `{"name":"a","inputSchema":${SCHEMA},"n\\u0061me":"b"}` },
  { why: 'the same name twice', definition: `{"name":"a","inputSchema":${SCHEMA},"name":"a"}` },
  { why: 'a name with escapes', definition: `{"name":"\\u0061\\/\\"","inputSchema":${SCHEMA}}` },
  {
    why: 'text before the name that is not ASCII',
    definition: `{"title":"Größe 🙂","name":"ä🙂","inputSchema":${SCHEMA}}`,
  },
  { why: 'no description but something else', definition: `{"name":"a","description":5,"inputSchema":${SCHEMA}}` },
  {
    why: 'a number that no double holds',
    definition: `{"name":"a","_meta":{"n":12345678901234567890},"inputSchema":${SCHEMA}}`,
  },
  {
    why: 'an output of another type, which is shown wrapped',
    definition: `{"outputSchema":{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{}},"type":"array"},"name":"a","inputSchema":${SCHEMA}}`,
  },
  {
    why: 'an output without a type, of the 2026 era',
    definition: `{"title":"é","name":"a","inputSchema":${SCHEMA},"outputSchema":{"title":"any"}}`,
    era: 'modern',
  },
  { why: 'and of the older one', definition: `{"name":"a","inputSchema":${SCHEMA},"outputSchema":{"title":"any"}}` },
  {
    why: 'an output of which nothing is known',
    definition: `{"name":"a","inputSchema":${SCHEMA},"outputSchema":true}`,
  },
  {
    why: 'booleans for properties',
    definition: '{"name":"a","inputSchema":{"type":"object","properties":{"x":true}}}',
  },
  {
    why: 'a pattern that strict clients cannot read',
    definition: `{"name":"a","inputSchema":${SCHEMA},"outputSchema":{"type":"object","properties":{"x":{"pattern":"("}}}}`,
  },
  {
    why: 'a dialect that only older clients read',
    definition: `{"name":"a","inputSchema":${SCHEMA},"outputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}}`,
  },
  {
    why: 'parameters that are repeated in headers',
    definition:
      '{"name":"a","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-\\u0068eader":"R"}}}}',
  },
])('$why', ({ definition, era }) => {
  test('it is what the client would list', () => {
    const fresh = listed(definition, era);
    const [kept] = definitionsOf({ tools: [fresh] });
    const cached = readOne(kept!, era)!;
    const { input, output, paramHeaders, ...facts } = fresh;
    expect({ ...cached, input: undefined }).toMatchObject(facts);
    expect(definitionsOf({ tools: [cached] })).toEqual([kept]);
    expect(cached.modern).toEqual(fresh.modern);
    expect(cached.paramHeaders).toEqual(paramHeaders);
    expect(cached.input.digest).toBe(input.digest);
    expect(cached.output?.digest).toBe(output?.digest);
    expect(advertisedOf(cached)).toBe(advertisedOf(fresh));
  });
});

test.each([
  { why: 'nothing', definition: '' },
  { why: 'cut', definition: `{"name":"a","inputSchema":${SCHEMA}` },
  { why: 'two texts', definition: `{"name":"a","inputSchema":${SCHEMA}},{}` },
  { why: 'an array', definition: '[]' },
  { why: 'null', definition: 'null' },
  { why: 'no name', definition: `{"inputSchema":${SCHEMA}}` },
  { why: 'an empty name', definition: `{"name":"","inputSchema":${SCHEMA}}` },
  { why: 'a name that is no text', definition: `{"name":["a"],"inputSchema":${SCHEMA}}` },
  { why: 'no inputSchema, for which SDK clients refuse the whole list', definition: '{"name":"a"}' },
  { why: 'an inputSchema that is no object', definition: '{"name":"a","inputSchema":[]}' },
  { why: 'two lines', definition: `{"name":"a",\n"inputSchema":${SCHEMA}}` },
  { why: 'a carriage return', definition: `{"name":"a",\r"inputSchema":${SCHEMA}}` },
  {
    why: 'nested too deeply',
    definition: `{"inputSchema":${SCHEMA},"x":${'['.repeat(20_000)}${']'.repeat(20_000)},"name":"a"}`,
  },
])('left out, and only that: $why', ({ definition }) => {
  const good = `{"name":"good","inputSchema":${SCHEMA}}`;
  expect(readCachedTools('up', [definition, good]).map(({ name }) => name)).toEqual(['good']);
});

test('of two tools with one name the first counts', () => {
  const [first, second] = ['1', '2'].map((title) => `{"name":"a","title":"${title}","inputSchema":${SCHEMA}}`);
  expect(readCachedTools('up', [first!, second!]).map(({ definition }) => definition)).toEqual([first]);
});

test('a schema that cannot be compiled is listed, and judges nobody', () => {
  const tool = readOne('{"name":"a","inputSchema":{"type":"object","properties":null}}')!;
  expect(tool.name).toBe('a');
  expect(() => tool.input).toThrow(expect.objectContaining({ code: 'TOOL_EXCLUDED' }));
});

test('judges work, output included', () => {
  const output = '{"type":"object","required":["x"]}';
  const tool = readOne(`{"name":"a","inputSchema":{"type":"object","required":["n"]},"outputSchema":${output}}`)!;
  expect(tool.input.check('{}').valid).toBe(false);
  expect(tool.input.check('{"n":1}').valid).toBe(true);
  expect(tool.output?.check('{}').valid).toBe(false);
});

test('whatever the text, reading does not throw, and what it finds can be renamed', () => {
  const name = fc.oneof(fc.constantFrom('name', 'n\\u0061me', 'inputSchema', 'description', 'x"'), fc.string());
  const member = fc
    .tuple(name, fc.json())
    .map(([key, value]) => `${key.includes('\\u') ? `"${key}"` : JSON.stringify(key)}:${value}`);
  const object = fc.array(member).map((members) => `{${members.join(',')}}`);
  const tool = fc.tuple(fc.string({ minLength: 1, unit: 'binary' }), object).map(([own, rest]) => {
    return `{"inputSchema":{},"name":${JSON.stringify(own)}${rest === '{}' ? '' : ','}${rest.slice(1)}`;
  });
  const first = tool.map((text) => text.replace('"inputSchema":{},', '').replace(/\}$/, ',"inputSchema":{}}'));
  const texts = fc.oneof(fc.string(), fc.json(), object, tool, first);
  fc.assert(
    fc.property(texts, (text) => {
      const found = readOne(text);
      if (found === undefined) return;
      expect(found.name).toBe(JSON.parse(text).name);
      for (const { definition, nameStart, nameEnd } of [found, found.modern ?? found]) {
        const renamed = `${definition.slice(0, nameStart)}"\u2603"${definition.slice(nameEnd)}`;
        expect(JSON.parse(renamed)).toEqual({ ...JSON.parse(definition), name: '\u2603' });
      }
    }),
    { numRuns: 500 },
  );
});

const data = findTestData();

test.skipIf(data.kind === 'absent')('tools of real servers come back as they were listed', () => {
  if (data.kind === 'absent') return;
  let count = 0;
  for (const file of readdirSync(data.realTools)) {
    const { tools } = JSON.parse(readFileSync(join(data.realTools, file), 'utf8')) as { tools: object[] };
    const fresh = tools.map((tool) => listed(JSON.stringify(tool)));
    const cached = readCachedTools('up', definitionsOf({ tools: fresh }));
    expect(cached.map(advertisedOf)).toEqual(fresh.map(advertisedOf));
    expect(cached.map(({ description }) => description)).toEqual(fresh.map(({ description }) => description));
    count += cached.length;
  }
  expect(count).toBeGreaterThan(300);
});
