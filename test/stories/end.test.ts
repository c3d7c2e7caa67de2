/** How it ends: whatever ends the door, nothing it started is left, within the time that people wait. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { DoorClient } from '../fixtures/door-client.js';
import { anyTool, HOSTILE, namesOf, openDoor, type Setup, textOf, until, upstreamWith } from '../fixtures/open-door.js';
import { cpuMs, findMarked, findProcess, type ProcessFacts } from '../fixtures/processes.js';

const TIDY = upstreamWith([anyTool('a')]);
/** Ignores the end of its input and every polite signal, and has a child in its group that does the same. */
const DEAF = { ...TIDY, grandchild: true, ignores: ['SIGTERM', 'SIGINT', 'eof'] };
const WITHIN_MS = 5000;

interface Ending {
  readonly how: string;
  readonly end: (door: DoorClient) => void;
  /** The exit code, where it is promised. */
  readonly code?: number;
  /** Until nothing is left. */
  readonly withinMs?: number;
}

/**
 * One child of each kind: two that serve, one behind a shell that starts something deaf as well, two that hang in their
 * start, one that waits for a profile which hangs, one that ends as soon as it is started, and one that cannot start.
 */
const ALL_KINDS: Setup = {
  upstreams: { tidy: TIDY, deaf: DEAF, silent: { silent: true, ignores: ['SIGTERM', 'eof'] } },
  servers: {
    wrapped: {
      command: 'sh',
      args: ['-c', `sh -c "trap '' TERM HUP; while :; do sleep 60; done" & "$0" "$1"; exit`, process.execPath, HOSTILE],
    },
    hung: { command: 'sh', args: ['-c', "trap '' TERM; while :; do sleep 60; done"] },
    profiled: { command: 'true', loginShellPath: true },
    flapping: { command: 'sh', args: ['-c', 'sleep 0.1; exit 1'] },
    dead: { command: 'doorward-test-no-such-command' },
  },
  env: { SHELL: fileURLToPath(new URL('../fixtures/hung-shell.sh', import.meta.url)) },
};

/** The first signal waits for answers under way, the second does not. */
function twice(door: DoorClient): void {
  door.signal('SIGTERM');
  setTimeout(() => door.signal('SIGTERM'), 200);
}

/** Closes its reading side; the door learns of it when it has something to say. */
function stopReading(door: DoorClient): void {
  door.remember();
  door.stopReading();
  door.send('{"jsonrpc":"2.0","id":"unread","method":"ping"}');
}

const ENDINGS: readonly Ending[] = [
  { how: 'its input ended', end: (door) => door.endInput(), code: 0 },
  { how: 'SIGTERM', end: (door) => door.signal('SIGTERM') },
  { how: 'SIGINT', end: (door) => door.signal('SIGINT') },
  { how: 'SIGHUP', end: (door) => door.signal('SIGHUP') },
  { how: 'all its pipes broke', end: (door) => door.dropPipes() },
  { how: 'two signals', end: twice },
  { how: 'its stdout was closed', end: stopReading },
  { how: 'kill -9', end: (door) => door.signal('SIGKILL'), withinMs: 2000 },
];

/** CPU time of a process until it is gone, in milliseconds, looked at every 20. */
async function cpuUntilEnd(pid: number): Promise<number> {
  const before = cpuMs(pid);
  let last = before;
  while (findProcess(pid) !== undefined) {
    try {
      last = cpuMs(pid);
    } catch {
      break; // gone in between
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return last - before;
}

describe.concurrent('whatever children it has, none is left and nothing spins after', () => {
  test.for(ENDINGS)('$how', async ({ end, code, withinMs = WITHIN_MS }: Ending, test) => {
    const { door, folder } = await openDoor(test, ALL_KINDS);
    const names = namesOf(await door.request('tools/list'));
    expect(new Set(names.map((name) => name.split('__')[0]))).toEqual(new Set(['tidy', 'deaf', 'wrapped']));
    await until(() => findMarked(folder.mark).length >= 12, 'the door and all that it started');
    door.remember();
    const cpu = cpuUntilEnd(door.pid);
    end(door);
    const before = performance.now();
    const left = await door.leftovers(withinMs);
    expect(left.map(({ command }) => command)).toEqual([]);
    expect(performance.now() - before).toBeLessThan(withinMs + 500);
    expect(await cpu).toBeLessThan(500);
    const ended = await door.ended();
    if (code !== undefined) expect(ended).toEqual({ code, signal: null });
  });

  test('its stderr was closed: it goes on, and ends with its input', async (test) => {
    const { door } = await openDoor(test, ALL_KINDS);
    await door.request('tools/list');
    door.stopHearing();
    // Something to complain about.
    door.send('{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"wrapped__exit_now"}}');
    await door.answer('call');
    expect(textOf(await door.call('tidy__a'))).toBe('ok');
    door.remember();
    const cpu = cpuUntilEnd(door.pid);
    door.endInput();
    expect((await door.leftovers(WITHIN_MS)).map(({ command }) => command)).toEqual([]);
    expect(await cpu).toBeLessThan(500);
  });
});

describe.concurrent('the guard', () => {
  const isGuard = ({ command }: ProcessFacts): boolean => command.endsWith('doorward-guard');

  test('is there while there are children, and is not missed by the door when it is killed', async (test) => {
    const { door } = await openDoor(test, { upstreams: { tidy: TIDY, deaf: DEAF } });
    await door.request('tools/list');
    const first = door.remember().filter(isGuard);
    expect(first).toHaveLength(1);
    process.kill(first[0]!.pid, 'SIGKILL');
    await until(() => door.remember().some((found) => isGuard(found) && found.pid !== first[0]?.pid), 'a new guard');
    expect(textOf(await door.call('tidy__a'))).toBe('ok');
    door.signal('SIGKILL');
    expect((await door.leftovers(2000)).map(({ command }) => command)).toEqual([]);
  });

  test('ends the children of a door that was killed in the middle of a call', async (test) => {
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { ...DEAF, rules: [TIDY.rules[0], { on: 'tools/call', emit: [] }] } },
    });
    door.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a"}}');
    await until(() => folder.received('u', 'tools/call').length === 1, 'the call upstream');
    door.signal('SIGKILL');
    expect((await door.leftovers(2000)).map(({ command }) => command)).toEqual([]);
  });

  test('does not take a door that is stopped for one that is gone', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { tidy: TIDY } });
    await door.request('tools/list');
    const running = findMarked(folder.mark).length;
    door.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(findMarked(folder.mark)).toHaveLength(running);
    door.signal('SIGCONT');
    expect(textOf(await door.call('tidy__a'))).toBe('ok');
  });
});

describe.concurrent('nothing is left running after', () => {
  test.for([
    { how: 'its input ended', end: (door: DoorClient) => door.endInput(), withinMs: 8000 },
    { how: 'two signals', end: twice, withinMs: WITHIN_MS },
    { how: 'all its pipes broke', end: (door: DoorClient) => door.dropPipes(), withinMs: 8000 },
  ])('$how in the middle of a call that nobody answers', async ({ end, withinMs }, test) => {
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { rules: [TIDY.rules[0], { on: 'tools/call', emit: [] }] } },
    });
    door.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a"}}');
    await until(() => folder.received('u', 'tools/call').length === 1, 'the call upstream');
    door.remember();
    end(door);
    await door.ended(withinMs);
    expect(await door.leftovers(500)).toEqual([]);
  });

  test('its input ended before it said anything', async (test) => {
    const { door } = await openDoor(test, { upstreams: { tidy: TIDY, deaf: DEAF }, initialize: false });
    door.endInput();
    expect(await door.ended(WITHIN_MS)).toEqual({ code: 0, signal: null });
  });

  test('a shell between the door and the server, as npx and uvx put one there', async (test) => {
    const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 60000)";
    const script = `"${process.execPath}" -e "${code}" & wait`;
    const { door, folder } = await openDoor(test, { servers: { w: { command: 'sh', args: ['-c', script] } } });
    await until(() => findMarked(folder.mark).length >= 3, 'door, shell and grandchild');
    door.endInput();
    await door.ended(WITHIN_MS);
    expect(await door.leftovers(500)).toEqual([]);
  });
});

describe.concurrent('the end comes in order', () => {
  test('a call under way is answered before the door closes, a ping as well', async (test) => {
    const slow = { rules: [TIDY.rules[0], { ...TIDY.rules[1], emit_after_ms: 500 }] };
    const { door } = await openDoor(test, { upstreams: { slow } });
    await door.request('tools/list');
    door.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow__a"}}');
    door.send('{"jsonrpc":"2.0","id":8,"method":"ping"}');
    door.endInput();
    expect((await door.answer(8)).message?.result).toEqual({});
    expect(textOf(await door.answer(7))).toBe('ok');
    expect((await door.ended(WITHIN_MS)).code).toBe(0);
  });

  test('a server that behaves gets its input closed and ends by itself, unkilled', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { tidy: TIDY } });
    await door.request('tools/list');
    const before = performance.now();
    door.endInput();
    await door.ended(WITHIN_MS);
    expect(performance.now() - before, 'no grace time is waited for in vain').toBeLessThan(1500);
    expect(folder.records('tidy').map(({ event }) => event)).toContain('eof');
  });

  test('a signal sent twice changes nothing', async (test) => {
    const { door } = await openDoor(test, { upstreams: { deaf: DEAF } });
    await door.request('tools/list');
    door.signal('SIGTERM');
    door.signal('SIGTERM');
    await door.ended(WITHIN_MS);
    expect(await door.leftovers(500)).toEqual([]);
  });
});

describe('nothing spins', () => {
  test('an idle door, and one whose upstream died, use next to no CPU', async (test) => {
    const { door } = await openDoor(test, {
      upstreams: { tidy: TIDY, gone: { ...TIDY, timeline: [{ at_ms: 50, then_exit: 1 }] } },
    });
    await door.request('tools/list');
    expect(textOf(await door.call('tidy__a'))).toBe('ok');
    await until(() => /gone/.test(door.stderr), 'a word about the loss');
    expect(findProcess(door.pid)).toBeDefined();
    const before = cpuMs(door.pid);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(cpuMs(door.pid) - before).toBeLessThan(150);
  });

  test('a door that cannot keep its catalogs is as idle, and ends', async (test) => {
    const { door } = await openDoor(test, { upstreams: { tidy: TIDY }, env: { XDG_CACHE_HOME: '/proc/nope' } });
    await door.request('tools/list');
    const before = cpuMs(door.pid);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(cpuMs(door.pid) - before).toBeLessThan(100);
    door.endInput();
    expect(await door.ended(WITHIN_MS)).toEqual({ code: 0, signal: null });
  });
});
