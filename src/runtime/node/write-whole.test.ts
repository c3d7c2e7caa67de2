import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeWhole } from './write-whole.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doorward-write-whole-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test.each<{ what: string; content: string | Uint8Array }>([
  { what: 'text', content: 'é'.repeat(50_000) },
  { what: 'bytes', content: new Uint8Array(100_000).fill(7) },
  { what: 'nothing', content: '' },
])('$what is written whole, and its draft is gone', async ({ content }) => {
  const path = join(folder, 'file');
  writeFileSync(path, 'old', { mode: 0o640 });
  await writeWhole(path, content);
  expect(readFileSync(path).equals(Buffer.from(content as string))).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('a system that takes a part at a time, as a full disk does, cuts no file off', async () => {
  const { write } = fs;
  vi.spyOn(fs, 'write').mockImplementation(((
    file: number,
    bytes: Uint8Array,
    ...rest: [number, number, number, never]
  ) => {
    const [offset, length, position, done] = rest;
    write(file, bytes, offset, Math.min(length, 10), position, done);
  }) as never);
  await writeWhole(join(folder, 'file'), new Uint8Array(1_000));
  expect(statSync(join(folder, 'file')).size).toBe(1_000);
});

test('where it cannot be written to its end, the old file stays, and no draft', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, 'old');
  vi.spyOn(fs, 'fsync').mockImplementation(((_: number, done: (error: Error) => void) =>
    done(Object.assign(new Error('no space'), { code: 'ENOSPC' }))) as never);
  await expect(writeWhole(path, 'new')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['file']);
});

test('nothing in this house writes a file by the library alone', () => {
  const root = join(import.meta.dirname, '../..');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test|\.d)\.ts$/.test(name),
  );
  const users = sources.filter((name) =>
    /from 'write-file-atomic'|import\('write-file-atomic'\)/.test(readFileSync(join(root, name), 'utf8')),
  );
  expect(users.map((name) => name.split(/[\\/]/).at(-1))).toEqual(['write-whole.ts']);
});
