import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChallenge } from './challenge.js';

const METADATA = 'https://h.example/.well-known/oauth-protected-resource';

test.each([
  { why: 'nothing', header: '', challenge: {} },
  { why: 'a scheme alone', header: 'Bearer', challenge: {} },
  {
    why: 'the example of the page',
    header: `Bearer resource_metadata="${METADATA}",\n   scope="files:read"`,
    challenge: { resourceMetadata: METADATA, scope: 'files:read' },
  },
  { why: 'any case', header: `bearer RESOURCE_METADATA="${METADATA}"`, challenge: { resourceMetadata: METADATA } },
  { why: 'spaces around =', header: 'Bearer scope = "a b"', challenge: { scope: 'a b' } },
  {
    why: 'a token without quotes',
    header: 'Bearer error=insufficient_scope, scope=a',
    challenge: { error: 'insufficient_scope', scope: 'a' },
  },
  {
    why: 'another scheme before it',
    header: 'Basic realm="x, scope=\\"no\\"", Bearer scope="yes"',
    challenge: { scope: 'yes' },
  },
  {
    why: 'another scheme after it',
    header: 'Bearer scope="yes", Basic realm="r", scope="no"',
    challenge: { scope: 'yes' },
  },
  { why: 'a scheme with a token of its own', header: 'Negotiate YII=, Bearer scope="s"', challenge: { scope: 's' } },
  { why: 'no Bearer at all', header: 'Basic realm="r"', challenge: {} },
  { why: 'a name that ends like another', header: 'Bearer error_scope="no", scope="yes"', challenge: { scope: 'yes' } },
  {
    why: 'a comma and an equals sign in quotes',
    header: 'Bearer error_description="a, scope=no", scope="yes"',
    challenge: { scope: 'yes' },
  },
  { why: 'escapes', header: 'Bearer scope="a\\"b"', challenge: { scope: 'a"b' } },
  { why: 'the first of a name counts', header: 'Bearer scope="first", scope="second"', challenge: { scope: 'first' } },
  { why: 'metadata that is no URL', header: 'Bearer resource_metadata="/well-known"', challenge: {} },
  { why: 'an empty scope', header: 'Bearer scope=""', challenge: {} },
])('$why', ({ header, challenge }) => expect(readChallenge(header)).toEqual(challenge));

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const quotedText = fc.string().map((text) => ({ text, quoted: `"${text.replace(/[\\"]/g, '\\$&')}"` }));

test('what is written in quotes is read as it was, whatever stands beside it', () => {
  fc.assert(
    fc.property(quotedText, fc.array(fc.tuple(name, quotedText)), ({ text, quoted }, others) => {
      const rest = others.filter(([other]) => other !== 'scope').map(([other, value]) => `${other}=${value.quoted}`);
      const header = `Bearer ${[...rest, `scope=${quoted}`].join(', ')}`;
      expect(readChallenge(header).scope ?? '').toBe(text.trim());
    }),
  );
});

test('any text is read, in time', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void readChallenge(text)));
  const startedMs = performance.now();
  for (const text of [
    'Bearer a="'.repeat(50_000),
    ' '.repeat(100_000),
    `Bearer ${'\\'.repeat(99_999)}`,
    'a '.repeat(50_000),
    '='.repeat(100_000),
  ]) {
    readChallenge(text);
  }
  expect(performance.now() - startedMs).toBeLessThan(500);
});
