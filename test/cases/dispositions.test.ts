import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CASES } from './cases.js';
import { DISPOSITIONS } from './dispositions.js';

test('every case has a row, and every row a case', () => {
  expect(Object.keys(DISPOSITIONS).sort()).toEqual(CASES.map(({ id }) => id).sort());
});

test('every kind that issue 2 claims runs, or says why not yet', () => {
  const claimed = CASES.filter(
    ({ id, kind }) => /^[abc]|^f1[0-5]/.test(id) && /^(tools|wire|call|process|config)$/.test(kind),
  );
  const waiting = claimed.filter(({ id }) => !('runs' in (DISPOSITIONS[id] ?? {})));
  expect(waiting.map(({ id }) => id)).toEqual([]);
});

describe('a row that says "runs" names a file that names the case', () => {
  const rows = Object.entries(DISPOSITIONS).flatMap(([id, row]) => ('runs' in row ? [{ id, file: row.runs }] : []));
  test.each(rows)('$id in $file', ({ id, file }) => {
    const path = new URL(file, import.meta.url);
    expect(existsSync(path)).toBe(true);
    const source = readFileSync(path, 'utf8');
    // Files that run a whole kind take their cases from this table; the others name each.
    expect(source.includes(`'${id}'`) || source.includes(`casesRunIn('${file}')`)).toBe(true);
  });
});
