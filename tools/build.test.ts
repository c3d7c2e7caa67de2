/** Two test runs on one machine may build at the same time, into the same folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

async function build(out: string): Promise<{ code: unknown; said: string }> {
  const child = spawn(process.execPath, ['tools/build.mjs', '--no-types', '--out', out]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, said };
}

test('builds at once leave one whole package, whatever lay there before', { timeout: 120_000 }, async () => {
  const out = mkdtempSync(join(tmpdir(), 'doorward-build-'));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  for (let i = 0; i < 2_000; i++) writeFileSync(join(out, `old-${i}.js`), '');
  // A build that was killed an hour ago while it wrote.
  writeFileSync(join(out, '.lock'), '');
  const longAgoS = Date.now() / 1_000 - 3_600;
  utimesSync(join(out, '.lock'), longAgoS, longAgoS);
  const clean = { code: 0, said: '' };
  expect(await Promise.all([build(out), build(out)])).toEqual([clean, clean]);
  const left = readdirSync(out);
  expect(left).toContain('cli.cjs');
  expect(left.filter((name) => /^old-|\.lock$|\.draft$/.test(name))).toEqual([]);
});
