import { DoorError, type Piece } from '../../base/index.js';
import type { Transport, TransportHandlers } from '../../client/index.js';
import { type SpawnOptions, spawnTransport } from './spawn-transport.js';

const SHELL_TIMEOUT_MS = 10_000;
const MARK = '__doorward_path__';

/**
 * A child whose PATH is the one the login shell sets up. Desktop applications start their servers without a login
 * shell, so that node from nvm, mise or Homebrew is not found; asking the shell takes up to a second, once a process.
 */
export function loginShellTransport(options: SpawnOptions): Transport {
  return new LoginShellTransport(options);
}

class LoginShellTransport implements Transport {
  readonly #options: SpawnOptions;
  #inner: Transport | undefined;
  #isClosed = false;

  constructor(options: SpawnOptions) {
    this.#options = options;
  }

  async open(handlers: TransportHandlers): Promise<void> {
    const path = await readLoginPath();
    if (this.#isClosed) throw new DoorError('UPSTREAM_UNREACHABLE', 'closed while asking the login shell for PATH');
    const env = { ...(path !== undefined && { PATH: path }), ...this.#options.env };
    this.#inner = spawnTransport({ ...this.#options, env });
    await this.#inner.open(handlers);
  }

  send(pieces: readonly Piece[]): void {
    this.#inner?.send(pieces);
  }

  get backlogBytes(): number {
    return this.#inner?.backlogBytes ?? 0;
  }

  pause(): void {
    this.#inner?.pause();
  }

  resume(): void {
    this.#inner?.resume();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#inner?.close();
  }

  tail(): string {
    return this.#inner?.tail() ?? '';
  }
}

let loginPath: Promise<string | undefined> | undefined;

/** The PATH of an interactive login shell; undefined where there is no shell, or it does not say. */
function readLoginPath(): Promise<string | undefined> {
  loginPath ??= askShell(process.env.SHELL);
  return loginPath;
}

async function askShell(shell: string | undefined): Promise<string | undefined> {
  if (!shell || process.platform === 'win32') return undefined;
  const { spawn } = await import('node:child_process');
  // What a profile prints of its own stays outside the marks. printenv prints PATH the same way from every shell.
  const script = `printf '%s' '${MARK}'; /usr/bin/env printenv PATH; printf '%s' '${MARK}'`;
  return new Promise((resolve) => {
    // A session of its own: an interactive shell would otherwise stop over a terminal it cannot have.
    const child = spawn(shell, ['-ilc', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), SHELL_TIMEOUT_MS);
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const done = (): void => {
      clearTimeout(timer);
      resolve(printed.split(MARK)[1]?.trim() || undefined);
    };
    child.once('error', done);
    child.once('close', done);
  });
}
