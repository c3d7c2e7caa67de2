import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText, parseJson } from '../base/index.js';
import type { Exclusion, ListedTool } from '../catalog/index.js';
import { type DefinitionOptions, readDefinition } from './tool-definition.js';

interface Read {
  readonly tool: ListedTool | undefined;
  readonly exclusion: Exclusion | undefined;
  readonly warnings: readonly string[];
}

function read(
  text: string,
  uncompilableOutput: DefinitionOptions['uncompilableOutput'] = 'exclude',
  { era = 'handshake', hasHeaders = false }: Partial<DefinitionOptions> = {},
): Read {
  const warnings: string[] = [];
  const warn = ({ warning }: { readonly warning: string }): void => void warnings.push(warning);
  const options = { upstream: 'up', uncompilableOutput, era, hasHeaders, position: 7, warn };
  const result = readDefinition(encodeText(text), options);
  return {
    tool: result.kind === 'tool' ? result.tool : undefined,
    exclusion: result.kind === 'exclusion' ? result.exclusion : undefined,
    warnings,
  };
}

const GOOD = '"inputSchema":{"type":"object"}';

test.each<{ why: string; text: string; becomes: string; warnings?: string[] }>([
  { why: 'nothing to mend', text: `{ "name" : "a",\t${GOOD} }`, becomes: `{ "name" : "a",\t${GOOD} }` },
  {
    why: 'a missing type is put in front',
    text: '{"name":"a","inputSchema":{ "title":"T" }}',
    becomes: '{"name":"a","inputSchema":{"type":"object", "title":"T" }}',
    warnings: ['missing-root-type'],
  },
  {
    why: 'into an empty schema, without a comma',
    text: '{"name":"a","inputSchema":{ }}',
    becomes: '{"name":"a","inputSchema":{"type":"object" }}',
    warnings: ['missing-root-type'],
  },
  {
    why: 'boolean property schemas are spelled out, other booleans are not',
    text: '{"name":"a","inputSchema":{"type":"object","additionalProperties":false,"properties":{"x":true,"y": false ,"z":{"default":true,"properties":{"in":true}}}}}',
    becomes:
      '{"name":"a","inputSchema":{"type":"object","additionalProperties":false,"properties":{"x":{},"y": {"not":{}} ,"z":{"default":true,"properties":{"in":true}}}}}',
  },
  {
    why: 'a property called properties is a property',
    text: '{"name":"a","inputSchema":{"type":"object","properties":{"properties":true,"type":{"type":"string"}}}}',
    becomes: '{"name":"a","inputSchema":{"type":"object","properties":{"properties":{},"type":{"type":"string"}}}}',
  },
  {
    why: 'misfits at the beginning, in the middle and at the end',
    text: `{"title":null,"description":5,"name":"a","icons":{},${GOOD},"annotations":[],"_meta":null}`,
    becomes: `{"name":"a",${GOOD}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'misfits in front of all others, with blanks',
    text: `{ "title" : null , "description" : 5 , "name" : "a" , ${GOOD} }`,
    becomes: `{ "name" : "a" , ${GOOD} }`,
    warnings: ['misfit-member'],
  },
  {
    why: 'a misfit that stands there twice goes twice',
    text: `{"title":"one","name":"a","title":null,${GOOD},"title":7}`,
    becomes: `{"name":"a",${GOOD}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'the good one of two counts when it comes last',
    text: `{"title":null,"name":"a",${GOOD},"title":"T"}`,
    becomes: `{"title":null,"name":"a",${GOOD},"title":"T"}`,
  },
  {
    why: 'a misfit under an escaped name',
    text: `{"name":"a",${GOOD},"tit\\u006ce":null}`,
    becomes: `{"name":"a",${GOOD}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'hints that are null, as some servers write all of them',
    text: `{"name":"a",${GOOD},"annotations":{"title":null,"readOnlyHint":true,"destructiveHint":null,"x":null}}`,
    becomes: `{"name":"a",${GOOD},"annotations":{"readOnlyHint":true,"x":null}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'nothing is left of them',
    text: `{"name":"a",${GOOD},"annotations":{"title":null,"readOnlyHint":"yes"},"execution":{"taskSupport":1e400}}`,
    becomes: `{"name":"a",${GOOD},"annotations":{},"execution":{}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'icons that are none',
    text: `{"name":"a",${GOOD},"icons":[{"src":"x"},{"href":"y"}]}`,
    becomes: `{"name":"a",${GOOD}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'a long number where an object belongs',
    text: `{"name":"a",${GOOD},"_meta":12345678901234567890}`,
    becomes: `{"name":"a",${GOOD}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'outputSchema null is none',
    text: `{"outputSchema":null,"name":"a",${GOOD}}`,
    becomes: `{"name":"a",${GOOD}}`,
    warnings: ['null-member'],
  },
  {
    why: 'an outputSchema without a type gets one, its siblings stay (case a15)',
    text: `{"name":"a",${GOOD},"outputSchema":{"$id":"case.result.v1","properties":{"ok":true}}}`,
    becomes: `{"name":"a",${GOOD},"outputSchema":{"type":"object","$id":"case.result.v1","properties":{"ok":{}}}}`,
  },
  {
    why: 'an outputSchema of another type is that of an object with a result, as 2025 knows objects only',
    text: `{"name":"a",${GOOD},"outputSchema": {"type":"array"} }`,
    becomes: `{"name":"a",${GOOD},"outputSchema": {"type":"object","properties":{"result":{"type":"array"}},"required":["result"]} }`,
    warnings: ['misfit-member'],
  },
  {
    why: 'so is one that is a boolean',
    text: `{"name":"a",${GOOD},"outputSchema":true}`,
    becomes: `{"name":"a",${GOOD},"outputSchema":{"type":"object","properties":{"result":{}},"required":["result"]}}`,
    warnings: ['misfit-member'],
  },
  {
    why: 'everything at once',
    text: '{"description":null,"outputSchema":{"properties":{"o":false}},"inputSchema":{"properties":{"i":true}},"icons":1,"annotations":{"title":1},"name":"a","title":[]}',
    becomes:
      '{"outputSchema":{"type":"object","properties":{"o":{"not":{}}}},"inputSchema":{"type":"object","properties":{"i":{}}},"annotations":{},"name":"a"}',
    warnings: ['missing-root-type', 'misfit-member'],
  },
])('the definition as advertised: $why', ({ text, becomes, warnings = [] }) => {
  const { tool, exclusion, warnings: warned } = read(text);
  expect(exclusion).toBeUndefined();
  expect(tool?.definition).toBe(becomes);
  expect(warned).toEqual(warnings);
});

test('an outputSchema judges as the upstream wrote it, however it is shown', () => {
  const { tool } = read(`{"name":"a",${GOOD},"outputSchema":{"type":"array"}}`);
  expect(tool?.output?.checkValue([]).valid).toBe(true);
  expect(tool?.output?.checkValue({}).valid).toBe(false);
});

test.each([
  { why: 'dangling reference', schema: '{"type":"object","$ref":"#/$defs/x"}' },
  { why: 'a schema that is text', schema: '"{\\"type\\":\\"object\\"}"' },
  { why: 'a number', schema: '5' },
])('an outputSchema that cannot compile excludes the tool, or is left out where that is wanted: $why', ({ schema }) => {
  const text = `{"name":"a",${GOOD},"outputSchema":${schema}}`;
  expect(read(text).exclusion).toMatchObject({ tool: 'a', which: 'outputSchema' });
  const { tool, warnings } = read(text, 'ignore');
  expect(tool?.definition).toBe(`{"name":"a",${GOOD}}`);
  expect(tool?.output).toBeUndefined();
  expect(warnings).toEqual(['uncompilable-output']);
});

/** A JSON text in the making: what it says, and how it is written. */
interface Written {
  readonly text: string;
  readonly value: unknown;
}

const blank = fc.constantFrom('', '', '', ' ', '\t', '  ', ' \t ');

/** A member name as JSON text, now and then with an escape for one of its letters. */
const nameText = (name: string): fc.Arbitrary<string> =>
  fc.option(fc.nat(Math.max(0, name.length - 1)), { nil: undefined, freq: 5 }).map((at) => {
    if (at === undefined || name === '') return JSON.stringify(name);
    const code = name.charCodeAt(at).toString(16).padStart(4, '0');
    const [before, after] = [name.slice(0, at), name.slice(at + 1)].map((part) => JSON.stringify(part).slice(1, -1));
    return `"${before}\\u${code}${after}"`;
  });

/** Writes an object out of members in any order, a few of them twice, with blanks wherever they may be. */
const objectOf = (members: readonly (readonly [string, fc.Arbitrary<Written>])[]): fc.Arbitrary<Written> =>
  fc
    .shuffledSubarray([...members, ...members.slice(0, 2)], { minLength: 0 })
    .chain((chosen) =>
      fc.tuple(
        blank,
        ...chosen.map(([name, value]) => fc.tuple(nameText(name), blank, blank, value, blank, fc.constant(name))),
      ),
    )
    .map(([first, ...written]) => ({
      text: `{${first}${written.map(([name, a, b, { text }, c]) => `${name}${a}:${b}${text}${c}`).join(',')}}`,
      value: Object.fromEntries(written.map(([, , , { value }, , name]) => [name, value])),
    }));

const json = (value: unknown): Written => ({ text: JSON.stringify(value), value });
const anyOf = (...values: unknown[]): fc.Arbitrary<Written> => fc.constantFrom(...values.map(json));
const LONG: Written = { text: '12345678901234567890', value: parseJson('12345678901234567890') };

const property = fc.oneof(
  anyOf(true, false, {}, { type: 'string' }, { default: true }),
  fc.constant(LONG).map(({ text, value }) => ({ text: `{"default":${text}}`, value: { default: value } })),
);
const properties = objectOf(
  ['x', 'y', 'properties', 'type', '__proto__', 'ü"'].map((name) => [name, property] as const),
);
const objectSchema = objectOf([
  ['type', anyOf('object')],
  ['properties', properties],
  ['additionalProperties', anyOf(true, false)],
  ['$id', anyOf('urn:a')],
  ['examples', anyOf([true, false, null])],
]);
const string = anyOf('words', '', '{"type":null}', '\u2028"\\');
const misfit = fc.oneof(anyOf(null, 5, true), fc.constant(LONG));
const hints = objectOf([
  ['title', fc.oneof(string, misfit)],
  ['readOnlyHint', anyOf(true, false, null, 'yes')],
  ['idempotentHint', anyOf(true, null)],
  ['vendor', misfit],
]);
/** A tool whose schemas are fine; whatever else is wrong with it must not hide its neighbours. */
const oddTool = objectOf([
  ['title', fc.oneof(string, misfit)],
  ['description', fc.oneof(string, misfit)],
  ['annotations', fc.oneof(hints, misfit)],
  ['icons', fc.oneof(anyOf([], [{ src: 'a', sizes: ['any'] }], [{ src: 1 }], [null], {}), misfit)],
  ['execution', fc.oneof(anyOf({}, { taskSupport: 'optional' }, { taskSupport: 'maybe' }), misfit)],
  ['_meta', fc.oneof(anyOf({}, { a: [1, { b: null }] }), misfit)],
  ['outputSchema', fc.oneof(objectSchema, anyOf(null, true, { type: 'array' }))],
  ['vendor', fc.oneof(string, misfit)],
]).chain((rest) =>
  fc.tuple(objectSchema, blank, fc.boolean()).map(([input, space, isLast]): Written => {
    const own = `"name":${space}"the tool","inputSchema"${space}:${input.text}`;
    const inner = rest.text.slice(1, -1);
    const parts = inner.trim() === '' ? [own] : isLast ? [inner, own] : [own, inner];
    return {
      text: `{${parts.join(',')}}`,
      value: { ...(rest.value as object), name: 'the tool', inputSchema: input.value },
    };
  }),
);

type Json = Record<string, unknown>;
const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isPlain = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && value.constructor === Object;

function kept(value: Json, kinds: Readonly<Record<string, (value: unknown) => boolean>>): Json {
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => kinds[name]?.(each) ?? true));
}

function schemaWanted(schema: Json): Json {
  const properties = schema.properties as Json | undefined;
  const spelled = Object.entries(properties ?? {}).map(([name, each]) => [
    name,
    each === true ? {} : each === false ? { not: {} } : each,
  ]);
  return { type: 'object', ...schema, ...(properties && { properties: Object.fromEntries(spelled) }) };
}

/** What a definition should say, told without looking at any text. */
function wanted(value: Json): Json {
  const tool = kept(value, {
    title: isString,
    description: isString,
    annotations: isPlain,
    execution: isPlain,
    _meta: isPlain,
    icons: (icons) => Array.isArray(icons) && icons.every((icon) => isPlain(icon) && isString(icon.src)),
    outputSchema: (schema) => schema !== null,
  });
  tool.inputSchema = schemaWanted(tool.inputSchema as Json);
  const { outputSchema: output } = tool;
  if (isPlain(output) && (output.type ?? 'object') === 'object') tool.outputSchema = schemaWanted(output);
  else if (output !== undefined) {
    const result = output === true ? {} : output;
    tool.outputSchema = { type: 'object', properties: { result }, required: ['result'] };
  }
  if (tool.annotations) {
    const kinds = { title: isString, readOnlyHint: isBoolean, idempotentHint: isBoolean };
    tool.annotations = kept(tool.annotations as Json, kinds);
  }
  if (tool.execution) tool.execution = kept(tool.execution as Json, { taskSupport: (task) => task !== 'maybe' });
  return tool;
}

test('whatever is odd, the definition says what it should, and strict clients take it', () => {
  fc.assert(
    fc.property(oddTool, ({ text, value }) => {
      const { tool } = read(text);
      if (tool === undefined) throw new Error('it was excluded');
      expect(parseJson(tool.definition)).toEqual(wanted(value as Json));
      const renamed = `${tool.definition.slice(0, tool.nameStart)}"new"${tool.definition.slice(tool.nameEnd)}`;
      expect(parseJson(renamed)).toEqual({ ...wanted(value as Json), name: 'new' });
      ListToolsResultSchema.parse(JSON.parse(`{"tools":[${renamed}]}`));
    }),
    { numRuns: 1_000 },
  );
});

test('without anything odd not a byte is changed', () => {
  const fine = objectOf([
    ['title', string],
    ['description', string],
    ['_meta', anyOf({ a: [1, { b: null }] })],
    ['vendor', misfit],
  ]);
  fc.assert(
    fc.property(fine, blank, ({ text }, space) => {
      const inner = text.slice(1, -1);
      const whole = `{"name":"ü",${space}"inputSchema":{"type":"object","properties":{"n":{"maximum":1e400}}}${inner.trim() === '' ? '' : ','}${inner}}`;
      expect(read(whole).tool?.definition).toBe(whole);
    }),
  );
});

test('nothing at all brings the list down: any JSON is a tool that clients take, or an exclusion', () => {
  const anyJson = fc.json({ maxDepth: 3 });
  const names = ['name', 'title', 'inputSchema', 'outputSchema', 'annotations', 'icons', 'execution', '_meta', 'type'];
  const member = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(
      anyJson,
      objectSchema.map(({ text }) => text),
    ),
  );
  const object = fc.array(member, { maxLength: 6 }).map((members) => {
    return `{"name":"n","inputSchema":{},${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`.replace(
      ',}',
      '}',
    );
  });
  fc.assert(
    fc.property(fc.oneof(anyJson, object), fc.constantFrom('exclude' as const, 'ignore' as const), (text, option) => {
      const { tool, exclusion } = read(text, option);
      if (tool === undefined) expect(exclusion?.reason).toBeTruthy();
      else ListToolsResultSchema.parse(JSON.parse(`{"tools":[${tool.definition}]}`));
    }),
    { numRuns: 1_000 },
  );
});

describe('a definition has a text for callers of each era', () => {
  test.each([
    { why: 'the same where nothing differs', member: '', shown: '' },
    {
      why: 'what the upstream wrote, where only older clients stumble',
      member: ',"outputSchema":{"properties":{"a":true},"type":"object"}',
      shown: ',"outputSchema":{"properties":{"a":true},"type":"object"}',
    },
    { why: 'of any type', member: ',"outputSchema":{"type":"array"}', shown: ',"outputSchema":{"type":"array"}' },
    { why: 'of none', member: ',"outputSchema":{"anyOf":[{}]}', shown: ',"outputSchema":{"anyOf":[{}]}' },
    { why: 'true is no object', member: ',"outputSchema":true', shown: ',"outputSchema":{}' },
    { why: 'nor is false', member: ',"outputSchema":false', shown: ',"outputSchema":{"not":{}}' },
    { why: 'null is none', member: ',"outputSchema":null', shown: '' },
    {
      why: 'a pattern that no client can compile',
      member: ',"outputSchema":{"type":"array","items":{"pattern":"("}}',
      shown: '',
    },
    {
      why: 'a dialect that only older clients know',
      member: ',"outputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}',
      shown: '',
    },
  ])('that of the 2026 era: $why', ({ member, shown }) => {
    for (const era of ['handshake', 'modern'] as const) {
      const { tool } = read(`{"name":"a",${GOOD}${member}}`, 'exclude', { era });
      expect((tool?.modern ?? tool)?.definition).toBe(`{"name":"a",${GOOD}${shown}}`);
    }
  });

  test.each([
    { era: 'handshake', shown: '{"type":"object","title":"t"}', wrapsOutput: false },
    {
      era: 'modern',
      shown: '{"type":"object","properties":{"result":{"title":"t"}},"required":["result"]}',
      wrapsOutput: true,
    },
  ] as const)(
    'no type says "object" in the handshake era, and nothing in the other: $era',
    ({ era, shown, wrapsOutput }) => {
      const { tool } = read(`{"name":"a",${GOOD},"outputSchema":{"title":"t"}}`, 'exclude', { era });
      expect(tool?.definition).toBe(`{"name":"a",${GOOD},"outputSchema":${shown}}`);
      expect(tool?.wrapsOutput).toBe(wrapsOutput);
    },
  );

  test('of an upstream of the 2026 era no type is odd', () => {
    const text = `{"name":"a",${GOOD},"outputSchema":{"type":"array"}}`;
    expect(read(text, 'exclude', { era: 'modern' }).warnings).toEqual([]);
    expect(read(text).warnings).toEqual(['misfit-member']);
  });

  test('references that cannot be moved: older callers see no outputSchema, the others do', () => {
    const output =
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"array","items":{"$ref":"#/$defs/a","$recursiveRef":"#"},"$defs":{"a":true}}';
    const { tool, warnings } = read(`{"name":"a",${GOOD},"outputSchema":${output}}`, 'exclude', { era: 'modern' });
    expect(tool?.definition).toBe(`{"name":"a",${GOOD}}`);
    expect(tool?.modern?.definition).toContain(output);
    expect(tool?.wrapsOutput).toBe(false);
    expect(warnings).toEqual(['strict-misfit']);
  });
});
