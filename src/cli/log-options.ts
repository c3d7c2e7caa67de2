import type { LogLevel } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { Run } from './parse-command-line.js';
import { usageError } from './usage-error.js';

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
}

const LEVELS = ['error', 'warn', 'info'] as const;
const FORMATS = ['text', 'json'] as const;

/** What is logged and how: flags, then DOORWARD_LOG_LEVEL and DOORWARD_LOG_FORMAT, then what suits stderr. */
export function readLogOptions({ options }: Run, { environment, err }: Cli): LogOptions {
  const level = pick(LEVELS, '--log-level', options.get('log-level') ?? environment.DOORWARD_LOG_LEVEL);
  const format = pick(FORMATS, '--log-format', options.get('log-format') ?? environment.DOORWARD_LOG_FORMAT);
  return {
    level: level ?? (options.has('verbose') ? 'info' : 'warn'),
    format: format ?? (err.isTerminal ? 'text' : 'json'),
  };
}

function pick<Choice extends string>(
  choices: readonly Choice[],
  flag: string,
  text: string | true | undefined,
): Choice | undefined {
  if (text === undefined || text === '') return undefined;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw usageError(`${flag} is one of ${choices.join(', ')}`);
  return choice;
}
