/** How a child is ended: its input first, then SIGTERM, then SIGKILL, each given a second. */
import { type ChildProcess, spawn } from 'node:child_process';
import { describe, type TestContext, test, vi } from 'vitest';
import { endGroup, keepGroup, killGroup as killOurs, leaderExited } from './process-group.js';

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly tookMs: number;
}

/** Starts a script, waits until it says `up`, ends it. @returns how it ended, and when `endGroup` was done */
async function endOf(test: TestContext, script: string): Promise<Ended> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  test.onTestFinished(() => killGroup(child));
  keepGroup(child.pid!);
  let how: Omit<Ended, 'tookMs'> | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      how = { code, signal };
      resolve();
    });
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const before = performance.now();
  await endGroup({ pid: child.pid!, exited, endInput: () => child.stdin.end() });
  if (how === undefined) throw new Error('it still runs');
  return { ...how, tookMs: performance.now() - before };
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // As it should be: it is gone.
  }
}

describe.runIf(process.platform !== 'win32').concurrent('a child', () => {
  test('that ends with its input is not signalled', async (test) => {
    const ended = await endOf(test, 'trap "exit 9" TERM; echo up; cat >/dev/null; sleep 0.3; exit 5');
    test.expect(ended).toMatchObject({ code: 5, signal: null });
    test.expect(ended.tookMs).toBeLessThan(1_000);
  });

  test('that does not is asked to', async (test) => {
    const ended = await endOf(test, 'trap "exit 7" TERM; echo up; while :; do sleep 0.1; done');
    test.expect(ended).toMatchObject({ code: 7, signal: null });
    test.expect(ended.tookMs).toBeGreaterThanOrEqual(900);
  });

  test('that will not is killed', async (test) => {
    const ended = await endOf(test, 'trap "" TERM; echo up; while :; do sleep 0.1; done');
    test.expect(ended).toMatchObject({ code: null, signal: 'SIGKILL' });
    test.expect(ended.tookMs).toBeLessThan(3_500);
  });

  test('that is gone already is no error', async (test) => {
    const ended = await endOf(test, 'echo up');
    test.expect(ended.code).toBe(0);
  });
});

test.runIf(process.platform !== 'win32')('a group that never was is no error', async (test) => {
  await endGroup({ pid: 2 ** 30, exited: Promise.resolve(), endInput: () => {} });
  test.expect.assertions(0);
});

describe.runIf(process.platform !== 'win32')("a number that may be a stranger's by now", () => {
  test('is not signalled: a group that was never kept', async (test) => {
    const child = spawn('sh', ['-c', 'echo up; exec sleep 60'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    test.onTestFinished(() => killGroup(child));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await endGroup({ pid: child.pid!, exited: Promise.resolve(), endInput: () => {} });
    killOurs(child.pid!);
    await new Promise((resolve) => setTimeout(resolve, 100));
    test.expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  test('is not signalled: a group that ended with its leader', async (test) => {
    const child = spawn('sh', ['-c', 'exit 0'], { detached: true, stdio: 'ignore' });
    keepGroup(child.pid!);
    await new Promise((resolve) => child.once('exit', resolve));
    leaderExited(child.pid!);
    const signals = vi.spyOn(process, 'kill');
    test.onTestFinished(() => signals.mockRestore());
    await endGroup({ pid: child.pid!, exited: Promise.resolve(), endInput: () => {} });
    killOurs(child.pid!);
    test.expect(signals).not.toHaveBeenCalled();
  });

  test('is still ours: a group whose leader left somebody behind', async (test) => {
    const child = spawn('sh', ['-c', 'sleep 60 & exit 0'], { detached: true, stdio: 'ignore' });
    test.onTestFinished(() => killGroup(child));
    keepGroup(child.pid!);
    await new Promise((resolve) => child.once('exit', resolve));
    leaderExited(child.pid!);
    const signals = vi.spyOn(process, 'kill');
    test.onTestFinished(() => signals.mockRestore());
    killOurs(child.pid!);
    test.expect(signals).toHaveBeenCalledWith(-child.pid!, 'SIGKILL');
  });
});
