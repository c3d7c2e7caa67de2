import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { CONTENT, withContent } from './implementation.js';
import { defineContract, defineTool, implement, ToolError } from './index.js';
import { isToolError } from './tool-error.js';

const contract = defineContract({
  server: { name: 'io.github.acme/notes', description: 'Keeps notes.', version: '1.2.3' },
  tools: [defineTool({ name: 'a', description: 'Does it.', kind: 'read', input: z.object({}), output: z.object({}) })],
  resources: [{ name: 'r', uri: 'a://b' }],
  prompts: [{ name: 'p' }],
});
const empty = defineContract({ server: contract.server });
const none = () => '';
const handlers = { tools: { a: () => ({}) }, resources: { r: none }, prompts: { p: none } };

test('each thing has its handler', () => {
  const implementation = implement(contract, handlers);
  expect(implementation).toEqual({ contract, handlers });
  expect(Object.isFrozen(implementation)).toBe(true);
  expect(implement(empty, {})).toEqual({ contract: empty, handlers: { tools: {}, resources: {}, prompts: {} } });
});

describe('types are no guard where programs are not compiled', () => {
  test.each([
    { why: 'a tool without one', given: { ...handlers, tools: {} }, where: 'tools/a' },
    { why: 'no tools at all', given: { ...handlers, tools: undefined }, where: 'tools/a' },
    { why: 'nothing at all', given: undefined, where: 'tools/a' },
    { why: 'one that is no function', given: { ...handlers, tools: { a: {} } }, where: 'tools/a' },
    { why: 'one that every object has', given: { ...handlers, tools: Object.create({ a: none }) }, where: 'tools/a' },
    { why: 'a resource without one', given: { ...handlers, resources: {} }, where: 'resources/r' },
    { why: 'a prompt without one', given: { ...handlers, prompts: {} }, where: 'prompts/p' },
    { why: 'one too many', given: { ...handlers, tools: { ...handlers.tools, b: none } }, where: 'tools/b' },
    { why: 'a prompt too many', given: { ...handlers, prompts: { p: none, q: none } }, where: 'prompts/q' },
  ])('$why', ({ given, where }) => {
    expect(() => implement(contract, given as never)).toThrow(
      expect.objectContaining({ code: 'CONTRACT_INVALID', data: { where, path: '' } }),
    );
  });
});

test('a value can have content beside it, and looks like no value', () => {
  const content = [{ type: 'text', text: 'hi' }];
  const given = withContent({ found: 1 }, content);
  expect(given).toEqual({ [CONTENT]: content, value: { found: 1 } });
  expect(JSON.parse(JSON.stringify(given))).toEqual({ value: { found: 1 } });
});

test('an error for callers has a name of its own', () => {
  const error = new ToolError('there is no such note');
  expect(String(error)).toBe('ToolError: there is no such note');
  const ofAnotherCopy = Object.assign(new Error('no'), { name: 'ToolError' });
  const given = [error, ofAnotherCopy, new Error('no'), { name: 'ToolError' }, undefined];
  expect(given.map(isToolError)).toEqual([true, true, false, false, false]);
});
