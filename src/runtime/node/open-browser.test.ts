import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBrowser, openerOf } from './open-browser.js';

const HOSTILE = 'https://as.example/authorize?a=1&b=$(touch%20x)`id`|calc;%22';

test.each(['linux', 'darwin', 'win32', 'freebsd'] as const)('on %s the URL is one argument', (platform) => {
  const [command, args] = openerOf(platform, HOSTILE);
  expect(args.filter((arg) => arg.includes('as.example'))).toEqual([HOSTILE]);
  expect(command).not.toMatch(/sh|cmd/);
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', '--help', ''])('%s is not opened', async (url) => {
  expect(await openBrowser(url, { PATH: process.env.PATH })).toBe(false);
});

test.skipIf(process.platform !== 'linux')('what opens it gets the URL as it is, and the screen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const seen = join(folder, 'seen');
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\nprintf '%s %s %s' "$1" "$DISPLAY" "$SECRET" > ${seen}.part; mv ${seen}.part ${seen}\n`,
  );
  chmodSync(join(folder, 'xdg-open'), 0o755);
  const environment = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':7', SECRET: 'hush' };
  expect(await openBrowser(HOSTILE, environment)).toBe(true);
  for (let waited = 0; !existsSync(seen) && waited < 200; waited++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readFileSync(seen, 'utf8')).toBe(`${new URL(HOSTILE).href} :7 `);
});

test('where nothing opens it, that is said', async () => {
  expect(await openBrowser('https://as.example/', { PATH: '/nonexistent' })).toBe(process.platform === 'win32');
});
