/** How it ends: whatever ends the door, nothing it started is left, within the time that people wait. */
import { describe, expect, test } from 'vitest';
import type { DoorClient } from '../fixtures/door-client.js';
import { anyTool, openDoor, textOf, until, upstreamWith } from '../fixtures/open-door.js';
import { cpuMs, findMarked, findProcess } from '../fixtures/processes.js';

const TIDY = upstreamWith([anyTool('a')]);
/** Ignores the end of its input and every polite signal, and has a child in its group that does the same. */
const DEAF = { ...TIDY, grandchild: true, ignores: ['SIGTERM', 'SIGINT', 'eof'] };
const WITHIN_MS = 5000;

interface Ending {
  readonly how: string;
  readonly end: (door: DoorClient) => void;
  /** The exit code, where it is promised. */
  readonly code?: number;
}

const ENDINGS: readonly Ending[] = [
  { how: 'its input ended', end: (door) => door.endInput(), code: 0 },
  { how: 'SIGTERM', end: (door) => door.signal('SIGTERM') },
  { how: 'SIGINT', end: (door) => door.signal('SIGINT') },
  { how: 'all its pipes broke', end: (door) => door.dropPipes() },
];

/** The first signal waits for answers under way, the second does not. */
function twice(door: DoorClient): void {
  door.signal('SIGTERM');
  setTimeout(() => door.signal('SIGTERM'), 200);
}

describe.concurrent('nothing is left running after', () => {
  test.for(ENDINGS)('$how, though a server and its grandchild are deaf', async ({ end, code }, test) => {
    const { door, folder } = await openDoor(test, { upstreams: { tidy: TIDY, deaf: DEAF } });
    await door.request('tools/list');
    await until(() => findMarked(folder.mark).length >= 4, 'door, two servers and a grandchild');
    door.remember();
    end(door);
    const ended = await door.ended(WITHIN_MS);
    if (code !== undefined) expect(ended).toEqual({ code, signal: null });
    expect(await door.leftovers(500)).toEqual([]);
  });

  test.for(ENDINGS)('$how while upstreams are hung and dead', async ({ end }, test) => {
    const { door } = await openDoor(test, {
      upstreams: { hung: { silent: true, ignores: ['SIGTERM', 'eof'] }, tidy: TIDY },
      servers: { dead: { command: 'doorward-test-no-such-command' } },
    });
    await until(() => door.remember().length >= 2, 'two servers');
    end(door);
    await door.ended(WITHIN_MS);
    expect(await door.leftovers(500)).toEqual([]);
  });

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
});
