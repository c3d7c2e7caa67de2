import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPointer, pathOf, pointerOf, splitPointer } from './pointer.js';

test.each([
  { why: 'the root', segments: [], path: '$', pointer: '' },
  { why: 'a plain name', segments: ['days'], path: '$.days', pointer: '/days' },
  { why: 'an index', segments: ['a', 0], path: '$.a[0]', pointer: '/a/0' },
  { why: 'a name that looks like an index', segments: ['0'], path: '$["0"]', pointer: '/0' },
  { why: 'a name with a dot', segments: ['a.b'], path: '$["a.b"]', pointer: '/a.b' },
  { why: 'a name with a dash', segments: ['x-y'], path: '$["x-y"]', pointer: '/x-y' },
  { why: 'a name with digits inside', segments: ['a1_$'], path: '$.a1_$', pointer: '/a1_$' },
  { why: 'a slash and a tilde', segments: ['a/b', 'm~n'], path: '$["a/b"]["m~n"]', pointer: '/a~1b/m~0n' },
  { why: 'quotes and line ends', segments: ['"\n'], path: '$["\\"\\n"]', pointer: '/"\n' },
  { why: 'the empty name', segments: [''], path: '$[""]', pointer: '/' },
])('$why', ({ segments, path, pointer }) => {
  expect(pathOf(segments)).toBe(path);
  expect(pointerOf(segments)).toBe(pointer);
  expect(splitPointer(pointer)).toEqual(segments.map(String));
});

test('~01 is a tilde and a one', () => {
  expect(splitPointer('/~01')).toEqual(['~1']);
});

test('any names go into a pointer and come out again', () => {
  const names = fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '.') }));
  fc.assert(
    fc.property(names, (segments) => {
      expect(splitPointer(segments.reduce<string>(joinPointer, ''))).toEqual(segments);
    }),
  );
});
