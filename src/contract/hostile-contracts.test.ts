import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract } from './define-contract.js';
import { defineTool } from './define-tool.js';
import type { ContractDefinition, ToolDefinition } from './types.js';

const circle: Record<string, unknown> = {};
circle.self = circle;
const throwing = {
  get secret(): never {
    throw new Error('read');
  },
};
const server = { name: 'io.example/own', description: 'A server.', version: '1.0.0' };
const invalid = (path: string) =>
  expect.objectContaining({ code: 'CONTRACT_INVALID', data: expect.objectContaining({ path }) });
const define = (more: object) =>
  defineTool({
    name: 'run',
    description: 'Runs.',
    kind: 'read',
    input: z.looseObject({}),
    output: z.looseObject({}),
    ...more,
  } as ToolDefinition);

test.each<[path: string, more: Record<string, unknown>]>([
  ['/name', { name: 5n }],
  ['/name', { name: Symbol('run') }],
  ['/name', { name: circle }],
  ['/name', { name: 'x'.repeat(1e6) }],
  ['/name', { name: 'a\u202eb' }],
  ['/meta/self', { meta: circle }],
  ['/meta/at', { meta: { at: new Date(0) } }],
  ['/meta/bytes', { meta: { bytes: new Uint8Array(2) } }],
  ['/meta/of/f', { meta: { of: { f: () => 1 } } }],
  ['/meta/count', { meta: { count: 5n } }],
  ['/meta/far', { meta: { far: Number.POSITIVE_INFINITY } }],
  ['/meta/secret', { meta: throwing }],
  ['/meta', { meta: 'text' }],
  ['/meta', { meta: null }],
  ['/examples', { examples: { input: {} } }],
  ['/examples/0/input/self', { examples: [{ input: circle }] }],
  ['/examples/0/input/count', { examples: [{ input: { count: 5n } }] }],
  ['/examples/0/input', { examples: [null] }],
  ['/aliases', { aliases: 'old' }],
  ['/availability', { availability: 'node' }],
  ['/profiles', { profiles: 'writer' }],
  // Each of these would leave the tool to everybody.
  ['/auth/scopes', { auth: {} }],
  ['/auth/scopes', { auth: null }],
  ['/auth/scopes', { auth: { scope: ['notes:write'] } }],
  ['/auth/scopes', { auth: { scopes: 'notes:write' } }],
  ['/auth/scopes', { auth: { scopes: [undefined] } }],
  ['/title', { title: 5 }],
  ['/deprecated', { deprecated: {} }],
  ['/when', { when: true }],
])('a tool is not defined with what is no good at %s', (path, more) => {
  expect(() => define(more)).toThrow(invalid(path));
});

test.each<[path: string, definition: object]>([
  ['', {}],
  ['', { server: null }],
  ['/icons/0/self', { server: { ...server, icons: [circle] } }],
  ['', { server, tools: {} }],
  ['', { server, tools: [null] }],
  ['', { server, tools: [{ name: 'run' }] }],
  ['', { server, resources: [null] }],
  ['/meta/a/self', { server, resources: [{ name: 'a', uri: 'a://a', meta: { a: circle } }] }],
  ['', { server, prompts: 'ask' }],
  ['/availability', { server, prompts: [{ name: 'a', availability: 'node' }] }],
  ['/secret', { server, remotes: [throwing] }],
  ['', { server, deployments: 'node' }],
])('a contract is not defined with what is no good at "%s"', (path, definition) => {
  expect(() => defineContract(definition as ContractDefinition)).toThrow(invalid(path));
});

const given = (schema: unknown) => ({
  '~standard': {
    version: 1,
    vendor: 'another',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

test.each([
  null,
  undefined,
  'text',
  true,
  [],
  circle,
  { type: 'object', toJSON: () => 5 },
  { $ref: '#/$defs/a', $defs: null },
  { $ref: '#/$defs/a' },
  { anyOf: [null] },
  Promise.resolve({ type: 'object' }),
])('a library that gives %o for a JSON Schema is no library for schemas', (schema) => {
  expect(() => define({ input: given(schema) })).toThrow(expect.objectContaining({ code: 'CONTRACT_INVALID' }));
});

test('a schema that its library keeps is left as it was', () => {
  const kept = Object.freeze({ type: 'object', properties: Object.freeze({}) });
  expect(define({ input: given(kept) }).inputSchema).toEqual({ ...kept, additionalProperties: false });
  expect(Object.isFrozen(kept) && !Object.hasOwn(kept, 'additionalProperties')).toBe(true);
});
