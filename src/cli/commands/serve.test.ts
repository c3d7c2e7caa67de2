/** `doorward serve` as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, type TestContext, test } from 'vitest';
import { HttpCaller } from '../../../test/fixtures/http-caller.js';
import {
  anyTool,
  CLI,
  requireBuild,
  type Setup,
  TestFolder,
  until,
  upstreamWith,
} from '../../../test/fixtures/open-door.js';
import { findMarked } from '../../../test/fixtures/processes.js';
import { runCommand } from '../../../test/fixtures/run-command.js';

const ONE: Setup = { upstreams: { one: upstreamWith([anyTool('a')]) } };
const call = (id: number) => ({ id, method: 'tools/call', params: { name: 'one__a', arguments: {} } });

interface Serving {
  readonly caller: HttpCaller;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stderr(): string;
}

async function serve(context: TestContext, setup: Setup, words: readonly string[] = []): Promise<Serving> {
  requireBuild();
  const folder = new TestFolder();
  const argv = [CLI, 'serve', '--port', '0', '--config', folder.write(setup), ...words];
  const child = spawn(process.execPath, argv, { env: { ...process.env, ...folder.env }, cwd: folder.path });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  context.onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    // What a killed doorward started is ended by its guard, which has to notice first.
    await until(() => findMarked(folder.mark).length === 0, 'nothing is left behind', 5_000);
    folder.remove();
  });
  const found = () => /http:\/\/[^\s"]+/.exec(stderr)?.[0];
  await until(() => found() !== undefined, 'it listens', 10_000);
  return { caller: new HttpCaller(found() ?? ''), child, ended, stderr: () => stderr };
}

test('says where it listens, in one line, serves, and ends at a signal', async (context) => {
  const { caller, child, ended, stderr } = await serve(context, ONE, ['--log-format', 'text']);
  expect(stderr()).toMatch(/^doorward: listening on http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
  await caller.initialize();
  expect((await caller.post(call(1))).text).toContain('"text":"ok"');
  await until(
    hasStatus(() => caller.send({ method: 'GET', path: '/readyz' }), 200),
    'it is ready',
  );
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('with --json the line is JSON', async (context) => {
  const { stderr } = await serve(context, ONE, ['--json']);
  expect(JSON.parse(stderr().split('\n')[0] ?? '')).toMatchObject({
    event: 'door.listening',
    url: expect.stringContaining('/mcp'),
  });
});

test('a signal lets what is under way end; a second one does not', async (context) => {
  const slow: Setup = {
    upstreams: { one: { rules: [upstreamWith([anyTool('a')]).rules[0], { on: 'tools/call', emit: [] }] } },
  };
  const { caller, child, ended, stderr } = await serve(context, slow);
  await caller.initialize();
  const under = caller.post(call(1));
  await new Promise((resolve) => setTimeout(resolve, 300));
  child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const refused = await caller.post(call(2)).then(
    ({ status }) => status,
    () => 'no connection',
  );
  expect(refused).toBe('no connection');
  await until(() => stderr().includes('door.draining'), 'it says what it waits for', 5_000);
  child.kill('SIGTERM');
  expect(JSON.parse((await under).text)).toMatchObject({
    id: 1,
    error: { data: { code: 'UPSTREAM_LOST', outcome: 'unknown' } },
  });
  expect(await ended).toBe(0);
});

test('a server that hangs holds up readiness for 5 s, then is named', { timeout: 20_000 }, async (context) => {
  const setup = { ...ONE, servers: { hung: { command: 'sleep', args: ['60'] } } };
  const { caller } = await serve(context, setup);
  const ask = () => caller.send({ method: 'GET', path: '/readyz' });
  const first = await ask();
  expect([first.status, JSON.parse(first.text)]).toMatchObject([503, { status: 'starting' }]);
  await until(hasStatus(ask, 200), 'it is ready', 10_000);
  expect(JSON.parse((await ask()).text)).toMatchObject({
    status: 'ready',
    degraded: ['hung'],
    upstreams: [{ id: 'one', state: 'ready' }, {}],
  });
});

test('a port that is in use: exit 2, and what to do', async (context) => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const ran = await runCommand(context, ONE, (config) => ['serve', '--config', config, '--port', String(port)]);
  server.close();
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`port ${port} on 127.0.0.1 is in use`);
  expect(ran.stderr).toContain('--port');
});

test('an address that others can reach, without http.auth: exit 2, and what to set', async (context) => {
  const ran = await runCommand(context, ONE, (config) => ['serve', '--config', config, '--host', '0.0.0.0']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('http.auth');
});

/** Asks until the answer has that status. */
function hasStatus(ask: () => Promise<{ readonly status: number }>, wanted: number): () => boolean {
  let isSeen = false;
  let isAsking = false;
  return () => {
    if (!isSeen && !isAsking) {
      isAsking = true;
      void ask().then(({ status }) => {
        isSeen = status === wanted;
        isAsking = false;
      });
    }
    return isSeen;
  };
}
