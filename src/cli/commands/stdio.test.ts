/** `doorward stdio` as a process: a client that never reads stderr, as many do not, and the last answers. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'vitest';
import { DoorClient } from '../../../test/fixtures/door-client.js';
import {
  CLI,
  openDoor,
  requireBuild,
  type Setup,
  TestFolder,
  textOf,
  until,
  upstreamWith,
} from '../../../test/fixtures/open-door.js';

const PICKY = '{"name":"a","inputSchema":{"type":"object","additionalProperties":false}}';
const ONE: Setup = { upstreams: { one: upstreamWith([PICKY]) } };
const SILENT: Setup = {
  upstreams: { one: { rules: [upstreamWith([PICKY]).rules[0], { on: 'tools/call', emit: [] }] } },
};
/** More than a pipe and what may wait for it can hold, at some 300 bytes a refusal. */
const MANY = 3_000;
const refusedCall = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"one__a","arguments":{"${'x'.repeat(60)}":1}}}`;

/** Starts a door whose stderr nobody reads until it is resumed. */
function openUnheard(test: TestContext, setup: Setup, words: readonly string[] = []): DoorClient {
  requireBuild();
  const folder = new TestFolder();
  const args = [CLI, 'stdio', '--config', folder.write(setup), ...words];
  const door = new DoorClient({
    command: process.execPath,
    args,
    env: folder.env,
    cwd: folder.path,
    mark: folder.mark,
  });
  door.pauseHearing();
  test.onTestFinished(async () => {
    door.resumeHearing();
    const { leftovers } = await door.stop();
    folder.remove();
    test.expect(leftovers, 'processes left behind').toEqual([]);
  });
  return door;
}

async function refuseMany(door: DoorClient): Promise<void> {
  for (let id = 1; id <= MANY; id++) door.send(refusedCall(id));
  await door.answer(MANY);
}

describe.concurrent('stderr that nobody reads', () => {
  test.for([
    { how: 'the end of stdin', end: (door: DoorClient) => door.endInput() },
    { how: 'SIGTERM', end: (door: DoorClient) => door.signal('SIGTERM') },
    {
      how: 'a signal after the end of stdin',
      end: (door: DoorClient) => {
        door.endInput();
        door.signal('SIGTERM');
      },
    },
  ])('does not hold up $how', async ({ end }, test) => {
    const door = openUnheard(test, ONE);
    await door.initialize();
    await refuseMany(door);
    end(door);
    // The pipe is closed once it has been read to its end, so what shows is that the process is gone.
    await until(() => !isThere(door.pid), 'the end of the process', 4_000);
    door.resumeHearing();
    test.expect(await door.ended()).toEqual({ code: 0, signal: null });
  });

  test('does not hold up an end with a failure, exit code included', async (test) => {
    const broken = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`${i}${'n'.repeat(900)}`, { command: 1 }]),
    );
    const door = openUnheard(test, { servers: broken, config: { limits: { maxMessageBytes: 65_536 } } });
    await door.initialize();
    door.sendBytes(new Uint8Array(400_000).fill(0x78));
    await until(() => !isThere(door.pid), 'the end of the process', 4_000);
    door.resumeHearing();
    test.expect(await door.ended()).toEqual({ code: 1, signal: null });
    test.expect(door.stderr.split('error:').length, 'the pipe was full').toBeLessThan(400);
  });

  test('loses lines of the log beyond a bound, and says how many when it is read again', async (test) => {
    const door = openUnheard(test, ONE);
    await door.initialize();
    await refuseMany(door);
    door.resumeHearing();
    await until(() => door.stderr.includes('log.dropped'), 'the line about what is missing');
    door.send(refusedCall(MANY + 1));
    await door.answer(MANY + 1);
    door.endInput();
    await door.ended();
    const lines = door.stderr.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { event: string; lines?: number });
    const dropped = events.filter(({ event }) => event === 'log.dropped');
    const rejected = events.filter(({ event }) => event === 'call.rejected');
    test.expect(dropped).toHaveLength(1);
    test.expect(rejected.length + dropped[0]!.lines!).toBe(MANY + 1);
    test.expect(events.at(-1)?.event, 'it goes on').toBe('call.rejected');
  });

  test('bounds what servers write with --verbose, too', async (test) => {
    const chatty = `setInterval(() => process.stderr.write(('y'.repeat(1023) + '\\n').repeat(100)), 20);
      process.stdin.resume().on('end', () => process.exit());`;
    const servers = { chatty: { command: process.execPath, args: ['-e', chatty] } };
    const door = openUnheard(test, { ...ONE, servers }, ['--verbose', '--log-format', 'text']);
    await door.initialize();
    test.expect(textOf(await door.call('one__a'))).toBe('ok');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    door.resumeHearing();
    const note = /^doorward: (\d+) lines were dropped here: stderr was not read$/m;
    await until(() => note.test(door.stderr), 'the line about what is missing');
    const kept = door.stderr.slice(0, note.exec(door.stderr)?.index);
    // Our bound, and what pipe and reader hold.
    test.expect(kept.length).toBeLessThan(256 * 1024 + 400_000);
    test.expect(kept).toMatch(/^chatty \| y{1023}$/m);
  });
});

test('a file as stderr gets every line, however fast they come', async (test) => {
  requireBuild();
  const folder = new TestFolder();
  const config = folder.write(ONE);
  const path = join(folder.path, 'stderr');
  const file = openSync(path, 'w');
  const child = spawn(process.execPath, [CLI, 'stdio', '--config', config], {
    env: { ...process.env, ...folder.env },
    stdio: ['pipe', 'ignore', file],
  });
  closeSync(file);
  test.onTestFinished(() => folder.remove());
  for (let id = 1; id <= MANY; id++) child.stdin!.write(`${refusedCall(id)}\n`);
  child.stdin!.end();
  test.expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  const events = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);
  test.expect(events).toEqual(Array.from({ length: MANY }, () => 'call.rejected'));
});

describe.concurrent('a call under way is answered', () => {
  test.for([
    { when: 'a second signal comes', first: (door: DoorClient) => door.signal('SIGTERM') },
    { when: 'a signal comes after the end of stdin', first: (door: DoorClient) => door.endInput() },
  ])('when $when', async ({ first }, test) => {
    const { door, folder } = await openDoor(test, SILENT);
    for (const id of [1, 2]) door.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"one__a"}}`);
    await until(() => folder.received('one', 'tools/call').length === 2, 'the calls upstream');
    first(door);
    await new Promise((resolve) => setTimeout(resolve, 200));
    door.signal('SIGINT');
    await door.ended(2_500);
    const data = { code: 'UPSTREAM_LOST', outcome: 'unknown' };
    for (const id of [1, 2]) test.expect(door.answersTo(id)).toMatchObject([{ message: { error: { data } } }]);
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
