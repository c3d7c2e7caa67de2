import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyAnatomy, anySurroundings, inChunk } from '../../../test/fixtures/json-texts.js';
import { endOfString } from './duplicates.js';
import { JsonScanner } from './scan.js';
import { hashOfName } from './token-list.js';

const scanner = new JsonScanner();

/** Puts a value together again from nothing but its tokens. @returns it, and the token behind it */
function rebuilt(bytes: Uint8Array, token: number): { readonly value: unknown; readonly next: number } {
  const { start, more } = scanner.tokens;
  const textOf = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString();
  const first = bytes[start[token]!]!;
  if (first !== 0x7b && first !== 0x5b) {
    return { value: JSON.parse(textOf(start[token]!, more[token]!)) as unknown, next: token + 1 };
  }
  const members: [unknown, unknown][] = [];
  let next = token + 1;
  while (next < more[token]!) {
    let name: unknown = members.length;
    if (first === 0x7b) {
      const from = start[next]!;
      const to = endOfString(bytes, from + 1);
      name = JSON.parse(textOf(from, to));
      expect(more[next]).toBe(hashOfName(bytes.subarray(from + 1, to - 1)));
      next++;
    }
    const member = rebuilt(bytes, next);
    members.push([name, member.value]);
    next = member.next;
  }
  expect(next).toBe(more[token]);
  return { value: first === 0x5b ? members.map(([, value]) => value) : Object.fromEntries(members), next };
}

test('tokens tell all there is in a text', () => {
  fc.assert(
    fc.property(anyAnatomy, anySurroundings, ({ text }, around) => {
      const { bytes, start, end } = inChunk(text, around);
      scanner.scan(bytes, start, end);
      const { value, next } = rebuilt(bytes, 0);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      expect(next).toBe(scanner.tokens.count);
      for (let i = 0; i < scanner.count; i++) {
        expect(scanner.tokens.start[scanner.token[i]!]).toBe(scanner.valueStart[i]);
      }
    }),
    { numRuns: 300 },
  );
});

test('a text of very many tokens is not kept, and costs the next one nothing', () => {
  const scan = (text: string): boolean => {
    const bytes = Buffer.from(text);
    return scanner.scan(bytes, 0, bytes.length) && scanner.tokens.isWhole;
  };
  const { text } = scanner.tokens;
  expect(scan(`[${'0,'.repeat(200_000)}0]`)).toBe(true);
  expect(scan(`[${'0,'.repeat(600_000)}0]`)).toBe(false);
  expect(scan('[0]')).toBe(true);
  expect(scanner.tokens.start.length).toBeLessThan(1_000);
  expect(scanner.tokens.text).toBe(text + 3);
});
