/** What a newcomer runs first must not be what nobody tests. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT, requireBuild } from '../fixtures/open-door.js';

/** Runs a script of the repository without a terminal. */
async function run(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, env: { ...process.env, ...environment } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, text };
}

test('the demo keeps every promise, and is plain text where colors are not wanted', async () => {
  requireBuild();
  const { code, text } = await run('examples/demo.mjs', [], { NO_COLOR: '1' });
  expect(code, text).toBe(0);
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('✗');
  expect(text).toMatch(/(\d+) of \1 promises kept/);
});

test('the official clients, version 1 and 2, work through the example', async () => {
  requireBuild();
  const { code, text } = await run('examples/try-clients.mjs', ['--door', 'stdio', '--client', 'SDK'], {
    NO_COLOR: '1',
  });
  expect(code, text).toBe(0);
  expect(text).not.toContain('FAILED');
});
