import { spawn } from 'node:child_process';
import { ToolError } from 'doorward/contract';
import type { Git, GitOutput } from './git.js';

/** More is no answer for a model. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COMPLAINT_BYTES = 4_096;

/** What a repository's own configuration must not make git do: start programs, take locks, ask somebody. */
const QUIET = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const ENVIRONMENT = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  LC_ALL: 'C',
};

/**
 * git as a child process.
 *
 * @param folder anywhere in the working tree
 */
export function gitIn(folder: string): Git {
  let top: Promise<string> | undefined;
  const findTop = async (signal: AbortSignal): Promise<string> => {
    const { text } = await runGit(folder, ['rev-parse', '--show-toplevel'], signal);
    return text.trimEnd();
  };
  return {
    run: async (args, { signal }) => {
      top ??= findTop(signal).catch((thrown: unknown) => {
        // Somebody may run `git init` yet.
        top = undefined;
        throw thrown;
      });
      return runGit(await top, args, signal);
    },
  };
}

function runGit(cwd: string, args: readonly string[], signal: AbortSignal): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...QUIET, ...args], {
      cwd,
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...ENVIRONMENT },
    });
    const output = new Beginning(MAX_OUTPUT_BYTES);
    const complaint = new Beginning(MAX_COMPLAINT_BYTES);
    child.stdout.on('data', (chunk: Buffer) => {
      if (!output.push(chunk)) child.kill();
    });
    child.stderr.on('data', (chunk: Buffer) => complaint.push(chunk));
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') reject(new ToolError('git cannot be started here, or the folder is gone.'));
      else reject(error);
    });
    child.on('close', (code) => {
      if (code === 0 || output.isCut) resolve({ text: output.text, isCut: output.isCut });
      else reject(new ToolError(complaint.text.split('\n')[0] || `git ended with ${code}`));
    });
  });
}

/** The first bytes of a stream. */
class Beginning {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false where there is no room for more */
  push(chunk: Buffer): boolean {
    const room = this.#maxBytes - this.#length;
    this.#chunks.push(chunk.subarray(0, room));
    this.#length += Math.min(chunk.length, room);
    this.isCut ||= chunk.length > room;
    return !this.isCut;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
