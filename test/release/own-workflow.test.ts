/** doorward's own publish workflow, as it lies in the repository: what it may do, and its guard in clones. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, type TestContext, test } from 'vitest';
import { parseWorkflow, runScript, type Step } from './workflow-run.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEXT = readFileSync(join(ROOT, '.github/workflows/publish-mcp-registry.yml'), 'utf8');
const workflow = parseWorkflow(TEXT);
const jobs = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([, job]) => job.steps);
const jobsThat = (has: (name: string) => boolean): readonly string[] => Object.keys(workflow.jobs).filter(has);
const runsOf = (name: string): string => workflow.jobs[name]!.steps.map(({ run = '' }) => run).join('\n');

describe('what it may do', () => {
  test('it starts by hand and each week, by nothing else', () => {
    expect(Object.keys(workflow.on)).toEqual(['workflow_dispatch', 'schedule']);
  });

  test('no job may do more than read, save those that log in somewhere', () => {
    expect(workflow.permissions).toEqual({});
    for (const [name, { permissions }] of jobs) {
      const id = ['npm', 'registry', 'rehearsal'].includes(name) ? { 'id-token': 'write' } : {};
      expect(permissions, name).toEqual({ contents: 'read', ...id });
    }
  });

  test('what publishes waits for the environment, and only that', () => {
    expect(jobsThat((name) => workflow.jobs[name]!.environment === 'release')).toEqual(['npm', 'registry']);
    expect(jobsThat((name) => /release (?:npm|publish-registry)\b/.test(runsOf(name)))).toEqual(['npm', 'registry']);
  });

  test('a release is never cut off, and no job runs for ever', () => {
    expect(workflow.concurrency['cancel-in-progress']).toBe(false);
    for (const [name, job] of jobs) expect(job['timeout-minutes'], name).toBeLessThanOrEqual(40);
  });

  test('actions are pinned by commit, with their version', () => {
    const lines = TEXT.split('\n').filter((line) => line.includes('uses:'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('no checkout keeps credentials', () => {
    const checkouts = steps.filter(({ uses = '' }: Step) => uses.startsWith('actions/checkout@'));
    expect(checkouts).toHaveLength(jobs.length);
    for (const checkout of checkouts) expect(checkout.with).toEqual({ 'persist-credentials': false });
  });

  test('no expression is spliced into a script', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  test('jobs that log in to the Registry run no script of a dependency', () => {
    for (const name of ['registry', 'rehearsal', 'dry-run']) expect(runsOf(name)).toContain('npm ci --ignore-scripts');
  });

  test('the publisher is pinned by version and SHA-256', () => {
    const { MCP_PUBLISHER_VERSION = '', MCP_PUBLISHER_URL, MCP_PUBLISHER_SHA256 } = workflow.env;
    expect(MCP_PUBLISHER_URL).toContain(`/v${MCP_PUBLISHER_VERSION}/`);
    expect(MCP_PUBLISHER_SHA256).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('its guard, in a clone', () => {
  const guard = workflow.jobs.check!.steps.find(({ name }) => name === 'Guard')!.run!;

  function cloneOf({ onTestFinished }: TestContext): string {
    const folder = mkdtempSync(join(tmpdir(), 'doorward-clone-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    execFileSync('git', ['clone', '-q', '--shared', '--no-checkout', ROOT, folder]);
    execFileSync('git', ['-C', folder, 'reset', '-q']);
    return folder;
  }

  const runGuard = (folder: string, ref = 'refs/heads/main') =>
    runScript(guard, folder, { PATH: process.env.PATH, ...workflow.env, GITHUB_REF: ref });

  test('it is the first thing that runs, before anything is installed', () => {
    const [first] = workflow.jobs.check!.steps.filter(({ run }) => run !== undefined);
    expect(first!.run).toBe(guard);
  });

  test('it passes where all is there', async (test) => {
    expect(await runGuard(cloneOf(test))).toEqual({ code: 0, output: '' });
  });

  test.for(workflow.env.WATCHED_PATHS!.trim().split('\n'))('it fails without %s, and names it', async (path, test) => {
    const folder = cloneOf(test);
    execFileSync('git', ['-C', folder, 'rm', '-q', '-r', '--cached', path]);
    const { code, output } = await runGuard(folder);
    expect(code).toBe(1);
    expect(output).toContain(`::error::${path} is not in the repository`);
  });

  test('it fails on another branch', async (test) => {
    const { code, output } = await runGuard(cloneOf(test), 'refs/heads/main2');
    expect(code).toBe(1);
    expect(output).toContain('refs/heads/main2');
  });
});
