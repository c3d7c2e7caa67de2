import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileStamp } from './file-stamp.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'doorward-stamp-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('another file has another stamp, the same one the same', () => {
  const path = join(folder(), 'a');
  writeFileSync(path, 'one');
  const first = fileStamp(path);
  expect(fileStamp(path)).toBe(first);
  writeFileSync(`${path}.new`, 'two');
  renameSync(`${path}.new`, path);
  expect(fileStamp(path)).not.toBe(first);
});

test.each([
  { why: 'it is not there', at: '/nowhere/at/all' },
  { why: 'its folder is none', at: '/dev/null/.config/x' },
  { why: 'its name is too long', at: `/${'x'.repeat(300)}` },
  { why: 'its path is too long', at: '/x'.repeat(5_000) },
  { why: 'no path has a NUL', at: '/a\0b' },
])('there is none where $why', ({ at }) => expect(fileStamp(at)).toBe(''));

test('there is none in a folder that is a link to itself', () => {
  const loop = join(folder(), 'loop');
  symlinkSync(loop, loop);
  expect(fileStamp(join(loop, 'x'))).toBe('');
});

test('a link and a folder are something, so that whoever reads them can refuse them', () => {
  const path = folder();
  symlinkSync('/nowhere', join(path, 'link'));
  mkdirSync(join(path, 'folder'));
  expect(fileStamp(join(path, 'link'))).not.toBe('');
  expect(fileStamp(join(path, 'folder'))).not.toBe('');
});
