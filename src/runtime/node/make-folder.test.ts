import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { makeFolder } from './make-folder.js';

function place(test: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'doorward-folder-'));
  test.onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('makes what is missing, for the owner alone, and leaves what is there', (test) => {
  const path = join(place(test), 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  makeFolder('/');
});

test.runIf(process.platform === 'linux').each(['/proc/nope', '/proc/nope/a/b', '/proc/self/task/nope/a'])(
  'gives up where nobody can make anything: %s',
  (path) => expect(() => makeFolder(path)).toThrow('ENOENT'),
);

test('gives up below a file, and below a link to nowhere', (test) => {
  const path = place(test);
  writeFileSync(join(path, 'file'), '');
  symlinkSync(join(path, 'gone', 'far'), join(path, 'link'));
  expect(() => makeFolder(join(path, 'file', 'a', 'b'))).toThrow('ENOTDIR');
  expect(() => makeFolder(join(path, 'link', 'a'))).toThrow('ENOENT');
});
