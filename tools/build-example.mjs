// Builds examples/repo-tools against this repository: node tools/build-example.mjs [--force]
//
// An author's project has doorward in its node_modules; here a link stands for it, so that nothing has to be installed.
// Built only where something is newer than what is there. Those who want it at the same time wait for one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileAlone } from './while-alone.mjs';

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
  await whileAlone({ lock: join(EXAMPLE, 'node_modules', '.lock'), staleMs: LOCK_MS }, () => {
    if (!force && !isStale()) return;
    const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: EXAMPLE, encoding: 'utf8' });
    if (status !== 0) throw new Error(`examples/repo-tools does not build:\n${stderr}`);
  });
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExample({ force: process.argv.includes('--force') });
