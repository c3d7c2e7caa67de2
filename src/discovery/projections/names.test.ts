import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesFor } from './names.js';
import { TARGETS } from './types.js';

const GOOD = {
  openai: /^[A-Za-z0-9_-]{1,64}$/,
  anthropic: /^[A-Za-z0-9_-]{1,64}$/,
  gemini: /^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/,
};

describe.each(TARGETS)('%s', (target) => {
  test('names lead back to the tools, whatever these are called, in whatever order', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'B', '1', '_', '-', '.', '/', 'é', '_yixhkl'),
      minLength: 1,
      maxLength: 130,
    });
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
        const given = namesFor(target, names);
        expect([...given.keys()].sort()).toEqual([...names].sort());
        expect(new Set(given.values()).size).toBe(names.length);
        for (const [own, as] of given) {
          expect(as).toMatch(GOOD[target]);
          if (GOOD[target].test(own)) expect(as).toBe(own);
        }
        expect(new Map([...namesFor(target, [...names].reverse())].sort())).toEqual(new Map([...given].sort()));
      }),
    );
  });

  test('a name that had to be changed is the same on every server', () => {
    const alone = namesFor(target, ['a b']).get('a b');
    expect(namesFor(target, ['x', 'a b', 'a  b', 'a_b']).get('a b')).toBe(alone);
    expect(alone).toMatch(/^a_b_[a-z2-7]{6}$/);
  });
});

test.each([
  ['openai', 'files.read', 'files_read_'],
  ['gemini', 'files.read', 'files.read'],
  ['openai', '1st', '1st'],
  ['gemini', '1st', '_1st_'],
  ['gemini', `a${'b'.repeat(63)}`, `a${'b'.repeat(55)}_`],
  ['openai', 'é', '__'],
] as const)('%s: %s becomes %s', (target, name, begins) => {
  const as = namesFor(target, [name]).get(name)!;
  expect(as.startsWith(begins)).toBe(true);
  expect(as.length - begins.length).toBe(as === name ? 0 : 6);
});

test('a name that looks like a changed one is nobody else', () => {
  const changed = namesFor('openai', ['a b']).get('a b')!;
  const names = namesFor('openai', ['a b', changed]);
  expect(names.get(changed)).toBe(changed);
  expect(names.get('a b')).toHaveLength(changed.length + 1);
});
