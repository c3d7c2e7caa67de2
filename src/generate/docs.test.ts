import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MANIFEST_RULES } from './manifest-rules/rules.js';

const DOC = readFileSync(fileURLToPath(new URL('../../docs/publishing.md', import.meta.url)), 'utf8');

test('docs/publishing.md has every rule of a manifest, in its words', () => {
  const [, section = ''] = DOC.split('\n## Rules of a manifest\n');
  const rows = [...section.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, rule, about]) => [rule, about]);
  expect(rows).toEqual(Object.entries(MANIFEST_RULES));
});
