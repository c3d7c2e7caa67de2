import { resolve } from 'node:path';
import { loadProject, type Project } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { Run } from './parse-command-line.js';

/** How soon a command that has ended leaves, whatever its author's modules still have open. */
const LEAVE_MS = 50;

/**
 * The project that a command is about: FOLDER, or the current folder.
 *
 * @throws as `loadProject`
 */
export function openProject({ operands }: Run, cli: Cli): Promise<Project> {
  // Tests run commands in a process of their own.
  if (cli.out.stream === process.stdout) hostAuthor();
  return loadProject(resolve(cli.cwd, operands[0] ?? '.'));
}

/** An author's modules run in this process: what they print is no result, and a timer or connection of theirs holds up no end. */
function hostAuthor(): void {
  console.log = console.error;
  console.info = console.error;
  const isHeld = (): boolean => process.stdout.writableLength > 0 || process.stderr.writableLength > 0;
  // The exit code is set when the command has ended.
  setInterval(() => process.exitCode !== undefined && !isHeld() && process.exit(), LEAVE_MS).unref();
}
