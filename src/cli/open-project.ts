import { resolve } from 'node:path';
import { loadProject, type Project } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { Run } from './parse-command-line.js';

/**
 * The project that a command is about: FOLDER, or the current folder. Runs its modules: see host-author.ts.
 *
 * @throws as `loadProject`
 */
export function openProject({ operands }: Run, cli: Cli): Promise<Project> {
  return loadProject(resolve(cli.cwd, operands[0] ?? '.'));
}
