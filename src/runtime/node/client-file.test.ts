import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeClientFile, findClientFile, readClientFile } from './client-file.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-client-file-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = new TextEncoder().encode('new');
const at = (name: string): string => join(folder, name);
const write = async (path: string, isPrivate = true) => changeClientFile({ path, isPrivate, change: () => bytes });

test('of several places, the first that is there counts, else the first', () => {
  expect(findClientFile(['a.json', 'b.json'], folder)).toBe(at('a.json'));
  writeFileSync(at('b.json'), '');
  expect(findClientFile(['a.json', 'b.json'], folder)).toBe(at('b.json'));
  expect(findClientFile([], folder)).toBeUndefined();
});

test("a new file of the user's is for the user alone, and so are its folders", async () => {
  expect(await write(at('x/y/mcp.json'))).toBeUndefined();
  expect(statSync(at('x/y/mcp.json')).mode & 0o777).toBe(0o600);
  expect(statSync(at('x/y')).mode & 0o777).toBe(0o700);
});

test("a new file of a project's is for everybody who may see the project", async () => {
  await write(at('.cursor/mcp.json'), false);
  expect(statSync(at('.cursor/mcp.json')).mode & 0o777).toBe(0o644);
  expect(statSync(at('.cursor')).mode & 0o055).toBe(0o055 & ~process.umask());
});

test('the old file is kept, each time under another name, and the mode stays', async () => {
  writeFileSync(at('mcp.json'), 'old');
  chmodSync(at('mcp.json'), 0o640);
  expect(await write(at('mcp.json'))).toBe(at('mcp.json.bak'));
  expect(readFileSync(at('mcp.json.bak'), 'utf8')).toBe('old');
  expect(readFileSync(at('mcp.json'), 'utf8')).toBe('new');
  expect(statSync(at('mcp.json')).mode & 0o777).toBe(0o640);
  expect(await write(at('mcp.json'))).toBe(at('mcp.json.bak1'));
  expect(readdirSync(folder).toSorted()).toEqual(['mcp.json', 'mcp.json.bak', 'mcp.json.bak1']);
});

test('a link stays a link: what it leads to is written', async () => {
  mkdirSync(at('dotfiles'));
  writeFileSync(at('dotfiles/mcp.json'), 'old');
  symlinkSync('dotfiles/mcp.json', at('mcp.json'));
  await write(at('mcp.json'));
  expect(lstatSync(at('mcp.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(at('dotfiles/mcp.json'), 'utf8')).toBe('new');
});

test('a link to a file that is not there yet leads to where it will be', async () => {
  symlinkSync('dotfiles/mcp.json', at('mcp.json'));
  expect(readClientFile(at('mcp.json')).bytes).toBeUndefined();
  await write(at('mcp.json'));
  expect(lstatSync(at('mcp.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(at('dotfiles/mcp.json'), 'utf8')).toBe('new');
});

test.each([
  { why: 'the file', link: 'project/mcp.json', to: '../outside.json', name: 'project/mcp.json' },
  { why: 'its folder', link: 'project/.cursor', to: '../elsewhere', name: 'project/.cursor/mcp.json' },
])('a link in a project that leads out of it is not followed: $why', ({ link, to, name }) => {
  mkdirSync(at('project'));
  mkdirSync(at('elsewhere'));
  writeFileSync(at('outside.json'), '{}');
  symlinkSync(to, at(link));
  expect(() => readClientFile(at(name), at('project'))).toThrow('it leads out of the project');
  expect(readClientFile(at('project/other/mcp.json'), at('project')).bytes).toBeUndefined();
});

test.each([
  { why: 'a folder', make: (path: string) => mkdirSync(path), message: 'it is not a file' },
  { why: 'links in a circle', make: (path: string) => symlinkSync(path, path), message: 'its links lead in a circle' },
])('$why is refused', ({ make, message }) => {
  make(at('mcp.json'));
  expect(() => readClientFile(at('mcp.json'))).toThrow(message);
});

const decode = (old: Uint8Array | undefined): string => (old === undefined ? 'nothing' : new TextDecoder().decode(old));

test.each(['mcp.json', 'absent.json'])(
  'what another program wrote meanwhile is not lost: the change is made to that: %s',
  async (name) => {
    writeFileSync(at('mcp.json'), 'old');
    const seen: string[] = [];
    const change = (old: Uint8Array | undefined): Uint8Array => {
      seen.push(decode(old));
      if (seen.length === 1) writeFileSync(at(name), 'theirs');
      return new TextEncoder().encode(`${decode(old)} and ours`);
    };
    await changeClientFile({ path: at(name), isPrivate: true, change });
    expect(seen).toEqual([name === 'mcp.json' ? 'old' : 'nothing', 'theirs']);
    expect(readFileSync(at(name), 'utf8')).toBe('theirs and ours');
  },
);

test('a file that changes each time it is looked at is left to whoever does that', async () => {
  let count = 0;
  const change = (): Uint8Array => {
    writeFileSync(at('mcp.json'), `theirs ${++count}`);
    return bytes;
  };
  await expect(changeClientFile({ path: at('mcp.json'), isPrivate: true, change })).rejects.toThrow('again and again');
  expect(readFileSync(at('mcp.json'), 'utf8')).toBe(`theirs ${count}`);
  expect(readdirSync(folder)).toEqual(['mcp.json']);
});

test('of changes that are made at once, none is lost, and no lock stays', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `[${at}]`);
  const add = (name: string) => (old: Uint8Array | undefined) =>
    new TextEncoder().encode(`${old === undefined ? '' : decode(old)}${name}`);
  await Promise.all(
    names.map((name) => changeClientFile({ path: at('mcp.json'), isPrivate: true, change: add(name) })),
  );
  const text = readFileSync(at('mcp.json'), 'utf8');
  expect(text.match(/\[\d+\]/g)?.toSorted()).toEqual(names.toSorted());
  expect(readdirSync(folder).filter((name) => !/^mcp\.json(\.bak\d*)?$/.test(name))).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)('a file that may not be written is not replaced either', async () => {
  writeFileSync(at('mcp.json'), 'old');
  chmodSync(at('mcp.json'), 0o400);
  await expect(write(at('mcp.json'))).rejects.toThrow('no permission');
  expect(readFileSync(at('mcp.json'), 'utf8')).toBe('old');
});

test('where no folder can be made, that is said, and nothing is left behind', async () => {
  writeFileSync(at('file'), '');
  await expect(write(at('file/x/mcp.json'))).rejects.toThrow(/cannot (write|use)/);
  expect(existsSync(at('file/x'))).toBe(false);
});
