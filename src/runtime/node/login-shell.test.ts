import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { loginShellTransport } from './login-shell.js';

test.skipIf(process.platform === 'win32')(
  'the child gets the PATH that the login shell sets, whatever else it prints',
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'doorward-shell-'));
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const shell = join(folder, 'shell');
    writeFileSync(shell, `#!/bin/sh\necho "Welcome back"\nPATH="/from/the/profile:$PATH"\nexport PATH\neval "$2"\n`);
    chmodSync(shell, 0o755);
    vi.stubEnv('SHELL', shell);
    const transport = loginShellTransport({
      command: process.execPath,
      args: ['-e', 'process.stdout.write(process.env.PATH.split(":")[0])'],
    });
    const printed = await new Promise<string>((resolve, reject) => {
      let text = '';
      const data = (chunk: Uint8Array): void => {
        text += Buffer.from(chunk).toString();
      };
      transport.open({ data, closed: () => resolve(text), activity: () => {} }).catch(reject);
    });
    vi.unstubAllEnvs();
    await transport.close();
    expect(printed).toBe('/from/the/profile');
  },
);
