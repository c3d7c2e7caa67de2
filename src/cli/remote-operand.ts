import { OWN_PROGRAM } from '../runtime/node/index.js';
import type { Run } from './parse-command-line.js';
import { usageError } from './usage-error.js';

const MAX_PROGRAM = 100;

/** Whether an operand is the address of a remote, and no id of a server in the configuration. */
export function isUrl(operand: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(operand);
}

/** Whose remote is meant. @throws {DoorError} `CONFIG_INVALID` for what is no name of a program */
export function readProgram({ options }: Run): string {
  const program = options.get('program');
  if (typeof program !== 'string') return OWN_PROGRAM;
  if (program !== '' && program.length <= MAX_PROGRAM) return program;
  throw usageError(`--program is a name of 1 to ${MAX_PROGRAM} characters`, 'Write it as the program calls itself.');
}

/** What is for remotes only means nothing for a server of the configuration. @throws {DoorError} `CONFIG_INVALID` */
export function refuseRemoteOptions({ options, command }: Run): void {
  for (const name of ['token-stdin', 'program', 'forget']) {
    if (!options.has(name)) continue;
    throw usageError(`--${name} is for a remote`, `Name the remote by its URL: doorward ${command.name} https://…`);
  }
}
