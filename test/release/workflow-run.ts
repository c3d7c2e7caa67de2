/**
 * Runs a workflow's own `run:` scripts as a runner would: job after job, by bash, with the environment that the file gives
 * them. Steps that use an action are left out: what they bring (the checkout, Node) is there.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Job {
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: { readonly schedule: readonly unknown[]; readonly workflow_dispatch: unknown };
  readonly permissions: object;
  readonly concurrency: Readonly<Record<string, unknown>>;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

export interface Trigger {
  readonly event: 'workflow_dispatch' | 'schedule';
  readonly inputs?: Readonly<Record<string, boolean>>;
  readonly ref?: string;
}

export interface Place {
  /** What was checked out. */
  readonly folder: string;
  /** On top of what the file says; here the stubs are named. */
  readonly environment: Readonly<Record<string, string>>;
}

export type JobResult = 'success' | 'failure' | 'skipped';

export interface Ran {
  readonly results: Readonly<Record<string, JobResult>>;
  /** What all steps wrote. */
  readonly output: string;
}

export function parseWorkflow(text: string): Workflow {
  return parse(text) as Workflow;
}

export async function runWorkflow(workflow: Workflow, trigger: Trigger, place: Place): Promise<Ran> {
  const results: Record<string, JobResult> = {};
  let output = '';
  for (const [name, job] of Object.entries(workflow.jobs)) {
    if (!isWanted(job, trigger, results)) {
      results[name] = 'skipped';
      continue;
    }
    const ran = await runJob(workflow, job, { trigger, place });
    results[name] = ran.isGood ? 'success' : 'failure';
    output += `--- ${name}\n${ran.output}`;
  }
  return { results, output };
}

/** Expressions of GitHub's are JavaScript's here, contexts and all; a status function takes the place of `success()`. */
function isWanted(
  { needs = [], if: condition }: Job,
  { event, inputs = {} }: Trigger,
  results: Readonly<Record<string, JobResult>>,
): boolean {
  const names = typeof needs === 'string' ? [needs] : needs;
  const isDone = names.every((name) => results[name] === 'success');
  if (condition === undefined) return isDone;
  const text = condition.replace(/^\$\{\{|\}\}$/g, '');
  if (!/\b(?:cancelled|always|failure)\(\)/.test(text) && !isDone) return false;
  const contexts = {
    github: { event_name: event },
    inputs,
    needs: Object.fromEntries(names.map((name) => [name, { result: results[name] }])),
    cancelled: () => false,
  };
  return Boolean(new Function(...Object.keys(contexts), `return (${text});`)(...Object.values(contexts)));
}

interface Circumstances {
  readonly trigger: Trigger;
  readonly place: Place;
}

async function runJob(
  { env, defaults }: Workflow,
  { permissions = {}, steps }: Job,
  { trigger, place }: Circumstances,
) {
  if (defaults.run.shell !== 'bash') throw new Error('steps are run by bash here');
  const temp = mkdtempSync(join(tmpdir(), 'doorward-runner-'));
  const mayAsk = permissions['id-token'] === 'write';
  const environment = {
    PATH: process.env.PATH,
    HOME: temp,
    ...env,
    GITHUB_REF: trigger.ref ?? 'refs/heads/main',
    RUNNER_TEMP: temp,
    ...(mayAsk && { ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'given' }),
    ...place.environment,
  };
  let output = '';
  try {
    for (const { run } of steps) {
      if (run === undefined) continue;
      const done = await runScript(run, place.folder, environment);
      output += done.output;
      if (done.code !== 0) return { isGood: false, output };
    }
    return { isGood: true, output };
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

const SCRIPT_MS = 120_000;

/** As a runner starts `shell: bash`. */
export async function runScript(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env,
    timeout: SCRIPT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end();
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, output };
}
