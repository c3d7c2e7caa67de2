import { expect, test } from 'vitest';
import { findLiterals } from './version-checks.js';

const data = { name: '@a/b', version: '1.2.3', isData: true };
const prose = { ...data, isData: false };

test.each([
  { why: 'a constant', text: "const VERSION = '1.2.3';", search: data, found: ["'1.2.3'"] },
  { why: 'a member', text: '{ "version": "v1.2.3" }', search: data, found: ['"v1.2.3"'] },
  { why: 'YAML without quotes', text: 'a: 1\nversion: 1.2.3', search: data, found: ['version: 1.2.3'] },
  { why: 'the package with its version', text: 'npx @a/b@1.2.3 stdio', search: prose, found: ['@a/b@1.2.3'] },
  { why: "somebody else's package", text: 'npx c@1.2.3 x@a/b@1.2.3', search: prose, found: [] },
  { why: 'a longer version', text: "version = '1.2.34'; // @a/b@1.2.3-beta", search: data, found: [] },
  { why: 'a text that speaks of no version', text: "const place = '1.2.3';", search: data, found: [] },
  { why: 'prose that tells of it', text: 'Since version "1.2.3" there is more.', search: prose, found: [] },
])('$why', ({ text, search, found }) => expect(findLiterals(text, search).map((one) => one.found)).toEqual(found));

test('a place is told by its line', () => {
  expect(findLiterals('\n\nversion: 1.2.3\n', data)).toEqual([{ line: 3, found: 'version: 1.2.3' }]);
});
