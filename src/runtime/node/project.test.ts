import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { DoorError } from '../../base/index.js';
import { loadProject } from './project.js';
import { PROJECT_FIELDS } from './project-fields.js';

const folder = mkdtempSync(join(tmpdir(), 'doorward-project-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONTRACT = `export const contract = {
  server: { name: 'io.github.a/bb', version: '1.0.0', description: 'b' }, tools: [], resources: [], prompts: [], fingerprint: 'f'
};`;
const IMPLEMENTATION = `import { contract } from './contract.js';
export default { contract, handlers: { tools: {}, resources: {}, prompts: {} } };`;

let count = 0;

/** A project of its own for each test: modules are imported once for each path. */
function projectOf(packageJson: unknown, files: Readonly<Record<string, string>> = {}): string {
  const root = join(folder, String(count++));
  const all = {
    'package.json': typeof packageJson === 'string' ? packageJson : JSON.stringify(packageJson),
    'dist/contract.js': CONTRACT,
    'dist/implementation.js': IMPLEMENTATION,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

function packageOf(doorward: unknown): object {
  return { name: 'b', version: '1.0.0', type: 'module', doorward };
}

const BOTH = { contract: './dist/contract.js', implementation: './dist/implementation.js' };

test('a project is its package.json, and what the modules export that it names', async () => {
  const root = projectOf(packageOf({ ...BOTH, docs: 'docs/tools.md', maxDeclined: 2 }));
  const project = await loadProject(root);
  expect(project.folder).toBe(root);
  expect(project.packageJson.version).toBe('1.0.0');
  expect(project.contract.server.name).toBe('io.github.a/bb');
  expect(project.implementation?.contract).toBe(project.contract);
  expect(project.settings.docs).toBe('docs/tools.md');
});

test('a contract alone is a project', async () => {
  const project = await loadProject(projectOf(packageOf({ contract: 'dist/contract.js' })));
  expect(project.implementation).toBeUndefined();
});

test('a module may wait at its top', async () => {
  const text = `await Promise.resolve();\n${CONTRACT}`;
  const root = projectOf(packageOf({ contract: 'dist/contract.js' }), { 'dist/contract.js': text });
  expect((await loadProject(root)).contract.fingerprint).toBe('f');
});

const contractOnly = packageOf({ contract: './dist/contract.js' });

describe('what is wrong is named by file and field', () => {
  test.each([
    { why: 'cut off', packageJson: '{\n"a":', code: 'CONFIG_INVALID', says: 'package.json:2:5: ' },
    { why: 'UTF-16', packageJson: '{\0}\0', code: 'CONFIG_INVALID', says: 'package.json:1:1: the file is UTF-16' },
    { why: 'a comment in it', packageJson: '{} // a', code: 'CONFIG_INVALID', says: 'package.json is no JSON: it has' },
    { why: 'no object', packageJson: '[]', code: 'CONFIG_INVALID', says: 'holds no object' },
    { why: 'no field', packageJson: { name: 'b' }, code: 'CONFIG_INVALID', says: 'doorward: is missing' },
    {
      why: 'a field that is no object',
      packageJson: packageOf('./x.js'),
      code: 'CONFIG_INVALID',
      says: 'must be an object',
    },
    { why: 'no contract', packageJson: packageOf({}), code: 'CONFIG_INVALID', says: 'doorward.contract: is missing' },
    {
      why: 'a misspelt field',
      packageJson: packageOf({ ...BOTH, doc: 'x.md' }),
      code: 'CONFIG_INVALID',
      says: 'doorward.doc: is no field of doorward',
      hint: 'Was docs meant?',
    },
    {
      why: 'a wrong kind',
      packageJson: packageOf({ ...BOTH, maxDeclined: -1 }),
      code: 'CONFIG_INVALID',
      says: 'doorward.maxDeclined: must be a whole number',
    },
    {
      why: 'a path out of the folder',
      packageJson: packageOf({ contract: '../contract.js' }),
      code: 'CONFIG_INVALID',
      says: 'leads out of the folder',
    },
    {
      why: 'a file that was not built',
      packageJson: packageOf({ contract: './dist/other.js' }),
      code: 'CONFIG_INVALID',
      says: 'doorward.contract: there is no file ./dist/other.js',
      hint: 'Build the project first.',
    },
    {
      why: 'a module without the export',
      packageJson: contractOnly,
      text: 'export const other = 1;',
      code: 'CONTRACT_INVALID',
      says: './dist/contract.js: exports neither contract nor default',
    },
    {
      why: 'an export that is something else',
      packageJson: contractOnly,
      text: 'export const contract = { tools: [] };',
      code: 'CONTRACT_INVALID',
      says: 'its export contract is not what defineContract makes',
    },
    {
      why: 'a module that throws',
      packageJson: contractOnly,
      text: 'throw new Error("no database");',
      code: 'CONTRACT_INVALID',
      says: './dist/contract.js: failed while it was loaded: no database',
    },
    {
      why: 'an invalid contract of another copy of this package',
      packageJson: contractOnly,
      text: 'throw Object.assign(new Error("tools/a /name: is bad"), { code: "CONTRACT_INVALID", hint: "Mend it." });',
      code: 'CONTRACT_INVALID',
      says: './dist/contract.js: tools/a /name: is bad',
      hint: 'Mend it.',
    },
    {
      why: 'a handler set for another contract',
      packageJson: packageOf(BOTH),
      text: CONTRACT.replace("fingerprint: 'f'", 'fingerprint: Math.random().toString()')
        .replace('export const contract =', 'export const make = () => (')
        .replace('};', '});\nexport const contract = make();'),
      implementation: `import { make } from './contract.js';
export const implementation = { contract: make(), handlers: {} };`,
      code: 'CONTRACT_INVALID',
      says: './dist/implementation.js: implements another contract',
    },
  ])('$why', async ({ packageJson, text, implementation, code, says, hint }) => {
    const files = {
      ...(text !== undefined && { 'dist/contract.js': text }),
      ...(implementation !== undefined && { 'dist/implementation.js': implementation }),
    };
    const error = (await loadProject(projectOf(packageJson, files)).catch((thrown) => thrown)) as DoorError;
    expect(error.code).toBe(code);
    expect(error.message).toContain(says);
    if (hint !== undefined) expect(error.hint).toBe(hint);
    expect(error.data.file).toBeTypeOf('string');
  });

  test('a folder without package.json', async () => {
    const error = (await loadProject(join(folder, 'nowhere')).catch((thrown) => thrown)) as DoorError;
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain('there is no such file');
  });
});

test('docs/validate.md has a row for every field, in their order', () => {
  const doc = readFileSync(fileURLToPath(new URL('../../../docs/validate.md', import.meta.url)), 'utf8');
  const [, section = ''] = doc.split('\n## Your package.json\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(PROJECT_FIELDS));
});
