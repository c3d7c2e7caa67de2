/** `--no-remote`: to the byte what a doorward says that has no remote; the golden transcript was taken before there were any. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CLI, ROOT, requireBuild, TestFolder, upstreamWith } from '../fixtures/open-door.js';

const GOLDEN = join(ROOT, 'test/golden/transcripts/no-remote.txt');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

const TOOL = '{"name":"local","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}';
const CAPABILITIES = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}';

/** What is sent, each line when the one before has been answered. */
const SESSION = [
  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${CAPABILITIES}}`,
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":2,"method":"ping"}',
  '{"jsonrpc":"2.0","id":3,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"here__local","arguments":{"n":1}}}',
  '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"here__local","arguments":{"n":"x"}}}',
  '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"here__other"}}',
  '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"remote__local","arguments":{}}}',
  '{"jsonrpc":"2.0","id":8,"method":"resources/list"}',
  '{"jsonrpc":"2.0","id":9,"method":"resources/templates/list"}',
  '{"jsonrpc":"2.0","id":10,"method":"prompts/list"}',
  '{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{"uri":"doorward://status"}}',
  '{"jsonrpc":"2.0","id":12,"method":"resources/read","params":{"uri":"x://nothing"}}',
  '{"jsonrpc":"2.0","id":13,"method":"prompts/get","params":{"name":"remote__p"}}',
  '{"jsonrpc":"2.0","id":14,"method":"resources/subscribe","params":{"uri":"doorward://status"}}',
  '{"jsonrpc":"2.0","id":15,"method":"no/such"}',
  '{"jsonrpc":"2.0","id":16',
];

/** A folder with one local server. @param record the file of the remote, where there is one */
function folderWith(record?: string): TestFolder {
  const folder = new TestFolder();
  onTestFinished(() => folder.remove());
  folder.write({ upstreams: { here: upstreamWith([TOOL]) } });
  if (record !== undefined) {
    mkdirSync(join(folder.path, 'config/doorward/remotes'), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder.path, 'config/doorward/remotes/doorward.json'), record, { mode: 0o600 });
  }
  return folder;
}

/** All that it writes on stdout, to the byte. */
async function transcriptOf(
  folder: TestFolder,
  flags: readonly string[] = [],
  own: Readonly<Record<string, string>> = {},
): Promise<string> {
  requireBuild();
  const place = { XDG_STATE_HOME: join(folder.path, 'state'), HOME: folder.path };
  const child = spawn(process.execPath, [CLI, 'stdio', '--config', folder.configPath, ...flags], {
    env: { ...process.env, ...folder.env, ...place, ...own },
    cwd: folder.path,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('close', resolve));
  let written = '';
  let wake = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    wake();
  });
  const lines = (): number => written.split('\n').length - 1;
  for (const line of SESSION) {
    const before = lines();
    child.stdin.write(`${line}\n`);
    if (!line.includes('"id"')) continue;
    while (lines() === before) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  child.stdin.end();
  await ended;
  return written;
}

/** The one thing that every release changes. */
const withoutVersion = (transcript: string): string =>
  transcript.replaceAll(`"version":"${version}"`, '"version":"VERSION"');

const REMOTE = {
  doorward: 'remote 1',
  url: 'http://127.0.0.1:9/mcp',
  changedAtMs: 1,
  session: { id: 's', principal: 'p', hasTokens: false },
};

test.each([
  { why: 'no remote was ever named', record: undefined, flags: [] },
  { why: 'none was named, and it is not wanted', record: undefined, flags: ['--no-remote'] },
  { why: 'somebody is signed in, and it is not wanted', record: JSON.stringify(REMOTE), flags: ['--no-remote'] },
  { why: 'its file is damaged, and it is not wanted', record: '{', flags: ['--no-remote'] },
])('$why: the same bytes', async ({ record, flags }) => {
  const transcript = withoutVersion(await transcriptOf(folderWith(record), flags));
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(join(GOLDEN, '..'), { recursive: true });
    writeFileSync(GOLDEN, transcript);
  }
  expect(existsSync(GOLDEN)).toBe(true);
  expect(transcript).toBe(readFileSync(GOLDEN, 'utf8'));
});

test.each([
  { why: 'whose place is in no folder', place: () => ({ HOME: '/dev/null', XDG_CONFIG_HOME: '' }) },
  { why: 'whose place has too long a name', place: () => ({ XDG_CONFIG_HOME: `/${'x'.repeat(300)}` }) },
  {
    why: 'whose place leads in a circle',
    place: ({ path }: TestFolder) => {
      symlinkSync(join(path, 'circle'), join(path, 'circle'));
      return { XDG_CONFIG_HOME: join(path, 'circle') };
    },
  },
])('a remote $why is none: the same bytes', async ({ place }) => {
  const folder = folderWith();
  expect(withoutVersion(await transcriptOf(folder, [], place(folder)))).toBe(readFileSync(GOLDEN, 'utf8'));
});

test('where it is wanted, and cannot be reached, the transcript is another: the test above can fail', async () => {
  const transcript = withoutVersion(await transcriptOf(folderWith(JSON.stringify(REMOTE))));
  expect(transcript).not.toBe(readFileSync(GOLDEN, 'utf8'));
  expect(transcript).toContain('UPSTREAM_UNREACHABLE');
});
