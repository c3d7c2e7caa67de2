import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, skipUtf8Sequence, spells } from './bytes.js';

describe('decodeText', () => {
  test('gives back what was encoded, a byte order mark included, from any part of a chunk', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, text) => {
        const whole = encodeText(`${before}\ufeff${text}`);
        expect(decodeText(whole, encodeText(before).length)).toBe(`\ufeff${text}`);
        expect(decodeText(whole)).toBe(`${before}\ufeff${text}`);
        expect(decodeText(whole, 0, encodeText(before).length)).toBe(before);
      }),
    );
  });

  test('replaces what is no UTF-8: nothing decoded may be forwarded unchecked', () => {
    expect(decodeText(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd');
  });
});

describe('skipUtf8Sequence', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Not a fatal decoder: half a million exceptions are slow, and none of these bytes spells U+FFFD itself.
  const isSequence = (bytes: Uint8Array): boolean => /^[^\ufffd]$/u.test(decoder.decode(bytes));

  test('passes one good sequence and no other, as TextDecoder sees it', () => {
    const edges = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
    for (let first = 0x80; first <= 0xff; first++) {
      for (const second of edges) {
        for (const third of edges) {
          for (const fourth of edges) {
            const bytes = Uint8Array.of(first, second, third, fourth);
            const lengths = [2, 3, 4].filter((length) => isSequence(bytes.subarray(0, length)));
            const behind = skipUtf8Sequence(bytes, 0, 4);
            if (behind !== (lengths[0] ?? -1)) expect.fail(`${Buffer.from(bytes).toString('hex')}: ${behind}`);
          }
        }
      }
    }
  });

  test('does not look past the end', () => {
    for (const text of ['é', '一', '😀']) {
      const bytes = encodeText(text);
      for (let end = 1; end < bytes.length; end++) expect(skipUtf8Sequence(bytes, 0, end)).toBe(-1);
      expect(skipUtf8Sequence(bytes, 0, bytes.length)).toBe(bytes.length);
    }
  });
});

describe('spells', () => {
  const bytes = encodeText('xx"id"xx');
  test.each([
    { why: 'the text itself', start: 2, end: 6, text: '"id"', is: true },
    { why: 'shorter', start: 2, end: 5, text: '"id"', is: false },
    { why: 'longer', start: 2, end: 7, text: '"id"', is: false },
    { why: 'other', start: 1, end: 5, text: '"id"', is: false },
    { why: 'nothing', start: 3, end: 3, text: '', is: true },
  ])('$why', ({ start, end, text, is }) => expect(spells(bytes, start, end, text)).toBe(is));
});
