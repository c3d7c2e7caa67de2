import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeText } from '../base/index.js';
import { KnownTexts } from './known-texts.js';

const sliceIn = (text: string, before: string, after: string) => {
  const start = encodeText(before).length;
  return { bytes: encodeText(before + text + after), start, end: start + encodeText(text).length };
};

test('what is found for a text is what was kept for that very text, wherever it lies', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 }), { minLength: 1 }), fc.string(), (texts, around) => {
      const known = new KnownTexts<string>();
      for (const text of texts) {
        known.add(sliceIn(text, around, '"'), text);
        expect(known.find(sliceIn(text, '', around))).toBe(text);
        for (const other of texts) expect([undefined, other]).toContain(known.find(sliceIn(other, 'x', '')));
      }
    }),
  );
});

test('one that differs in a byte is not known', () => {
  const known = new KnownTexts<number>();
  const text = `{"a":"${'x'.repeat(200)}"}`;
  known.add(sliceIn(text, '', ''), 1);
  for (let at = 0; at < text.length; at++) {
    expect(known.find(sliceIn(`${text.slice(0, at)}~${text.slice(at + 1)}`, '', ''))).toBeUndefined();
  }
});

test('the copy is its own, and long texts are not kept', () => {
  const known = new KnownTexts<number>();
  const slice = sliceIn('{"a":1}', '', '');
  known.add(slice, 1);
  slice.bytes.fill(0);
  expect(known.find(sliceIn('{"a":1}', '', ''))).toBe(1);
  const long = sliceIn('x'.repeat(4_000), '', '');
  known.add(long, 2);
  expect(known.find(long)).toBeUndefined();
});
