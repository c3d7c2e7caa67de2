import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CachedCatalog } from '../../catalog/index.js';
import { FileCatalogCache } from './catalog-store.js';

const KEY = 'a'.repeat(64);
const DAY_MS = 86_400_000;
// Before the real time: a sweep may look at a file between its write, which the real clock dates, and its own date.
const NOW_MS = 1_750_000_000_000;

const CATALOG: CachedCatalog = {
  savedAtMs: NOW_MS,
  revision: '2025-11-25',
  serverName: 'files',
  instructions: 'Read first.',
  tools: ['{"name":"a"}', '{"name":"b","_meta":{"n":12345678901234567890}}'],
};

let home: string;
let errors: unknown[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'doorward-catalog-'));
  errors = [];
  const mine = home;
  onTestFinished(() => rmSync(mine, { recursive: true, force: true }));
});

function open(nowMs = NOW_MS): FileCatalogCache {
  return new FileCatalogCache({
    environment: { XDG_CACHE_HOME: home },
    onError: (error) => errors.push(error),
    nowMs: () => nowMs,
  });
}

const folderOf = (): string => join(home, 'doorward', 'catalog');
const fileOf = (key = KEY): string => join(folderOf(), `${key}.json`);

/** Keeps a catalog as an earlier process would have. */
async function keep(catalog: CachedCatalog = CATALOG, key = KEY): Promise<void> {
  const cache = open(catalog.savedAtMs);
  cache.write(key, catalog);
  await cache.whenIdle();
  expect(errors).toEqual([]);
}

test('what one process kept the next one reads', async () => {
  await keep();
  expect(open().read(KEY)).toEqual(CATALOG);
  expect(open().read('b'.repeat(64))).toBeUndefined();
  expect(errors, 'that nothing is there is no error').toEqual([]);
});

test('folder and file are for their owner alone', async () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  await keep();
  expect(statSync(folderOf()).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'doorward')).mode & 0o777).toBe(0o700);
  expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
  expect(readdirSync(folderOf()), 'and no draft is left').toEqual([`${KEY}.json`]);
});

test.each([
  { why: 'XDG_CACHE_HOME', environment: (at: string) => ({ XDG_CACHE_HOME: at }), below: 'doorward' },
  { why: 'HOME', environment: (at: string) => ({ HOME: at }), below: '.cache/doorward' },
  {
    why: 'HOME, the other being relative',
    environment: (at: string) => ({ HOME: at, XDG_CACHE_HOME: 'x' }),
    below: '.cache/doorward',
  },
])('it lies below $why', async ({ environment, below }) => {
  const cache = new FileCatalogCache({ environment: environment(home), nowMs: () => NOW_MS });
  cache.write(KEY, CATALOG);
  await cache.whenIdle();
  expect(existsSync(join(home, below, 'catalog', `${KEY}.json`))).toBe(true);
});

test('without a home there is no cache, and nothing else is lost', async () => {
  const cache = new FileCatalogCache({ environment: {}, onError: (error) => errors.push(error) });
  cache.write(KEY, CATALOG);
  await cache.whenIdle();
  expect(cache.read(KEY)).toBeUndefined();
  expect(errors).toHaveLength(1);
});

test('a folder that cannot be made costs only the cache', async () => {
  writeFileSync(join(home, 'doorward'), 'a file');
  const cache = open();
  cache.write(KEY, CATALOG);
  await cache.whenIdle();
  expect(cache.read(KEY)).toBeUndefined();
  expect(errors.length).toBeGreaterThan(0);
});

test.each(['../evil', 'a/b', '', '.', 'a\0b', 'x'.repeat(200)])('%j is not made a file name', async (key) => {
  const cache = open();
  cache.write(key, CATALOG);
  await cache.whenIdle();
  expect(cache.read(key)).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
});

describe('writes', () => {
  test('of one key come one after the other, and the last one stays', async () => {
    const cache = open();
    for (let i = 0; i <= 50; i++) cache.write(KEY, { ...CATALOG, serverName: `s${i}` });
    await cache.whenIdle();
    expect(open().read(KEY)?.serverName).toBe('s50');
    expect(errors).toEqual([]);
  });

  test('of many keys do not wait for each other, nor mix', async () => {
    const cache = open();
    for (let i = 0; i < 20; i++) cache.write(`key-${i}`, { ...CATALOG, serverName: `s${i}` });
    await cache.whenIdle();
    for (let i = 0; i < 20; i++) expect(open().read(`key-${i}`)?.serverName).toBe(`s${i}`);
  });

  test('that fail do not keep a later one from succeeding', async () => {
    const cache = open();
    cache.write(KEY, { ...CATALOG, tools: ['{\n}'] });
    await cache.whenIdle();
    expect(errors).toHaveLength(1);
    cache.write(KEY, CATALOG);
    await cache.whenIdle();
    expect(cache.read(KEY)).toEqual(CATALOG);
  });

  test('of what is there already spare the disk, until it is a day old', async () => {
    await keep();
    const { ino } = statSync(fileOf());
    await keep({ ...CATALOG, savedAtMs: NOW_MS + DAY_MS - 1 });
    expect(statSync(fileOf()).ino).toBe(ino);
    await keep({ ...CATALOG, savedAtMs: NOW_MS + DAY_MS });
    expect(open(NOW_MS + DAY_MS).read(KEY)?.savedAtMs).toBe(NOW_MS + DAY_MS);
    await keep({ ...CATALOG, savedAtMs: NOW_MS + DAY_MS + 1, tools: [CATALOG.tools[0]!] });
    expect(open(NOW_MS + DAY_MS).read(KEY)?.tools).toHaveLength(1);
  });

  test('go to the file itself where a link lay in its place', async () => {
    mkdirSync(folderOf(), { recursive: true, mode: 0o700 });
    const precious = join(home, 'precious');
    writeFileSync(precious, 'mine', { mode: 0o644 });
    symlinkSync(precious, fileOf());
    const cache = open();
    cache.write(KEY, CATALOG);
    await cache.whenIdle();
    expect(readFileSync(precious, 'utf8')).toBe('mine');
    expect(statSync(precious).mode & 0o777).toBe(0o644);
    expect(lstatSync(fileOf()).isFile()).toBe(true);
    expect(cache.read(KEY)).toEqual(CATALOG);
  });

  test('do not go into a folder that others can write', async () => {
    mkdirSync(folderOf(), { recursive: true });
    chmodSync(folderOf(), 0o777);
    const cache = open();
    cache.write(KEY, CATALOG);
    await cache.whenIdle();
    expect(errors).toHaveLength(1);
    expect(readdirSync(folderOf())).toEqual([]);
  });
});

describe('not believed, and no crash:', () => {
  test.each<{ why: string; spoil: (file: string) => void }>([
    { why: 'a file that others can write', spoil: (file) => chmodSync(file, 0o602) },
    { why: 'a file that the group can write', spoil: (file) => chmodSync(file, 0o620) },
    { why: 'an empty file', spoil: (file) => truncateSync(file, 0) },
    { why: 'half a file', spoil: (file) => truncateSync(file, statSync(file).size - 5) },
    { why: 'a huge file', spoil: (file) => truncateSync(file, 17 * 1024 * 1024) },
    { why: 'noise', spoil: (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 10, 0, 10])) },
    { why: 'a link to a file that would do', spoil: (file) => replace(file, () => symlinkSync(`${file}.kept`, file)) },
    { why: 'a folder', spoil: (file) => replace(file, () => mkdirSync(file)) },
    { why: 'a pipe nobody writes to', spoil: (file) => replace(file, () => void spawnSync('mkfifo', [file])) },
  ])('$why', async ({ spoil }) => {
    await keep();
    spoil(fileOf());
    expect(open().read(KEY)).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  function replace(file: string, make: () => void): void {
    writeFileSync(`${file}.kept`, readFileSync(file), { mode: 0o600 });
    rmSync(file);
    make();
  }

  test.skipIf(process.getuid?.() !== 0)('a file of somebody else', async () => {
    await keep();
    spawnSync('chown', ['65534', fileOf()]);
    expect(open().read(KEY)).toBeUndefined();
  });
});

describe('after 30 days', () => {
  const LATER_MS = NOW_MS + 30 * DAY_MS;

  test('a catalog is dropped when it is asked for, and not a moment sooner', async () => {
    await keep();
    expect(open(LATER_MS).read(KEY)).toBeDefined();
    expect(open(LATER_MS + 1).read(KEY)).toBeUndefined();
    expect(existsSync(fileOf())).toBe(false);
    expect(errors).toEqual([]);
  });

  test('one that a wrong clock dated ahead is dropped as well', async () => {
    await keep({ ...CATALOG, savedAtMs: NOW_MS + 2 * DAY_MS });
    expect(open().read(KEY)).toBeUndefined();
    expect(existsSync(fileOf())).toBe(false);
  });

  test('those that nobody asks for go with the next write; what is not ours stays', async () => {
    await keep(CATALOG, 'old');
    await keep({ ...CATALOG, savedAtMs: NOW_MS + 1_000 }, 'young');
    writeFileSync(join(folderOf(), 'draft.json.123'), '');
    writeFileSync(join(folderOf(), 'notes.txt'), '');
    mkdirSync(join(folderOf(), 'folder.json'));
    for (const name of ['notes.txt', 'folder.json']) age(name, NOW_MS);
    writeFileSync(join(folderOf(), 'new.json.123'), '');
    age('draft.json.123', LATER_MS - DAY_MS);
    age('new.json.123', LATER_MS - DAY_MS + 1_000);
    await keep({ ...CATALOG, savedAtMs: LATER_MS + 1 });
    expect(readdirSync(folderOf()).sort()).toEqual([
      `${KEY}.json`,
      'folder.json',
      'new.json.123',
      'notes.txt',
      'young.json',
    ]);
  });

  test('a process that lives on looks once a day', async () => {
    let nowMs = NOW_MS;
    const cache = new FileCatalogCache({ environment: { XDG_CACHE_HOME: home }, nowMs: () => nowMs });
    const write = (serverName: string): Promise<void> => {
      cache.write(KEY, { ...CATALOG, savedAtMs: nowMs, serverName });
      return cache.whenIdle();
    };
    await write('first');
    await keep({ ...CATALOG, savedAtMs: NOW_MS - 30 * DAY_MS }, 'old');
    nowMs += DAY_MS - 1;
    await write('second');
    expect(existsSync(fileOf('old'))).toBe(true);
    nowMs += 1;
    await write('third');
    expect(existsSync(fileOf('old'))).toBe(false);
  });

  test('or when there are more than 500: the oldest go', async () => {
    mkdirSync(folderOf(), { recursive: true, mode: 0o700 });
    for (let i = 0; i < 500; i++) {
      writeFileSync(fileOf(`k${i}`), '');
      age(`k${i}.json`, NOW_MS - i * 1_000);
    }
    await keep();
    expect(readdirSync(folderOf())).toHaveLength(500);
    expect(existsSync(fileOf('k498'))).toBe(true);
    expect(existsSync(fileOf('k499'))).toBe(false);
  });

  function age(name: string, atMs: number): void {
    utimesSync(join(folderOf(), name), atMs / 1000, atMs / 1000);
  }
});

describe('forgetting', () => {
  const OTHER = 'b'.repeat(64);
  const files = (): readonly string[] => readdirSync(folderOf()).toSorted();

  test('takes a catalog for whatever callers it was kept, and no other', async () => {
    for (const key of [KEY, `${KEY}-elicitation`, `${KEY}-elicitation-roots`, OTHER]) await keep(CATALOG, key);
    open().remove(KEY);
    expect(files()).toEqual([`${OTHER}.json`]);
    expect(errors).toEqual([]);
  });

  test('takes what is being written, and what waits to be, as well', async () => {
    const cache = open();
    cache.write(KEY, CATALOG);
    cache.write(KEY, { ...CATALOG, serverName: 'newer' });
    cache.write(OTHER, CATALOG);
    cache.write(OTHER, { ...CATALOG, serverName: 'newer' });
    cache.remove(KEY);
    await cache.whenIdle();
    await expect.poll(files).toEqual([`${OTHER}.json`]);
    expect(open().read(OTHER)?.serverName).toBe('newer');
  });

  test('is nothing where there is nothing', () => {
    open().remove(KEY);
    new FileCatalogCache({ environment: {}, onError: (error) => errors.push(error) }).remove(KEY);
    open().remove('../../elsewhere');
    expect(errors).toEqual([]);
  });

  test('says why it could not', () => {
    mkdirSync(join(home, 'doorward'));
    writeFileSync(folderOf(), '');
    open().remove(KEY);
    expect(errors).toMatchObject([{ code: 'ENOTDIR' }]);
  });
});

test('the fingerprint of a contract is kept with its list', async () => {
  await keep({ ...CATALOG, fingerprint: 'f1' });
  expect(open().read(KEY)?.fingerprint).toBe('f1');
  await keep({ ...CATALOG, fingerprint: 'f2' });
  expect(open().read(KEY)?.fingerprint, 'another one is news').toBe('f2');
});
