import { type DoorError, ERROR_TABLE, type IssueSummary, toDoorError } from '../base/index.js';
import { type Problem, problemSubject } from '../config/index.js';
import type { Cli } from './cli.js';
import { oneLine, type Screen } from './screen.js';

const MAX_ISSUES_SHOWN = 20;

export interface ReportOptions {
  readonly isJson: boolean;
  readonly isVerbose?: boolean;
}

/**
 * Tells what went wrong. With `--json` it is the one object on stdout, so that a program reads results and errors from
 * the same place and tells them apart by the exit code; otherwise it is text on stderr.
 *
 * @returns the exit code
 */
export function reportError(thrown: unknown, cli: Cli, { isJson, isVerbose = false }: ReportOptions): number {
  const error = toDoorError(thrown);
  if (isJson) cli.out.write(`${JSON.stringify({ error: errorAsJson(error) })}\n`);
  else writeError(error, cli.err);
  // Only a fault of ours has no better explanation than the place it happened at.
  if (isVerbose && error.code === 'INTERNAL') cli.err.write(`${(thrown as Error).stack ?? ''}\n`);
  return ERROR_TABLE[error.code].exit;
}

/** An error as `--json` shows it. */
export function errorAsJson({ code, message, hint, data }: DoorError): Readonly<Record<string, unknown>> {
  return { code, message, ...(hint !== undefined && { hint }), data };
}

export function writeError(error: DoorError, err: Screen): void {
  const problems = error.data.problems as readonly Problem[] | undefined;
  if (problems !== undefined && problems.length > 1) {
    for (const problem of problems) writeProblem(problem, err);
    return;
  }
  const { colors } = err;
  err.write(`${colors.red(colors.bold('error:'))} ${oneLine(error.message)}\n`);
  for (const line of issueLines(error)) err.write(`       ${line}\n`);
  writeHint(error.hint, err);
}

/** A configuration was found and passed over: no failure, but whoever wrote it must know that it is another that counts. */
export function writePassedOver({ message, hint }: DoorError, usedPath: string, err: Screen): void {
  err.write(`${err.colors.yellow('warning:')} ${oneLine(`${message} (using ${usedPath} instead)`)}\n`);
  writeHint(hint, err);
}

/** One finding about the configuration, and what to do about it. */
export function writeProblem(problem: Problem, err: Screen): void {
  const { colors } = err;
  const { severity, message, hint } = problem;
  const label = severity === 'error' ? colors.red(colors.bold('error:')) : colors.yellow('warning:');
  err.write(`${label} ${problemSubject(problem)}${oneLine(message)}\n`);
  writeHint(hint, err);
}

function writeHint(hint: string | undefined, err: Screen): void {
  if (hint !== undefined) err.write(`${err.colors.dim('hint:')}  ${oneLine(hint)}\n`);
}

/** The first issue is in the message; where there are more, all are shown. */
function issueLines({ data }: DoorError): readonly string[] {
  const issues = data.issues as readonly IssueSummary[] | undefined;
  if (!Array.isArray(issues) || issues.length < 2) return [];
  const lines = issues.slice(0, MAX_ISSUES_SHOWN).map(({ path, message }) => oneLine(`${path}: ${message}`));
  const more = issues.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
