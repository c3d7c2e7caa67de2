import { type Row, type RowResult, runRow } from './run-row.js';

export interface RunOptions {
  /** Rows that play at a time. */
  readonly jobs: number;
  readonly done?: (result: RowResult) => void;
}

/**
 * Plays rows side by side, each with a door of its own. A row that only missed by time is played again, alone: a busy
 * machine is no broken promise, but a promise missed twice is. Its first figures stay in the report.
 *
 * @returns the results in the order of the rows
 */
export async function runRows(rows: readonly Row[], { jobs, done }: RunOptions): Promise<RowResult[]> {
  const results: RowResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < rows.length; at = next++) {
      const result = await runRow(rows[at]!);
      results[at] = result;
      done?.(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, rows.length) }, work));
  if (jobs === 1) return results;
  for (const [at, first] of results.entries()) {
    if (!first.isOnlyLate) continue;
    const again = await runRow(rows[at]!);
    results[at] = { ...again, measured: [...again.measured, `at first, beside others: ${first.misses.join(', ')}`] };
    done?.(results[at]);
  }
  return results;
}
