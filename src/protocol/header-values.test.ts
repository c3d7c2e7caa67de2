import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue, isHeaderValueOf } from './header-values.js';

describe('the examples of the page (Value Encoding)', () => {
  test.each([
    { why: 'plain ASCII', text: 'us-west1', value: 'us-west1' },
    { why: 'non-ASCII', text: 'Hello, 世界', value: '=?base64?SGVsbG8sIOS4lueVjA==?=' },
    { why: 'spaces at the ends', text: ' padded ', value: '=?base64?IHBhZGRlZCA=?=' },
    { why: 'a line feed', text: 'line1\nline2', value: '=?base64?bGluZTEKbGluZTI=?=' },
    { why: 'looks encoded', text: '=?base64?literal?=', value: '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=' },
  ])('$why', ({ text, value }) => {
    expect(encodeHeaderValue(text)).toBe(value);
    expect(decodeHeaderValue(value)).toBe(text);
  });
});

test.each([
  { why: 'a tab inside stays', text: 'a\tb c', value: 'a\tb c' },
  { why: 'a tab at an end does not', text: '\tx', value: '=?base64?CXg=?=' },
  { why: 'delete is no visible character', text: '\x7f', value: '=?base64?fw==?=' },
  { why: 'an empty value could be lost on the way', text: '', value: '=?base64??=' },
  { why: 'half of the marks is no mark', text: '=?base64?abc', value: '=?base64?abc' },
  { why: 'the marks are case-sensitive', text: '=?BASE64?YQ==?=', value: '=?BASE64?YQ==?=' },
  { why: 'marks that overlap match the pattern too', text: '=?base64?=', value: '=?base64?PT9iYXNlNjQ/PQ==?=' },
])('encodes: $why', ({ text, value }) => {
  expect(encodeHeaderValue(text)).toBe(value);
  expect(decodeHeaderValue(value)).toBe(text);
});

test.each([
  { why: 'a control character', value: 'a\x01b' },
  { why: 'a line break', value: 'a\r\nb' },
  { why: 'a character past ASCII', value: 'caf\u00e9' },
  { why: 'a delete', value: 'a\x7f' },
  { why: 'Base64 without its padding', value: '=?base64?SGVsbG8?=' },
  { why: 'characters that Base64 has not', value: '=?base64?SGVs!!!bG8=?=' },
  { why: 'a space in the Base64', value: '=?base64?SGVs bG8=?=' },
  { why: 'padding only', value: '=?base64?====?=' },
  { why: 'one character too many', value: '=?base64?SGVsb?=' },
  { why: 'bytes that are no UTF-8', value: '=?base64?/w==?=' },
  { why: 'half a surrogate pair in UTF-8', value: '=?base64?7aCA?=' },
  { why: 'two encoded values as one', value: '=?base64?YQ==?=, =?base64?YQ==?=' },
  { why: 'marks that share a character', value: '=?base64?=' },
])('refuses $why', ({ value }) => expect(decodeHeaderValue(value)).toBeUndefined());

test('white space around a value is not part of it', () => {
  expect(decodeHeaderValue(' \ta b\t ')).toBe('a b');
  expect(decodeHeaderValue('  =?base64?IA==?= ')).toBe(' ');
});

test('a byte order mark in the text is kept', () => {
  expect(decodeHeaderValue(encodeHeaderValue('\ufeffx'))).toBe('\ufeffx');
});

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(' ', '\t', 'a', '=?base64?', '?=', '=', '\u00a0', '\n') }),
);

test('any text comes back as it was', () => {
  fc.assert(fc.property(anyText, (text) => decodeHeaderValue(encodeHeaderValue(text)) === text));
});

test('any encoded text is fit for a header, and nothing of it is lost to a reader who trims', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const value = encodeHeaderValue(text);
      expect(value).toMatch(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/);
    }),
  );
});

test('any two texts that differ differ when encoded', () => {
  fc.assert(fc.property(anyText, anyText, (a, b) => (encodeHeaderValue(a) === encodeHeaderValue(b)) === (a === b)));
});

describe('against the body', () => {
  test('a value is compared after decoding, by every character', () => {
    expect(isHeaderValueOf('=?base64?Zm9v?=', 'foo')).toBe(true);
    expect(isHeaderValueOf('Foo', 'foo')).toBe(false);
    expect(isHeaderValueOf('=?base64?Zm9v', 'foo')).toBe(false);
  });

  test('half a surrogate pair, which has no UTF-8, is matched by what encoders put for it', () => {
    expect(isHeaderValueOf(encodeHeaderValue('\ud800x'), '\ud800x')).toBe(true);
    expect(isHeaderValueOf(encodeHeaderValue('\ud800x'), '\ud800y')).toBe(false);
  });
});
