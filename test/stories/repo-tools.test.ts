/** The worked example as its users have it: processes that official clients speak to. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildExample, EXAMPLE } from '../fixtures/example.js';

const LOCAL = ['repo_status', 'diff_summary', 'list_branches', 'search_commits', 'file_history'];
const REMOTE = ['find_licence', 'search_licences', 'check_licences', 'recommend_licence'];
const NOTES = ['add_note', 'list_notes', 'remove_note'];

let folder: string;
const clients: Client[] = [];

beforeAll(buildExample);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doorward-example-'));
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(entry: string, env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(EXAMPLE, 'dist', entry)],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
      stderr: 'ignore',
    }),
  );
  return client;
}

const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error((result.content as { text: string }[])[0]?.text);
  return result.structuredContent as Record<string, unknown>;
}

/** Starts a server of the example over HTTP. @returns its endpoint, and what ends it */
async function startHttp(file: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [join(EXAMPLE, file)], { env: { ...process.env, PORT: '0' } });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0];
      if (found) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  const stop = async (): Promise<void> => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return { url, stop };
}

test('the minimum of its README is ten lines of code, and a server', async () => {
  const text = readFileSync(join(EXAMPLE, 'minimum.mjs'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('import'));
  expect(lines.length).toBeLessThanOrEqual(10);
  expect(readFileSync(join(EXAMPLE, 'README.md'), 'utf8')).toContain(text.trim());
  const { url, stop } = await startHttp('minimum.mjs');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expect(await call(client, 'greet', { name: 'Ada' })).toEqual({ text: 'Hello, Ada!' });
  await expect(call(client, 'greet', { nam: 'Ada' })).rejects.toMatchObject({ code: -32602 });
  await client.close();
  await stop();
});

describe('over a working tree', () => {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });

  beforeEach(() => {
    git('init', '-q', '-b', 'main');
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'a file.txt'), 'one\n');
    git('add', '.');
    git('commit', '-q', '-m', 'Begin', '-m', 'With a body that names Löwenzahn.');
    writeFileSync(join(folder, 'a file.txt'), 'one\ntwo\n');
    git('commit', '-q', '-a', '-m', 'Go on');
    git('branch', 'other');
    writeFileSync(join(folder, 'a file.txt'), 'one\ntwo\nthree\n');
    writeFileSync(join(folder, 'new.txt'), 'new\n');
    git('add', 'new.txt');
  });

  test('it serves local and remote tools as one list', async () => {
    expect(await namesOf(await start('stdio.js'))).toEqual([...LOCAL, ...REMOTE]);
  });

  test('status, diff, branches, commits and history are those of git', async () => {
    const client = await start('stdio.js');
    const head = git('rev-parse', 'HEAD').trim();
    expect(await call(client, 'repo_status')).toEqual({
      branch: 'main',
      commit: head,
      upstream: null,
      ahead: 0,
      behind: 0,
      files: [
        { path: 'a file.txt', staged: '.', unstaged: 'M' },
        { path: 'new.txt', staged: 'A', unstaged: '.' },
      ],
      isTruncated: false,
    });
    expect(await call(client, 'diff_summary')).toEqual({
      files: [{ path: 'a file.txt', added: 1, removed: 0 }],
      added: 1,
      removed: 0,
      isTruncated: false,
    });
    expect(await call(client, 'diff_summary', { against: 'staged' })).toMatchObject({ files: [{ path: 'new.txt' }] });
    expect(await call(client, 'diff_summary', { against: 'commit', commit: 'HEAD~1' })).toMatchObject({ added: 3 });
    const { branches } = await call(client, 'list_branches');
    expect(
      (branches as { name: string; isCurrent: boolean }[]).map(({ name, isCurrent }) => [name, isCurrent]),
    ).toEqual(
      expect.arrayContaining([
        ['main', true],
        ['other', false],
      ]),
    );
    expect(await call(client, 'file_history', { path: 'a file.txt' })).toMatchObject({
      commits: [{ subject: 'Go on', author: 'Ada' }, { subject: 'Begin' }],
      isTruncated: false,
    });
    expect(await call(client, 'list_branches', { limit: 1 })).toMatchObject({ isTruncated: true });
  });

  test('a search looks at whole messages, and tells how far it is in a long history', async () => {
    const client = await start('stdio.js');
    expect(await call(client, 'search_commits', { text: 'löwenzahn' })).toMatchObject({
      commits: [{ subject: 'Begin' }],
      searched: 2,
      isTruncated: false,
    });
    expect(await call(client, 'search_commits', { text: 'o', author: 'nobody' })).toMatchObject({ commits: [] });
    const commits = Array.from({ length: 1_200 }, (_, at) => {
      const from = at === 0 ? 'from refs/heads/main^0\n' : '';
      return `commit refs/heads/main\ncommitter A <a@b> ${1_800_000_000 + at} +0000\ndata 4\nc${at % 10}\n\n${from}`;
    });
    execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: commits.join('') });
    const progress: number[] = [];
    const result = await client.callTool(
      { name: 'search_commits', arguments: { text: 'löwenzahn' } },
      { onprogress: ({ progress: at }) => void progress.push(at) },
    );
    expect(result.structuredContent).toMatchObject({ commits: [{ subject: 'Begin' }], searched: 1_202 });
    // The last one comes together with the answer, and the client may look at that first.
    expect(progress.slice(0, 2)).toEqual([500, 1_000]);
  });

  test.each([
    { why: 'out of the repository', args: { path: '../other' } },
    { why: 'anywhere on the machine', args: { path: '/etc/passwd' } },
    { why: 'by a detour', args: { path: 'deep/../../other' } },
  ])('a path that leads $why is refused', async ({ args }) => {
    await expect(call(await start('stdio.js'), 'file_history', args)).rejects.toThrow('stay within it');
  });

  test('nothing can pass for an option of git, and no name for a pattern', async () => {
    const client = await start('stdio.js');
    const commit = '--output=/tmp/owned';
    await expect(call(client, 'diff_summary', { against: 'commit', commit })).rejects.toMatchObject({ code: -32602 });
    expect(await call(client, 'file_history', { path: '--all' })).toMatchObject({ commits: [] });
    expect(await call(client, 'file_history', { path: '*' })).toMatchObject({ commits: [] });
  });

  describe('what a repository configures is not started', () => {
    const started = (): boolean => statSync(join(folder, 'started'), { throwIfNoEntry: false }) !== undefined;
    /** The command of a program that leaves a mark. */
    const program = (then = '[ -t 0 ] || cat'): string => {
      const file = join(folder, 'program');
      writeFileSync(file, `#!/bin/sh\ntouch '${join(folder, 'started')}'\n${then}\n`, { mode: 0o755 });
      return file;
    };
    const attributes = (text: string): void => writeFileSync(join(folder, '.gitattributes'), `*.txt ${text}\n`);

    test.each([
      { what: 'core.fsmonitor', set: () => git('config', 'core.fsmonitor', program()), starts: ['status'] },
      { what: 'diff.external', set: () => git('config', 'diff.external', program()), starts: ['diff', '--ext-diff'] },
      {
        what: 'a filter of .gitattributes',
        set: () => {
          attributes('filter=a.b=c');
          git('config', 'filter.a.b=c.clean', program());
          git('config', 'filter.a.b=c.required', 'true');
        },
        starts: ['diff', '--numstat'],
      },
      {
        what: 'a filter that stays',
        set: () => {
          attributes('filter=evil');
          git('config', 'filter.evil.process', program());
        },
        starts: ['diff', '--numstat'],
      },
      {
        what: 'a filter of .git/info/attributes',
        set: () => {
          mkdirSync(join(folder, '.git/info'), { recursive: true });
          writeFileSync(join(folder, '.git/info/attributes'), '* filter=evil\n');
          git('config', 'filter.evil.clean', program());
        },
        starts: ['diff', '--numstat'],
      },
      {
        what: 'gpg.program',
        set: () => {
          git('config', 'log.showSignature', 'true');
          git('config', 'gpg.program', program());
          const who = 'A <a@b> 1700000000 +0000';
          const tree = git('rev-parse', 'HEAD^{tree}').trim();
          const signature = '-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----';
          const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\ngpgsig ${signature}\n\nsigned\n`;
          const hash = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
            cwd: folder,
            input: text,
            encoding: 'utf8',
          });
          git('update-ref', 'HEAD', hash.trim());
        },
        starts: ['log', '--format=%H'],
      },
      {
        what: 'what a remote names, for an object that is missing',
        set: () => {
          const blob = git('rev-parse', 'HEAD:a file.txt').trim();
          rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
          git('config', 'core.repositoryFormatVersion', '1');
          git('config', 'extensions.partialClone', 'origin');
          git('config', 'remote.origin.promisor', 'true');
          git('config', 'remote.origin.url', folder);
          git('config', 'remote.origin.uploadpack', program('exit 1'));
        },
        starts: ['diff', '--numstat'],
      },
      {
        what: 'a submodule',
        set: () => {
          const sub = (...args: readonly string[]): string => git('-C', 'sub', ...args);
          git('init', '-q', 'sub');
          writeFileSync(join(folder, 'sub/f.txt'), 'one\n');
          writeFileSync(join(folder, 'sub/.gitattributes'), '*.txt filter=evil\n');
          sub('add', '.');
          sub('commit', '-q', '-m', 'sub');
          git('submodule', '--quiet', 'add', './sub');
          git('commit', '-q', '-m', 'with sub', 'sub', '.gitmodules');
          sub('config', 'filter.evil.clean', program());
          sub('config', 'core.fsmonitor', program());
          writeFileSync(join(folder, 'sub/f.txt'), 'two\n');
        },
        starts: ['status'],
      },
    ])('$what', async ({ set, starts }) => {
      set();
      const isStarted = started();
      rmSync(join(folder, 'started'), { force: true });
      // It would be: without that nothing is shown here.
      spawnSync('git', starts, { cwd: folder, timeout: 20_000 });
      expect(isStarted || started()).toBe(true);
      rmSync(join(folder, 'started'), { force: true });
      const client = await start('stdio.js');
      const args = [
        { name: 'repo_status' },
        { name: 'diff_summary' },
        { name: 'diff_summary', arguments: { against: 'staged' } },
        { name: 'diff_summary', arguments: { against: 'commit', commit: 'HEAD~1' } },
        { name: 'list_branches' },
        { name: 'search_commits', arguments: { text: 'o' } },
        { name: 'file_history', arguments: { path: 'a file.txt' } },
      ];
      // Some cannot be answered, as where an object is missing.
      for (const call of args) await client.callTool(call);
      expect(started()).toBe(false);
    });
  });

  test('a file does not pass for a commit', async () => {
    writeFileSync(join(folder, 'name'), 'x');
    const client = await start('stdio.js');
    const args = { against: 'commit', commit: 'name' };
    await expect(call(client, 'diff_summary', args)).rejects.toThrow('bad revision');
  });
});

test('without a repository a tool says so, and the others go on', async () => {
  const client = await start('stdio.js', { GIT_CEILING_DIRECTORIES: tmpdir() });
  await expect(call(client, 'repo_status')).rejects.toThrow('not a git repository');
  expect(await call(client, 'find_licence', { id: 'isc' })).toMatchObject({ id: 'ISC' });
});

test('with a remote, what needs no machine comes from there, in one list under the same names', async () => {
  const { url, stop } = await startHttp('dist/server.js');
  const client = await start('stdio.js', { REPO_TOOLS_REMOTE: url, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder });
  await expect.poll(() => namesOf(client), { timeout: 10_000 }).toEqual([...LOCAL, ...REMOTE]);
  expect(await call(client, 'find_licence', { id: 'isc' })).toMatchObject({ id: 'ISC' });
  await stop();
  const failed = await client
    .callTool({ name: 'find_licence', arguments: { id: 'isc' } })
    .catch((thrown: Error) => thrown);
  expect(failed).toBeInstanceOf(Error);
});

describe('repo-notes', () => {
  test('keeps notes on this machine, for the next session too', async () => {
    const env = { XDG_DATA_HOME: join(folder, 'data') };
    const first = await start('notes.js', env);
    expect(await namesOf(first)).toEqual(NOTES);
    const note = await call(first, 'add_note', { text: 'Löwenzahn' });
    await call(first, 'add_note', { text: 'other' });
    const second = await start('notes.js', env);
    expect(await call(second, 'list_notes', { text: 'löwen' })).toEqual({ notes: [note] });
    expect(await call(second, 'remove_note', { id: note.id })).toEqual({ removed: true });
    expect(await call(first, 'remove_note', { id: note.id })).toEqual({ removed: false });
    expect(await call(first, 'list_notes')).toMatchObject({ notes: [{ text: 'other' }] });
    expect(statSync(join(folder, 'data', 'repo-tools', 'notes.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('a file that is no notes is named, and left as it is', async () => {
    const file = join(folder, 'data', 'repo-tools', 'notes.jsonl');
    mkdirSync(join(folder, 'data', 'repo-tools'), { recursive: true });
    writeFileSync(file, '{"half": ');
    const client = await start('notes.js', { XDG_DATA_HOME: join(folder, 'data') });
    await expect(call(client, 'add_note', { text: 'x' })).rejects.toThrow(`Line 1 of ${file} is no note`);
    expect(readFileSync(file, 'utf8')).toBe('{"half": ');
  });

  test('is in nothing that is published of repo-tools', async () => {
    const manifest = readFileSync(join(EXAMPLE, 'server.json'), 'utf8');
    const { url, stop } = await startHttp('dist/server.js');
    const paths = ['/mcp/server-card', '/.well-known/mcp.json', '/.well-known/agent-tools/index.json', '/openapi.json'];
    const texts = await Promise.all(paths.map(async (path) => (await fetch(new URL(path, url))).text()));
    await stop();
    expect(texts.join('')).toContain('find_licence');
    for (const name of ['repo-notes', ...NOTES]) expect(`${manifest}${texts.join('')}`).not.toContain(name);
  });
});
