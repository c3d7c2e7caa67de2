/**
 * Black-box tests drive dist/cli.cjs, so `npm test` builds it once, before any test and only where a source is newer.
 * A tree that does not build must not keep the rooms' own tests from running: the failure is handed to the tests that
 * need the bundle, and they fail with it. DOORWARD_SKIP_BUILD=1 leaves dist as it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Why the bundle could not be built; empty where it was, or was not asked for. */
    doorwardBuildFailure: string;
  }
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILT = join(ROOT, 'dist', 'cli.cjs');
const SOURCES = ['src', 'tools/build.mjs', 'package.json'];

export default function buildOnce(project: TestProject): void {
  project.provide('doorwardBuildFailure', needsBuild() ? build() : '');
}

function needsBuild(): boolean {
  if (process.env.DOORWARD_SKIP_BUILD) return false;
  if (!existsSync(BUILT)) return true;
  const builtMs = statSync(BUILT).mtimeMs;
  return SOURCES.some((source) => newestMs(join(ROOT, source)) > builtMs);
}

function newestMs(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => (name.endsWith('.test.ts') ? 0 : newestMs(join(path, name)))));
}

/** @returns why it failed; empty when it did not */
function build(): string {
  const script = join(ROOT, 'tools', 'build.mjs');
  if (!existsSync(script)) return 'tools/build.mjs is missing';
  // Nothing here reads the declarations, and they take longer than everything else.
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--no-types'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status === 0) return '';
  const failure = `node tools/build.mjs ended with ${status}\n${stdout}${stderr}`;
  process.stderr.write(`doorward: ${failure}\nTests that need the bundle will fail; the others run.\n`);
  return failure;
}
