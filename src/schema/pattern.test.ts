import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, type Pattern } from './pattern.js';

const free = () => undefined;

function enforce(source: string): Pattern {
  const pattern = compilePattern(source);
  if ('problem' in pattern) throw new Error(pattern.problem);
  return pattern;
}

/**
 * What the platform says, in the mode that the judge must choose, at each place where ECMAScript has a search look. Left
 * to search by itself, V8 also looks between the halves of a surrogate pair.
 */
function native(source: string, text: string): boolean {
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'uy');
  } catch {
    pattern = new RegExp(source, 'y');
  }
  for (let at = 0; at <= text.length; at += pattern.unicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return true;
  }
  return false;
}

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'ba',
  'aab',
  'abab',
  'a b',
  ' a',
  'a\n',
  '\n',
  '-',
  'é',
  '😀',
  'a😀b',
  '1',
  '_',
  '0z',
  'aaaa',
  'c]',
];

describe('matches as the platform does', () => {
  test.each([
    { why: 'the empty pattern matches all', source: '' },
    { why: 'unanchored', source: 'ab' },
    { why: 'star', source: 'a*b' },
    { why: 'alternation binds loosest', source: '^a|b$' },
    { why: 'empty branch', source: '^(a|)b$' },
    { why: 'counted', source: '^a{2,3}b?$' },
    { why: 'open count', source: '^(?:ab){2,}$' },
    { why: 'zero times', source: '^a{0}b$' },
    { why: 'nested stars', source: '^(a*)*b$' },
    { why: 'lazy is the same for a test', source: '^a+?b$' },
    { why: 'class with a bracket', source: '[\\]c]$' },
    { why: 'negated class', source: '^[^a]+$' },
    { why: 'the empty class matches nothing', source: '[]' },
    { why: 'the full class matches anything', source: '^[^]$' },
    { why: 'dot stops at line ends', source: '^a.' },
    { why: 'one astral character is one character', source: '^.$' },
    { why: 'astral class', source: '[😀]' },
    { why: 'surrogate pair escape', source: '^\\uD83D\\uDE00$' },
    { why: 'code point escape', source: '\\u{1F600}' },
    { why: 'hex escape', source: '\\x61' },
    { why: 'control escape', source: '\\cJ' },
    { why: 'property escape', source: '^\\p{L}+$' },
    { why: 'word edge', source: '\\ba' },
    { why: 'no word edge', source: 'a\\B' },
    { why: 'word edge at both ends', source: '^\\b|\\b$' },
    { why: 'lookahead', source: '^(?=a)..$' },
    { why: 'negative lookahead', source: '^(?!ab)' },
    { why: 'lookbehind', source: '(?<=a)b' },
    { why: 'negative lookbehind', source: '(?<!a)b' },
    { why: 'nested lookaround', source: '(?=a(?!b))' },
    { why: 'lookaround that sees the ends', source: '(?=b$)|(?<=^a)b' },
    { why: 'named group', source: '^(?<x>a)b$' },
    { why: 'start in the middle', source: 'a^b|^b' },
    { why: 'end before the start', source: '$^' },
    { why: 'a lookbehind that holds nowhere', source: '(?<!)a' },
    { why: 'quantified lookahead, only without u', source: '(?=a)*b' },
    { why: 'lone brace, only without u', source: 'a{' },
    { why: 'needless escape, only without u', source: '\\-' },
    { why: 'backslash c, only without u', source: '\\c' },
    { why: 'x that is no hex escape, only without u', source: '\\xz' },
  ])('$why: $source', ({ source }) => {
    const pattern = enforce(source);
    for (const text of TEXTS) expect([text, pattern.test(text, free)]).toEqual([text, native(source, text)]);
  });

  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\b', '\\B', '^', '$', '\\s', '😀', '\\p{L}');
  const { source } = fc.letrec<{ source: string; group: string; item: string }>((tie) => ({
    source: fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join('')),
    group: fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!'), tie('source'), fc.boolean(), tie('source'))
      .map(([open, left, isEither, right]) => `${open}${isEither ? `${left}|${right}` : left})`),
    item: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc
        .tuple(fc.constantFrom('a', 'b', '[ab]', '.'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{2,}'))
        .map((pair) => pair.join('')),
      tie('group'),
      fc
        .tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{1,}'))
        .map(([inner, count]) => `(?:${inner})${count}`),
    ),
  }));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '😀', 'é', '1'), maxLength: 8 });

  test('a search does not look between the halves of a character', () => {
    expect(enforce('(?:(?!a|[^a])(?:\\B){1,3}){1,3}').test('😀a', free)).toBe(false);
  });

  test('any pattern of these parts, any text', () => {
    fc.assert(
      fc.property(source, text, (pattern, subject) => {
        expect(enforce(pattern).test(subject, free)).toBe(native(pattern, subject));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('unenforceable', () => {
  test.each([
    { why: 'another language', source: '(?i)\\A[a-f]+\\z', problem: /not an ECMAScript pattern/ },
    { why: 'backreference', source: '(a)\\1', problem: /backreference/ },
    { why: 'named backreference', source: '(?<x>a)\\k<x>', problem: /backreference/ },
    { why: 'old octal escape', source: '\\07', problem: /backreference/ },
    { why: 'repeats that multiply', source: '((a{50}){50}){50}', problem: /steps/ },
    { why: 'as many branches', source: Array.from({ length: 1_335 }, () => 'a').join('|'), problem: /steps/ },
    { why: 'as many optional ones', source: 'a{0,2001}', problem: /steps/ },
    { why: 'as many in a row', source: 'a{4001}', problem: /steps/ },
    { why: 'many in a lookahead', source: '(?=a{3000})a{1001}', problem: /steps/ },
    { why: 'groups without end', source: `${'('.repeat(200)}${')'.repeat(200)}`, problem: /nested/ },
  ])('$why: $source', ({ source, problem }) => {
    expect(compilePattern(source)).toMatchObject({ source, problem: expect.stringMatching(problem) });
  });
});

test.each([
  Array.from({ length: 1_334 }, () => 'a').join('|'),
  'a{0,2000}',
  'a{3999}b',
  '(?=a{1990}b)a{1990}',
  '(?:a{990}|b{990}){2}',
  '(?:a{100}){3,}',
  '(?:(?:)*){2}',
])('just small enough: %s', (source) => {
  const pattern = enforce(source);
  for (const text of ['a'.repeat(4_100), `${'a'.repeat(4_000)}b`, ''])
    expect(pattern.test(text, free)).toBe(native(source, text));
});

describe('linear', () => {
  test.each([
    { why: 'nested quantifiers', source: '^(a+)+$', text: `${'a'.repeat(50_000)}!` },
    { why: 'overlapping branches', source: '^(a|a)*$', text: `${'a'.repeat(50_000)}!` },
    { why: 'unanchored scan', source: 'a*b', text: 'a'.repeat(50_000) },
    { why: 'two stars', source: '^a*a*$', text: `${'a'.repeat(50_000)}!` },
    { why: 'lookahead', source: '^(?=(a+)+$)', text: `${'a'.repeat(50_000)}!` },
    {
      why: 'many different characters',
      source: '^(\\p{L}+)+$',
      text: Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(''),
    },
    { why: 'an empty group a billion times', source: '(?:){1000000000}', text: '' },
  ])('$why: $source', ({ source, text }) => {
    const pattern = enforce(source);
    const started = performance.now();
    pattern.test(text, free);
    expect(performance.now() - started).toBeLessThan(400);
  });

  test('the work is told while it is done', () => {
    const stop = new Error('enough');
    const pattern = enforce('(?=(a|b)*c)x');
    const spend = () => {
      throw stop;
    };
    expect(() => pattern.test('ab'.repeat(100), spend)).toThrow(stop);
  });
});
