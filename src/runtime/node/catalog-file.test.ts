import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CachedCatalog } from '../../catalog/index.js';
import { decodeCatalog, encodeCatalog, MAX_CATALOG_BYTES } from './catalog-file.js';

const KEY = 'a'.repeat(64);

const CATALOG: CachedCatalog = {
  savedAtMs: 1_800_000_000_000,
  revision: '2025-11-25',
  serverName: 'files',
  instructions: 'Read first.\nWrite later.',
  tools: ['{"name":"a","_meta":{"n":12345678901234567890}}', '{ "name" : "Größe 🙂" }'],
};

function written(catalog: CachedCatalog = CATALOG): Buffer {
  return Buffer.from(encodeCatalog(KEY, catalog));
}

const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '));
const catalogs = fc.record<CachedCatalog>({
  savedAtMs: fc.integer(),
  revision: fc.string({ unit: 'binary' }),
  serverName: fc.string({ unit: 'binary' }),
  instructions: fc.string({ unit: 'binary' }),
  tools: fc.array(line),
});

test('what was written is read back, every character of it', () => {
  expect(decodeCatalog(KEY, written())).toEqual(CATALOG);
  fc.assert(
    fc.property(catalogs, (catalog) => {
      expect(decodeCatalog(KEY, written(catalog))).toEqual(catalog);
    }),
  );
});

test('a catalog without tools is one, too', () => {
  expect(decodeCatalog(KEY, written({ ...CATALOG, tools: [] }))?.tools).toEqual([]);
});

test('the first line says all but the tools, and each tool has a line of its own', () => {
  const [header = '', ...lines] = written().toString().split('\n');
  expect(JSON.parse(header)).toMatchObject({ serverName: 'files', instructions: CATALOG.instructions, tools: 2 });
  expect(lines).toEqual([...CATALOG.tools, '']);
});

test('whatever the file holds, reading does not throw', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => Buffer.from(`${text}\n`)),
    fc.tuple(catalogs, fc.nat(), fc.uint8Array()).map(([catalog, at, patch]) => {
      const whole = written(catalog);
      whole.set(patch.subarray(0, Math.max(0, whole.length - (at % whole.length))), at % whole.length);
      return whole;
    }),
  );
  fc.assert(
    fc.property(bytes, (content) => {
      const found = decodeCatalog(KEY, Buffer.from(content));
      expect(found?.tools.every((definition) => !definition.includes('\n')) ?? true).toBe(true);
    }),
  );
});

test('no part of a file passes for the whole', () => {
  const whole = written();
  for (let end = 0; end < whole.length; end++) expect(decodeCatalog(KEY, whole.subarray(0, end))).toBeUndefined();
});

test.each<{ why: string; change: (text: string) => string }>([
  { why: 'another form', change: (text) => text.replace('catalog 1', 'catalog 2') },
  { why: "another upstream's", change: (text) => text.replace(KEY, 'b'.repeat(64)) },
  { why: 'fewer tools than it says', change: (text) => text.replace('"tools":2', '"tools":3') },
  { why: 'more tools than it says', change: (text) => `${text}{}\n` },
  { why: 'bytes behind the last line', change: (text) => `${text}{}` },
  { why: 'no time', change: (text) => text.replace('1800000000000', 'null') },
  { why: 'no revision', change: (text) => text.replace('"2025-11-25"', '5') },
  { why: 'no name', change: (text) => text.replace('"files"', 'null') },
  { why: 'no instructions', change: (text) => text.replace('"instructions"', '"Instructions"') },
  { why: 'an array', change: (text) => text.replace(/^.*\n/, '[]\n') },
  { why: 'a first line that takes too long to parse', change: (text) => ' '.repeat(300_000) + text },
])('ignored: $why', ({ change }) => {
  const text = written().toString();
  expect(change(text)).not.toBe(text);
  expect(decodeCatalog(KEY, Buffer.from(change(text)))).toBeUndefined();
});

test('ignored: bytes that are not UTF-8, for they would go to callers', () => {
  const bytes = written();
  bytes[bytes.indexOf('ö')] = 0xff;
  expect(decodeCatalog(KEY, bytes)).toBeUndefined();
});

test('of long instructions the beginning is kept, in whole characters', () => {
  const instructions = `x${'🙂'.repeat(100_000)}`;
  const kept = decodeCatalog(KEY, written({ ...CATALOG, instructions }))?.instructions ?? '';
  expect(kept).toMatch(/^x(?:🙂)+…$/u);
  expect(Buffer.byteLength(kept)).toBeGreaterThan(16_000);
});

test('instructions of nothing but quotes and control characters still fit into the first line', () => {
  const catalog = { ...CATALOG, instructions: '\u0000'.repeat(100_000), serverName: '"'.repeat(100_000) };
  expect(decodeCatalog(KEY, written(catalog))).toBeDefined();
});

test('what could not be read back is not written', () => {
  expect(() => written({ ...CATALOG, tools: ['{\n}'] })).toThrow('definition 1 of 1');
  const long = 'x'.repeat(1024 * 1024);
  expect(() => written({ ...CATALOG, tools: Array.from({ length: 16 }, () => long) })).toThrow(
    String(MAX_CATALOG_BYTES),
  );
});
