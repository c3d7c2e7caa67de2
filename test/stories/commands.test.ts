/** The other commands from outside: what a person types, what is printed where, and how it exits. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DoorClient } from '../fixtures/door-client.js';
import { anyTool, CLI, HOSTILE, namesOf, type Setup, TestFolder, until, upstreamWith } from '../fixtures/open-door.js';
import { findMarked } from '../fixtures/processes.js';
import { runCommand } from '../fixtures/run-command.js';

const HOSTILE_ENTRY = { command: process.execPath, args: [HOSTILE] };
const MIXED: Setup = {
  upstreams: { good: upstreamWith([anyTool('a')]) },
  servers: { hostile: HOSTILE_ENTRY, dead: { command: 'doorward-test-no-such-command' }, typo: { comand: 'x' } },
};
const on =
  (...words: readonly string[]) =>
  (config: string) => [...words, '--config', config];

describe.concurrent('tools', () => {
  test('lists what works, and names what does not on stderr', async (test) => {
    const { code, stdout, stderr } = await runCommand(test, MIXED, on('tools'));
    expect(code).toBe(0);
    expect(stdout).toContain('good.a');
    expect(stdout).toContain('hostile.book_table');
    expect(stdout).not.toContain('null_properties');
    for (const word of [
      'hostile.null_properties',
      'SCHEMA_INVALID',
      'doorward-test-no-such-command',
      'Did you mean command?',
    ]) {
      expect(stderr).toContain(word);
    }
  });

  test('--json is one JSON value, whatever goes wrong beside it', async (test) => {
    const { stdout } = await runCommand(test, MIXED, on('tools', '--json'));
    const names = (JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).toContain('good__a');
  });

  test('of one server does not start the others', async (test) => {
    const setup: Setup = { upstreams: { one: upstreamWith([anyTool('a')]), two: upstreamWith([anyTool('b')]) } };
    const { code, stdout, folder } = await runCommand(test, setup, on('tools', 'one'));
    expect(code).toBe(0);
    expect(stdout).toContain('one.a');
    expect([folder.starts('one'), folder.starts('two')]).toEqual([1, 0]);
  });

  test('of a server that is not there is a usage error, of one that cannot start is exit 4', async (test) => {
    const unknown = await runCommand(test, MIXED, on('tools', 'goood'));
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('good');
    expect((await runCommand(test, MIXED, on('tools', 'dead'))).code).toBe(4);
  });
});

describe.concurrent('check', () => {
  test('exits 7 where a tool is left out, and says which and why', async (test) => {
    const { code, stdout } = await runCommand(test, MIXED, on('check', 'hostile'));
    expect(code).toBe(7);
    expect(stdout).toContain('null_properties');
    expect(stdout).toContain('inputSchema/properties');
  });

  test('exits 0 where all is well', async (test) => {
    expect((await runCommand(test, MIXED, on('check', 'good'))).code).toBe(0);
  });
});

describe.concurrent('a server named after --', () => {
  test('is listed, checked and called without a configuration', async (test) => {
    const target = ['--', process.execPath, HOSTILE];
    const listed = await runCommand(test, {}, () => ['tools', ...target]);
    expect(listed.stdout).toContain('book_table');
    const called = await runCommand(test, {}, () => ['call', 'book_table', 'guests:=2', 'day=friday', ...target]);
    expect([called.code, called.stdout.trim()]).toEqual([0, 'booked']);
  });
});

describe.concurrent('config', () => {
  test('validate names file, line, field and the nearest name; starts nothing', async (test) => {
    const { code, stderr, folder } = await runCommand(test, MIXED, (config) => ['config', 'validate', config]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/doorward\.json:\d+:\d+: mcpServers\.typo/);
    expect(stderr).toContain('Did you mean command?');
    expect(folder.starts('good')).toBe(0);
  });

  test('a setting outside the servers costs the whole file: exit 2, nothing started', async (test) => {
    const setup: Setup = { upstreams: { u: upstreamWith([]) }, config: { prefix: 'sometimes' } };
    const { code, stdout, stderr, folder } = await runCommand(test, setup, on('stdio'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/doorward\.json:\d+:\d+: prefix/);
    expect(folder.starts('u')).toBe(0);
  });

  test('a file in the current folder is used once it is trusted, and asked about again when it changed', async (test) => {
    const folder = new TestFolder();
    const setup: Setup = { upstreams: { u: upstreamWith([anyTool('a')]) } };
    const plain = (...words: readonly string[]) => runCommand(test, setup, () => words, { folder });
    const before = await plain('tools');
    expect(before.code).toBe(2);
    expect(before.stderr).toContain('doorward config trust');
    expect((await plain('config', 'trust')).code).toBe(0);
    expect((await plain('tools')).stdout).toContain('u.a');
    const changed = await runCommand(test, { ...setup, config: { prefix: 'never' } }, () => ['tools'], { folder });
    expect(changed.code).toBe(2);
    expect(folder.starts('u')).toBe(1);
  });
});

describe.concurrent('usage', () => {
  test.for([
    ['nonsense'],
    ['tools', '--no-such-flag'],
    ['call'],
    ['stdio', 'extra'],
    ['stdio', '--config', 'none.json'],
    ['config'],
  ])('%s', async (argv, test) => {
    const { code, stdout, stderr } = await runCommand(test, {}, () => argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/hint|Usage|usage/);
  });

  test('--version and --help print to stdout and exit 0', async (test) => {
    expect((await runCommand(test, {}, () => ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await runCommand(test, {}, () => ['--help'])).stdout).toContain('stdio');
  });
});

describe.concurrent('interrupted', () => {
  test('a call that hangs ends with 130 at SIGINT, and nothing is left', async (test) => {
    const folder = new TestFolder();
    const args = [
      CLI,
      'call',
      'hostile.never_answer',
      '--config',
      folder.write({ servers: { hostile: HOSTILE_ENTRY } }),
    ];
    const call = new DoorClient({ command: process.execPath, args, env: folder.env, mark: folder.mark });
    test.onTestFinished(async () => {
      await call.stop(0);
      folder.remove();
    });
    await until(() => findMarked(folder.mark).length >= 2, 'the server');
    await new Promise((resolve) => setTimeout(resolve, 400));
    call.remember();
    call.signal('SIGINT');
    expect((await call.ended(5000)).code).toBe(130);
    expect(await call.leftovers(500)).toEqual([]);
  });
});

describe.concurrent('children', () => {
  const REPORTER = `
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const text = JSON.stringify({ env: process.env, cwd: process.cwd() });
      const result = method === 'initialize'
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'r', version: '1' } }
        : method === 'tools/list' ? { tools: [{ name: 'report', inputSchema: { type: 'object' } }] }
        : { content: [{ type: 'text', text }] };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }).on('close', () => process.exit(0));
  `;

  test('get the variables that programs need and those of their entry, and no secret of ours', async (test) => {
    const entry = { command: process.execPath, args: ['-e', REPORTER], env: { OWN: `\${GIVEN}`, LANG: 'xx' } };
    const env = {
      MY_SECRET_TOKEN: 's',
      GIVEN: 'g',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NODE_OPTIONS: '',
    };
    const { stdout } = await runCommand(test, { servers: { r: entry } }, on('call', 'r.report'), { env });
    const seen = (JSON.parse(stdout) as { env: Record<string, string> }).env;
    expect(seen).toMatchObject({
      OWN: 'g',
      LANG: 'xx',
      LC_ALL: 'C.UTF-8',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      PATH: process.env.PATH,
    });
    expect(Object.keys(seen).filter((name) => /SECRET|GIVEN|NODE_OPTIONS|VITEST/.test(name))).toEqual([]);
  });

  test('start in the folder that cwd names; one that is not there is said', async (test) => {
    const folder = new TestFolder();
    mkdirSync(join(folder.path, 'sub'));
    writeFileSync(join(folder.path, 'sub', 'x'), '');
    const entry = { command: process.execPath, args: ['-e', REPORTER] };
    const setup: Setup = {
      servers: { r: { ...entry, cwd: join(folder.path, 'sub') }, gone: { ...entry, cwd: join(folder.path, 'no') } },
    };
    const { stdout } = await runCommand(test, setup, on('call', 'r.report'), { folder });
    expect((JSON.parse(stdout) as { cwd: string }).cwd).toMatch(/sub$/);
    const gone = await runCommand(test, setup, on('call', 'gone.report'), { folder });
    expect(gone.code).toBe(4);
    expect(gone.stderr).toMatch(/cwd|folder/);
  });
});

test('stdio serves a server named after -- under its own names', async (test) => {
  const folder = new TestFolder();
  const args = [CLI, 'stdio', '--', process.execPath, HOSTILE];
  const door = new DoorClient({
    command: process.execPath,
    args,
    env: folder.env,
    cwd: folder.path,
    mark: folder.mark,
  });
  test.onTestFinished(async () => {
    await door.stop(0);
    folder.remove();
  });
  await door.initialize();
  expect(namesOf(await door.request('tools/list'))).toContain('book_table');
});
