import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Principal } from '../base/index.js';
import { defineContract } from './define-contract.js';
import { defineTool } from './define-tool.js';
import { isVisibleTo, mayCall, sliceContract } from './slice.js';
import type { SliceFacts, Tool } from './types.js';

const server = { name: 'io.github.acme/notes', description: 'Keeps notes.', version: '1.2.3' };
const tool = (name: string, more: object = {}): Tool =>
  defineTool({ name, description: 'Does it.', kind: 'read', input: z.object({}), output: z.object({}), ...more });

const contract = defineContract({
  server,
  deployments: ['node', 'edge'],
  tools: [
    tool('plain'),
    tool('local', { locality: 'local' }),
    tool('node-only', { availability: ['node'] }),
    tool('private', { visibility: 'private' }),
    tool('writers', { profiles: ['writer'] }),
    tool('evening', { when: ({ deployment }: SliceFacts) => deployment === 'edge' }),
    tool('scoped', { auth: { scopes: ['notes:write'] } }),
  ],
  resources: [
    { name: 'file', uri: 'a://file', locality: 'local' },
    { name: 'page', uri: 'a://page', availability: ['edge'] },
  ],
  prompts: [{ name: 'ask' }],
});

const signedIn: Principal = { id: 'ann', kind: 'token' };
const here: Principal = { id: 'local:1', kind: 'local' };
const nobody: Principal = { id: 'anonymous', kind: 'anonymous' };

describe('who sees what, where', () => {
  test.each<{ why: string; facts: SliceFacts | undefined; names: string }>([
    { why: 'nobody in particular', facts: undefined, names: 'plain local node-only writers scoped file page ask' },
    { why: 'anonymous', facts: { principal: nobody }, names: 'plain local node-only writers scoped file page ask' },
    {
      why: 'signed in',
      facts: { principal: signedIn },
      names: 'plain local node-only private writers scoped file page ask',
    },
    {
      why: 'on this machine',
      facts: { principal: here },
      names: 'plain local node-only private writers scoped file page ask',
    },
    {
      why: 'at one deployment',
      facts: { deployment: 'edge' },
      names: 'plain local writers evening scoped file page ask',
    },
    { why: 'at another', facts: { deployment: 'node' }, names: 'plain local node-only writers scoped file ask' },
    { why: 'what is remote', facts: { locality: 'remote' }, names: 'plain node-only writers scoped page ask' },
    { why: 'what is local', facts: { locality: 'local' }, names: 'local file' },
    { why: 'one profile', facts: { profile: 'writer' }, names: 'plain local node-only writers scoped file page ask' },
    { why: 'another profile', facts: { profile: 'reader' }, names: 'plain local node-only scoped file page ask' },
    {
      why: 'all of it at once',
      facts: { deployment: 'edge', locality: 'remote', profile: 'x', principal: signedIn },
      names: 'plain private evening scoped page ask',
    },
  ])('$why', ({ facts, names }) => {
    const { tools, resources, prompts } = sliceContract(contract, facts);
    expect([...tools, ...resources, ...prompts].map(({ name }) => name).join(' ')).toBe(names);
  });

  test('a deployment that there is not is a mistake; a contract that names none is served anywhere', () => {
    expect(() => sliceContract(contract, { deployment: 'moon' })).toThrow(
      expect.objectContaining({ code: 'CONTRACT_INVALID', data: { where: 'deployments', path: '' } }),
    );
    const anywhere = defineContract({ server, tools: [tool('plain')] });
    expect(sliceContract(anywhere, { deployment: 'moon' }).tools).toHaveLength(1);
  });
});

test('a slice says of what it is, cannot be changed, and has a fingerprint of its own', () => {
  const facts = { deployment: 'node' };
  const slice = sliceContract(contract, facts);
  expect(slice.contract).toBe(contract);
  expect(slice.facts).toEqual(facts);
  expect(Object.isFrozen(slice)).toBe(true);
  expect(slice.fingerprint).not.toBe(contract.fingerprint);
  expect(sliceContract(defineContract({ server, tools: [tool('a')] })).fingerprint).toBe(
    defineContract({ server, tools: [tool('a')] }).fingerprint,
  );
});

test.each([
  { why: 'public, nobody', visibility: 'public', principal: undefined, isVisible: true },
  { why: 'private, nobody', visibility: 'private', principal: undefined, isVisible: false },
  { why: 'private, anonymous', visibility: 'private', principal: nobody, isVisible: false },
  { why: 'private, signed in', visibility: 'private', principal: signedIn, isVisible: true },
  { why: 'private, on this machine', visibility: 'private', principal: here, isVisible: true },
] as const)('a list may name it: $why', ({ visibility, principal, isVisible }) => {
  expect(isVisibleTo({ visibility }, principal)).toBe(isVisible);
});

test.each([
  { why: 'nothing is needed', scopes: undefined, principal: nobody, may: true },
  { why: 'nothing was granted', scopes: ['a'], principal: signedIn, may: false },
  { why: 'one of two was granted', scopes: ['a', 'b'], principal: { ...signedIn, scopes: ['a'] }, may: false },
  { why: 'both and more', scopes: ['a', 'b'], principal: { ...signedIn, scopes: ['c', 'b', 'a'] }, may: true },
  { why: 'on this machine', scopes: ['a'], principal: here, may: true },
])('somebody may call it: $why', ({ scopes, principal, may }) => {
  const auth = scopes && { scopes };
  expect(mayCall({ ...(auth && { auth }) }, principal)).toBe(may);
});

test('to know more about somebody only ever takes tools away or shows private ones', () => {
  const facts = fc.record(
    {
      deployment: fc.constantFrom('node', 'edge'),
      locality: fc.constantFrom('local' as const, 'remote' as const),
      profile: fc.constantFrom('writer', 'reader'),
      principal: fc.constantFrom(signedIn, here, nobody),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(facts, (known) => {
      const { tools, resources } = sliceContract(contract, known);
      // In the contract's own order, each at most once, each at its place.
      expect(contract.tools.filter((each) => tools.includes(each))).toEqual(tools);
      for (const { availability, locality, visibility } of tools) {
        if (known.deployment !== undefined && availability !== undefined)
          expect(availability).toContain(known.deployment);
        if (known.locality !== undefined) expect(locality).toBe(known.locality);
        if (visibility === 'private') expect([signedIn, here]).toContain(known.principal);
      }
      expect(contract.resources.filter((each) => resources.includes(each))).toEqual(resources);
    }),
  );
});

test('a condition is not asked about callers, so that lists, calls and documents agree', () => {
  const asked: object[] = [];
  const asking = tool('asking', { when: (facts: object) => asked.push(facts) > 0 });
  sliceContract(defineContract({ server, tools: [asking] }), { principal: here, locality: 'remote' });
  expect(asked).toEqual([{ locality: 'remote' }]);
});

test.each<[what: string, when: unknown]>([
  [
    'that throws',
    () => {
      throw new Error('no');
    },
  ],
  [
    'that throws what is no error',
    () => {
      throw null;
    },
  ],
  ['about the caller', ({ principal }: SliceFacts) => principal!.kind === 'local'],
])('a condition %s is named', (_, when) => {
  const asking = defineContract({ server, tools: [tool('asking', { when })] });
  expect(() => sliceContract(asking, { principal: here })).toThrow(
    expect.objectContaining({ code: 'CONTRACT_INVALID', data: { where: 'tools/asking', path: '/when' } }),
  );
});
