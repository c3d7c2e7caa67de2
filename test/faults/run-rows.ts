import { type Row, type RowResult, runRow } from './run-row.js';

export interface RunOptions {
  /** Rows that play at a time. */
  readonly jobs: number;
  readonly done?: (result: RowResult) => void;
}

/** How often a row that only missed by time is played again. */
const REPLAYS = 2;

/** Whether a result is not the last word on its row. */
export function isPlayedAgain({ isOnlyLate, earlier }: RowResult): boolean {
  return isOnlyLate && earlier.length < REPLAYS;
}

/**
 * Plays rows side by side, each with a door of its own. A row that only missed by time is played again, alone and at most
 * twice: a busy machine is no broken promise, but a promise that is missed each time is. The figures of the plays before
 * stay in the report, so that nothing is hidden.
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
  for (const [at, first] of results.entries()) {
    let result = first;
    while (isPlayedAgain(result)) {
      const before = result;
      const again = await runRow(rows[at]!);
      result = { ...again, earlier: [...before.earlier, before.misses.join(', ')] };
      done?.(result);
    }
    results[at] = result;
  }
  return results;
}
