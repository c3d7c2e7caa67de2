import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/fixtures/cpu-time.js';
import { inChunk } from '../../../test/fixtures/json-texts.js';
import { SCAN } from './member-index.js';
import { JsonScanner } from './scan.js';

const scanner = new JsonScanner();

function scan(bytes: Uint8Array): void {
  if (!scanner.scan(bytes, 0, bytes.length)) throw new Error('the text is JSON by construction');
}

describe('costs', () => {
  test('no more for names that hash alike by design: 50,000 of one hash are suspected at once', () => {
    // 31 * 'A' + 'a' = 31 * 'B' + 'B': blocks of the two make as many names of one hash as wanted.
    const nameOf = (i: number): string => i.toString(2).padStart(17, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB');
    const textOf = (name: (i: number) => string): Buffer =>
      Buffer.from(`{"a":{${Array.from({ length: 50_000 }, (_, i) => `"${name(i)}":0`).join(',')}}}`);
    const hostile = textOf(nameOf);
    const ordinary = textOf((i) => `${i}`.padStart(34, 'x'));
    const hostileMs = cpuMs(() => scan(hostile));
    expect((scanner.flags[0]! & SCAN.duplicateName) !== 0, 'the names do share a hash').toBe(true);
    expect(hostileMs).toBeLessThan(20 * cpuMs(() => scan(ordinary)) + 200);
  });

  test.each([
    { why: 'many small strings', unit: '"a",' },
    { why: 'many escapes', unit: '"\\"\\\\",' },
    { why: 'many objects', unit: '{"a":{}},' },
    { why: 'many multi-byte characters', unit: '"éß一😀",' },
    { why: 'many escaped names', unit: '{"\\u0061":1},' },
    { why: 'much white space', unit: '1   \t\r\n   ,' },
  ])('a time that grows with the text: $why', ({ unit }) => {
    const textOf = (length: number): Buffer => Buffer.from(`[${unit.repeat(length / unit.length)}0]`);
    const small = textOf(200_000);
    const large = textOf(1_600_000);
    scan(small);
    const smallMs = Math.min(
      cpuMs(() => scan(small)),
      cpuMs(() => scan(small)),
    );
    // Eight times the text; were it quadratic, it would be 64 times the time.
    expect(cpuMs(() => scan(large))).toBeLessThan(24 * smallMs + 50);
  });

  test('nothing that lasts: after many names in one text, a small text is as cheap as before', () => {
    const own = new JsonScanner();
    const small = Buffer.from(`{${Array.from({ length: 30 }, (_, i) => `"k${i}":0`).join(',')}}`);
    const huge = Buffer.from(`{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":0`).join(',')}}`);
    const smallMs = () =>
      cpuMs(() => {
        for (let i = 0; i < 1_000; i++) own.scan(small, 0, small.length);
      });
    smallMs();
    const beforeMs = smallMs();
    expect(own.scan(huge, 0, huge.length)).toBe(true);
    own.scan(small, 0, small.length);
    expect(smallMs()).toBeLessThan(5 * beforeMs + 20);
    expect(own.level.length, 'room for members is given back').toBeLessThan(10_000);
  });
});

describe('an idle scanner keeps no chunk alive', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;

  test.each([
    { why: 'a good text', text: `{"a":"${'x'.repeat(100)}","b":{"c":1}}` },
    { why: 'a bad text', text: '{"a":}' },
    { why: 'bad UTF-8', text: Buffer.from([0x22, 0xff, 0x22]) },
    { why: 'an empty text', text: '' },
    { why: 'only spaces', text: ' \t ' },
  ])('$why', async ({ text }) => {
    const own = new JsonScanner();
    // Memory of its own: small Buffers share a pool that lives on anyway.
    const scanOnce = (): WeakRef<Uint8Array> => {
      const { bytes, start, end } = inChunk(text, { shift: 3, before: 'x'.repeat(10_000), after: '' });
      own.scan(bytes, start, end);
      return new WeakRef(bytes);
    };
    const chunk = scanOnce();
    await new Promise((resolve) => setTimeout(resolve, 1));
    collect();
    expect(chunk.deref()).toBeUndefined();
    expect(own.count).toBeDefined();
  });
});
