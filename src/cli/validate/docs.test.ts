import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CHECKS } from './run-checks.js';

const DOC = readFileSync(fileURLToPath(new URL('../../../docs/validate.md', import.meta.url)), 'utf8');

test('docs/validate.md has a row for every check, in their order', () => {
  const [, section = ''] = DOC.split('\n## The checks\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(['contract', ...CHECKS.map(({ name }) => name)]);
});
