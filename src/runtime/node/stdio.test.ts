/** Serving on stdin and stdout, in a process of its own: how it begins, and all the ways in which it ends. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import { DoorClient } from '../../../test/fixtures/door-client.js';
import type { ServeOptions } from '../../../test/fixtures/serve-memory.js';

const SCRIPT = fileURLToPath(new URL('../../../test/fixtures/serve-memory.ts', import.meta.url));
/** Below node_modules, so that packages are found from there. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/doorward-stdio-test/', import.meta.url));
const BUNDLE = `${FOLDER}serve-${process.pid}.mjs`;

beforeAll(async () => {
  const build = await rolldown({
    input: SCRIPT,
    platform: 'node',
    external: (id) => /^(node:|@?[a-z])/.test(id),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(BUNDLE, output[0].code);
});
afterAll(() => rmSync(BUNDLE, { force: true }));

function served(test: TestContext, options: ServeOptions = {}): DoorClient {
  const mark = `DOORWARD_TEST_MARK=stdio-${Math.random().toString(36).slice(2)}`;
  const [name = '', value = ''] = mark.split('=');
  const args = [BUNDLE, JSON.stringify(options)];
  const door = new DoorClient({ command: process.execPath, args, env: { [name]: value }, mark });
  test.onTestFinished(async () => void (await door.stop(500)));
  return door;
}

const call = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a__some"}}`;
/** What a call is answered with that was still open when the time was up. */
const given = (message: string): object => ({
  error: { message, data: { code: 'UPSTREAM_LOST', outcome: 'unknown' } },
});
const AT_ONCE = given('doorward was told to end at once, before the answer came');
const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

describe.concurrent('it ends', () => {
  test('with its input, once what is under way has been answered', async (test) => {
    const door = served(test, { answerAfterMs: 400 });
    await door.initialize();
    door.send(call(1));
    door.sendBytes(new TextEncoder().encode(ping(2)));
    door.endInput();
    test.expect(await door.ended()).toEqual({ code: 0, signal: null });
    test.expect(door.answersTo(1)).toHaveLength(1);
    // The last line had no end.
    test.expect(door.answersTo(2)).toHaveLength(1);
    test.expect(door.stderr).toBe('ended: eof, 0 listeners\n');
  });

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'at %s, once what is under way has been answered',
    async (name, test) => {
      const door = served(test, { answerAfterMs: 500 });
      await door.initialize();
      door.send(call(1));
      door.send(ping(2));
      await door.answer(2);
      door.signal(name);
      test.expect(await door.ended()).toEqual({ code: 0, signal: null });
      test.expect(door.answersTo(1)).toHaveLength(1);
      test.expect(door.stderr).toBe('ended: signal, 0 listeners\n');
    },
  );

  test('at a second signal, whatever is under way', async (test) => {
    const door = served(test, { answerAfterMs: null });
    await door.initialize();
    door.send(call(1));
    door.send(ping(2));
    await door.answer(2);
    door.signal('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    door.signal('SIGINT');
    await door.ended(2_000);
    test.expect(door.answersTo(1)).toMatchObject([{ message: AT_ONCE }]);
    test.expect(door.stderr).toBe('ended: signal, 0 listeners\n');
  });

  test('at a signal after the end of its input, too', async (test) => {
    const door = served(test, { answerAfterMs: null });
    await door.initialize();
    door.send(call(1));
    door.endInput();
    await new Promise((resolve) => setTimeout(resolve, 300));
    door.signal('SIGTERM');
    await door.ended(2_000);
    test.expect(door.answersTo(1)).toMatchObject([{ message: AT_ONCE }]);
    test.expect(door.stderr).toBe('ended: eof, 0 listeners\n');
  });

  test('at two signals at once, with an answer to each of a thousand calls under way', async (test) => {
    const door = served(test, { answerAfterMs: null });
    await door.initialize();
    for (let id = 1; id <= 1_000; id++) door.send(call(id));
    door.send(ping(0));
    await door.answer(0);
    door.signal('SIGTERM');
    door.signal('SIGINT');
    await door.ended(2_000);
    for (let id = 1; id <= 1_000; id++) test.expect(door.answersTo(id)).toMatchObject([{ message: AT_ONCE }]);
  });

  test('4 s after its input, and says so to whoever was not answered by then', async (test) => {
    const door = served(test, { answerAfterMs: null });
    await door.initialize();
    door.send(call(1));
    door.endInput();
    await door.ended(6_000);
    const message = given('the input of doorward ended, and the answer did not come within 4000 ms');
    test.expect(door.answersTo(1)).toMatchObject([{ message }]);
  });

  test('soon though its caller reads nothing and a signal came on top', async (test) => {
    const door = served(test, { answerBytes: 900_000 });
    await door.initialize();
    door.pauseReading();
    for (let id = 1; id <= 5; id++) door.send(call(id));
    await new Promise((resolve) => setTimeout(resolve, 300));
    door.signal('SIGTERM');
    door.signal('SIGINT');
    await test.expect.poll(() => door.stderr, { timeout: 2_000 }).toBe('ended: signal, 0 listeners\n');
    door.signal('SIGKILL');
  });

  test('within 3 s when its caller closes all pipes (case c18)', async (test) => {
    const door = served(test);
    await door.initialize();
    door.dropPipes();
    await door.ended(3_000);
  });

  test('when its caller reads no more, as soon as there is something to say', async (test) => {
    const door = served(test, { answerAfterMs: null });
    await door.initialize();
    door.send(call(1));
    door.stopReading();
    door.send(ping(2));
    await door.ended(3_000);
    test.expect(door.stderr).toBe('ended: gone, 0 listeners\n');
  });

  test('soon though its caller has stopped reading in the middle of a large answer', async (test) => {
    const door = served(test, { answerBytes: 900_000 });
    await door.initialize();
    door.pauseReading();
    for (let id = 1; id <= 5; id++) door.send(call(id));
    await new Promise((resolve) => setTimeout(resolve, 300));
    door.endInput();
    // The process itself is then the command line's to end: what the pipe does not take cannot be taken back.
    await test.expect.poll(() => door.stderr, { timeout: 4_000 }).toBe('ended: eof, 0 listeners\n');
    door.signal('SIGKILL');
  });

  test('with all of a large answer written, where its caller reads', async (test) => {
    const door = served(test, { answerBytes: 900_000, answerAfterMs: 100 });
    await door.initialize();
    for (let id = 1; id <= 5; id++) door.send(call(id));
    door.endInput();
    await door.ended();
    for (let id = 1; id <= 5; id++) test.expect(door.answersTo(id)[0]?.raw.length).toBeGreaterThan(900_000);
  });

  test('at a flood', async (test) => {
    const door = served(test, { maxMessageBytes: 1_000, answerAfterMs: null });
    await door.initialize();
    door.send(call(1));
    door.sendBytes(new Uint8Array(10_000).fill(0x78));
    await door.ended(3_000);
    test.expect(door.answersTo(null)[0]?.message?.error?.data?.code).toBe('MESSAGE_TOO_LARGE');
    test
      .expect(door.answersTo(1))
      .toMatchObject([{ message: given('doorward gave up its caller before the answer came') }]);
    test.expect(door.stderr).toBe('ended: broken, 0 listeners\n');
  });

  test('when there can be no gateway', async (test) => {
    const door = served(test, { openFails: true, openAfterMs: 100 });
    await door.ended(3_000);
    test.expect(door.stderr).toBe('failed: no gateway today, 0 listeners\n');
  });
});

describe.concurrent('it begins', () => {
  test('with a greeting, before there is a gateway', async (test) => {
    const door = served(test, { openAfterMs: 1_500 });
    door.send(call(1));
    await door.initialize();
    const greetedAtMs = door.elapsedMs;
    test.expect(door.answersTo(1)).toEqual([]);
    await door.answer(1);
    test.expect(door.elapsedMs - greetedAtMs).toBeGreaterThan(500);
  });

  test('and answers what was asked even if its input has ended by then', async (test) => {
    const door = served(test, { openAfterMs: 500 });
    door.send(call(1));
    door.endInput();
    await door.ended();
    test.expect(door.answersTo(1)).toHaveLength(1);
  });
});
