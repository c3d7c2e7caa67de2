import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSource } from './house/source.js';
import { ROOT, readText } from './house/tree.js';

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

const manifest = JSON.parse(readText('package.json'));
const lock = JSON.parse(readText('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };

describe('package.json', () => {
  const pinned = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };

  test.each(Object.entries<string>(pinned))('pins %s exactly', (_, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  test('no package that a user installs has an install script', () => {
    const installed = Object.entries(lock.packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
    expect(installed.map(([path]) => path)).toContain('');
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  test('itself runs nothing when it is installed', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  test('names its version once: the lock and the changelog follow', () => {
    expect(lock.packages['']?.version).toBe(manifest.version);
    expect(readText('CHANGELOG.md')).toContain(`## [${manifest.version}]`);
  });

  test('every script that names a file names one that is there', () => {
    const named = Object.values<string>(manifest.scripts).flatMap(
      (script) => script.match(/[\w./-]+\.(mjs|ts|json)\b/g) ?? [],
    );
    expect(named).toContain('tools/build.mjs');
    expect([...new Set(named)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('README.md, CONTRIBUTING.md and .ci/run name no script that does not exist', () => {
    const texts = ['README.md', 'CONTRIBUTING.md', '.ci/run'].map(readText).join('\n');
    const named = [...texts.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
    expect(named).toContain('demo');
    expect(named.filter((name) => !(name! in manifest.scripts))).toEqual([]);
  });
});

test('the figures of the README were measured', () => {
  expect(readText('README.md').match(/\bFILL\b/g), 'cells still to be filled from `npm run bench`').toBeNull();
});

test('links between the papers lead somewhere', () => {
  const papers = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const broken = [...papers, ...docs.map((name) => join('docs', name))].flatMap((paper) =>
    [...readText(paper).matchAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g)]
      .filter(([, target]) => !existsSync(join(ROOT, paper, '..', target!)))
      .map(([link]) => `${paper}: ${link}`),
  );
  expect(broken).toEqual([]);
});

describe('the build', () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'doorward-build-')));
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const build = (out: string) =>
    execFileSync(process.execPath, ['tools/build.mjs', '--no-types', '--out', out], { cwd: ROOT, stdio: 'pipe' });

  test('gives the same bytes twice', () => {
    const [first, second] = folders.map((folder) => {
      build(folder);
      return digestFolder(folder);
    });
    expect(Object.keys(first!).length).toBeGreaterThan(5);
    expect(second).toEqual(first);
  });

  test('touches nothing that did not change, and removes what is no longer made', () => {
    const [folder = ''] = folders;
    const chunk = join(folder, 'index.js');
    const before = statSync(chunk);
    execFileSync('touch', [join(folder, 'chunks', 'left-over.js')]);
    build(folder);
    expect(statSync(chunk).ino).toBe(before.ino);
    expect(existsSync(join(folder, 'chunks', 'left-over.js'))).toBe(false);
  });

  test('makes a command that can be run', () => {
    expect(statSync(join(folders[0]!, 'cli.cjs')).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(folders[0]!, 'cli.cjs'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('makes every file that package.json exports, declarations aside', () => {
    const exported = Object.values<string | { default: string }>(manifest.exports)
      .map((target) => (typeof target === 'string' ? target : target.default))
      .filter((path) => path.startsWith('./dist/'));
    const missing = exported.filter((path) => !existsSync(join(folders[0]!, path.slice('./dist/'.length))));
    expect(missing).toEqual([]);
  });

  const entries = ['index', 'schema', 'contract', 'client', 'gateway', 'discovery', 'worker'];
  test.each(entries)('%s.js and what it imports name nothing of Node', (entry) => {
    const open = [join(folders[0]!, `${entry}.js`)];
    const seen = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const { imports } = readSource(path, readFileSync(path, 'utf8'), new Set());
      const names = imports.map(({ specifier }) => specifier!).filter((name) => !isDependency(name));
      expect(names.filter((name) => !/^[.#]/.test(name))).toEqual([]);
      const place = path;
      open.push(...names.flatMap((name) => (name.startsWith('#') ? innerFiles(name) : [resolve(place, '..', name)])));
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  /** What a name of our own stands for, under every condition. */
  function innerFiles(name: string): readonly string[] {
    const target = manifest.imports[name] as string | Readonly<Record<string, string>>;
    const files = typeof target === 'string' ? [target] : Object.values(target);
    return files.map((file) => join(folders[0]!, file.slice('./dist/'.length)));
  }

  function isDependency(name: string): boolean {
    return Object.keys(manifest.dependencies).some((each) => name === each || name.startsWith(`${each}/`));
  }

  test('holds no package that is for development only', () => {
    const notices = readFileSync(join(folders[0]!, 'THIRD_PARTY_NOTICES.md'), 'utf8');
    const bundled = [...notices.matchAll(/^## (\S+) /gm)].map(([, name]) => name!);
    expect(bundled).toContain('@noble/hashes');
    expect(
      bundled.filter((name) =>
        /^(ajv|@hyperjump|@cfworker|vitest|@modelcontextprotocol\/(?!client$|core$))/.test(name),
      ),
    ).toEqual([]);
  });
});

/** What a folder holds: paths and digests, since a difference of minified text is nothing to read. */
function digestFolder(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [path.slice(folder.length), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}
