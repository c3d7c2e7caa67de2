import { syncBuiltinESMExports } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Cli } from './cli.js';
import { oneLine } from './screen.js';

/** What an author's modules did beside their work is a fault of the project, as `doorward validate` has them. */
const EXIT_FAULTS = 7;
/** How soon a command that has ended leaves, whatever its author's modules still have open. */
const LEAVE_MS = 50;
const BEAT_MS = 1_000;
/** A loop that lets nothing else run for so long will not end. */
const STILL_MS = 60_000;

/**
 * Runs a command that runs an author's modules in this process. What they print is no result and goes to stderr; they can
 * neither end the command nor say how it ended; what they throw on the side is told; a timer or connection of theirs
 * holds up no end; one that never settles, or loops, does not hold it up for ever.
 *
 * @returns the exit code: 7 where all went well but something was thrown on the side
 */
export async function hostAuthor(cli: Cli, task: (cli: Cli) => Promise<number>): Promise<number> {
  // Tests run commands in a process of their own.
  if (cli.out.stream !== process.stdout) return task(cli);
  const { write, ...stdout } = keepStdout();
  const guards: readonly Guard[] = [stdout, keepConsole(), keepExit(cli), watchForLoops()];
  const thrown: unknown[] = [];
  const hear = (error: unknown): void => void thrown.push(error);
  process.on('uncaughtException', hear);
  // The command may wait for what never comes; without this, nothing would be left to do, and that would look like success.
  const beat = setInterval(() => {}, BEAT_MS);
  try {
    const code = await task({ ...cli, out: { ...cli.out, write } });
    for (const error of thrown) cli.err.write(`${cli.err.colors.red('error:')} ${strayOf(error)}\n`);
    return code === 0 && thrown.length > 0 ? EXIT_FAULTS : code;
  } finally {
    clearInterval(beat);
    process.off('uncaughtException', hear);
    // Whatever it is, it comes too late to matter.
    process.on('uncaughtException', () => {});
    for (const { undo } of guards) undo();
    const isHeld = (): boolean => process.stdout.writableLength > 0 || process.stderr.writableLength > 0;
    // The exit code is set in the same turn in which the command ends.
    setInterval(() => !isHeld() && process.exit(), LEAVE_MS).unref();
  }
}

interface Guard {
  undo(): void;
}

interface StdoutGuard extends Guard {
  /** What the command itself writes to stdout with. */
  write(text: string | Uint8Array): void;
}

function keepStdout(): StdoutGuard {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const toStderr = stderr.write.bind(stderr);
  Object.assign(stdout, { write: toStderr, end: () => stdout, destroy: () => stdout });
  // They are the prototype's own again.
  const undo = (): void => {
    for (const name of ['write', 'end', 'destroy']) Reflect.deleteProperty(stdout, name);
  };
  return { write: (text) => void write(text), undo };
}

/** It writes by a way of its own where stdout is a file. */
function keepConsole(): Guard {
  const { log, info, debug } = console;
  for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error;
  return { undo: () => void Object.assign(console, { log, info, debug }) };
}

function keepExit({ signal, err }: Cli): Guard {
  const { exit } = process;
  // There are other ways to end a process than this one; none of them is a success.
  const ended = (): void => {
    if (signal.aborted) return;
    err.write(`${err.colors.red('error:')} something of the project's has ended this process\n`);
    process.exitCode = EXIT_FAULTS;
  };
  process.on('exit', ended);
  process.exit = (code) => {
    // The second Ctrl-C is ours.
    if (signal.aborted) exit.call(process, code);
    throw new Error('it called process.exit, which ends every server that it is part of');
  };
  // For those who import it by its name.
  syncBuiltinESMExports();
  const undo = (): void => {
    process.off('exit', ended);
    process.exit = exit;
    syncBuiltinESMExports();
    // They may have set one; what counts is what the command says.
    process.exitCode = undefined;
  };
  return { undo };
}

const WATCHER = `
const { workerData: { beats, beatMs, maxStill, message } } = require('node:worker_threads');
let seen = -1;
let still = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  still = now === seen ? still + 1 : 0;
  seen = now;
  if (still < maxStill) return;
  require('node:fs').writeSync(2, message);
  process.kill(process.pid, 'SIGKILL');
}, beatMs);`;

const LOOPS = `error: something of the project's has looped for ${STILL_MS / 1_000} s: this command cannot go on\n`;

/** A loop holds this thread, and with it every timer and every signal; another thread sees that it stands still. */
function watchForLoops(): Guard {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const beat = setInterval(() => void Atomics.add(beats, 0, 1), BEAT_MS);
  const workerData = { beats, beatMs: BEAT_MS, maxStill: STILL_MS / BEAT_MS, message: LOOPS };
  const watcher = new Worker(WATCHER, { eval: true, workerData });
  watcher.unref();
  const undo = (): void => {
    clearInterval(beat);
    void watcher.terminate();
  };
  return { undo };
}

function strayOf(error: unknown): string {
  return oneLine(`something of the project's was thrown outside of any call: ${textOf(error)}`);
}

/** Whatever an author throws has a text, even what has none. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'something without a text';
  }
}
