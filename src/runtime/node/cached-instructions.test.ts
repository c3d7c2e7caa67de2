import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CatalogCache } from '../../catalog/index.js';
import { cachedInstructions } from './cached-instructions.js';

/** A cache in which each mount's key is its id. */
function cacheOf(instructions: Readonly<Record<string, string>>): Pick<CatalogCache, 'read'> {
  const facts = { savedAtMs: 0, revision: '2025-11-25', serverName: 'x', tools: [] };
  return {
    read: (key) => (Object.hasOwn(instructions, key) ? { ...facts, instructions: instructions[key]! } : undefined),
  };
}

function told(instructions: Readonly<Record<string, string>>): string {
  return cachedInstructions(
    cacheOf(instructions),
    Object.keys(instructions).map((id) => ({ id, cacheKey: id })),
  );
}

test('each upstream speaks under its own heading, in the order of the configuration', () => {
  expect(told({ files: 'Read first.\n', search: 'Ask twice.' })).toBe(
    '## files\n\nRead first.\n\n## search\n\nAsk twice.',
  );
});

test.each([
  { why: 'no mounts', mounts: [] },
  { why: 'a mount that is not kept', mounts: [{ id: 'files' }] },
  { why: 'one never listed', mounts: [{ id: 'new', cacheKey: 'new' }] },
  { why: 'one that said nothing', mounts: [{ id: 'mute', cacheKey: 'mute' }] },
])('$why: nothing is said', ({ mounts }) => {
  expect(cachedInstructions(cacheOf({ files: 'Read first.', mute: ' \n' }), mounts)).toBe('');
});

test('what was said to callers who declare the same is told, and nothing else', () => {
  const cache = cacheOf({ a: 'To all.', 'a-elicitation-roots': 'To those who can be asked.' });
  const mounts = [{ id: 'a', cacheKey: 'a' }];
  expect(cachedInstructions(cache, mounts, { roots: '{}', elicitation: '{}' })).toBe(
    '## a\n\nTo those who can be asked.',
  );
  expect(cachedInstructions(cache, mounts, {})).toBe('## a\n\nTo all.');
  expect(cachedInstructions(cache, mounts, { sampling: '{}' })).toBe('');
});

test("an upstream's own headings stand below its mount's", () => {
  expect(told({ files: '# Files\n## bank\nPay.\n  ### deep\n#tag\nC# 5' })).toBe(
    '## files\n\n### Files\n#### bank\nPay.\n  ##### deep\n#tag\nC# 5',
  );
});

test('an id with line breaks keeps to one line', () => {
  expect(told({ 'a\n## b': 'Hi.' })).toBe('## a ## b\n\nHi.');
});

test('2 KiB an upstream, cut at a whole character', () => {
  const text = told({ long: 'ä🙂'.repeat(2_000), next: 'Hi.' });
  expect(text).toMatch(/^## long\n\n(?:ä🙂)+ä?…\n\n## next\n\nHi\.$/u);
  const [, said = ''] = text.split('\n\n');
  expect(Buffer.byteLength(said)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(said)).toBeGreaterThan(2_040);
});

test('16 KiB in all, and what is beyond is not even read', () => {
  const instructions = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, 'ä'.repeat(4_000)]));
  const read: string[] = [];
  const cache = cacheOf(instructions);
  const mounts = Object.keys(instructions).map((id) => ({ id, cacheKey: id }));
  const watched = (key: string): ReturnType<typeof cache.read> => {
    read.push(key);
    return cache.read(key);
  };
  const text = cachedInstructions({ read: watched }, mounts);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
  expect(Buffer.byteLength(text)).toBeGreaterThan(16_370);
  expect(text.endsWith('ä…')).toBe(true);
  expect(read.length).toBeLessThan(12);
});

test('never more than is allowed, and no character in halves', () => {
  const texts = fc.dictionary(fc.string(), fc.string({ unit: 'binary', maxLength: 6_000 }), { maxKeys: 12 });
  fc.assert(
    fc.property(texts, (instructions) => {
      const text = told(instructions);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
      expect(Buffer.from(text).toString()).toBe(text);
    }),
    { numRuns: 50 },
  );
});
