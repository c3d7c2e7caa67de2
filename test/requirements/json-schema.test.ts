/** The statements on JSON Schema, where they can be seen: at the door, in what is listed, sent and refused. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../conformance/schema/suite.js';
import { call, MemoryDoor, request } from '../fixtures/memory-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';

/** A door before one tool `x` that takes what `inputSchema` says, and gives its arguments back. */
async function doorBefore(inputSchema: object, more: object = {}) {
  const script = {
    tools: [toolNamed('x', { inputSchema, ...more }), toolNamed('good')],
    on: { 'tools/call': () => ({ content: [] }) },
  };
  const opened = new MemoryDoor({ a: { scripts: [script] } });
  await opened.initialize();
  await opened.write(request('list', 'tools/list'));
  const { tools } = opened.taken()[0]!.result as { readonly tools: readonly { readonly name: string }[] };
  const listed = tools.map(({ name }) => name);
  return { opened, listed };
}

describe('arguments are judged by the dialect that the schema declares, 2020-12 where it declares none', () => {
  const tuple = { properties: { list: { items: [{ type: 'string' }] } } };
  const prefix = { properties: { list: { prefixItems: [{ type: 'string' }] } } };
  const needs = { dependentRequired: { list: ['other'] } };
  const above = { properties: { list: { minimum: 1, exclusiveMinimum: true } } };
  test.each([
    { why: 'no dialect: prefixItems judges', schema: prefix, args: '{"list":[1]}', passes: false },
    {
      why: 'draft-07: prefixItems is no keyword',
      schema: { $schema: DRAFT_07, ...prefix },
      args: '{"list":[1]}',
      passes: true,
    },
    {
      why: 'draft-07: items may be a tuple',
      schema: { $schema: DRAFT_07, ...tuple },
      args: '{"list":[1]}',
      passes: false,
    },
    { why: 'no dialect: dependentRequired judges', schema: needs, args: '{"list":[]}', passes: false },
    {
      why: 'draft-07: dependentRequired is no keyword',
      schema: { $schema: DRAFT_07, ...needs },
      args: '{"list":[]}',
      passes: true,
    },
    {
      why: 'draft-04: exclusiveMinimum is a flag',
      schema: { $schema: DRAFT_04, ...above },
      args: '{"list":1}',
      passes: false,
    },
    {
      why: 'draft-04: and above it is fine',
      schema: { $schema: DRAFT_04, ...above },
      args: '{"list":2}',
      passes: true,
    },
  ])('$why', async ({ schema, args, passes }) => {
    const { opened, listed } = await doorBefore({ type: 'object', ...schema });
    expect(listed).toEqual(['a__x', 'a__good']);
    await opened.write(call(1, 'a__x', args));
    const [answer] = opened.taken();
    expect(answer?.error?.code).toBe(passes ? undefined : -32602);
    expect(opened.transport('a').received('tools/call')).toHaveLength(passes ? 1 : 0);
  });
});

describe('a tool with a schema that cannot be judged by is left out alone, and a call to it says why', () => {
  const strange = { type: 'object', $schema: 'https://schemas.example/private/v3#' };
  const dangling = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } };
  const remote = { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/a.json' } } };
  const good = { type: 'object' };
  test.each([
    {
      why: 'a dialect nobody knows',
      inputSchema: strange,
      code: 'UNSUPPORTED_DIALECT',
      says: 'https://schemas.example/private/v3',
    },
    {
      why: 'a dialect nobody knows, of its answers',
      inputSchema: good,
      outputSchema: strange,
      code: 'UNSUPPORTED_DIALECT',
      says: 'private/v3',
    },
    { why: 'a reference to nowhere', inputSchema: dangling, code: 'UNRESOLVED_REF', says: '#/$defs/none' },
    { why: 'a reference to the network', inputSchema: remote, code: 'UNRESOLVED_REF', says: '127.0.0.1:9' },
    { why: 'a schema that is null', inputSchema: null, code: 'SCHEMA_INVALID', says: 'inputSchema' },
    {
      why: 'a keyword that its dialect forbids',
      inputSchema: { type: 'object', required: 'a' },
      code: 'SCHEMA_INVALID',
      says: 'required',
    },
  ])('$why', async ({ inputSchema, outputSchema, code, says }) => {
    const { opened, listed } = await doorBefore(inputSchema as object, outputSchema && { outputSchema });
    expect(listed).toEqual(['a__good']);
    await opened.write(call(1, 'a__x'));
    const [answer] = opened.taken();
    expect(answer?.error).toMatchObject({ code: -32602, data: { code: 'TOOL_EXCLUDED' } });
    expect(JSON.stringify(answer?.error)).toContain(code);
    expect(JSON.stringify(answer?.error)).toContain(says);
    expect(opened.transport('a').received('tools/call')).toEqual([]);
  });
});

test.each(DIALECTS)('docs/json-schema.md lists the dialect %s, which a tool may declare', async (dialect) => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/json-schema.md', import.meta.url)), 'utf8');
  const row = new RegExp(`^\\| \`(https?:[^\`]+)\` \\| ${dialect} \\|$`, 'm');
  const [, $schema] = row.exec(text) ?? [];
  expect($schema, `no row for ${dialect}`).toContain(dialect);
  const { listed } = await doorBefore({ type: 'object', $schema });
  expect(listed).toContain('a__x');
});
