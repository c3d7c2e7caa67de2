import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { BOMBS } from './bombs/index.js';
import { type BombResult, faultOf } from './run-bomb.js';

const TIMEOUT_MS = 60_000;

// In a process of its own: a bomb that is not defused would hang this one, and with it every test.
describe.each([
  { mode: 'compiled', flags: [] },
  { mode: 'without code generation', flags: ['--disallow-code-generation-from-strings'] },
])('$mode', ({ flags }) => {
  const results = new Map<string, BombResult>();

  beforeAll(() => {
    const runner = join(import.meta.dirname, '..', '..', 'tools', 'run-ts.mjs');
    const script = join(import.meta.dirname, 'conformance-bombs.ts');
    const { stdout } = spawnSync(process.execPath, [runner, ...flags, script, '--answers'], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    for (const line of stdout.split('\n')) if (line.startsWith('{')) results.set(...entryOf(JSON.parse(line)));
  }, TIMEOUT_MS + 5000);

  test.each(BOMBS)('$name', (bomb) => {
    const result = results.get(bomb.name);
    if (!result) expect.fail('no answer: the process ended or hung here, or before');
    expect(faultOf(bomb, result)).toBe('');
  });
});

function entryOf(result: BombResult): [string, BombResult] {
  return [result.name, result];
}
