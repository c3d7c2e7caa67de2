import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyEdit,
  anyStringToken,
  anySurroundings,
  edited,
  inChunk,
  isJson,
} from '../../../test/fixtures/json-texts.js';
import { useNativeBytes } from './bytes.js';
import { JsonScanner } from './scan.js';

const scanner = new JsonScanner();

/** Strings long enough for every way a scanner may go: words, many words, and the platform's own search. */
const anyLongToken = fc
  .array(
    fc.record({
      unit: fc.constantFrom('x', 'é', '一', '😀', 'y\\n', '{"a":1,}'.replaceAll('"', '\\"')),
      times: fc.oneof(fc.nat(40), fc.nat(12_000)),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((runs) => `"${runs.map(({ unit, times }) => unit.repeat(times)).join('')}"`);

const anyText = fc
  .array(fc.oneof(anyLongToken, anyStringToken), { minLength: 1, maxLength: 4 })
  .map((tokens) => Buffer.from(`{"a":[${tokens.join(',')}],"b":${tokens[0]}}`));

const anyScan = fc.tuple(anyText, fc.array(anyEdit, { maxLength: 2 }), anySurroundings);

/** What a scan comes to, places from the start of the text. */
function outcomeOf(text: Buffer, around: Parameters<typeof inChunk>[1]): unknown {
  const { bytes, start, end } = inChunk(text, around);
  if (!scanner.scan(bytes, start, end)) return { fault: scanner.fault, at: scanner.faultAt - start };
  const { count } = scanner;
  return { ends: [...scanner.valueEnd.subarray(0, count)].map((at) => at - start), long: scanner.longStrings.length };
}

describe('long strings', () => {
  const lent = { native: undefined as unknown[] | undefined, plain: [] as unknown[] };

  test('are accepted where the platform accepts them, without its help', () => {
    const tally = { good: 0, bad: 0 };
    fc.assert(
      fc.property(anyScan, ([text, edits, around]) => {
        const bytes = edits.reduce(edited, text);
        const { bytes: chunk, start, end } = inChunk(bytes, around);
        const isGood = isJson(bytes);
        tally[isGood ? 'good' : 'bad']++;
        expect(scanner.scan(chunk, start, end)).toBe(isGood);
        lent.plain.push(outcomeOf(bytes, around));
      }),
      { numRuns: 300, seed: 7 },
    );
    expect(tally.good).toBeGreaterThan(30);
    expect(tally.bad).toBeGreaterThan(30);
  });

  test('come to the same with it', () => {
    let asked = 0;
    useNativeBytes({
      isUtf8: (bytes) => {
        asked++;
        return isUtf8(bytes);
      },
      allocate: (length) => new Uint8Array(length),
    });
    lent.native = [];
    fc.assert(
      fc.property(anyScan, ([text, edits, around]) => {
        lent.native!.push(outcomeOf(edits.reduce(edited, text), around));
      }),
      { numRuns: 300, seed: 7 },
    );
    expect(asked).toBeGreaterThan(30);
    expect(lent.native).toEqual(lent.plain);
  });

  test('do not make a batch of messages cost more than its length: what lies behind one is not searched for it', () => {
    const element = `{"a":"${'x'.repeat(20_000)}"}`;
    const bytes = Buffer.from(`[${Array.from({ length: 1_000 }, () => element).join(',')}]`);
    const scanAll = (): number => {
      const from = process.cpuUsage().user;
      for (let at = 1; at < bytes.length; at += element.length + 1) scanner.scan(bytes, at, at + element.length);
      return (process.cpuUsage().user - from) / 1_000;
    };
    scanAll();
    const wholeFrom = process.cpuUsage().user;
    for (let i = 0; i < 5; i++) scanner.scan(bytes, 0, bytes.length);
    const wholeMs = (process.cpuUsage().user - wholeFrom) / 5_000;
    expect(scanAll()).toBeLessThan(10 * wholeMs + 50);
  });
});
