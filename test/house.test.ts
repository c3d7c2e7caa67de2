import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../src/base/errors.js';
import { checkHouse, type House, type Rule, roomOf } from './house/check.js';
import { ARROWS, MAX_FUNCTION_LINES, MAX_ROOT_ENTRIES, WORDS } from './house/plan.js';
import { readHouse, readText } from './house/tree.js';

test('the house is in order', () => {
  const house = readHouse();
  expect(house.files.has('src/base/errors.ts'), 'the tree was read').toBe(true);
  expect(checkHouse(house).map(({ rule, where, what }) => `${rule}: ${where}: ${what}`)).toEqual([]);
});

test('tests run on the system Node, which is one the package supports', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  expect(major > 20 || (major === 20 && minor >= 19), `Node ${process.version} against engines >=20.19`).toBe(true);
  expect(JSON.parse(readText('package.json')).engines.node).toBe('>=20.19');
  // npm puts node_modules/.bin first: a package named `node` there would take over every script, this run included.
  expect(execFileSync('node', ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
});

describe('docs/errors.md', () => {
  const text = readText('docs/errors.md');
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')).trim(), section] as const),
  );

  test.each(Object.entries(ERROR_TABLE))('has a heading for %s, with its wire code and exit code', (code, row) => {
    const section = sections.get(code);
    expect(section, `docs/errors.md needs "## ${code}"`).toBeDefined();
    expect(section).toContain(
      `Wire: ${row.wire === null ? 'never by itself' : `\`${row.wire}\``}. Exit: \`${row.exit}\`.`,
    );
    expect(section, 'and says what to do').toMatch(/^\*\*Do:\*\* \S/m);
  });

  test('has no heading for a code that does not exist', () => {
    const codes: readonly string[] = Object.keys(ERROR_TABLE) satisfies string[] as ErrorCode[];
    expect([...sections.keys()].filter((heading) => /^[A-Z_]+$/.test(heading) && !codes.includes(heading))).toEqual([]);
  });
});

test.each(WORDS)('docs/glossary.md says what "%s" means', (word) => {
  expect(readText('docs/glossary.md')).toMatch(new RegExp(`^\\*\\*${word}\\*\\*[^:]*: \\S`, 'm'));
});

test('the plan has no circle of rooms', () => {
  const isBelow = (from: string, to: string): boolean =>
    (ARROWS[from] ?? []).some((room) => room === to || isBelow(room, to));
  expect(Object.keys(ARROWS).filter((room) => isBelow(room, room))).toEqual([]);
});

test.each([
  ['src/base/json/scan.ts', 'base'],
  ['src/runtime/node/spawn.ts', 'runtime/node'],
  ['src/client/auth/flow.ts', 'client'],
  ['src/index.ts', undefined],
  ['test/house/check.ts', undefined],
])('%s lies in room %s', (path, room) => expect(roomOf(path)).toBe(room));

// The checker is held to small houses, each with one fault: a rule that cannot fail guards nothing.
const ORDERLY: Readonly<Record<string, string>> = {
  'src/base/index.ts': "export * from './errors.js';",
  'src/base/errors.ts': "import { sha256 } from '@noble/hashes/sha2.js';\nexport const digest = sha256;",
  'src/schema/index.ts': "export { compile } from './engine.js';",
  'src/schema/engine.ts':
    "import 'ata-validator';\nimport { digest } from '../base/index.js';\nexport const compile = digest;",
  'src/protocol/index.ts': 'export const frame = 1;',
  'src/client/index.ts': "import type { compile } from '../schema/index.js';\nexport type C = typeof compile;",
  'src/gateway/index.ts': "import type { C } from '../client/index.js';\nexport type G = C;",
  'src/runtime/node/index.ts':
    "import 'node:fs';\nimport spawn from 'cross-spawn';\nexport const run = () => spawn(process.argv[0]);",
  'src/cli/main.ts': "import { run } from '../runtime/node/index.js';\nrun();",
  'src/cli/main.test.ts':
    "import '../runtime/node/spawn.js';\nimport 'node:fs';\nimport '@modelcontextprotocol/client';",
};

const CAPTIONS = ['base', 'schema', 'protocol', 'client', 'gateway', 'runtime/node', 'cli']
  .map((room) => `- \`src/${room}/\`: what it is for.`)
  .concat('- `src/doors/` (to come, issue 9): ways in.')
  .join('\n');

function houseOf(changes: Readonly<Record<string, string>>, rest: Partial<House> = {}): House {
  return {
    files: new Map(Object.entries({ ...ORDERLY, ...changes })),
    rootEntries: ['src', 'README.md'],
    architecture: CAPTIONS,
    ...rest,
  };
}

test('the checker finds nothing in an orderly house', () => expect(checkHouse(houseOf({}))).toEqual([]));

const inRoom = (code: string) => ({ 'src/gateway/faulty.ts': code });
const longBody = '\n'.repeat(MAX_FUNCTION_LINES);

test.each<{ why: string; rule: Rule; files: Readonly<Record<string, string>> }>([
  { why: 'an arrow up', rule: 'arrow', files: inRoom("import '../cli/index.js';") },
  { why: 'an arrow sideways', rule: 'arrow', files: { 'src/protocol/faulty.ts': "import '../schema/index.js';" } },
  {
    why: 'an arrow in a type import',
    rule: 'arrow',
    files: { 'src/protocol/faulty.ts': "import type { compile } from '../schema/index.js';" },
  },
  {
    why: 'an arrow in a type',
    rule: 'arrow',
    files: { 'src/protocol/faulty.ts': "export type A = import('../schema/index.js').A;" },
  },
  {
    why: 'an arrow in import()',
    rule: 'arrow',
    files: { 'src/protocol/faulty.ts': "await import('../schema/index.js');" },
  },
  {
    why: 'an arrow in export-from',
    rule: 'arrow',
    files: { 'src/protocol/faulty.ts': "export { compile } from '../schema/index.js';" },
  },
  {
    why: 'an arrow in export *',
    rule: 'arrow',
    files: { 'src/protocol/faulty.ts': "export * from '../schema/index.js';" },
  },
  {
    why: 'an arrow in import =',
    rule: 'arrow',
    files: { 'src/protocol/faulty.ts': "import a = require('../schema/index.js');" },
  },
  {
    why: 'a room that is not in the plan',
    rule: 'arrow',
    files: { 'src/attic/index.ts': "import '../schema/index.js';" },
  },
  { why: 'a file beside the rooms', rule: 'arrow', files: { 'src/loose.ts': "import './schema/index.js';" } },
  {
    why: 'a room that uses the facade',
    rule: 'arrow',
    files: { 'src/index.ts': '', ...inRoom("import '../index.js';") },
  },
  {
    why: 'the facade showing the command line',
    rule: 'arrow',
    files: { 'src/index.ts': "export * from './cli/main.js';" },
  },
  { why: 'src leaning on tests', rule: 'arrow', files: { 'test/a.ts': '', ...inRoom("import '../../test/a.js';") } },
  { why: 'a room entered by a side door', rule: 'entrance', files: inRoom("import '../schema/engine.js';") },
  { why: 'a file that is not there', rule: 'unresolved', files: inRoom("import './nowhere.js';") },
  {
    why: 'a computed import',
    rule: 'computed-import',
    files: inRoom('export const load = (name: string) => import(name);'),
  },
  {
    why: 'a circle of two files',
    rule: 'circle',
    files: { 'src/gateway/a.ts': "import './b.js';", 'src/gateway/b.ts': "import type { A } from './a.js';" },
  },
  { why: 'a file that imports itself', rule: 'circle', files: { 'src/gateway/a.ts': "import './a.js';" } },
  { why: 'node: below floor 6', rule: 'node-below-floor-6', files: inRoom("import { join } from 'node:path';") },
  {
    why: 'a type of node: below floor 6',
    rule: 'node-below-floor-6',
    files: inRoom("import type { Stats } from 'node:fs';"),
  },
  { why: 'a builtin without its prefix', rule: 'node-below-floor-6', files: inRoom("import 'fs/promises';") },
  { why: 'Buffer below floor 6', rule: 'node-below-floor-6', files: inRoom("export const b = Buffer.from('');") },
  { why: 'Buffer as a type', rule: 'node-below-floor-6', files: inRoom('export let b: Buffer;') },
  { why: 'process below floor 6', rule: 'node-below-floor-6', files: inRoom('export const pid = process.pid;') },
  {
    why: 'process by way of globalThis',
    rule: 'node-below-floor-6',
    files: inRoom("(globalThis as { x?: 1 })['process'];"),
  },
  {
    why: 'process taken out of globalThis',
    rule: 'node-below-floor-6',
    files: inRoom('const { process } = globalThis;'),
  },
  { why: 'Node in the facade', rule: 'node-below-floor-6', files: { 'src/index.ts': "import 'node:fs';" } },
  {
    why: 'a package that touches Node',
    rule: 'node-package',
    files: { 'src/cli/a.ts': "import 'write-file-atomic';" },
  },
  { why: 'a package in base', rule: 'base-package', files: { 'src/base/a.ts': "import 'lru-cache';" } },
  {
    why: 'the SDK on the way of a call',
    rule: 'sdk',
    files: { 'src/client/a.ts': "import type { C } from '@modelcontextprotocol/client';" },
  },
  {
    why: 'the engine by way of its files',
    rule: 'engine',
    files: { 'src/schema/b.ts': "import '../../node_modules/ata-validator/lib/x.js';" },
  },
  {
    why: 'a second import of the engine',
    rule: 'engine',
    files: { 'src/schema/b.ts': "import type { V } from 'ata-validator/lib/x';" },
  },
  { why: 'a long file', rule: 'file-length', files: { 'test/a.ts': '// line\n'.repeat(501) } },
  { why: 'a long function', rule: 'function-length', files: { 'test/a.ts': `function f() {${longBody}}` } },
  {
    why: 'a long method',
    rule: 'function-length',
    files: { 'src/gateway/a.ts': `export class A { m() {${longBody}} }` },
  },
  { why: 'a long arrow function', rule: 'function-length', files: { 'tools/a.ts': `test('a', () => {${longBody}});` } },
  { why: 'a file named utils', rule: 'name', files: { 'test/utils.ts': '' } },
  { why: 'a folder named helpers', rule: 'name', files: { 'bench/helpers/a.ts': '' } },
  { why: 'a file named so in part', rule: 'name', files: { 'src/gateway/string-util.ts': '' } },
  { why: 'a file that is not kebab-case', rule: 'name', files: { 'src/gateway/mountUpstream.ts': '' } },
  { why: 'a room without a caption', rule: 'caption', files: { 'src/store/index.ts': '' } },
  { why: 'a room still captioned "to come"', rule: 'caption', files: { 'src/doors/index.ts': '' } },
  { why: 'a file that does not parse', rule: 'syntax', files: inRoom('const = 1;') },
])('the checker sees $why', ({ rule, files }) => {
  expect(checkHouse(houseOf(files)).map((fault) => fault.rule)).toContain(rule);
});

test('the checker sees a caption without a room', () => {
  const architecture = `${CAPTIONS}\n- \`src/store/\`: what happened.`;
  expect(checkHouse(houseOf({}, { architecture }))).toEqual([
    { rule: 'caption', where: 'src/store', what: 'is captioned, not there' },
  ]);
});

test('the checker sees a crowded root', () => {
  const rootEntries = Array.from({ length: MAX_ROOT_ENTRIES + 1 }, (_, at) => `entry-${at}`);
  expect(checkHouse(houseOf({}, { rootEntries })).map(({ rule }) => rule)).toEqual(['root']);
});

test.each([
  { why: 'a table of tests is not a function', code: `describe('all', () => {${longBody}});` },
  { why: 'nor is one with rows', code: `describe.each([1])('all', () => {${longBody}});` },
  { why: 'members may be called process', code: 'export const o = { process: 1 };\nexport const p = o.process;' },
  { why: 'a class may have a method process', code: 'export class A { process() {} }' },
  { why: 'words in strings and comments are words', code: "// node: Buffer, process\nexport const s = 'node:fs';" },
  { why: 'template text without holes is a name like another', code: 'await import(`../client/index.js`);' },
])('the checker lets $why pass', ({ code }) => expect(checkHouse(houseOf(inRoom(code)))).toEqual([]));
