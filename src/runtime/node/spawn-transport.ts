import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { DoorError, type Piece } from '../../base/index.js';
import type { LineHandlers, LineTransport } from '../../client/index.js';
import { childEnvironment } from './environment.js';
import { findCandidates, searchedPath } from './find-command.js';
import { lendNativeBytes } from './native-bytes.js';
import { nestingFor } from './nesting.js';
import { endGroup, expectGroup, keepGroup, leaderExited } from './process-group.js';
import { Sink } from './sink.js';
import { Tail } from './tail.js';

export interface SpawnOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the allowlisted part of our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Hears each chunk the child writes to stderr, for --verbose. */
  readonly onStderr?: (chunk: Buffer) => void;
}

/** An upstream that is a child process speaking over its stdin and stdout. Started without a shell, in its own group. */
export function spawnTransport(options: SpawnOptions): LineTransport {
  lendNativeBytes();
  return new SpawnTransport(options);
}

/**
 * What a process wrote before it exited is in its pipes when its exit is noticed, and one turn of the event loop reads
 * a pipe empty. The first turn may be half over already, the last is to spare.
 */
const LAST_WORDS_TURNS = 3;
/** A process that exits closes its stdout first: this long its exit is waited for, since that tells the story better. */
const EXIT_AFTER_EOF_MS = 40;

class SpawnTransport implements LineTransport {
  readonly kind = 'stdio';
  readonly hasStreams = false;
  readonly #options: SpawnOptions;
  readonly #tail = new Tail();
  #child: ChildProcess | undefined;
  #sink: Sink | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasExited = false;
  #isOver = false;

  constructor(options: SpawnOptions) {
    this.#options = options;
  }

  async open(handlers: LineHandlers): Promise<void> {
    const { command, args = [], cwd } = this.#options;
    const env = { ...childEnvironment(process.env, this.#options.env), ...nestingFor(process.env) };
    // Loaded at use: a caller is greeted before any child is started.
    const { default: spawn } = await import('cross-spawn');
    if (this.#closing !== undefined) {
      throw new DoorError('UPSTREAM_UNREACHABLE', `${command} was not started: closed before that`);
    }
    let child: ChildProcess;
    expectGroup();
    try {
      child = spawn(command, [...args], {
        cwd,
        env,
        detached: process.platform !== 'win32',
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      });
    } catch (thrown) {
      // For instance a NUL in an argument: refused before anything was started.
      throw this.#startError(thrown as NodeJS.ErrnoException, env);
    }
    this.#child = child;
    // At once: if we are killed in the meantime, the guard knows of it.
    if (child.pid !== undefined) keepGroup(child.pid);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => reject(this.#startError(error, env)));
    });
    this.#attach(child, handlers);
  }

  send(pieces: readonly Piece[]): void {
    if (!this.#isOver) this.#sink?.write(pieces);
  }

  get backlogBytes(): number {
    return this.#sink?.backlogBytes ?? 0;
  }

  pause(): void {
    // What is left of a process that is gone is no more than its pipe holds: better read now than when somebody else
    // has time, since the calls on it wait for their errors.
    if (!this.#hasExited) this.#child?.stdout?.pause();
  }

  resume(): void {
    this.#child?.stdout?.resume();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  tail(): string {
    return this.#tail.text();
  }

  #attach(child: ChildProcess, handlers: LineHandlers): void {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new DoorError('INTERNAL', 'a child without pipes');
    this.#sink = new Sink(stdin);
    const over = (reason: DoorError): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      handlers.closed(reason);
      // Only now: closing sooner would throw away what the pipes still hold.
      void this.close();
    };
    // A write to a child that is gone fails with EPIPE; its exit tells the story better.
    stdin.on('error', () => {});
    stdout.on('error', () => {});
    stderr.on('error', () => {});
    stdout.on('data', handlers.data);
    stderr.on('data', (chunk: Buffer) => {
      this.#tail.push(chunk);
      this.#options.onStderr?.(chunk);
      handlers.activity();
    });
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      this.#hasExited = true;
      if (child.pid !== undefined) leaderExited(child.pid);
      stdout.resume();
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      const reason = new DoorError('UPSTREAM_LOST', `the process ${how}`, { data: { exitCode: code, signal } });
      // Not at the end of its pipes: a grandchild may hold them open for ever.
      afterTurns(LAST_WORDS_TURNS, () => over(reason));
    };
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve();
        onExit(code, signal);
      });
    });
    stdout.once('end', () => {
      // Nothing can come any more, though the process may live: it is lost all the same.
      const reason = new DoorError('UPSTREAM_LOST', 'the process closed its stdout');
      setTimeout(() => afterTurns(1, () => !this.#hasExited && over(reason)), EXIT_AFTER_EOF_MS).unref();
    });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    this.#sink?.flush();
    await endGroup({ pid: child.pid, exited: this.#exited, endInput: () => child.stdin?.end() });
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.stdin?.destroy();
    // One that even SIGKILL did not end in time must not keep us from ending.
    child.unref();
  }

  #startError(error: NodeJS.ErrnoException, env: Readonly<Record<string, string>>): DoorError {
    const { command, cwd } = this.#options;
    if ((error.code === 'ENOENT' || error.code === 'ENOTDIR') && cwd !== undefined && !isFolder(cwd)) {
      return new DoorError('UPSTREAM_UNREACHABLE', `there is no folder ${cwd} (cwd)`, {
        data: { reason: 'cwd_not_found', cwd },
        hint: 'Correct cwd in the entry of this server.',
      });
    }
    if (error.code !== 'ENOENT') {
      return new DoorError('UPSTREAM_UNREACHABLE', `cannot start ${command}: ${error.message}`, {
        hint: 'Run the command of this server by hand to see what it says; it must be a program you may run.',
        cause: error,
      });
    }
    const path = searchedPath(env);
    const candidates = findCandidates(command, env);
    return new DoorError(
      'UPSTREAM_UNREACHABLE',
      `command not found: ${command} (searched ${path.join(', ') || 'an empty PATH'})`,
      {
        data: { reason: 'command_not_found', command, path, candidates },
        hint:
          candidates.length > 0
            ? `Write the whole path in the entry of this server: ${candidates[0]}`
            : 'Install it, or write its whole path in the entry of this server.',
      },
    );
  }
}

function afterTurns(turns: number, task: () => void): void {
  setImmediate(() => {
    if (turns > 1) afterTurns(turns - 1, task);
    else task();
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
