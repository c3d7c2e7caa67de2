import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Reads `+GROUP` and `-GROUP`, one a line. At the end of its input whoever started it is gone, kill -9 included: it
 * kills the groups that are still listed. A line that was cut off names no group and is not obeyed. The script is
 * fixed, numbers come in as data; it uses nothing but what is built into a POSIX shell, and needs no PATH.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM TSTP
groups=' '
while read -r line; do
  group=\${line#?}
  case $line in
    +*) groups="$groups$group " ;;
    -*) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/** A guard that ended sooner than this, by itself, likely cannot run here at all. */
const SHORT_LIFE_MS = 1_000;
const MAX_SHORT_LIVES = 3;

export interface GuardOptions {
  /** Any POSIX shell. */
  readonly shell?: string;
  /** Told at most once, when there can be no guard. */
  readonly warn?: (message: string) => void;
}

/**
 * A small shell process that outlives this one long enough to kill the process groups it was told of. It runs as long
 * as there are any, in a session of its own, holds none of our pipes and nothing that keeps this process from ending.
 * Not covered: a child that leaves its group (setsid), the millisecond between the start of a child and its line here,
 * and Windows.
 */
export class Guard {
  readonly #shell: string;
  readonly #warn: (message: string) => void;
  readonly #groups = new Set<number>();
  #process: ChildProcess | undefined;
  #startedAtMs = 0;
  #shortLives = 0;
  #isGivenUp = process.platform === 'win32';
  #hasWarned = false;

  constructor({ shell = '/bin/sh', warn = (message) => process.emitWarning(message) }: GuardOptions = {}) {
    this.#shell = shell;
    this.#warn = warn;
  }

  /** The guard's own process, while there is one. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** A child is about to be started: whoever kills us from here on finds the guard listening. */
  prepare(): void {
    if (this.#process === undefined) this.#start();
  }

  add(group: number): void {
    // 0 would be our own group to `kill`, and 1 everything on this machine.
    if (!Number.isSafeInteger(group) || group < 2) throw new RangeError(`${group} is no process group`);
    this.#groups.add(group);
    if (this.#process === undefined) this.#start();
    else this.#say(`+${group}\n`);
  }

  /** To be called as soon as a group has ended: its number may be given to somebody else. */
  drop(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#say(`-${group}\n`);
    if (this.#groups.size === 0) this.#stop();
  }

  #start(): void {
    if (this.#isGivenUp) return;
    this.#startedAtMs = performance.now();
    let guard: ChildProcess;
    try {
      guard = this.#spawn();
    } catch (thrown) {
      return this.#missed((thrown as Error).message);
    }
    this.#process = guard;
    guard.once('error', (error) => {
      if (this.#process === guard) this.#process = undefined;
      this.#missed(error.message);
    });
    guard.once('exit', () => this.#ended(guard));
    // Written to after it was killed; its exit tells. Absent where even the pipe could not be made.
    guard.stdin?.on('error', () => {});
    guard.unref();
    (guard.stdin as Socket | null | undefined)?.unref();
    for (const group of this.#groups) this.#say(`+${group}\n`);
  }

  /** No variable and no folder is handed on, so that the guard keeps nothing alive or mounted. */
  #spawn(): ChildProcess {
    // Not imported: it would be loaded before there is a child to guard.
    const { spawn } = process.getBuiltinModule('node:child_process');
    return spawn(this.#shell, ['-c', SCRIPT, 'doorward-guard'], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }

  #stop(): void {
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  /** Somebody killed it: a new one takes over the groups that still live. */
  #ended(guard: ChildProcess): void {
    if (this.#process !== guard) return;
    this.#process = undefined;
    const isShort = performance.now() - this.#startedAtMs < SHORT_LIFE_MS;
    this.#shortLives = isShort ? this.#shortLives + 1 : 0;
    this.#isGivenUp = this.#shortLives >= MAX_SHORT_LIVES;
    if (this.#isGivenUp) this.#missed(`it ended by itself ${MAX_SHORT_LIVES} times in a row`);
    else if (this.#groups.size > 0) this.#start();
  }

  /** What keeps it from starting may pass (too many processes): the next child tries again, but it is told once. */
  #missed(why: string): void {
    if (!this.#hasWarned) {
      this.#warn(`no guard process (${this.#shell}: ${why}): if doorward is killed, its servers may go on running`);
    }
    this.#hasWarned = true;
  }

  /** A line this short goes out whole and at once, before the call returns. */
  #say(line: string): void {
    this.#process?.stdin?.write(line);
  }
}
