import { expect, test } from 'vitest';
import { FULL, MINIMAL } from './manifest-rules/manifest-examples.js';
import { isSameManifest } from './same-manifest.js';

const ours = {
  ...MINIMAL,
  packages: [{ registryType: 'npm', identifier: 'x', environmentVariables: [{ name: 'A', isRequired: false }] }],
};
const [npm] = ours.packages;

test.each([
  { why: 'what it was given', other: ours },
  { why: 'members in another order', other: Object.fromEntries(Object.entries(ours).reverse()) },
  {
    why: 'nothing where we wrote false or an empty list',
    other: { ...ours, packages: [{ ...npm, environmentVariables: [{ name: 'A' }], packageArguments: [] }] },
  },
  { why: 'a meta of its own', other: { ...ours, _meta: { 'io.modelcontextprotocol.registry/official': { id: 1 } } } },
  {
    why: 'the base URL that is meant by none',
    other: { ...ours, packages: [{ ...npm, registryBaseUrl: 'https://registry.npmjs.org' }] },
  },
])('the Registry may give back $why', ({ other }) => expect(isSameManifest(ours, other)).toBe(true));

test.each([
  { why: 'another description', other: { ...ours, description: 'Other' } },
  { why: 'a remote less', other: { ...ours, remotes: [] } },
  { why: 'a remote more', other: { ...ours, remotes: [...ours.remotes, ...ours.remotes] } },
  { why: 'a title more', other: { ...ours, title: 'W' } },
  { why: 'another base URL', other: { ...ours, packages: [{ ...npm, registryBaseUrl: 'https://npm.example' }] } },
  { why: 'packages in another order', other: { ...FULL, packages: [...FULL.packages].reverse() }, one: FULL },
  { why: 'what the publisher provides', other: { ...FULL, _meta: {} }, one: FULL },
  { why: 'nothing', other: undefined },
])('$why is not the same', ({ other, one = ours }) => expect(isSameManifest(one, other)).toBe(false));
