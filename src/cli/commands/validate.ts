import { DoorError } from '../../base/index.js';
import type { Project } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { openProject } from '../open-project.js';
import type { Run } from '../parse-command-line.js';
import { oneLine, type Screen } from '../screen.js';
import { type Outcome, runChecks } from '../validate/run-checks.js';
import type { Fault } from '../validate/types.js';

const EXIT_FAULTS = 7;

/** `doorward validate [FOLDER]`: whether everything that is derived from a contract still says what it says. */
export async function runValidate(run: Run, cli: Cli): Promise<number> {
  const { options } = run;
  const isJson = options.has('json');
  let project: Project;
  try {
    project = await openProject(run, cli);
  } catch (thrown) {
    // A contract that is wrong is a fault like others; package.json that is wrong is a wrong use.
    if (!(thrown instanceof DoorError) || thrown.code !== 'CONTRACT_INVALID') throw thrown;
    const { message, hint } = thrown;
    const fault = { check: 'contract', message, ...(hint !== undefined && { hint }) };
    return report([fault], [], { isJson, cli });
  }
  const outcomes = await runChecks(project, {
    environment: cli.environment,
    signal: cli.signal,
    callsWrites: options.has('call-writes'),
    without: new Set(options.has('no-build') ? ['build'] : []),
    begun: ({ name, about }) => cli.err.write(`${cli.err.colors.dim(`${name}: ${about}`)}\n`),
    ended: ({ check, skipped }) => {
      if (skipped !== undefined) cli.err.write(`${cli.err.colors.yellow('left out:')} ${check.name}: ${skipped}\n`);
    },
  });
  const faults = outcomes.flatMap((outcome) => outcome.faults);
  return report(faults, outcomes, { isJson, cli });
}

interface Reporting {
  readonly isJson: boolean;
  readonly cli: Cli;
}

function report(faults: readonly Fault[], outcomes: readonly Outcome[], { isJson, cli }: Reporting): number {
  const { out, err } = cli;
  if (isJson) {
    const checks = outcomes.map(({ check, skipped, durationMs, faults: own }) => ({
      check: check.name,
      faults: own.length,
      ...(skipped !== undefined && { skipped }),
      durationMs: Math.round(durationMs),
    }));
    out.write(`${JSON.stringify({ faults, checks })}\n`);
  } else {
    for (const fault of faults) writeFault(fault, out, err);
    const made = outcomes.filter(({ skipped }) => skipped === undefined).length;
    const found = faults.length === 0 ? 'no faults' : `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`;
    err.write(`${made} ${made === 1 ? 'check' : 'checks'} made, ${found}\n`);
  }
  return faults.length > 0 ? EXIT_FAULTS : 0;
}

function writeFault({ check, message, hint }: Fault, out: Screen, err: Screen): void {
  out.write(`${out.colors.red(`${check}:`)} ${oneLine(message)}\n`);
  if (hint !== undefined) err.write(`${err.colors.dim('hint:')}  ${oneLine(hint)}\n`);
}
