// @ts-check
/** The verdict over several runs, and the table people read. */

/** @typedef {import('./checks.mjs').Check} Check */
/** @typedef {{ row: string, check: Check, holds: boolean[] }} Bound one check over all runs */

/** Two of three. */
const HOLDS_NEEDED = 2;
const RUNS_AT_MOST = 3;

/** @param {Check} check @param {number} bound */
const isWithin = (check, bound) => (check.kind === 'least' ? check.value >= bound : check.value <= bound);
/** @param {Check} check */
export const holds = (check) => isWithin(check, check.bar);

/** @param {Bound} bound @returns {'held' | 'missed' | 'open'} */
export function verdictOf({ holds: seen }) {
  if (seen.filter(Boolean).length >= HOLDS_NEEDED) return 'held';
  const misses = seen.filter((one) => !one).length;
  return misses > RUNS_AT_MOST - HOLDS_NEEDED ? 'missed' : 'open';
}

/** @param {readonly { row: string, check: Check }[]} checks @returns {string} a table of one run */
export function renderChecks(checks) {
  const rows = checks.map(({ row, check }) => [
    row,
    check.name,
    check.figure,
    check.against,
    showValue(check, check.value),
    `${check.kind === 'least' ? '>=' : '<='} ${showValue(check, check.bar)}`,
    check.goal === undefined ? '' : `${showValue(check, check.goal)}${isWithin(check, check.goal) ? ' reached' : ''}`,
    holds(check) ? 'ok' : 'MISS',
  ]);
  return renderTable(['row', 'what', 'doorward', 'against', 'value', 'bar', 'goal', ''], rows);
}

/** @param {Readonly<Record<string, Record<string, number>>>} figures @returns {string} all middles of one row */
export function renderFigures(figures) {
  const entries = Object.entries(figures);
  const columns = [...new Set(entries.flatMap(([, values]) => Object.keys(values)))];
  const rows = entries.map(([name, values]) => [name, ...columns.map((column) => showNumber(values[column]))]);
  return renderTable(['', ...columns], rows);
}

/** @param {Check} check @param {number} value */
const showValue = (check, value) =>
  `${showNumber(value)}${check.unit === undefined ? 'x' : ` ${check.unit}`.trimEnd()}`;

/** @param {number | undefined} value */
function showNumber(value) {
  if (value === undefined) return '';
  if (Number.isInteger(value)) return String(value);
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function renderTable(head, rows) {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
