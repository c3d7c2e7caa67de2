import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bareName, furtherName, nameCandidates, namePrefix, prefixedName } from './names.js';

/** SHA-256 of both parts with a NUL between them, in base32, as the design has it. */
function digest(mount: string, tool: string, length: number): string {
  const bytes = createHash('sha256').update(`${mount}\0${tool}`).digest();
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return Array.from({ length }, (_, i) => alphabet[Number.parseInt(bits.slice(5 * i, 5 * i + 5), 2)]).join('');
}

const hash = (mount: string, tool: string): string => `_${digest(mount, tool, 6)}`;

describe('prefixedName', () => {
  test.each([
    { why: 'plain', mount: 'files', tool: 'read_file', name: 'files__read_file' },
    { why: 'every portable character', mount: 'A-z_0', tool: 'b-C_9', name: 'A-z_0__b-C_9' },
    { why: '64 characters just fit', mount: 'm', tool: 't'.repeat(61), name: `m__${'t'.repeat(61)}` },
  ])('stays as it reads: $why', ({ mount, tool, name }) => expect(prefixedName(mount, tool)).toBe(name));

  test.each([
    { why: 'a space', mount: 'my server', tool: 'a', plain: 'my_server__a' },
    { why: 'a dot', mount: 's', tool: 'a.b', plain: 's__a_b' },
    { why: 'a slash', mount: 's', tool: 'a/b', plain: 's__a_b' },
    { why: 'a wide character is one character', mount: 's', tool: '😀é', plain: 's____' },
    { why: 'a line feed', mount: 's', tool: 'a\nb', plain: 's__a_b' },
    { why: 'a right-to-left mark', mount: 's', tool: 'a\u202eb', plain: 's__a_b' },
    { why: 'a lone surrogate', mount: 's', tool: '\ud800', plain: 's___' },
    { why: 'two ways to read it: in the tool', mount: 'a', tool: 'b__c', plain: 'a__b__c' },
    { why: 'two ways to read it: in the mount', mount: 'a__b', tool: 'c', plain: 'a__b__c' },
    { why: 'two ways to read it: at the seam', mount: 'a_', tool: 'b', plain: 'a___b' },
    { why: 'two ways to read it: behind the seam', mount: 'a', tool: '_b', plain: 'a___b' },
    { why: 'no mount', mount: '', tool: 'b', plain: '__b' },
  ])('gets a digest where it had to change or could be misread: $why', ({ mount, tool, plain }) =>
    expect(prefixedName(mount, tool)).toBe(plain + hash(mount, tool)),
  );

  test('is cut to 64 characters, the digest included', () => {
    for (const [mount, tool] of [
      ['m', 't'.repeat(62)],
      ['m'.repeat(70), 't'],
      ['m'.repeat(40), 't'.repeat(40)],
    ] as const) {
      const name = prefixedName(mount, tool);
      expect(name).toHaveLength(64);
      expect(name).toBe(`${mount}__${tool}`.slice(0, 57) + hash(mount, tool));
    }
  });

  test('is the same for ever: these were given in November 2026', () => {
    expect(prefixedName('my server', 'a')).toBe('my_server__a_yi2zmf');
    expect(prefixedName('a', 'b__c')).toBe('a__b__c_ag4kow');
    expect(prefixedName('unicode', 'ünï😀')).toBe('unicode___n___36lzhc');
    expect(prefixedName('m', 't'.repeat(100))).toBe(`m__${'t'.repeat(54)}_ouxoh4`);
  });
});

describe('bareName', () => {
  test.each([
    { why: 'portable', tool: 'read_file', name: 'read_file' },
    { why: 'underscores do not matter without a mount', tool: '__a__b_', name: '__a__b_' },
    { why: '64 characters', tool: 't'.repeat(64), name: 't'.repeat(64) },
    { why: '65 characters', tool: 't'.repeat(65), name: 't'.repeat(57) + hash('m', 't'.repeat(65)) },
    { why: 'a dot', tool: 'a.b', name: `a_b${hash('m', 'a.b')}` },
    { why: 'nothing', tool: '', name: hash('m', '') },
  ])('$why', ({ tool, name }) => expect(bareName('m', tool)).toBe(name));
});

const anyPart = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab_-.9', '__', 'é', '😀', '\ud800', '\n', '"'), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: fc.constantFrom(...'ab_'), minLength: 55, maxLength: 70 }),
);

describe('any name', () => {
  test('is portable, at most 64 long, and the same each time', () => {
    fc.assert(
      fc.property(fc.constantFrom('always', 'conflict', 'never'), anyPart, anyPart, (rule, mount, tool) => {
        const candidates = [...nameCandidates(rule, mount, tool), furtherName(rule, mount, tool, 1)];
        for (const name of candidates) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(candidates).toEqual([...nameCandidates(rule, mount, tool), furtherName(rule, mount, tool, 1)]);
      }),
      { numRuns: 500 },
    );
  });

  test('with a prefix begins with what `namePrefix` says', () => {
    fc.assert(
      fc.property(anyPart, anyPart, (mount, tool) => {
        const names = [...nameCandidates('always', mount, tool), furtherName('always', mount, tool, 1)];
        for (const name of names) expect(name.startsWith(namePrefix(mount))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('with a prefix is no other tool’s, but by a digest spelled on purpose', () => {
    // Lone surrogates have no UTF-8 of their own, so their digests are one: the name book parts them.
    const anyWhole = anyPart.map((part) => part.replace(/[\0\p{Surrogate}]/gu, ''));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(anyWhole, anyWhole), { selector: (pair) => pair.join('\0'), maxLength: 30 }),
        (pairs) => {
          expect(new Set(pairs.map(([mount, tool]) => prefixedName(mount, tool))).size).toBe(pairs.length);
        },
      ),
      { numRuns: 500 },
    );
    expect(prefixedName('s', `a_b${hash('s', 'a.b')}`), 'on purpose').toBe(prefixedName('s', 'a.b'));
  });
});

describe('nameCandidates', () => {
  const long = (tool: string): string => digest('m', tool, 20);
  test.each([
    { rule: 'always', names: ['m__t', `m__t${hash('m', 't')}`, `m__t_${long('t')}`] },
    { rule: 'conflict', names: ['t', 'm__t', `m__t${hash('m', 't')}`, `m__t_${long('t')}`] },
    { rule: 'never', names: ['t', `t${hash('m', 't')}`, `t_${long('t')}`] },
  ] as const)('goes from plain to certain: $rule', ({ rule, names }) => {
    expect([...nameCandidates(rule, 'm', 't')]).toEqual(names);
  });

  test('hashes nothing as long as the plain name will do', () => {
    const first = nameCandidates('always', 'm', 't').next();
    expect(first).toEqual({ done: false, value: 'm__t' });
  });
});

test('furtherName has another name for each round, to be taken when all candidates are held', () => {
  const names = Array.from({ length: 100 }, (_, round) => furtherName('never', 'm', 't', round));
  expect(new Set([...names, ...nameCandidates('never', 'm', 't')]).size).toBe(103);
});
