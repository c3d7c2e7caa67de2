import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { CLI, HOSTILE, requireBuild, type ServerEntry, TestFolder } from '../../test/fixtures/open-door.js';
import { findMarked } from '../../test/fixtures/processes.js';

// What only a process shows: signals, pipes that break, and the environment it was given.

const HOSTILE_SERVER = { h: { command: process.execPath, args: [HOSTILE] } };

interface Command {
  readonly child: ChildProcess;
  readonly written: { out: string; err: string };
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Starts one command in a folder; nothing that it started may be left when it has ended. */
function start(folder: TestFolder, words: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  requireBuild();
  const places = { HOME: folder.path, XDG_STATE_HOME: join(folder.path, 'state') };
  const environment = { ...process.env, ...folder.env, ...places, ...env };
  const child = spawn(process.execPath, [CLI, ...words], { cwd: folder.path, env: environment });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, written, ended };
}

async function runToEnd(...args: Parameters<typeof start>) {
  const { written, ended } = start(...args);
  const { code } = await ended;
  return { code, ...written };
}

function makeFolder(context: TestContext, servers: Readonly<Record<string, ServerEntry>> = HOSTILE_SERVER): TestFolder {
  const folder = new TestFolder();
  folder.write({ servers });
  context.onTestFinished(() => {
    const left = findMarked(folder.mark);
    folder.remove();
    expect(left, 'processes left behind').toEqual([]);
  });
  return folder;
}

describe.concurrent('the process', () => {
  test.for(['SIGINT', 'SIGTERM'] as const)(
    '%s in the middle of a call ends the command and its server',
    async (name, context) => {
      const folder = makeFolder(context);
      const command = start(folder, ['call', 'h.never_answer', '--verbose', '--config', folder.configPath]);
      await until(() => command.written.err.includes('is connected'));
      command.child.kill(name);
      expect(await command.ended).toEqual({ code: 130, signal: null });
      expect(command.written.out).toBe('');
    },
  );

  test('a signal ends the command though nobody reads its stderr', async (context) => {
    const chatty = `setInterval(() => process.stderr.write(('y'.repeat(1023) + '\\n').repeat(200)), 5);
      process.stdin.resume().on('end', () => process.exit());`;
    const folder = makeFolder(context, { chatty: { command: process.execPath, args: ['-e', chatty] } });
    const { child } = start(folder, ['tools', '--verbose', '--config', folder.configPath]);
    child.stderr!.pause();
    await until(() => child.stderr!.readableLength > 0);
    // By then the pipe is full, and more waits for it.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const late = new Promise((resolve) => setTimeout(() => resolve('still there'), 5_000));
    expect(await Promise.race([exited, late])).toBe(130);
    child.stderr!.resume();
  });

  test('nobody reading its output is no failure, and leaves nothing running', async (context) => {
    const folder = makeFolder(context);
    const command = start(folder, ['tools', '--config', folder.configPath]);
    command.child.stdout!.destroy();
    expect(await command.ended).toEqual({ code: 0, signal: null });
  });

  test('without a command and a terminal nothing is written that a client could take for messages', async (context) => {
    const command = start(makeFolder(context), []);
    command.child.stdin!.end();
    expect((await command.ended).code).toBe(2);
    expect(command.written.out).toBe('');
    expect(command.written.err).toContain('doorward stdio');
  });

  test('a line without end on stdin ends serving as a failure, says why, and leaves nothing running', async (context) => {
    const folder = makeFolder(context);
    folder.write({ servers: HOSTILE_SERVER, config: { limits: { maxMessageBytes: 65_536 } } });
    const command = start(folder, ['stdio', '--config', folder.configPath]);
    // It stops reading in the middle of what we write.
    command.child.stdin!.on('error', () => {});
    command.child.stdin!.write('x'.repeat(400_000));
    expect(await command.ended).toEqual({ code: 1, signal: null });
    expect(command.written.err).toMatch(/error: A line went on past \d+ bytes without an end \(limit 65536\)\n/);
    expect(JSON.parse(command.written.out)).toMatchObject({ id: null, error: { data: { code: 'MESSAGE_TOO_LARGE' } } });
  });

  test.for(['--version', '-V'])('%s is that of package.json', async (flag, context) => {
    const command = start(makeFolder(context), [flag]);
    expect((await command.ended).code).toBe(0);
    expect(command.written.out).toBe(`${manifest.version}\n`);
  });

  test('--verbose shows what a server says beside the protocol, without its control characters', async (context) => {
    const code = 'console.error("licence \\u001b[31mexpired"); setTimeout(() => process.exit(3), 100)';
    const folder = makeFolder(context, { bad: { command: process.execPath, args: ['-e', code] } });
    const command = start(folder, ['tools', 'bad', '--verbose', '--config', folder.configPath]);
    expect((await command.ended).code).toBe(4);
    expect(command.written.err).toContain('bad | licence [31mexpired\n');
  });

  test('DOORWARD_CONFIG names the configuration as --config does', async (context) => {
    const folder = makeFolder(context);
    const path = join(folder.path, 'elsewhere.json');
    writeFileSync(path, JSON.stringify({ mcpServers: HOSTILE_SERVER }));
    expect((await runToEnd(folder, ['config', 'path'])).code).toBe(2);
    const named = await runToEnd(folder, ['config', 'path'], { DOORWARD_CONFIG: path });
    expect(named).toMatchObject({ code: 0, out: `${path}\n` });
  });

  test('a configuration in the folder is used once it is trusted, and the own one until then', async (context) => {
    const folder = makeFolder(context);
    const own = join(folder.path, 'config', 'doorward');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'doorward.json'), '{"mcpServers":{}}');

    const before = await runToEnd(folder, ['tools']);
    expect(before).toMatchObject({ code: 0, out: '' });
    expect(before.err).toContain('warning: doorward.json is not trusted yet');
    expect(before.err).toContain(`using ${join(own, 'doorward.json')} instead`);
    expect(before.err).toContain('no servers are configured');

    expect((await runToEnd(folder, ['config', 'trust'])).out).toContain(`h  starts ${process.execPath}`);
    const after = await runToEnd(folder, ['tools']);
    expect(after).toMatchObject({ code: 0, out: expect.stringContaining('h.book_table') });

    writeFileSync(folder.configPath, JSON.stringify({ mcpServers: HOSTILE_SERVER }));
    expect((await runToEnd(folder, ['tools'])).err).toContain('has changed since you trusted it');
  });
});

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('not within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
