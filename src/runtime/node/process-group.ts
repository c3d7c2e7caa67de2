/** Ends a child and everything it started, politely first. On POSIX the child leads a process group of its own. */
import { Guard } from './guard.js';

const STDIN_GRACE_MS = 1_000;
const TERM_GRACE_MS = 1_000;
/** What a child is given once there is no more time: our own caller will kill us within two seconds. */
const HURRIED_GRACE_MS = 200;
const POLL_MS = 20;

/** Groups that were started and may still be alive. A number that is not in here is never signalled. */
const live = new Set<number>();
/** Ends them where this process is not even given the time to. */
const guard = new Guard();
let isWatching = false;
let isHurried = false;
let hurry = (): void => {};
const hurried = new Promise<void>((resolve) => {
  hurry = resolve;
});

/** A group is about to be started: should we be killed right behind that, its end must not wait for the guard's start. */
export function expectGroup(): void {
  guard.prepare();
}

/** Remembers a group until `endGroup` has ended it; what is left when this process exits is killed. */
export function keepGroup(pid: number): void {
  if (!isWatching) process.once('exit', killGroups);
  isWatching = true;
  live.add(pid);
  guard.add(pid);
}

/** To be called when the leader has exited: once nothing is left of its group, its number may become a stranger's. */
export function leaderExited(pid: number): void {
  if (!isGroupAlive(pid)) forget(pid);
}

function forget(pid: number): void {
  live.delete(pid);
  guard.drop(pid);
}

/** There is no more time: every end under way, and every later one, goes to SIGTERM and SIGKILL at once. */
export function hurryGroups(): void {
  isHurried = true;
  hurry();
}

/** Ends a group that has nothing to lose. */
export function killGroup(pid: number): void {
  if (live.has(pid)) signalGroup(pid, 'SIGKILL');
  forget(pid);
}

/** Kills every group that is left. Synchronous, so that it also works as the last thing a process does. */
export function killGroups(): void {
  for (const pid of live) signalGroup(pid, 'SIGKILL');
  live.clear();
}

export interface GroupLeader {
  readonly pid: number;
  /** Resolves when the child itself has exited. */
  readonly exited: Promise<void>;
  endInput(): void;
}

/**
 * Closes the child's stdin and waits for it (MCP basic/transports: shutdown); then SIGTERM, then SIGKILL to the whole
 * group, so that grandchildren left behind by wrappers such as npx end as well.
 */
export async function endGroup(leader: GroupLeader): Promise<void> {
  leader.endInput();
  const hasExited = !isHurried && (await within(Promise.race([leader.exited, hurried]), STDIN_GRACE_MS));
  if (live.has(leader.pid) && (!hasExited || isGroupAlive(leader.pid))) {
    signalGroup(leader.pid, 'SIGTERM');
    await groupEnds(leader.pid);
    if (live.has(leader.pid)) signalGroup(leader.pid, 'SIGKILL');
    await within(leader.exited, TERM_GRACE_MS);
  }
  forget(leader.pid);
}

/** Whether any process of the group is left. Windows has no groups: there the child alone counts as gone. */
function isGroupAlive(pid: number): boolean {
  return signalGroup(pid, 0);
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function groupEnds(pid: number): Promise<void> {
  const beganAtMs = performance.now();
  const graceMs = (): number => (isHurried ? HURRIED_GRACE_MS : TERM_GRACE_MS);
  while (live.has(pid) && isGroupAlive(pid) && performance.now() - beganAtMs < graceMs()) await sleep(POLL_MS);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function within(task: Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([task.then(() => true as const), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
