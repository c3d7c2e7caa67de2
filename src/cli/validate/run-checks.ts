import { toDoorError } from '../../base/index.js';
import type { Project } from '../../runtime/node/index.js';
import { GENERATED_CHECKS } from './generated-checks.js';
import { readGitTree } from './git-tree.js';
import { type LiveServer, openLiveServers } from './live-server.js';
import { RELEASE_CHECKS } from './release-checks.js';
import { CALL_CHECKS } from './smoke-calls.js';
import { SURFACE_CHECKS } from './surface-checks.js';
import { BUILD_CHECK } from './twice-built.js';
import { type Check, type Fault, Skipped, type Subject } from './types.js';
import { VERSION_CHECKS } from './version-checks.js';
import { WORKFLOW_CHECKS } from './workflow-checks.js';

/** In the order they are made; what costs most comes last. */
export const CHECKS: readonly Check[] = [
  ...VERSION_CHECKS,
  ...GENERATED_CHECKS,
  ...WORKFLOW_CHECKS,
  ...RELEASE_CHECKS,
  ...CALL_CHECKS,
  ...SURFACE_CHECKS,
  BUILD_CHECK,
];

/** What came of one check. */
export interface Outcome {
  readonly check: Check;
  readonly faults: readonly Fault[];
  /** Why it was not made. */
  readonly skipped?: string;
  readonly durationMs: number;
}

export interface ChecksOptions extends Pick<Subject, 'environment' | 'signal' | 'callsWrites'> {
  /** Checks that are left out, by name. */
  readonly without: ReadonlySet<string>;
  /** Hears of each check before it is made. */
  readonly begun: (check: Check) => void;
  /** And what came of it. */
  readonly ended: (outcome: Outcome) => void;
}

/** Makes every check of a project, one after the other. One that fails by itself is a fault, and keeps no other from being made. */
export async function runChecks(project: Project, options: ChecksOptions): Promise<readonly Outcome[]> {
  const { environment, signal, callsWrites, without, begun, ended } = options;
  const git = await readGitTree(project.folder);
  let live: Promise<readonly LiveServer[]> | undefined;
  const subject: Subject = {
    project,
    git,
    environment,
    signal,
    callsWrites,
    live: () => {
      const { implementation } = project;
      live ??= implementation === undefined ? Promise.resolve([]) : openLiveServers(implementation, git?.committedAt);
      return live;
    },
  };
  const outcomes: Outcome[] = [];
  try {
    for (const check of CHECKS) {
      begun(check);
      const outcome = without.has(check.name) ? skipped(check, 'it was switched off') : await make(check, subject);
      // What was cut off has found nothing.
      if (signal.aborted) throw signal.reason;
      // What was ended half way says nothing of the project.
      if (signal.aborted) throw signal.reason;
      ended(outcome);
      outcomes.push(outcome);
    }
  } finally {
    const servers = await live?.catch(() => []);
    await Promise.all((servers ?? []).map(({ server }) => server.close()));
  }
  return outcomes;
}

async function make(check: Check, subject: Subject): Promise<Outcome> {
  const startedMs = performance.now();
  const { name } = check;
  try {
    const found = await check.run(subject);
    const durationMs = performance.now() - startedMs;
    if (found instanceof Skipped) return { ...skipped(check, found.why), durationMs };
    return { check, faults: found.map((finding) => ({ check: name, ...finding })), durationMs };
  } catch (thrown) {
    const { message, hint } = toDoorError(thrown);
    const fault = { check: name, message: `it could not be made: ${message}`, ...(hint !== undefined && { hint }) };
    return { check, faults: [fault], durationMs: performance.now() - startedMs };
  }
}

function skipped(check: Check, why: string): Outcome {
  return { check, faults: [], skipped: why, durationMs: 0 };
}
