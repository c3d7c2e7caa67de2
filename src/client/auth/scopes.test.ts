import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCovered, selectScope, unionOf } from './scopes.js';

test.each([
  { why: 'nothing is said', choice: {}, scope: undefined },
  {
    why: 'the configuration stands alone',
    choice: { configured: 'z', challenged: 'a', resource: ['b'], before: 'c', server: ['offline_access'] },
    scope: 'z',
  },
  { why: 'save for what a request lacked', choice: { configured: 'z', lacking: 'write' }, scope: 'z write' },
  { why: 'the challenge comes before the metadata', choice: { challenged: 'a', resource: ['a', 'b'] }, scope: 'a' },
  { why: 'the metadata otherwise', choice: { resource: ['x', 'y'] }, scope: 'x y' },
  { why: 'an empty list is no scope', choice: { resource: [] }, scope: undefined },
  {
    why: 'what we had stays',
    choice: { before: 'read', lacking: 'read write', challenged: 'read' },
    scope: 'read write',
  },
  {
    why: 'offline_access where the server knows it',
    choice: { challenged: 'a', server: ['offline_access'] },
    scope: 'a offline_access',
  },
  {
    why: 'but not alone: it would narrow the rest to nothing',
    choice: { server: ['offline_access'] },
    scope: undefined,
  },
])('$why', ({ choice, scope }) => expect(selectScope(choice)).toBe(scope));

const scopes = fc.array(fc.stringMatching(/^[!#-[\]-~]{1,8}$/)).map((names) => names.join(' '));

test('a union covers all its parts, once each', () => {
  fc.assert(
    fc.property(scopes, scopes, (left, right) => {
      const union = unionOf(left, right);
      expect(isCovered(left, union) && isCovered(right, union)).toBe(true);
      const names = union?.split(' ') ?? [];
      expect(new Set(names).size).toBe(names.length);
      expect(isCovered(union, left)).toBe(isCovered(right, left));
    }),
  );
});
