import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from './define-tool.js';
import { listedDefinition } from './listed.js';
import type { ToolDefinition } from './types.js';

const definition = {
  name: 'search',
  description: 'Finds notes.',
  kind: 'read',
  input: z.object({ query: z.string().min(1), limit: z.int().max(50).default(10) }),
  output: z.object({ found: z.array(z.string()) }),
} as const satisfies ToolDefinition;

const define = (more: object) => defineTool({ ...definition, ...more } as ToolDefinition);

describe('what is invalid is told with tool and path', () => {
  const long = 'x'.repeat(65);
  test.each([
    { why: 'no name', more: { name: undefined }, where: 'tools/undefined', path: '/name' },
    { why: 'an empty name', more: { name: '' }, where: 'tools/', path: '/name' },
    { why: 'a name with a dot', more: { name: 'a.b' }, where: 'tools/a.b', path: '/name' },
    { why: 'a name that begins with a digit', more: { name: '1a' }, where: 'tools/1a', path: '/name' },
    { why: 'a name of 65 characters', more: { name: long }, where: `tools/${long}`, path: '/name' },
    { why: 'an alias with a space', more: { aliases: ['ok', 'not ok'] }, path: '/aliases/1' },
    { why: 'an alias that is no text', more: { aliases: [7] }, path: '/aliases/0' },
    { why: 'no description', more: { description: undefined }, path: '/description' },
    { why: 'an empty description', more: { description: ' \n' }, path: '/description' },
    { why: 'no kind', more: { kind: undefined }, path: '/kind' },
    { why: 'an unknown kind', more: { kind: 'toString' }, path: '/kind' },
    { why: 'an unknown locality', more: { locality: 'moon' }, path: '/locality' },
    { why: 'an unknown visibility', more: { visibility: 'hidden' }, path: '/visibility' },
    { why: 'no input', more: { input: undefined }, path: '/input' },
    { why: 'no output', more: { output: undefined }, path: '/output' },
    { why: 'an input that is no object', more: { input: z.string() }, path: '/input' },
    { why: 'an output that is no object', more: { output: z.array(z.string()) }, path: '/output' },
    {
      why: 'an input that cannot compile',
      more: { input: z.object({ a: z.string().meta({ $ref: '#/nowhere' }) }) },
      path: '/input/properties/a/$ref',
    },
    {
      why: 'an output that cannot compile',
      more: { output: z.object({ a: z.string().meta({ $ref: '#/nowhere' }) }) },
      path: '/output/properties/a/$ref',
    },
    {
      why: 'an input that is too large',
      more: { input: z.object({ a: z.string().describe('x'.repeat(300_000)) }) },
      path: '/input',
    },
    {
      why: 'an example that is no input',
      more: { examples: [{ input: { query: 'a' } }, { input: { query: '' } }] },
      path: '/examples/1/input/query',
    },
    {
      why: 'an example with a member too many',
      more: { examples: [{ input: { query: 'a', q: 1 } }] },
      path: '/examples/0/input',
    },
    { why: 'an example that is nothing', more: { examples: [{}] }, path: '/examples/0/input' },
  ])('$why', ({ more, where = 'tools/search', path }) => {
    expect(() => define(more)).toThrow(
      expect.objectContaining({
        code: 'CONTRACT_INVALID',
        message: expect.stringContaining(`${where} ${path}: `),
        data: { where, path },
      }),
    );
  });

  test('no value of an example is in the message', () => {
    const examples = [{ input: { query: 5, secret: 'hunter2' } }];
    expect(() => define({ examples })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

test('defaults are filled in, and annotations follow from the kind', () => {
  expect(defineTool(definition)).toMatchObject({
    locality: 'remote',
    visibility: 'public',
    profiles: [],
    examples: [],
    aliases: [],
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
});

test.each([
  { kind: 'read', readOnlyHint: true, destructiveHint: false },
  { kind: 'write', readOnlyHint: false, destructiveHint: false },
  { kind: 'destructive', readOnlyHint: false, destructiveHint: true },
] as const)('a tool of kind $kind', ({ kind, ...annotations }) => {
  expect(listedDefinition(define({ kind })).annotations).toEqual(annotations);
});

test('its judges judge by the schemas that are shown', () => {
  const { judges } = defineTool(definition);
  expect(judges.input.checkValue({ query: 'a' }).valid).toBe(true);
  expect(judges.input.checkValue({ query: 'a', typo: 1 }).valid).toBe(false);
  expect(judges.output.checkValue({ found: [], more: 1 }).valid).toBe(true);
  expect(judges.output.checkValue({ found: [1] }).valid).toBe(false);
});

test('nothing of it can be changed', () => {
  const tool = define({
    meta: { deep: { list: [1] } },
    auth: { scopes: ['a'] },
    availability: ['edge'],
    profiles: ['p'],
    aliases: ['old'],
    examples: [{ input: { query: 'a' } }],
  });
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
  const { input: _, output: __, judges, ...rest } = tool;
  expect(Object.isFrozen(tool)).toBe(true);
  expect(Object.isFrozen(judges)).toBe(true);
  expect(Object.entries(rest).filter(([, value]) => !frozen(value))).toEqual([]);
});

describe('in a list', () => {
  const { input: _, output: __, ...plain } = definition;
  test.each([
    { why: 'as little as there is', more: {}, title: undefined, meta: undefined, description: plain.description },
    {
      why: 'a title is shown in both places',
      more: { title: 'Search' },
      title: 'Search',
      meta: undefined,
      description: plain.description,
    },
    {
      why: 'meta goes along',
      more: { meta: { 'a/b': 1 } },
      title: undefined,
      meta: { 'a/b': 1 },
      description: plain.description,
    },
    {
      why: 'what replaces it is said',
      more: { deprecated: 'Use find.' },
      title: undefined,
      meta: { 'doorward/deprecated': 'Use find.' },
      description: `Deprecated: Use find. ${plain.description}`,
    },
  ])('$why', ({ more, title, meta, description }) => {
    const tool = define(more);
    expect(listedDefinition(tool)).toEqual({
      name: 'search',
      ...(title !== undefined && { title }),
      description,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      annotations: { ...(title !== undefined && { title }), ...tool.annotations },
      ...(meta !== undefined && { _meta: meta }),
    });
  });

  test('nothing that is not for callers', () => {
    const tool = define({
      aliases: ['old'],
      auth: { scopes: ['s'] },
      profiles: ['p'],
      examples: [],
      visibility: 'private',
      when: () => true,
    });
    expect(listedDefinition(tool)).toEqual(listedDefinition(defineTool(definition)));
  });
});
