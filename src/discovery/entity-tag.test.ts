import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entityTagOf, isNamed } from './entity-tag.js';

const TAG = 'W/"abc"';

test('a tag is SHA-256 over the bytes, weak', () => {
  const bytes = new TextEncoder().encode('{"a":1}');
  expect(entityTagOf(bytes)).toBe(`W/"${createHash('sha256').update(bytes).digest('base64url')}"`);
});

describe('an If-None-Match names the document', () => {
  test.each([
    { why: 'as it was given', header: 'W/"abc"', isIn: true },
    { why: 'strong: the comparison is weak', header: '"abc"', isIn: true },
    { why: 'a star', header: '*', isIn: true },
    { why: 'a star between blanks', header: ' \t* ', isIn: true },
    { why: 'last of several', header: '"x", W/"y", W/"abc"', isIn: true },
    { why: 'first of several, without blanks', header: 'W/"abc","x"', isIn: true },
    { why: 'between tags with commas in them', header: '"a,b", W/"abc", "c,"', isIn: true },
    { why: 'between empty elements, which a list may have', header: ', ,W/"abc",,', isIn: true },
    { why: 'blanks before a comma', header: 'W/"abc" \t, "x"', isIn: true },
    { why: 'beside a tag of other characters than letters', header: '"!#[]~ÿ", "abc"', isIn: true },
    { why: 'not: another one', header: 'W/"abd"', isIn: false },
    { why: 'not: the same within another one', header: '"x,W/"abc"', isIn: false },
    { why: 'not: the same letters as part of a tag', header: '"abc,"', isIn: false },
    { why: 'not: without its quotes', header: 'abc', isIn: false },
    { why: 'not: in single quotes', header: "'abc'", isIn: false },
    { why: 'not: the weak mark in lower case', header: 'w/"abc"', isIn: false },
    { why: 'not: a blank behind the weak mark', header: 'W/ "abc"', isIn: false },
    { why: 'not: a star among tags', header: '*, W/"abc"', isIn: false },
    { why: 'not: tags without a comma between them', header: '"x" W/"abc"', isIn: false },
    { why: 'not: a blank in a tag', header: '"a b", "abc"', isIn: false },
    { why: 'not: the grammar is broken behind it', header: 'W/"abc", nonsense', isIn: false },
    { why: 'not: no quote at its end', header: 'W/"abc', isIn: false },
    { why: 'not: empty', header: '', isIn: false },
    { why: 'not: commas alone', header: ' , ,', isIn: false },
    { why: 'not: an empty tag', header: '""', isIn: false },
  ])('$why', ({ header, isIn }) => expect(isNamed(TAG, header)).toBe(isIn));
});

test('a strong tag is named as well', () => expect(isNamed('"abc"', 'W/"abc"')).toBe(true));

const character = fc.integer({ min: 0x21, max: 0xff }).filter((code) => code !== 0x22 && code !== 0x7f);
const opaque = fc.array(character, { maxLength: 8 }).map((codes) => String.fromCharCode(...codes));

test('any list of tags names those that are in it, and no other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(opaque, fc.boolean()), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(',', ', ', ' ,', '\t,\t', ',,', ' , , '),
      opaque,
      (tags, comma, other) => {
        const header = tags.map(([tag, isWeak]) => `${isWeak ? 'W/' : ''}"${tag}"`).join(comma);
        for (const [tag] of tags) expect(isNamed(`W/"${tag}"`, header)).toBe(true);
        expect(isNamed(`W/"${other}"`, header)).toBe(tags.some(([tag]) => tag === other));
      },
    ),
  );
});

test('whatever it is, it is read in time that grows with its length', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (header) => typeof isNamed(TAG, header) === 'boolean'));
  const started = performance.now();
  for (const piece of ['"', ',', 'W/"a" ', 'W/', ' \t']) isNamed(TAG, piece.repeat(100_000));
  expect(performance.now() - started).toBeLessThan(500);
});
