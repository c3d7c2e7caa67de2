/** Ends a child and everything it started, politely first. On POSIX the child leads a process group of its own. */
const STDIN_GRACE_MS = 1_000;
const TERM_GRACE_MS = 1_000;
const POLL_MS = 20;

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
  if (await within(leader.exited, STDIN_GRACE_MS)) {
    if (!isGroupAlive(leader.pid)) return;
  }
  signalGroup(leader.pid, 'SIGTERM');
  await groupEnds(leader.pid, TERM_GRACE_MS);
  signalGroup(leader.pid, 'SIGKILL');
  await within(leader.exited, TERM_GRACE_MS);
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

async function groupEnds(pid: number, timeoutMs: number): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  while (isGroupAlive(pid) && performance.now() < untilMs) await sleep(POLL_MS);
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
