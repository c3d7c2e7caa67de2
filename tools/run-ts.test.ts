import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'doorward-run-ts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a script and runs it as package.json would. */
function run(source: string, { flags = [], args = [] }: { flags?: string[]; args?: string[] } = {}) {
  const script = join(folder, 'script.ts');
  writeFileSync(script, source);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/run-ts.mjs', ...flags, script, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr, script };
}

test('types are stripped, arguments and flags arrive, the exit code comes back', () => {
  const source = `
    const words: string[] = process.argv.slice(2);
    console.log(words.join('+'), typeof globalThis.gc, import.meta.filename);
    process.exitCode = 7;
  `;
  const { status, stdout, script } = run(source, { flags: ['--expose-gc'], args: ['one', '--two'] });
  expect({ status, stdout }).toEqual({ status: 7, stdout: `one+--two function ${script}` });
});

test('an error names the line of the source, and fails the run', () => {
  const { status, stderr, script } = run(
    `interface Erased { a: 1 }\n\nconst b: Erased = { a: 1 };\nthrow new Error('boom ' + b.a);\n`,
  );
  expect(status).toBe(1);
  expect(stderr).toContain('boom 1');
  expect(stderr).toContain(`${script}:4`);
});

test('a script that was ended by a signal is no success', () => {
  expect(run(`process.kill(process.pid, 'SIGKILL');`).status).toBe(137);
});

test('no script, no run', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/run-ts.mjs', '--expose-gc'], { encoding: 'utf8' });
  expect({ status, stderr: stderr.slice(0, 6) }).toEqual({ status: 2, stderr: 'usage:' });
});
