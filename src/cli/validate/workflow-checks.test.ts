import { describe, expect, test } from 'vitest';
import { matchesGlob } from './glob.js';
import { workflowOf } from './workflow-files.js';

describe('a filter pattern', () => {
  test.each([
    { pattern: 'src/**', path: 'src/a/b.ts', is: true },
    { pattern: 'src/**', path: 'srcs/a.ts', is: false },
    { pattern: '**', path: 'a/b', is: true },
    { pattern: '*.json', path: 'package.json', is: true },
    { pattern: '*.json', path: 'a/package.json', is: false },
    { pattern: '**/*.json', path: 'package.json', is: true },
    { pattern: 'a?.ts', path: 'ab.ts', is: true },
    { pattern: 'a.ts', path: 'abts', is: false },
    { pattern: '[slug].ts', path: '[slug].ts', is: false },
    { pattern: 'a[b', path: 'a[b', is: true },
  ])('$pattern means $path: $is', ({ pattern, path, is }) => expect(matchesGlob(path, pattern)).toBe(is));
});

test('a workflow is read for what it watches, uses and names', () => {
  const text = `
env: { WATCHED_PATHS: "docs/tools.md\\nserver.json\\n" }
on:
  push:
    branches: [main]
    paths: [package.json, 'src/**', '!src/**/*.md']
  workflow_dispatch:
jobs:
  call: { uses: owner/name/.github/workflows/a.yml@v1 }
  one:
    defaults: {}
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/actions/local
      - uses: actions/setup-node@v4
        with: { node-version-file: .nvmrc }
      - working-directory: packages/a
        run: |
          node tools/build.mjs --out dist
          curl -o answer.json https://host.example/a/b.json
          cat answer.json server.json "$HOME/x.json" \${{ runner.temp }}/y.json
          node -e 'fetch(u).then((response) => response.json())'
          bash ./.ci/run.sh > log.md
`;
  const workflow = workflowOf('.github/workflows/w.yml', text);
  expect(workflow.watched).toEqual(['docs/tools.md', 'server.json', 'package.json', 'src/**']);
  expect(workflow.used).toEqual([
    'owner/name/.github/workflows/a.yml@v1',
    'actions/checkout@v4',
    './.github/actions/local',
    'actions/setup-node@v4',
  ]);
  expect(workflow.named).toEqual([
    '.github/actions/local',
    '.nvmrc',
    'packages/a',
    'tools/build.mjs',
    'server.json',
    '.ci/run.sh',
  ]);
});

test.each(['[]', '', 'on: push', 'jobs: { a: 5 }', 'jobs: { a: { steps: 3 } }'])('odd YAML has nothing: %j', (text) => {
  expect(workflowOf('w.yml', text)).toMatchObject({ watched: [], used: [], named: [] });
});
