// Builds examples/repo-tools against this repository: node tools/build-example.mjs [--force]
//
// An author's project has doorward in its node_modules; here a link stands for it, so that nothing has to be installed.
// Built only where something is newer than what is there. Those who want it at the same time wait for one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const EXAMPLE = join(ROOT, 'examples', 'repo-tools');

const BUILT = ['dist/worker.js', 'dist/stdio.js'];
const SOURCES = [
  'src',
  'package.json',
  'build.mjs',
  '../../dist/worker.js',
  '../../dist/chunks',
  '../../dist/contract.js',
];
/** A lock of this age was left behind by a build that was killed. */
const LOCK_MS = 60_000;

/** @throws where it does not build */
export async function buildExample({ force = false } = {}) {
  linkDoorward();
  if (!force && !isStale()) return;
  const lock = join(EXAMPLE, 'node_modules', '.lock');
  while (!take(lock)) await setTimeout(50);
  try {
    if (!force && !isStale()) return;
    const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: EXAMPLE, encoding: 'utf8' });
    if (status !== 0) throw new Error(`examples/repo-tools does not build:\n${stderr}`);
  } finally {
    rmSync(lock, { force: true });
  }
}

function linkDoorward() {
  const link = join(EXAMPLE, 'node_modules', 'doorward');
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  try {
    symlinkSync(join('..', '..', '..'), link, 'junction');
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function isStale() {
  const builtMs = Math.min(
    ...BUILT.map((name) => statSync(join(EXAMPLE, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
  return SOURCES.some((name) => newestMs(join(EXAMPLE, name)) > builtMs);
}

function newestMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

function take(lock) {
  const found = statSync(lock, { throwIfNoEntry: false });
  if (found !== undefined && Date.now() - found.mtimeMs > LOCK_MS) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExample({ force: process.argv.includes('--force') });
