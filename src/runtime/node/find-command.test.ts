import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCandidates, searchedPath } from './find-command.js';

/** A home with these files in it. */
function homeWith(...files: readonly string[]): string {
  const home = mkdtempSync(join(tmpdir(), 'doorward-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), '');
  }
  return home;
}

const PLACES = [
  '.nvm/versions/node/v22.1.0/bin/tool-of-test',
  '.local/share/fnm/node-versions/v20.1.0/installation/bin/tool-of-test',
  '.local/share/mise/shims/tool-of-test',
  '.volta/bin/tool-of-test',
  '.asdf/shims/tool-of-test',
  '.local/bin/tool-of-test',
  '.cargo/bin/tool-of-test',
  '.bun/bin/tool-of-test',
  '.deno/bin/tool-of-test',
];

test.each(PLACES)('a command may be at ~/%s', (place) => {
  const home = homeWith(place);
  expect(findCandidates('tool-of-test', { HOME: home })).toEqual([join(home, place)]);
  expect(findCandidates('tool-of-test', { USERPROFILE: home })).toEqual([join(home, place)]);
});

test('the newest version is the first to be named', () => {
  const at = (version: string): string => `.nvm/versions/node/${version}/bin/tool-of-test`;
  const home = homeWith(at('v9.11.2'), at('v22.1.0'), at('v20.9.0'), at('v20.20.2'));
  expect(findCandidates('tool-of-test', { HOME: home })).toEqual(
    ['v22.1.0', 'v20.20.2', 'v20.9.0', 'v9.11.2'].map((version) => join(home, at(version))),
  );
});

test.each(['/usr/bin/tool-of-test', './tool-of-test', 'bin/tool-of-test', 'C:\\tool-of-test'])(
  'a path is looked for nowhere else: %s',
  (path) => {
    expect(findCandidates(path, { HOME: homeWith(...PLACES) })).toEqual([]);
  },
);

test.each<{ why: string; home: () => Record<string, string | undefined> }>([
  { why: 'no home', home: () => ({}) },
  { why: 'a home that is not there', home: () => ({ HOME: '/no/such/home' }) },
  { why: 'an empty home', home: () => ({ HOME: homeWith() }) },
  { why: 'a folder of that name', home: () => ({ HOME: homeWith('.local/bin/tool-of-test/file') }) },
])('nothing is found, quietly: $why', ({ home }) => expect(findCandidates('tool-of-test', home())).toEqual([]));

test('the folders searched are those of PATH, however it is spelled', () => {
  expect(searchedPath({ PATH: ['/a', '', '/b'].join(delimiter) })).toEqual(['/a', '/b']);
  expect(searchedPath({ Path: '/c' })).toEqual(['/c']);
  expect(searchedPath({})).toEqual([]);
});
