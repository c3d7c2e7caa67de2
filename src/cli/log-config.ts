import { problemText } from '../config/index.js';
import { jsonLogLine } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { LoadedConfig } from './load-config.js';
import type { LogOptions } from './log-options.js';
import { errorAsJson, writePassedOver, writeProblem } from './report-error.js';

/** Says what is wrong with the configuration, in the form of the log: whoever reads one reads the other. */
export function logConfig({ config, file, refused }: LoadedConfig, { err }: Cli, { format, level }: LogOptions): void {
  const used = file?.path ?? 'no configuration';
  const passedOver = level === 'error' ? [] : refused;
  const problems = config.problems.filter(({ severity }) => severity === 'error' || level !== 'error');
  if (format === 'text') {
    for (const error of passedOver) writePassedOver(error, used, err);
    for (const problem of problems) writeProblem(problem, err);
    return;
  }
  for (const error of passedOver) {
    err.write(`${jsonLogLine('warn', 'config.refused', { ...errorAsJson(error), used })}\n`);
  }
  for (const problem of problems) {
    const severity = problem.severity === 'error' ? 'error' : 'warn';
    err.write(`${jsonLogLine(severity, 'config.problem', { ...problem, text: problemText(problem) })}\n`);
  }
}
