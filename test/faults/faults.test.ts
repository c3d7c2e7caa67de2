/** Guards the harness itself: a few fast rows, no behaviour without a row, and proof that a row can miss. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { requireBuild } from '../fixtures/open-door.js';
import { failuresOf, tableOf } from './report.js';
import { ROWS } from './rows/index.js';
import { type Row, runRow } from './run-row.js';
import { runRows } from './run-rows.js';

const UPSTREAM = fileURLToPath(new URL('hostile-upstream.mjs', import.meta.url));
const FAST = ['crash-mid-call', 'truncate', 'garbage', 'stray', 'batch-2025-03-26', 'late', 'pagination-loop'];

function rowNamed(name: string): Row {
  const row = ROWS.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row is named ${name}`);
  return row;
}

test('every behaviour of the hostile upstream has a row, and no two rows have one name', () => {
  const listed = execFileSync(process.execPath, [UPSTREAM, '--list'], { encoding: 'utf8' }).trim().split('\n');
  const names = listed.map((line) => (JSON.parse(line) as { name: string }).name);
  const moods = ROWS.flatMap(({ mood = '' }) => mood.split(' ').map((word) => word.split('=')[0] ?? ''));
  const played = new Set([...ROWS.map(({ name }) => name), ...moods]);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !played.has(name))).toEqual([]);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});

describe.concurrent('keeps its promise', () => {
  test.each(FAST)('%s', async (name) => {
    requireBuild();
    const [result] = await runRows([rowNamed(name)], { jobs: 2 });
    expect(result?.misses, failuresOf(result ? [result] : [])).toEqual([]);
    expect(result?.healthy.calls).toBeGreaterThan(0);
  });
});

test('a promise that is not kept is a miss, with the journal to show why', async () => {
  requireBuild();
  const result = await runRow({
    name: 'impossible',
    promise: 'a call that is never answered is answered',
    entry: { callTimeoutMs: 300 },
    act: async (stage) => {
      const outcome = await stage.hostile('mute', { tag: 'same' });
      stage.measure('answered', outcome.tookMs, 1);
      stage.expect(outcome.answer.message?.error === undefined, 'it is no error');
      await stage.call('hostile', { tag: 'same' });
    },
  });
  const report = failuresOf([result]);
  expect(report).toContain('promised within 1 ms');
  expect(report).toContain('it is no error');
  expect(report, 'a call that reached the upstream twice').toContain('no call reached hostile twice');
  expect(report).toContain('"behave":"mute"');
  expect(tableOf([result])).toContain('MISS');
});
