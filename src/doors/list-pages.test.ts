import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText } from '../base/index.js';
import type { CatalogEntry } from '../gateway/index.js';
import { ListPages } from './list-pages.js';

/** Only a name and a text are ever read of an entry. */
const entryNamed = (name: string): CatalogEntry =>
  ({ name, advertised: `{"name":"${name}"}` }) as unknown as CatalogEntry;
const entriesNamed = (names: Iterable<string>): readonly CatalogEntry[] => [...names].map(entryNamed);

interface Page {
  readonly names: readonly string[];
  readonly cursor: string | undefined;
}

function read(pages: ListPages<CatalogEntry>, entries: readonly CatalogEntry[], cursor: unknown): Page | undefined {
  const text = pages.read(entries, cursor);
  if (text === undefined) return undefined;
  const { tools, nextCursor } = JSON.parse(decodeText(text)) as { tools: { name: string }[]; nextCursor?: string };
  return { names: tools.map(({ name }) => name), cursor: nextCursor };
}

test('a list on one page is written once for as long as it is the same', () => {
  const pages = new ListPages<CatalogEntry>('tools', 0, ({ name }) => name);
  const [one, other] = [entriesNamed(['a', 'b']), entriesNamed(['c'])];
  const text = pages.read(one, undefined)!;
  expect(decodeText(text)).toBe('{"tools":[{"name":"a"},{"name":"b"}]}');
  expect(pages.read(one, undefined)).toBe(text);
  expect(decodeText(pages.read(other, undefined)!)).toBe('{"tools":[{"name":"c"}]}');
});

test('what stays is listed once, though tools come and go between two pages', () => {
  const names = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 25 });
  const change = fc.record({ gone: fc.array(fc.nat(40)), come: fc.array(fc.nat(40)) });
  const property = fc.property(names, fc.integer({ min: 1, max: 6 }), fc.array(change), (first, size, changes) => {
    const sorted = (all: Iterable<number>): number[] => [...all].sort((a, b) => a - b);
    let listed = new Set(first);
    const stayed = new Set(first);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let turn = 0; turn < 60; turn++) {
      const page = read(
        new ListPages<CatalogEntry>('tools', size, ({ name }) => name),
        entriesNamed(sorted(listed).map(String)),
        cursor,
      )!;
      seen.push(...page.names);
      expect(page.names.length).toBeLessThanOrEqual(size);
      cursor = page.cursor;
      if (cursor === undefined) break;
      const { gone = [], come = [] } = changes[turn] ?? {};
      const marked = Number(cursor.replace(/\D/g, ''));
      listed = new Set([...listed, ...come]);
      for (const each of gone) if (each !== marked) listed.delete(each);
      for (const each of stayed) if (!listed.has(each)) stayed.delete(each);
    }
    expect(cursor).toBeUndefined();
    expect(new Set(seen).size).toBe(seen.length);
    for (const each of stayed) expect(seen).toContain(String(each));
  });
  fc.assert(property);
});

test.each([
  { why: 'its tool is gone', cursor: 'after:z' },
  { why: 'it is empty', cursor: '' },
  { why: 'it is text', cursor: 'a' },
  { why: 'it is a number', cursor: 5 },
  { why: 'it is an object', cursor: {} },
])('a cursor is refused: $why', ({ cursor }) => {
  const entries = entriesNamed(['a', 'b']);
  expect(read(new ListPages<CatalogEntry>('tools', 1, ({ name }) => name), entries, cursor)).toBeUndefined();
  expect(read(new ListPages<CatalogEntry>('tools', 0, ({ name }) => name), entries, cursor)).toBeUndefined();
});

test('the last page says nothing of a next one, even where nothing is left', () => {
  const pages = new ListPages<CatalogEntry>('tools', 2, ({ name }) => name);
  const entries = entriesNamed(['a', 'b', 'c', 'd']);
  const { cursor } = read(pages, entries, undefined)!;
  expect(read(pages, entries, cursor)).toEqual({ names: ['c', 'd'], cursor: undefined });
  expect(read(pages, entries.slice(0, 2), cursor)).toEqual({ names: [], cursor: undefined });
});
