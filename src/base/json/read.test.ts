import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyAnatomy, anySurroundings, inChunk } from '../../../test/fixtures/json-texts.js';
import type { Span } from './bytes.js';
import { parseJson, stringifyJson } from './exact.js';
import { SCAN } from './member-index.js';
import { elementsOf, readValue } from './read.js';
import { JsonScanner } from './scan.js';

const scanner = new JsonScanner();

describe('readValue', () => {
  test('is JSON.parse, from anywhere in a chunk', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text }, around) => {
        const { bytes, start, end } = inChunk(text, around);
        const value = readValue(bytes, start, end, { exact: false, standIns: [] });
        // As text too: a comparison of values does not see the order of members.
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        expect(isDeepStrictEqual(value, JSON.parse(text))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps every digit where it is told to', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text }, around) => {
        const { bytes, start, end } = inChunk(text, around);
        const value = readValue(bytes, start, end, { exact: true, standIns: [] });
        expect(stringifyJson(value)).toBe(stringifyJson(parseJson(text)));
      }),
    );
    const digits = Buffer.from('[12345678901234567890]');
    expect(stringifyJson(readValue(digits, 0, digits.length, { exact: true, standIns: [] }))).toBe(String(digits));
  });

  test('does not take a very small number for nothing', () => {
    const token = `0.${'0'.repeat(400)}1`;
    const text = Buffer.from(`{"a":${token},"b":0.${'0'.repeat(400)}}`);
    expect(scanner.scan(text, 0, text.length)).toBe(true);
    expect((scanner.flags[0]! & SCAN.riskyNumber) !== 0).toBe(true);
    const value = readValue(text, 0, text.length, { exact: true, standIns: [] }) as Record<string, unknown>;
    expect(String(value.a)).toBe(token);
    expect(value.b).toBe(0);
  });

  test('goes as deep as the scanner let the text go, exactly or not', () => {
    const text = Buffer.from(`${'['.repeat(9_000)}12345678901234567890${']'.repeat(9_000)}`);
    expect(scanner.scan(text, 0, text.length)).toBe(true);
    for (const exact of [false, true]) {
      let value = readValue(text, 0, text.length, { exact, standIns: [] });
      for (let depth = 0; depth < 9_000; depth++) value = (value as unknown[])[0];
      expect(String(value)).toBe(exact ? '12345678901234567890' : '12345678901234567000');
    }
  });

  test('makes __proto__ a member like any other', () => {
    const text = Buffer.from('{"__proto__":{"polluted":1},"a":"x"}');
    for (const exact of [false, true]) {
      const value = readValue(text, 0, text.length, { exact, standIns: [{ start: 32, end: 35 }] }) as object;
      expect(Object.keys(value)).toEqual(['__proto__', 'a']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect('polluted' in value).toBe(false);
    }
  });
});

/** Pieces of text around the length at which a string gets a stand-in, some of them made of escapes or wide characters. */
const anyLongToken = fc
  .record({
    length: fc.constantFrom(0, 3, 40_000, 65_534, 65_535, 65_536, 65_537, 65_538, 90_000, 140_000),
    unit: fc.constantFrom('x', '\\"', '\\\\', 'é', '😀', '\\u0041'),
  })
  .map(({ length, unit }) => {
    const size = Buffer.byteLength(unit);
    return `"${unit.repeat(Math.floor(length / size))}${'y'.repeat(length % size)}"`;
  });

const anyLargeText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyLongToken,
    fc.constantFrom('1', 'null', '-0.5', '"short"', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(' ,\n')}]`),
    fc
      .array(
        fc.tuple(fc.constantFrom('"a"', '"__proto__"', '"10"', '"\\u0061b"', `"${'n'.repeat(70_000)}"`), tie('value')),
        {
          maxLength: 4,
        },
      )
      .map((members) => `{${members.map(([name, value]) => `${name} : ${value}`).join(', ')}}`),
  ),
})).value;

describe('stand-ins', () => {
  test('are for the string values of more than 64 KiB that the scanner found, and for nothing else', () => {
    let found = 0;
    fc.assert(
      fc.property(anyLargeText, anySurroundings, (text, around) => {
        const { bytes, start, end } = inChunk(text, around);
        expect(scanner.scan(bytes, start, end)).toBe(true);
        const standIns = [...scanner.longStrings];
        found += standIns.length;
        const value = readValue(bytes, start, end, { exact: false, standIns });
        // The oracle replaces strings while parsing, by what they are worth in bytes as they were spelled.
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(withoutLongValues(text))));
        const whole = readValue(bytes, start, end, { exact: true, standIns: [] });
        expect(JSON.stringify(whole) === JSON.stringify(JSON.parse(text))).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect(found, 'there were long strings').toBeGreaterThan(5);
  });

  test('outside the part that is read do not matter', () => {
    const long = `"${'x'.repeat(70_000)}"`;
    const { bytes, start, end } = inChunk(`[${long},{"a":${long}},${long}]`, { shift: 1, before: '  ', after: '' });
    scanner.scan(bytes, start, end);
    const from = start + 1 + long.length + 1;
    const object = readValue(bytes, from, from + long.length + 6, { exact: false, standIns: scanner.longStrings });
    expect(object).toEqual({ a: '' });
  });
});

/** Written with a regular expression, as slowly as can be. */
function withoutLongValues(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")(\s*:)?/gs, (all, token: string, colon: string | undefined) =>
    colon === undefined && Buffer.byteLength(token) - 2 > 65_536 ? '""' : all,
  );
}

describe('elementsOf', () => {
  const textsOf = (bytes: Uint8Array, spans: readonly Span[]) =>
    spans.map((span) => Buffer.from(bytes.subarray(span.start, span.end)).toString());

  test('finds each element of an array, to the byte', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyAnatomy, fc.constantFrom('', ' ', '\r\n\t'))),
        anySurroundings,
        (items, around) => {
          const texts = items.map(([{ text }]) => text.trim());
          const array = `[${items.map(([{ text }, space]) => `${space}${text}${space}`).join(',')}]`;
          const { bytes, start } = inChunk(array, around);
          expect(textsOf(bytes, elementsOf(bytes, start))).toEqual(texts);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    { why: 'none in an empty array', text: '[ \n ]', texts: [] },
    { why: 'none where it is no array', text: '{"a":[1]}', texts: [] },
    { why: 'none in a scalar', text: '"[1]"', texts: [] },
    { why: 'an array behind white space', text: ' \t[1, 2]', texts: ['1', '2'] },
    { why: 'brackets in strings', text: '["]","[,\\"",[","]]', texts: ['"]"', '"[,\\""', '[","]'] },
  ])('$why', ({ text, texts }) => {
    const bytes = Buffer.from(text);
    expect(textsOf(bytes, elementsOf(bytes, 0))).toEqual(texts);
  });
});
