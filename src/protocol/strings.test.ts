import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyStringToken, anySurroundings, inChunk } from '../../test/fixtures/json-texts.js';
import { readString } from './strings.js';

const read = (token: string): string => readString(Buffer.from(token), 0, Buffer.byteLength(token));

describe('readString', () => {
  test('is JSON.parse, the first time and every time after', () => {
    fc.assert(
      fc.property(fc.array(anyStringToken, { minLength: 1, maxLength: 8 }), anySurroundings, (tokens, around) => {
        for (let round = 0; round < 3; round++) {
          for (const token of tokens) {
            const { bytes, start, end } = inChunk(token, around);
            expect(readString(bytes, start, end)).toBe(JSON.parse(token));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('never gives one name for another, though many share a place in its memory', () => {
    // Same length, same first, middle and last byte: the same place.
    const names = Array.from({ length: 2_000 }, (_, i) => `tool_${String(i).padStart(6, '0')}_m_${i % 7}z`);
    for (let round = 0; round < 2; round++) {
      for (const name of names) expect(read(`"${name}"`)).toBe(name);
    }
  });

  test.each([
    { why: 'an escape is not its spelling', tokens: ['"\\\\u0041"', '"\\u0041"', '"\\\\u0041"'] },
    { why: 'a wide character is not its bytes', tokens: ['"é"', '"Ã©"', '"é"'] },
    { why: 'an escaped quote', tokens: ['"a\\"b"', '"a\\\\b"', '"a\\"b"'] },
    { why: 'nothing', tokens: ['""', '""'] },
    { why: 'one character', tokens: ['"a"', '"b"', '"a"'] },
    {
      why: 'around the length that is remembered',
      tokens: [63, 64, 65, 64, 65].map((length) => `"${'n'.repeat(length)}"`),
    },
    { why: 'a control character by its escape', tokens: ['"a\\nb"', '"a\\nb"'] },
  ])('$why', ({ tokens }) => {
    for (const token of tokens) expect(read(token)).toBe(JSON.parse(token));
  });
});
