/** A few seconds of the soak, so that the suite notices when it no longer runs; the real one is `npm run soak`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../fixtures/open-door.js';

const run = promisify(execFile);

interface Outcome {
  readonly isGood: boolean;
  readonly missCount: number;
  readonly misses: readonly unknown[];
  readonly rows: readonly { readonly what: string; readonly value: string; readonly isGood: boolean }[];
}

test('callers and upstreams with faults among them lose nothing', { timeout: 90_000 }, async () => {
  const args = ['--seconds', '5', '--warm-up', '1', '--seed', '1', '--cli', '0', '--json'];
  const script = [join(ROOT, 'tools', 'run-ts.mjs'), join(ROOT, 'test', 'faults', 'soak.ts'), ...args];
  const { stdout } = await run(process.execPath, script).catch((failed: { readonly stdout: string }) => failed);
  const outcome = JSON.parse(stdout) as Outcome;
  expect(outcome.misses).toEqual([]);
  expect(outcome.rows.filter(({ isGood }) => !isGood)).toEqual([]);
  const calls = outcome.rows.find(({ what }) => what === 'calls');
  expect(Number.parseInt(calls?.value ?? '', 10)).toBeGreaterThan(100);
});
