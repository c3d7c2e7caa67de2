import { type Row, type RowResult, runRow } from './run-row.js';

export interface RunOptions {
  /** Rows that play at a time. */
  readonly jobs: number;
  readonly done?: (result: RowResult) => void;
}

/** Plays rows side by side, each with a door of its own. @returns the results in the order of the rows */
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
  return results;
}
