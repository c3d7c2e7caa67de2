import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expectGroup, keepGroup, killGroup } from '../../runtime/node/index.js';
import { type Check, type Finding, Skipped, type Subject } from './types.js';

/** A build that takes longer says nothing more. */
const BUILD_MS = 10 * 60_000;

export const BUILD_CHECK: Check = {
  name: 'build',
  about: 'two builds are byte for byte the same',
  run: async ({ project, git, environment, signal }) => {
    const { build, outputs = ['dist'] } = project.settings;
    if (build === undefined) return new Skipped('package.json names no doorward.build');
    if (git === undefined) return new Skipped('the project is in no git repository with a commit');
    if (project.packageJson.scripts?.[build] === undefined) {
      return [{ message: `package.json has no script ${build}, which doorward.build names` }];
    }
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-build-')));
    try {
      const place = shelter(folder, project.folder);
      // In two folders: a build that writes down where it ran is found as well. Both are there before either is built:
      // somebody may be at work in the original.
      const copies = ['one', 'another'].map((name) => join(place, name));
      for (const to of copies) copyProject({ from: project.folder, to, files: git.present });
      for (const copy of copies) {
        const failure = await runScript({ folder: copy, script: build, environment, signal });
        if (failure !== undefined) return [{ message: `npm run ${build} failed: ${failure}` }];
      }
      const [one, another] = copies.map((copy) => digestsOf(copy, outputs));
      return compareBuilds(one!, another!, outputs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Copying {
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
}

/** What git would have in a commit, with the packages of the original. */
function copyProject({ from, to, files }: Copying): void {
  for (const file of files) {
    // Deleted, and not committed yet.
    if (!existsSync(join(from, file))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(from, file), join(to, file));
  }
  const packages = join(from, 'node_modules');
  if (existsSync(packages)) symlinkSync(packages, join(to, 'node_modules'), 'junction');
}

/** Folders inside each other, each with the packages that Node finds above the original; the innermost takes the copies. */
function shelter(folder: string, from: string): string {
  const above = packagesAbove(dirname(from));
  return above.reduce((place, packages, at) => {
    symlinkSync(packages, join(place, 'node_modules'), 'junction');
    const inner = join(place, `inside-${at}`);
    mkdirSync(inner);
    return inner;
  }, folder);
}

/** Every node_modules from here up, the outermost first. */
function packagesAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  const outer = above === folder ? [] : packagesAbove(above);
  const own = join(folder, 'node_modules');
  return existsSync(own) ? [...outer, own] : outer;
}

interface Script extends Pick<Subject, 'environment' | 'signal'> {
  readonly folder: string;
  readonly script: string;
}

/** @returns why it failed; undefined where it did not */
function runScript({ folder, script, environment, signal }: Script): Promise<string | undefined> {
  return new Promise((resolve) => {
    const [command, ...args] = npmCommand(environment);
    expectGroup();
    const child = spawn(command, [...args, 'run', '--silent', script], {
      cwd: folder,
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    const { pid } = child;
    if (pid !== undefined) keepGroup(pid);
    // npm alone would end, and what its script has started would go on, with our pipes in its hands.
    const end = (): void => {
      child.kill();
      if (pid !== undefined) killGroup(pid);
    };
    const timer = setTimeout(end, BUILD_MS);
    const stop = { handleEvent: end };
    signal.addEventListener('abort', stop);
    let tail = '';
    const hear = (chunk: Buffer): void => {
      tail = `${tail}${chunk}`.slice(-2_000);
    };
    // Compilers tell their troubles on either.
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', (error) => resolve(error.message));
    child.on('exit', end);
    child.on('close', (code, ended) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      const last = tail.trim().split('\n').at(-1) ?? '';
      resolve(code === 0 ? undefined : `${ended ?? `exit ${code}`}${last && `, ${last.slice(0, 300)}`}`);
    });
  });
}

/** npm as a program that needs no shell: on Windows it is a script of one. */
function npmCommand({ npm_execpath: running }: Subject['environment']): readonly [string, ...string[]] {
  if (running?.endsWith('npm-cli.js')) return [process.execPath, running];
  const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return existsSync(beside) ? [process.execPath, beside] : ['npm'];
}

function digestsOf(folder: string, outputs: readonly string[]): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const output of outputs) {
    if (!existsSync(join(folder, output))) continue;
    for (const entry of readdirSync(join(folder, output), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      digests.set(relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('hex'));
    }
  }
  return digests;
}

type Digests = ReadonlyMap<string, string>;

function compareBuilds(one: Digests, another: Digests, outputs: readonly string[]): readonly Finding[] {
  if (one.size === 0)
    return [
      { message: `the build made nothing in ${outputs.join(', ')}`, hint: 'Name its folders in doorward.outputs.' },
    ];
  const paths = [...new Set([...one.keys(), ...another.keys()])].sort();
  return paths
    .filter((path) => one.get(path) !== another.get(path))
    .map((path) => ({ message: `${path} comes out differently when it is built a second time` }));
}
