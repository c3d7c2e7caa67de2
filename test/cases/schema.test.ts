/**
 * Cases of kind `schema`, through the door: the schema stands in a tool, each instance is a call (or, for an
 * outputSchema, a result). The judge's own room tests them once more as plain functions.
 */
import { expect, test } from 'vitest';
import { TARGETS, toolsDocument } from '../../src/discovery/index.js';
import { eventsOf } from '../fixtures/events.js';
import { namesOf, openDoor, type Rule, until, upstreamWith } from '../fixtures/open-door.js';
import { rawMember } from '../fixtures/raw-json.js';
import { SURFACE } from '../fixtures/surface.js';
import { type Case, casesRunIn } from './cases.js';
import { EXCLUSION_CODES } from './words.js';

interface SchemaCase extends Case {
  readonly input: {
    readonly which: 'inputSchema' | 'outputSchema';
    readonly schema?: object;
    readonly schema_json?: string;
    readonly instances: readonly Instance[];
  };
  readonly expect: { readonly compile: string };
}

interface Instance {
  readonly json: string;
  readonly verdict: 'valid' | 'invalid';
  readonly error_path?: string;
}

const ALL = casesRunIn('schema.test.ts') as readonly SchemaCase[];
const INPUTS = ALL.filter(({ input }) => input.which === 'inputSchema');
const OUTPUTS = ALL.filter(({ input }) => input.which === 'outputSchema');

const schemaOf = ({ input }: SchemaCase) => input.schema_json ?? JSON.stringify(input.schema);

test('both kinds are there', () => {
  expect([INPUTS.length, OUTPUTS.length]).toEqual([17, 1]);
});

test('an inputSchema judges each instance as the case says', async (test) => {
  const tools = INPUTS.map((one) => `{"name":"${one.id}","inputSchema":${schemaOf(one)}}`);
  const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith(tools) } });
  const compiled = INPUTS.filter(({ expect: wanted }) => wanted.compile === 'ok');
  expect(namesOf(await door.request('tools/list'))).toEqual(compiled.map(({ id }) => `u__${id}`));
  for (const one of INPUTS) {
    const code = EXCLUSION_CODES[one.expect.compile];
    if (code !== undefined) {
      expect(eventsOf(door, 'tool.excluded')).toContainEqual(expect.objectContaining({ tool: one.id, code }));
      continue;
    }
    for (const { json, verdict, error_path } of one.input.instances) {
      const why = `${one.id} ${json}`;
      const { message } = await door.call(`u__${one.id}`, json);
      expect(message?.error?.data?.code ?? 'valid', why).toBe(verdict === 'valid' ? 'valid' : 'INVALID_ARGUMENTS');
      const issues = (message?.error?.data?.issues ?? []) as readonly { readonly pointer: string }[];
      if (error_path !== undefined)
        expect(
          issues.map(({ pointer }) => pointer),
          why,
        ).toContain(error_path);
    }
  }
  const valid = INPUTS.flatMap(({ input }) =>
    input.instances.filter(({ verdict }) => verdict === 'valid').map(({ json }) => json),
  );
  const sent = folder.received('u', 'tools/call').map((line) => rawMember(line, 'params', 'arguments'));
  expect(sent).toEqual(valid);
});

test('an outputSchema warns about a result that breaks it, and delivers it', async (test) => {
  const rows = OUTPUTS.flatMap((one) =>
    one.input.instances.map((instance, at) => ({ ...instance, one, name: `${one.id}_${at}` })),
  );
  const tools = rows.map(
    ({ one, name }) => `{"name":"${name}","inputSchema":{"type":"object"},"outputSchema":${schemaOf(one)}}`,
  );
  const answers = rows.map(({ name, json }): Rule => {
    const result = `{"content":[],"structuredContent":${json}}`;
    return { on: 'tools/call', tool: name, emit: [`{"jsonrpc":"2.0","id":$ID,"result":${result}}`] };
  });
  const { door } = await openDoor(test, { upstreams: { u: { rules: [upstreamWith(tools).rules[0], ...answers] } } });
  const violationsOf = (name: string) => eventsOf(door, 'output.violation').filter(({ tool }) => tool === name);
  for (const { name, json, verdict, error_path } of rows) {
    const answer = await door.call(`u__${name}`);
    expect(rawMember(answer.raw, 'result', 'structuredContent')).toBe(json);
    if (verdict === 'invalid') await until(() => violationsOf(name).length > 0, `a violation by ${json}`);
    const violations = violationsOf(name);
    expect(violations, json).toHaveLength(verdict === 'valid' ? 0 : 1);
    if (error_path !== undefined) expect(JSON.stringify(violations)).toContain(error_path.slice(1));
  }
});

test.each(TARGETS)('a12: for %s the tool is there, without a union at the root where none is taken', (target) => {
  const schema = INPUTS.find(({ id }) => id === 'a12')!.input.schema as Readonly<Record<string, unknown>>;
  const { anyOf } = schema;
  const surface = { ...SURFACE, tools: [{ name: 'a12', inputSchema: { ...schema, type: 'object' } }] };
  const [tool] = toolsDocument(surface, target).tools;
  const { definition, fidelity } = tool!.loose;
  const shown = JSON.stringify(definition);
  // Gemini takes it as it is; for the others it is said in words.
  expect(shown.includes(JSON.stringify({ anyOf }).slice(1, -1))).toBe(target === 'gemini');
  expect(shown).toContain('source_url');
  expect(fidelity.kind).toBe(target === 'gemini' ? 'lossless' : 'lossy');
  expect(tool!.strict.fidelity).toMatchObject({ kind: 'unsupported', why: 'the root has anyOf' });
});
