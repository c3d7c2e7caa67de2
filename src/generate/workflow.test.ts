import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { defineContract } from '../contract/index.js';
import { PUBLISHER } from './pins.js';
import { WORKFLOW_PATH, type WorkflowFacts, watchedPaths, workflowFiles } from './workflow.js';

// That its steps do what they should is shown by test/release, which runs them.

const server = { name: 'io.github.ada/weather', description: 'Weather for everywhere', version: '1.2.3' };
const onNpm = defineContract({
  server,
  packages: [{ registryType: 'npm', identifier: 'weather', transport: { type: 'stdio' } }],
});
const remoteOnly = defineContract({
  server,
  remotes: [{ type: 'streamable-http', url: 'https://weather.example/mcp' }],
});

interface Job {
  readonly needs?: unknown;
  readonly if?: string;
  readonly steps: readonly { readonly run?: string }[];
}

function workflowOf(contract: typeof onNpm | typeof remoteOnly, facts: WorkflowFacts = {}) {
  const [file] = workflowFiles(contract, facts);
  const text = new TextDecoder().decode(file!.bytes);
  const { jobs, on, env } = parse(text) as {
    readonly jobs: Readonly<Record<string, Job>>;
    readonly on: { readonly workflow_dispatch: { readonly inputs: object } };
    readonly env: Readonly<Record<string, string>>;
  };
  const runsOf = (job: string) => jobs[job]!.steps.flatMap(({ run }) => run ?? []);
  return { path: file!.path, text, jobs, inputs: Object.keys(on.workflow_dispatch.inputs), env, runsOf };
}

test('a package on npm is published, waited for, then put in the Registry', () => {
  const { path, jobs, inputs, runsOf } = workflowOf(onNpm);
  expect(path).toBe(WORKFLOW_PATH);
  expect(Object.keys(jobs)).toEqual(['check', 'npm', 'registry', 'dry-run', 'rehearsal']);
  expect(inputs).toEqual(['dry_run', 'registry_only']);
  expect(
    runsOf('registry')
      .slice(-4)
      .map((run) => run.split(' ')[4]),
  ).toEqual(['wait-npm', 'fetch-publisher', 'publish-registry', 'read-back']);
});

test('without a package on npm there is nothing of npm in it', () => {
  const { jobs, inputs, text } = workflowOf(remoteOnly);
  expect(Object.keys(jobs)).toEqual(['check', 'registry', 'dry-run', 'rehearsal']);
  expect(inputs).toEqual(['dry_run']);
  expect(text).not.toMatch(/wait-npm|trusted|needs\.npm/);
});

test('nothing waits for the rehearsal, and it waits for nothing', () => {
  const { jobs } = workflowOf(onNpm);
  expect(jobs.rehearsal!.needs).toBeUndefined();
  expect(JSON.stringify(Object.values(jobs).map(({ needs }) => needs))).not.toContain('rehearsal');
});

test.each([
  {
    why: 'the script that the settings name',
    facts: { scripts: { build: 'tsc' }, settings: { build: 'bundle' } },
    runs: ['npm ci', 'npm run bundle'],
  },
  {
    why: 'the script build, where there is one',
    facts: { scripts: { build: 'tsc' } },
    runs: ['npm ci', 'npm run build'],
  },
  { why: 'nothing, where there is nothing to build', facts: {}, runs: ['npm ci'] },
])('it builds by $why', ({ facts, runs }) => {
  expect(workflowOf(onNpm, facts).runsOf('check').slice(1, -1)).toEqual(runs);
});

test('doorward publishes itself with what it has just built', () => {
  const { runsOf } = workflowOf(onNpm, { name: 'doorward', scripts: { build: 'x' } });
  expect(runsOf('registry')).toEqual(expect.arrayContaining(['npm run build', 'node dist/cli.cjs release wait-npm']));
});

test('it watches what it works with, and what doorward validate compares', () => {
  const settings = {
    manifest: './mcp/server.json',
    docs: 'docs/tools.md',
    clientDocs: 'docs/clients/',
    openapi: 'openapi.json',
  };
  const paths = [
    'package.json',
    'package-lock.json',
    'mcp/server.json',
    WORKFLOW_PATH,
    'docs/tools.md',
    'docs/clients',
    'openapi.json',
  ];
  expect(watchedPaths({ settings })).toEqual(paths);
  expect(workflowOf(onNpm, { settings }).env.WATCHED_PATHS).toBe(`${paths.join('\n')}\n`);
});

test('the publisher is the pinned one', () => {
  const {
    MCP_PUBLISHER_VERSION: version,
    MCP_PUBLISHER_URL: url,
    MCP_PUBLISHER_SHA256: sha256,
  } = workflowOf(onNpm).env;
  expect({ version, url, sha256 }).toEqual(PUBLISHER);
});

test('the same contract makes the same bytes', () => {
  expect(workflowOf(onNpm).text).toBe(workflowOf(onNpm).text);
});
