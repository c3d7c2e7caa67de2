import { spawn } from 'node:child_process';
import { ToolError } from 'doorward/contract';
import type { Git, GitOutput } from './git.js';

/** More is no answer for a model. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COMPLAINT_BYTES = 4_096;

/** What a repository's own configuration must not make git do: start programs, take locks, ask somebody, fetch. */
const QUIET = [
  '--no-pager',
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.hooksPath=/dev/null'],
  // To show a signature git starts what `gpg.program` names.
  ...['-c', 'log.showSignature=false'],
];
const ENVIRONMENT = {
  // Objects that are missing are not fetched: that starts what the repository names as its remote.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
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
    const { text } = await runGit(['rev-parse', '--show-toplevel'], { cwd: folder, signal });
    return text.replace(/\r?\n$/, '');
  };
  return {
    run: async (args, { signal }) => {
      top ??= findTop(signal).catch((thrown: unknown) => {
        // Somebody may run `git init` yet.
        top = undefined;
        throw thrown;
      });
      const cwd = await top;
      return runGit(args, { cwd, signal, env: await withoutFilters(cwd, signal) });
    },
  };
}

/**
 * The environment in which no filter of the repository's own configuration is there: to compare a file git starts the one
 * that `.gitattributes` names. Those of the user (Git LFS, mostly) stay.
 */
async function withoutFilters(cwd: string, signal: AbortSignal): Promise<Record<string, string>> {
  const { text, isCut } = await runGit(['config', '--list', '--show-scope', '--name-only', '-z'], { cwd, signal });
  if (isCut) throw new ToolError('The configuration of this repository is too large to be looked at.');
  const fields = text.split('\0');
  const filters = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const isOwn = fields[at] === 'local' || fields[at] === 'worktree';
    const name = isOwn ? /^filter\..*\.(?=[^.]*$)/s.exec(fields[at + 1]!)?.[0] : undefined;
    if (name !== undefined) filters.add(name);
  }
  const settings = [...filters].flatMap((name) => [
    [`${name}clean`, ''],
    [`${name}process`, ''],
    [`${name}required`, 'false'],
  ]);
  const first = Number(process.env.GIT_CONFIG_COUNT ?? 0);
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(first + settings.length) };
  for (const [at, [key = '', value = '']] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${first + at}`] = key;
    env[`GIT_CONFIG_VALUE_${first + at}`] = value;
  }
  return env;
}

interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

function runGit(args: readonly string[], { cwd, signal, env }: RunOptions): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...QUIET, ...args], {
      cwd,
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...ENVIRONMENT, ...env },
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
