import type { Readable } from 'node:stream';
import type { Transport } from '../../client/index.js';
import { DeferredTransport } from './deferred-transport.js';
import { endGroup, keepGroup, killGroup } from './process-group.js';
import { type SpawnOptions, spawnTransport } from './spawn-transport.js';

const SHELL_TIMEOUT_MS = 10_000;
const MARK = '__doorward_path__';

/**
 * A child whose PATH is the one the login shell sets up. Desktop applications start their servers without a login
 * shell, so that node from nvm, mise or Homebrew is not found; asking the shell takes up to a second, once a process.
 */
export function loginShellTransport(options: SpawnOptions): Transport {
  let question: Question | undefined;
  return new DeferredTransport({
    kind: 'stdio',
    hasStreams: false,
    make: async () => {
      question = askForPath();
      const path = await question.path;
      question = undefined;
      return spawnTransport({ ...options, env: { ...(path !== undefined && { PATH: path }), ...options.env } });
    },
    giveUp: () => {
      question?.leave();
      question = undefined;
    },
  });
}

/** What the login shell is being asked, or has answered: one question a process, whoever wants to know. */
interface Question {
  /** The PATH of an interactive login shell; undefined where there is no shell, or it does not say. */
  readonly path: Promise<string | undefined>;
  /** One asker fewer. The shell is not waited for when nobody is left: a profile may hang. */
  leave(): void;
}

let question: (Question & { askers: number }) | undefined;

function askForPath(): Question {
  question ??= ask(process.env.SHELL);
  question.askers++;
  return question;
}

function ask(shell: string | undefined): Question & { askers: number } {
  let giveUp = (): void => {};
  const givenUp = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const asked = {
    askers: 0,
    path: askShell(shell, givenUp),
    leave(): void {
      if (--asked.askers > 0) return;
      giveUp();
      // Whoever wants to know later asks again.
      if (question === asked) question = undefined;
    },
  };
  return asked;
}

async function askShell(shell: string | undefined, givenUp: Promise<undefined>): Promise<string | undefined> {
  if (!shell || process.platform === 'win32') return undefined;
  const { spawn } = await import('node:child_process');
  // What a profile prints of its own stays outside the marks. printenv prints PATH the same way from every shell.
  const script = `printf '%s' '${MARK}'; /usr/bin/env printenv PATH; printf '%s' '${MARK}'`;
  // A session of its own: an interactive shell would otherwise stop over a terminal it cannot have.
  const child = spawn(shell, ['-ilc', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const { pid, stdout } = child;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const failed = new Promise<undefined>((resolve) => child.once('error', () => resolve(undefined)));
  if (pid === undefined) return failed;
  keepGroup(pid);
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SHELL_TIMEOUT_MS);
  });
  const path = await Promise.race([readMarked(stdout), failed, givenUp, timedOut]);
  clearTimeout(timer);
  stdout.destroy();
  // What a profile starts may outlive the shell; the shell itself may hang in what it does on leaving.
  if (path === undefined) killGroup(pid);
  else void endGroup({ pid, exited, endInput: () => {} });
  return path || undefined;
}

/** Reads up to the second mark. Not to the end: whatever a profile starts may hold the pipe open. */
function readMarked(stdout: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let printed = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const [, path, after] = printed.split(MARK);
      if (after !== undefined) resolve(path?.trim());
    });
    stdout.once('close', () => resolve(undefined));
  });
}
