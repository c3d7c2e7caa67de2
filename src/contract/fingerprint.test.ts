import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract } from './define-contract.js';
import { defineTool } from './define-tool.js';
import type { ContractDefinition, PromptDefinition, ResourceDefinition, Tool, ToolDefinition } from './types.js';

const server = { name: 'io.github.acme/notes', description: 'Keeps notes.', version: '1.2.3' };
const plain: ToolDefinition = {
  name: 'search',
  description: 'Finds notes.',
  kind: 'read',
  input: z.object({ query: z.string(), limit: z.number() }),
  output: z.object({ found: z.array(z.string()) }),
};
const search = (more: object = {}): Tool => defineTool({ ...plain, ...more });
const fingerprint = (more: Partial<ContractDefinition> = {}): string =>
  defineContract({ server, tools: [search()], ...more }).fingerprint;

describe('differs where callers see something else', () => {
  test.each<{ why: string; more: object }>([
    { why: 'the name of the server', more: { server: { ...server, name: 'io.github.acme/other' } } },
    { why: 'a tool less', more: { tools: [] } },
    { why: 'a tool more', more: { tools: [search(), search({ name: 'find' })] } },
    ...Object.entries({
      name: 'find',
      title: 'Search',
      description: 'Finds them.',
      kind: 'write',
      input: z.object({ query: z.string(), limit: z.int() }),
      output: z.object({ found: z.array(z.number()) }),
      aliases: ['find'],
      deprecated: 'Use find.',
      meta: { a: 1 },
    }).map(([member, value]) => ({ why: `${member} of a tool`, more: { tools: [search({ [member]: value })] } })),
    {
      why: 'a member that may be left out',
      more: { tools: [search({ input: z.object({ query: z.string(), limit: z.number().optional() }) })] },
    },
    { why: 'the order of a list of values', more: { tools: [search({ meta: { list: [2, 1] } })] } },
    { why: 'a resource', more: { resources: [{ name: 'r', uri: 'a://b' }] } },
    { why: 'its address', more: { resources: [{ name: 'r', uri: 'a://c' }] } },
    { why: 'its type', more: { resources: [{ name: 'r', uri: 'a://b', mimeType: 'text/plain' }] } },
    { why: 'a prompt', more: { prompts: [{ name: 'p' }] } },
    { why: 'the arguments of a prompt', more: { prompts: [{ name: 'p', arguments: [{ name: 'x' }] }] } },
    { why: 'a resource and a prompt changing places', more: { resources: [{ name: 'p', uri: 'a://b' }] } },
  ])('$why', ({ more }) => {
    expect(fingerprint(more)).not.toBe(fingerprint());
  });

  test('each of those from each other', () => {
    const all = [
      fingerprint(),
      fingerprint({ tools: [search({ meta: { list: [2, 1] } })] }),
      fingerprint({ tools: [search({ meta: { list: [1, 2] } })] }),
      fingerprint({ resources: [{ name: 'r', uri: 'a://b' }] }),
      fingerprint({ resources: [{ name: 'r', uri: 'a://c' }] }),
      fingerprint({ resources: [{ name: 'r', uriTemplate: 'a://b' }] }),
      fingerprint({ prompts: [{ name: 'r' }] }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('is the same whatever callers do not see', () => {
  test.each<{ why: string; more: object }>([
    { why: 'the version', more: { server: { ...server, version: '2.0.0' } } },
    {
      why: 'what the server says of itself',
      more: { server: { ...server, description: 'Other words.', title: 'Notes' } },
    },
    {
      why: 'where it runs and comes from',
      more: { remotes: [{ type: 'sse', url: 'https://a.example' }], deployments: ['node'] },
    },
    {
      why: 'the order of members',
      more: { tools: [search({ input: z.object({ limit: z.number(), query: z.string() }) })] },
    },
    {
      why: 'what a tool asks of callers',
      more: { tools: [search({ auth: { scopes: ['a'] }, profiles: ['p'], visibility: 'private' })] },
    },
    {
      why: 'where a tool is served',
      more: { deployments: ['node'], tools: [search({ availability: ['node'], locality: 'local' })] },
    },
    { why: 'its examples', more: { tools: [search({ examples: [{ input: { query: 'a', limit: 1 } }] })] } },
  ])('$why', ({ more }) => {
    expect(fingerprint(more)).toBe(fingerprint());
  });

  test('where resources and prompts are served', () => {
    const at = (more: object) =>
      fingerprint({
        deployments: ['node'],
        resources: [{ name: 'r', uri: 'a://b', ...more }],
        prompts: [{ name: 'p', ...more }],
      });
    expect(at({ availability: ['node'], locality: 'local' })).toBe(at({}));
  });

  test('the order of aliases', () => {
    const named = (aliases: string[]) => fingerprint({ tools: [search({ aliases })] });
    expect(named(['a', 'b'])).toBe(named(['b', 'a']));
  });
});

/** The same value, the members of its objects in another order. */
function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

test('in any order, of things and of their members, it is the same', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/), { maxLength: 5 });
  const meta = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
  fc.assert(
    fc.property(names, names, names, meta, fc.infiniteStream(fc.nat()), (tools, resources, prompts, meta, order) => {
      const mixed = <Member>(members: readonly Member[]): Member[] =>
        members
          .map((member) => ({ member, at: order.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ member }) => member);
      const written = (change: (value: unknown) => unknown, arrange: typeof mixed) =>
        defineContract({
          server,
          tools: arrange(
            tools.map((name) =>
              search({
                name,
                meta: change(meta),
                input: z.object(change({ a: z.string(), b: z.number() }) as z.ZodRawShape),
              }),
            ),
          ),
          resources: arrange(resources.map((name) => change({ name, uri: `a://${name}`, meta }) as ResourceDefinition)),
          prompts: arrange(prompts.map((name) => change({ name, meta }) as PromptDefinition)),
        }).fingerprint;
      const shallow = (value: unknown): unknown =>
        value instanceof Object && 'a' in value && value.a instanceof z.ZodType
          ? Object.fromEntries(Object.entries(value).reverse())
          : turned(value);
      expect(written(shallow, mixed)).toBe(
        written(
          (value) => value,
          (members) => [...members],
        ),
      );
    }),
    { numRuns: 50 },
  );
});
