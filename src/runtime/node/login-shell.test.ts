import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, type TestContext, test, vi } from 'vitest';
import { findMarked } from '../../../test/fixtures/processes.js';
import type { Transport } from '../../client/index.js';
import { loginShellTransport } from './login-shell.js';

afterEach(() => vi.unstubAllEnvs());

/** A login shell whose profile is `profile`; all it starts carries the mark that is returned. */
function useShell(test: TestContext, profile: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-shell-'));
  test.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const shell = join(folder, 'shell');
  writeFileSync(shell, `#!/bin/sh\n${profile}\neval "$2"\n`);
  chmodSync(shell, 0o755);
  vi.stubEnv('SHELL', shell);
  vi.stubEnv('DOORWARD_TEST_MARK', folder.slice(-12));
  return `DOORWARD_TEST_MARK=${folder.slice(-12)}`;
}

const printPath = (): Transport =>
  loginShellTransport({
    command: process.execPath,
    args: ['-e', 'process.stdout.write(process.env.PATH.split(":")[0])'],
  });

/** What the child prints until it ends. */
async function printedBy(transport: Transport): Promise<string> {
  const text = await new Promise<string>((resolve, reject) => {
    let printed = '';
    const data = (chunk: Uint8Array): void => {
      printed += Buffer.from(chunk).toString();
    };
    transport
      .open({ data, message: () => {}, failed: () => {}, closed: () => resolve(printed), activity: () => {} })
      .catch(reject);
  });
  await transport.close();
  return text;
}

const expectNothingLeft = (mark: string): Promise<void> =>
  expect.poll(() => findMarked(mark).map(({ command }) => command), { timeout: 3_000 }).toEqual([]);

// The answer is kept for the life of the process, so that the tests that get none come first.
describe.skipIf(process.platform === 'win32')('a child with the PATH of the login shell', () => {
  test('does not start when it is closed while the profile hangs; nothing is left of the shell', async (test) => {
    const mark = useShell(test, "trap '' TERM HUP; sleep 60 & sleep 60");
    const [one, other] = [printPath(), printPath()];
    const opened = [one, other].map((each) => printedBy(each).catch((thrown: unknown) => thrown));
    await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(3);
    const before = performance.now();
    await Promise.all([one.close(), one.close()]);
    expect(findMarked(mark).length, 'the other still wants to know').toBeGreaterThanOrEqual(3);
    await other.close();
    expect(await Promise.all(opened)).toEqual([
      expect.objectContaining({ code: 'UPSTREAM_UNREACHABLE' }),
      expect.objectContaining({ code: 'UPSTREAM_UNREACHABLE' }),
    ]);
    expect(performance.now() - before).toBeLessThan(1_000);
    await expectNothingLeft(mark);
  });

  test('gets ours where the shell cannot be started', async (test) => {
    useShell(test, '');
    vi.stubEnv('SHELL', '/nonexistent/shell');
    const transport = printPath();
    const ours = process.env.PATH?.split(':')[0];
    expect(await printedBy(transport)).toBe(ours);
    // Only for the next test: an answer is not asked for again.
    vi.resetModules();
  });

  test('gets it whatever else the profile prints, and leaves running', async (test) => {
    const { loginShellTransport: fresh } = await import('./login-shell.js');
    const mark = useShell(test, 'echo "Welcome back"\nPATH="/from/the/profile:$PATH"\nexport PATH\nsleep 60 &');
    const args = ['-e', 'process.stdout.write(process.env.PATH.split(":")[0])'];
    const before = performance.now();
    expect(await printedBy(fresh({ command: process.execPath, args }))).toBe('/from/the/profile');
    expect(performance.now() - before, 'the pipe that is left open is not waited for').toBeLessThan(5_000);
    await expectNothingLeft(mark);
  });
});
