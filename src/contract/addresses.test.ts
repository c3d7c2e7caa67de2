import { expect, test } from 'vitest';
import { defineContract } from './define-contract.js';
import type { ResourceDefinition } from './types.js';

const server = { name: 'io.example/notes', description: 'Notes.', version: '1.0.0' };

test.each<{ why: string; resources: readonly ResourceDefinition[]; says: string }>([
  { why: 'no address', resources: [{ name: 'a' }], says: 'resources/a /uri: give one of uri and uriTemplate' },
  {
    why: 'two kinds of address',
    resources: [{ name: 'a', uri: 'n://a', uriTemplate: 'n://{a}' }],
    says: 'resources/a /uri: give one of uri and uriTemplate',
  },
  { why: 'no scheme', resources: [{ name: 'a', uri: '/notes' }], says: 'resources/a /uri: begins with no scheme' },
  {
    why: 'a variable of a higher level',
    resources: [{ name: 'a', uriTemplate: 'n://{+path}' }],
    says: 'resources/a /uriTemplate: has something in braces that is no plain variable',
  },
  {
    why: 'one address twice',
    resources: [
      { name: 'a', uri: 'n://a' },
      { name: 'b', uri: 'n://a' },
    ],
    says: 'resources/b /uri: there is another resource at that address',
  },
])('an address must lead to one resource: $why', ({ resources, says }) => {
  expect(() => defineContract({ server, resources })).toThrow(says);
});
