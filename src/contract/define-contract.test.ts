import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract } from './define-contract.js';
import { defineTool } from './define-tool.js';
import type { ContractDefinition, Tool } from './types.js';

const server = { name: 'io.github.acme/notes', description: 'Keeps notes.', version: '1.2.3' };
const tool = (name: string, more: object = {}): Tool =>
  defineTool({ name, description: 'Does it.', kind: 'read', input: z.object({}), output: z.object({}), ...more });

const define = (more: object) => defineContract({ server, ...more } as ContractDefinition);

describe('what is invalid is told with its place', () => {
  test.each([
    {
      why: 'a name without a namespace',
      more: { server: { ...server, name: 'notes' } },
      where: 'server',
      path: '/name',
    },
    { why: 'no name', more: { server: { ...server, name: undefined } }, where: 'server', path: '/name' },
    { why: 'a name with a space', more: { server: { ...server, name: 'a b/c' } }, where: 'server', path: '/name' },
    { why: 'a name of two slashes', more: { server: { ...server, name: 'a/b/c' } }, where: 'server', path: '/name' },
    { why: 'no version', more: { server: { ...server, version: '' } }, where: 'server', path: '/version' },
    {
      why: 'a version that is no text',
      more: { server: { ...server, version: 1 } },
      where: 'server',
      path: '/version',
    },
    {
      why: 'no description',
      more: { server: { ...server, description: undefined } },
      where: 'server',
      path: '/description',
    },
    {
      why: 'an empty description',
      more: { server: { ...server, description: ' ' } },
      where: 'server',
      path: '/description',
    },
    {
      why: 'a description of 101 characters',
      more: { server: { ...server, description: 'x'.repeat(101) } },
      where: 'server',
      path: '/description',
    },
    {
      why: 'a title of 101 characters',
      more: { server: { ...server, title: 'x'.repeat(101) } },
      where: 'server',
      path: '/title',
    },
    { why: 'a name twice', more: { tools: [tool('a'), tool('a')] }, where: 'tools/a', path: '/name' },
    {
      why: 'an alias that is a name',
      more: { tools: [tool('a'), tool('b', { aliases: ['c', 'a'] })] },
      where: 'tools/b',
      path: '/aliases/1',
    },
    {
      why: 'a name that is an alias',
      more: { tools: [tool('a', { aliases: ['b'] }), tool('b')] },
      where: 'tools/b',
      path: '/name',
    },
    {
      why: 'its own name as an alias',
      more: { tools: [tool('a', { aliases: ['a'] })] },
      where: 'tools/a',
      path: '/aliases/0',
    },
    {
      why: 'an availability without deployments',
      more: { tools: [tool('a', { availability: ['edge'] })] },
      where: 'tools/a',
      path: '/availability/0',
    },
    {
      why: 'an unknown deployment',
      more: { deployments: ['node'], tools: [tool('a', { availability: ['node', 'edge'] })] },
      where: 'tools/a',
      path: '/availability/1',
    },
    { why: 'a resource without a name', more: { resources: [{ uri: 'a://b' }] }, where: 'resources', path: '/name' },
    { why: 'a prompt with an empty name', more: { prompts: [{ name: '' }] }, where: 'prompts', path: '/name' },
    {
      why: 'a resource twice',
      more: {
        resources: [
          { name: 'a', uri: 'a://1' },
          { name: 'a', uri: 'a://2' },
        ],
      },
      where: 'resources/a',
      path: '/name',
    },
    { why: 'a prompt twice', more: { prompts: [{ name: 'a' }, { name: 'a' }] }, where: 'prompts/a', path: '/name' },
    { why: 'a resource without an address', more: { resources: [{ name: 'a' }] }, where: 'resources/a', path: '/uri' },
    {
      why: 'a resource with two',
      more: { resources: [{ name: 'a', uri: 'a://1', uriTemplate: 'a://{x}' }] },
      where: 'resources/a',
      path: '/uri',
    },
    {
      why: 'a prompt for an unknown deployment',
      more: { prompts: [{ name: 'a', availability: ['edge'] }] },
      where: 'prompts/a',
      path: '/availability/0',
    },
  ])('$why', ({ more, where, path }) => {
    expect(() => define(more)).toThrow(
      expect.objectContaining({
        code: 'CONTRACT_INVALID',
        message: expect.stringContaining(`${where} ${path}: `),
        data: { where, path },
      }),
    );
  });

  test.each([
    { why: 'two of one kind', tools: [tool('a'), tool('a')], says: 'is taken by another tool' },
    {
      why: 'a local and a remote one',
      tools: [tool('a', { locality: 'local' }), tool('a')],
      says: 'is both local and remote',
    },
    {
      why: 'by an alias',
      tools: [tool('a'), tool('b', { locality: 'local', aliases: ['a'] })],
      says: 'is both local and remote',
    },
    { why: 'of one tool', tools: [tool('a', { aliases: ['b', 'b'] })], says: 'is given twice' },
  ])('a name that means two tools: $why', ({ tools, says }) => {
    expect(() => define({ tools })).toThrow(says);
  });

  test('a hundred characters are counted as people count them', () => {
    expect(define({ server: { ...server, description: '🚪'.repeat(100) } }).server.description).toHaveLength(200);
    expect(() => define({ server: { ...server, description: '🚪'.repeat(101) } })).toThrow('has 101 characters');
  });
});

test('what is left out is empty', () => {
  expect(define({})).toEqual({
    server,
    tools: [],
    resources: [],
    prompts: [],
    remotes: [],
    packages: [],
    deployments: [],
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('nothing of it can be changed, and what it was made from stays as it is', () => {
  const tools = [tool('a')];
  const contract = define({
    server: { ...server, icons: [{ src: 'https://acme.example/i.png' }] },
    tools,
    resources: [{ name: 'r', uri: 'a://b' }],
    prompts: [{ name: 'p', arguments: [{ name: 'x' }] }],
    remotes: [{ type: 'streamable-http', url: 'https://acme.example/mcp' }],
    packages: [{ registryType: 'npm', identifier: 'notes', transport: { type: 'stdio' } }],
    deployments: ['node'],
  });
  const { tools: own, ...rest } = contract;
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
  expect(Object.values(rest).every(frozen)).toBe(true);
  expect(Object.isFrozen(contract)).toBe(true);
  expect(Object.isFrozen(own)).toBe(true);
  tools.push(tool('b'));
  expect(contract.tools).toHaveLength(1);
});
