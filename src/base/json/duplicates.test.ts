import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/fixtures/cpu-time.js';
import { anyAnatomy, anyStringToken, anySurroundings, inChunk } from '../../../test/fixtures/json-texts.js';
import { endOfString, findDuplicateName } from './duplicates.js';

const find = (text: string): string | undefined => {
  const bytes = Buffer.from(text);
  return findDuplicateName(bytes, 0, bytes.length);
};

test('finds the first name that is there for the second time, in any text', () => {
  fc.assert(
    fc.property(anyAnatomy, anySurroundings, ({ text, firstRepeated }, around) => {
      const { bytes, start, end } = inChunk(text, around);
      expect(findDuplicateName(bytes, start, end)).toBe(firstRepeated);
    }),
    { numRuns: 500 },
  );
});

test.each([
  { why: 'the same name in different objects is fine', text: '{"a":{"a":[{"a":1},{"a":2}]}}', name: undefined },
  { why: 'deep inside', text: '[[{"x":[{"b":1,"b":2}]}]]', name: 'b' },
  { why: 'around a nested object that has it too', text: '{"a":{"a":1},"a":2}', name: 'a' },
  { why: 'spelled in two ways', text: '{"a/b":1,"\\u0061\\/b":2}', name: 'a/b' },
  { why: 'with other bytes before the colon', text: '{"a" :1,"a"\n\t\r :2}', name: 'a' },
  { why: 'the empty name', text: '{"":1,"":2}', name: '' },
  {
    why: 'names that a plain object has already',
    text: '{"__proto__":1,"constructor":2,"toString":3}',
    name: undefined,
  },
  { why: '__proto__ twice', text: '{"__proto__":1,"__proto__":2}', name: '__proto__' },
  { why: 'strings that are values do not count', text: '{"a":"a","b":["a","a"],"c":"a:"}', name: undefined },
  { why: 'brackets and colons in strings do not count', text: '{"{":"}","a":"\\":{","b":"]:"}', name: undefined },
  { why: 'composed and decomposed are different names', text: '{"é":1,"e\u0301":2}', name: undefined },
  {
    why: 'a lone surrogate and its replacement are different names',
    text: '{"\\ud800":1,"\ufffd":2}',
    name: undefined,
  },
  { why: 'a scalar has no names', text: '"a"', name: undefined },
])('$why', ({ text, name }) => expect(find(text)).toBe(name));

test('is not led on by a colon behind the text', () => {
  const bytes = Buffer.from('{"a":1,"b":{"a":"a"}}:"a"');
  expect(findDuplicateName(bytes, 0, 21)).toBeUndefined();
  const last = Buffer.from('["a"  :');
  expect(findDuplicateName(last, 1, 6)).toBeUndefined();
});

describe('the end of a string', () => {
  test('is found whatever is in it and wherever it begins', () => {
    fc.assert(
      fc.property(anyStringToken, fc.nat(200), anySurroundings, (token, padding, around) => {
        const text = `"${'x'.repeat(padding)}${token.slice(1)}`;
        const { bytes, start, end } = inChunk(text, { ...around, after: `"${around.after}` });
        expect(endOfString(bytes, start + 1)).toBe(end);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is not fooled by runs of backslashes, odd or even, on either side of where it changes its gait', () => {
    for (let before = 0; before < 140; before++) {
      for (let pairs = 0; pairs < 4; pairs++) {
        const content = `${'x'.repeat(before)}${'\\\\'.repeat(pairs)}`;
        const ended = Buffer.from(`"${content}" "`);
        expect(endOfString(ended, 1)).toBe(ended.length - 2);
        const goesOn = Buffer.from(`"${content}\\"yz"`);
        expect(endOfString(goesOn, 1)).toBe(goesOn.length);
      }
    }
  });
});

test.each([
  {
    why: 'names that hash alike elsewhere',
    unit: (i: number) => `"${i.toString(2).replaceAll('0', 'Aa').replaceAll('1', 'BB')}":0`,
  },
  { why: 'long runs of escaped quotes', unit: (i: number) => `"${i}":"${'\\"'.repeat(20)}"` },
  { why: 'long runs of backslashes', unit: (i: number) => `"${i}":"${'\\\\'.repeat(20)}"` },
  { why: 'strings followed by much white space', unit: (i: number) => `"${i}":["a"${' '.repeat(40)}]` },
])('takes a time that grows with the text: $why', ({ unit }) => {
  const textOf = (count: number): Buffer =>
    Buffer.from(`{${Array.from({ length: count }, (_, i) => unit(i)).join(',')}}`);
  const measure = (text: Buffer): number =>
    cpuMs(() => expect(findDuplicateName(text, 0, text.length)).toBeUndefined());
  const [small, large] = [textOf(2_500), textOf(20_000)];
  measure(small);
  const smallMs = Math.min(measure(small), measure(small));
  expect(measure(large)).toBeLessThan(24 * smallMs + 100);
});

test('takes a time that grows with one string: a megabyte of escaped quotes', () => {
  const text = Buffer.from(`{"a":"${'\\"'.repeat(500_000)}","b":"${'\\'.repeat(1_000_000)}"}`);
  expect(cpuMs(() => expect(findDuplicateName(text, 0, text.length)).toBeUndefined())).toBeLessThan(1_000);
});
