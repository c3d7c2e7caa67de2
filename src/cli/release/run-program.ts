import { spawn } from 'node:child_process';
import { DoorError } from '../../base/index.js';
import type { World } from './world.js';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** On top of the command's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number;
  /** The end of what it wrote, both streams as they came. */
  readonly output: string;
}

const MAX_OUTPUT = 64 * 1024;

/**
 * Runs a program to its end, and shows what it writes.
 *
 * @throws {DoorError} CONFIG_INVALID where it cannot be started
 */
export async function runProgram({ command, args, cwd, env = {} }: Program, world: World): Promise<Finished> {
  const { environment, signal } = world;
  const child = spawn(command, args, { cwd, env: { ...environment, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const listener = { handleEvent: () => void child.kill('SIGTERM') };
  signal.addEventListener('abort', listener);
  let output = '';
  const keep = (chunk: Buffer): void => {
    world.show(chunk);
    output = (output + chunk.toString()).slice(-MAX_OUTPUT);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  try {
    const code = await new Promise<number>((done, fail) => {
      child.once('error', fail);
      child.once('close', (exit) => done(exit ?? 1));
    });
    if (signal.aborted) throw signal.reason;
    return { code, output };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const { code } = thrown as NodeJS.ErrnoException;
    throw new DoorError(
      'CONFIG_INVALID',
      `cannot start ${command}: ${code === 'ENOENT' ? 'there is no such program' : code}`,
      {
        data: { command },
        hint:
          command === 'npm'
            ? 'Install Node with npm.'
            : 'Name the program with --publisher; release fetch-publisher fetches it.',
        cause: thrown,
      },
    );
  } finally {
    signal.removeEventListener('abort', listener);
  }
}
