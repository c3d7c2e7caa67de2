/** The table of a run, and what to look at where it missed. */
import type { RowResult } from './run-row.js';

const COLUMNS = { behaviour: 24, promise: 56, measured: 44, ok: 4 } as const;
const RULE = Object.values(COLUMNS).map((width) => '-'.repeat(width));

export function tableOf(results: readonly RowResult[]): string {
  const head = lineUp(Object.keys(COLUMNS).map((title) => [title]));
  const rows = results.map((result) => {
    const { calls, medianMs, maxMs } = result.healthy;
    const beside = `beside it: ${calls} calls, median ${medianMs.toFixed(1)} ms, max ${Math.round(maxMs)}`;
    const measured = wrap(
      [...result.measured, beside, ...result.earlier.map((missed) => `before: ${missed}`)].join(', '),
      COLUMNS.measured,
    );
    return lineUp([
      [result.name],
      wrap(result.promise, COLUMNS.promise),
      measured,
      [result.misses.length === 0 ? 'ok' : 'MISS'],
    ]);
  });
  return [head, RULE.join(' | '), ...rows].join('\n');
}

/** For each row that missed: which promises, the last of its journal, and the last that doorward said. */
export function failuresOf(results: readonly RowResult[]): string {
  return results
    .filter(({ misses }) => misses.length > 0)
    .map(({ name, misses, evidence }) =>
      [
        `\n${name}: ${misses.length === 1 ? 'one promise' : `${misses.length} promises`} missed`,
        ...misses.map((miss) => `  - ${miss.split('\n').join('\n    ')}`),
        '  last lines of the hostile journal:',
        ...evidence.journal.map((line) => `    ${line.slice(0, 300)}`),
        '  last lines of doorward on stderr:',
        ...evidence.stderr.map((line) => `    ${line.slice(0, 400)}`),
        `  again: npm run faults -- --only ${name}`,
      ].join('\n'),
    )
    .join('\n');
}

export function summaryOf(results: readonly RowResult[], tookMs: number): string {
  const missed = results.filter(({ misses }) => misses.length > 0).length;
  const again = results.filter(({ earlier }) => earlier.length > 0).length;
  const calls = results.reduce((sum, { healthy }) => sum + healthy.calls, 0);
  const seconds = (tookMs / 1000).toFixed(1);
  return `${results.length} behaviours, ${missed} missed, ${again} measured again, ${calls} calls to healthy upstreams meanwhile, ${seconds} s`;
}

/** One row of the table, as many lines high as its highest cell. */
function lineUp(cells: readonly (readonly string[])[]): string {
  const widths = Object.values(COLUMNS);
  const height = Math.max(...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((cell, column) => (cell[line] ?? '').padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  ).join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
