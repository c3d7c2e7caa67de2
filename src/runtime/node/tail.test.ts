import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Tail } from './tail.js';

const LIMIT = 64 * 1024;

test('nothing was written', () => expect(new Tail().text()).toBe(''));

test('the last 64 KiB are kept, in whatever chunks they came', () => {
  const chunk = fc.oneof(fc.nat(50), fc.nat(5_000), fc.integer({ min: 60_000, max: 140_000 }));
  const property = fc.property(fc.array(chunk, { maxLength: 30 }), (lengths) => {
    const tail = new Tail();
    const written: Buffer[] = [];
    for (const [i, length] of lengths.entries()) {
      const bytes = Buffer.alloc(length, 0x61 + (i % 26));
      written.push(Buffer.from(bytes));
      tail.push(bytes);
      // The chunk's memory is the reader's to use again.
      bytes.fill(0x21);
    }
    expect(tail.text()).toBe(Buffer.concat(written).subarray(-LIMIT).toString());
  });
  fc.assert(property);
});

test('a character cut in two at the beginning costs no other', () => {
  const tail = new Tail();
  tail.push(Buffer.from(`ü${'x'.repeat(LIMIT - 1)}`));
  expect(tail.text().endsWith('xxx')).toBe(true);
  expect(tail.text().length).toBeLessThanOrEqual(LIMIT);
});

test('a child that writes byte by byte for ever costs what 64 KiB cost', () => {
  const tail = new Tail();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 500_000; i++) tail.push(Buffer.of(0x61 + (i % 26)));
  expect(tail.text()).toHaveLength(LIMIT);
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(40);
});
