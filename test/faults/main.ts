/**
 * Every named misbehaviour of an upstream, each with what doorward promises when it happens:
 *
 *     npm run faults                        all of them, about two minutes
 *     npm run faults -- --only hang,flood   some
 *     npm run faults -- --list              what there is
 *     npm run faults -- --json              the results as JSON on stdout
 *     npm run faults -- --jobs 4            how many at a time (4)
 *
 * Exits with 0 when every promise was kept, 1 when one was not, 2 when it was asked for what there is not.
 */
import { existsSync } from 'node:fs';
import { readOptions } from '../../tools/read-options.js';
import { failuresOf, summaryOf, tableOf } from './report.js';
import { ROWS } from './rows/index.js';
import type { Row, RowResult } from './run-row.js';
import { isPlayedAgain, runRows } from './run-rows.js';
import { CLI } from './stage.js';

const JOBS = 4;

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions('npm run faults -- [--list] [--only NAME,...] [--jobs N] [--json]', {
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(JOBS) },
  });
  const names = values.only.flatMap((each) => each.split(','));
  const unknown = names.filter((name) => !ROWS.some((row) => row.name === name));
  if (unknown.length > 0) return refuse(`no behaviour is named ${unknown.join(', ')}; --list shows what there is`);
  const rows = ROWS.filter(({ name }) => names.length === 0 || names.includes(name));
  if (values.list) return show(rows);
  if (!existsSync(CLI)) return refuse(`no built bundle at ${CLI}: run "npm run build" first`);
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) return refuse('--jobs needs a number of 1 or more');
  const beganAtMs = performance.now();
  const results = await runRows(rows, { jobs, done: tell });
  const tookMs = performance.now() - beganAtMs;
  if (values.json) process.stdout.write(`${JSON.stringify({ tookMs, results }, null, 2)}\n`);
  else process.stdout.write(`\n${tableOf(results)}\n${failuresOf(results)}\n${summaryOf(results, tookMs)}\n`);
  return results.every(({ misses }) => misses.length === 0) ? 0 : 1;
}

function refuse(why: string): number {
  process.stderr.write(`faults: ${why}\n`);
  return 2;
}

function show(rows: readonly Row[]): number {
  for (const { name, promise } of rows) process.stdout.write(`${name.padEnd(26)} ${promise}\n`);
  return 0;
}

/** A sign of life for each row, on stderr: the whole takes two minutes. */
function tell(result: RowResult): void {
  const { name, misses, tookMs } = result;
  const verdict = misses.length === 0 ? 'ok  ' : isPlayedAgain(result) ? 'MISS (measured again at the end)' : 'MISS';
  process.stderr.write(`${verdict} ${name} (${(tookMs / 1000).toFixed(1)} s)\n`);
}
