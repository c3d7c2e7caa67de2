import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyAnatomy, anyEdit, anyStringToken, edited, inChunk, isJson } from '../../../test/fixtures/json-texts.js';
import { SCAN } from './member-index.js';
import { JsonScanner, type ScanLimits } from './scan.js';

function scan(text: string | Uint8Array, limits: Partial<ScanLimits> = {}) {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(limits);
  const isGood = scanner.scan(bytes, 0, bytes.length);
  return { isGood, scanner, fault: scanner.fault, faultAt: scanner.faultAt };
}

describe('faults', () => {
  test.each([
    { why: 'nothing', text: '', at: 0 },
    { why: 'only spaces: the end', text: '  ', at: 2 },
    { why: 'no value', text: '[x]', at: 1 },
    { why: 'a comma too many', text: '[1,]', at: 3 },
    { why: 'cut off', text: '{"a":', at: 5 },
    { why: 'cut off in a string', text: '["abc', at: 5 },
    { why: 'more behind the end', text: '{} x', at: 3 },
    { why: 'the wrong bracket', text: '[1}', at: 2 },
    { why: 'a control character', text: '"a\tb"', at: 2 },
    { why: 'an unknown escape', text: '"a\\x"', at: 3 },
    { why: 'a bad digit in an escape', text: '"\\u00g0"', at: 5 },
    { why: 'an escape cut off', text: '"\\u00', at: 5 },
    { why: 'a literal that goes wrong', text: '[trxe]', at: 3 },
    { why: 'a literal cut off', text: 'fals', at: 4 },
    { why: 'a literal that goes on', text: 'nulll', at: 4 },
    { why: 'a digit behind a leading zero', text: '[-012]', at: 3 },
    { why: 'a number without digits', text: '[-]', at: 2 },
    { why: 'a fraction without digits', text: '[1.]', at: 3 },
    { why: 'an exponent without digits', text: '[1e+]', at: 4 },
  ])('are told with the first byte that does not fit: $why', ({ text, at }) => {
    expect(scan(text)).toMatchObject({ isGood: false, fault: 'syntax', faultAt: at });
  });

  test('leave a beginning that could still become JSON, and no way to save the rest', () => {
    fc.assert(
      fc.property(
        anyAnatomy,
        fc.array(anyEdit, { minLength: 1, maxLength: 2 }),
        anyStringToken,
        (whole, edits, tail) => {
          const bytes = edits.reduce(edited, Buffer.from(whole.text));
          const { isGood, fault, faultAt } = scan(bytes);
          if (isGood) return;
          const beginning = bytes.subarray(0, faultAt);
          expect(
            endings(beginning.toString()).some((ending) => isJson(Buffer.concat([beginning, Buffer.from(ending)]))),
          ).toBe(true);
          if (fault === 'utf-8' || faultAt === bytes.length) return;
          for (const rest of ['', '"', '}', ']}', tail, 'e":1}', '1}']) {
            expect(isJson(Buffer.concat([bytes.subarray(0, faultAt + 1), Buffer.from(rest)]))).toBe(false);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('of UTF-8 are told where the bad sequence begins', () => {
    expect(scan(Buffer.from([0x22, 0x61, 0xc3, 0x28, 0x22]))).toMatchObject({ fault: 'utf-8', faultAt: 2 });
    expect(scan(Buffer.from([0x22, 0xe2, 0x82]))).toMatchObject({ fault: 'utf-8', faultAt: 1 });
  });

  test('lie within the text, also where the chunk goes on', () => {
    const { bytes, start, end } = inChunk('{"a', { shift: 1, before: '12', after: '":1}' });
    const scanner = new JsonScanner();
    expect(scanner.scan(bytes, start, end)).toBe(false);
    expect(scanner.faultAt).toBe(end);
  });
});

/** What might complete a text that was cut off: the end of a token, then everything that is still open. */
function endings(beginning: string): string[] {
  const open: string[] = [];
  const outside = beginning.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '');
  for (const char of outside) {
    if (char === '{') open.unshift('}');
    else if (char === '[') open.unshift(']');
    else if (char === '}' || char === ']') open.shift();
  }
  const words = ['true', 'false', 'null'].flatMap((word) => [...word].map((_, i) => word.slice(i + 1)));
  const strings = ['', 'n', '0000', '000', '00', '0'].map((rest) => `${rest}"`);
  const tokens = ['', '0', ':0', '"":0', ...words, ...strings, ...strings.map((rest) => `${rest}:0`)];
  return tokens.map((token) => token + open.join(''));
}

describe('depth', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  test('is bounded by a count, not by the stack', () => {
    expect(scan(nested(10_000)).isGood).toBe(true);
    expect(scan(nested(10_001))).toMatchObject({ isGood: false, fault: 'depth', faultAt: 10_000 });
    expect(scan(nested(300_000))).toMatchObject({ isGood: false, fault: 'depth', faultAt: 10_000 });
    const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    expect(scan(objects).isGood).toBe(true);
  });

  test('has the bound it was given, also one below the nesting limit', () => {
    expect(scan(nested(20), { maxDepth: 20 }).isGood).toBe(true);
    expect(scan(nested(21), { maxDepth: 20 })).toMatchObject({ isGood: false, fault: 'depth', faultAt: 20 });
  });

  test('past the nesting limit is a flag of the member it is in', () => {
    const { scanner: own } = scan(`{"a":${nested(4)},"b":{"c":${nested(3)},"d":${nested(2)}}}`, { nestingLimit: 4 });
    expect([...own.flags.subarray(0, 4)].map((flags) => (flags & SCAN.deep) !== 0)).toEqual([true, true, true, false]);
  });
});
