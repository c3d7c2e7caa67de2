import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallSignal } from '../base/index.js';
import { createGateway } from '../gateway/index.js';
import { COMMANDS } from './command-table.js';
import { run } from './run.js';
import { screenOf } from './screen.js';
import { VERSION } from './version.js';

// What a person sees, whole: each file of test/golden/cli is a transcript. A change of them is read in review;
// `UPDATE_GOLDEN=1 npx vitest run src/cli/golden.test.ts` writes them anew.
const GOLDEN = fileURLToPath(new URL('../../test/golden/cli/', import.meta.url));
const HOSTILE = fileURLToPath(new URL('../../test/fixtures/hostile-server.mjs', import.meta.url));

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-golden-')));
beforeAll(() => {
  mkdirSync(join(folder, 'home/.config/doorward'), { recursive: true });
  mkdirSync(join(folder, 'project'));
  mkdirSync(join(folder, 'other-home/doorward'), { recursive: true });
  writeFileSync(join(folder, 'other-home/doorward/doorward.json'), FILES['one.json']);
  const remotes = join(folder, 'remote-home/doorward/remotes');
  mkdirSync(remotes, { recursive: true });
  const remote = { doorward: 'remote 1', url: 'https://gateway.example/mcp?key=hidden', changedAtMs: 0 };
  const open = { ...remote, session: { id: 's', principal: 'p', hasTokens: false } };
  writeFileSync(join(remotes, 'doorward.json'), JSON.stringify(remote));
  writeFileSync(join(remotes, 'tools.json'), JSON.stringify(open));
  writeFileSync(join(remotes, 'broken.json'), '{');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'project', name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hostile = { command: process.execPath, args: [HOSTILE] };
const server = JSON.stringify(hostile);

const FILES = {
  'doorward.json': `{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "files-server", "it's here"], "env": { "KEY": "\${KEY}" } },\n  "old": { "enabled": false } } }`,
  'one.json': `{ "mcpServers": { "h": ${server} } }`,
  'two.json': `{ "mcpServers": { "h": ${server}, "gone": { "command": "doorward-no-such-program" } } }`,
  'wrong.json': `{\n  // the team's servers\n  "prefx": "never",\n  "mcpServers": {\n    "files": { "comand": "npx" },\n    "token": { "command": "npx", "env": { "TOKEN": "\${GITHUB_TOKEN}" } },\n    "remote": { "url": "https://h.example/mcp" },\n    "files": { "command": "npx", "args": "-y" },\n    "my server": { "command": "npx -y server" }\n  }\n}`,
  'hung.json': `{ "mcpServers": { "hung": { "command": ${JSON.stringify(process.execPath)}, "args": ["-e", "process.stdin.resume()"] } } }`,
  'empty.json': '{}',
  'some.json': `{ "mcpServers": { "h": ${JSON.stringify({ ...hostile, tools: { allow: ['b*', 'count_calls'], deny: ['big_number'] } })} } }`,
  'off.json': '{ "mcpServers": { "a": { "command": "x", "enabled": false }, "b": { "enabled": false } } }',
  'gone.json': '{ "mcpServers": { "gone": { "command": "doorward-no-such-program" } } }',
  'enforce.json': `{ "mcpServers": { "h": ${server} }, "validation": { "outputs": "enforce", "invalidArguments": "tool-error" } }`,
  'broken.json': `{\n  "mcpServers": {\n    "a": { "command": "x" }\n`,
  'bad-root.json': `{\n  "prefix": "allways",\n  "limits": { "maxDepth": 1 }\n}`,
  'args.json': `{ "guests": 2,, }`,
};

interface Row {
  readonly name: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** On a terminal of 60 columns; escapes are shown as ␛. */
  readonly isTerminal?: boolean;
}

const h = (...words: readonly string[]): readonly string[] => [...words, '--config', 'one.json'];

/** Where somebody has signed out of a remote. */
const REMOTE_HOME = { XDG_CONFIG_HOME: join(folder, 'remote-home') };

/** Where there is a configuration of the user's own, too. */
const OTHER_HOME = { XDG_CONFIG_HOME: join(folder, 'other-home') };

const ROWS: readonly Row[] = [
  { name: 'help', words: ['--help'] },
  { name: 'help-config', words: ['config', '--help'] },
  ...COMMANDS.map(({ name }) => ({ name: `help-${name.replace(' ', '-')}`, words: ['help', ...name.split(' ')] })),
  { name: 'usage-unknown-command', words: ['toools'] },
  { name: 'usage-unknown-subcommand', words: ['config', 'trsut'] },
  { name: 'usage-no-subcommand', words: ['config'] },
  { name: 'usage-unknown-option', words: ['tools', '--jsn'] },
  { name: 'usage-unknown-option-of-call', words: ['call', 'zap.run', '--params.to=a@b.example'] },
  { name: 'usage-option-without-value', words: ['tools', '--config'] },
  { name: 'logout-none', words: ['logout'] },
  { name: 'logout-none-json', words: ['logout', '--json'] },
  { name: 'login-bad-url', words: ['login', 'ftp://gateway.example/mcp'] },
  { name: 'login-no-token', words: ['login', 'https://gateway.example/mcp', '--token-stdin'] },
  { name: 'login-program-of-server', words: ['login', 'h', '--program', 'x', '--config', 'one.json'] },
  { name: 'auth-status-remote', words: ['auth', 'status', '--config', 'one.json'], env: REMOTE_HOME },
  { name: 'auth-status-remote-json', words: ['auth', 'status', '--json'], env: REMOTE_HOME },
  { name: 'auth-status-program', words: ['auth', 'status', '--program', 'tools'], env: REMOTE_HOME },
  { name: 'auth-status-damaged', words: ['auth', 'status', '--program', 'broken'], env: REMOTE_HOME },
  { name: 'usage-missing-operand', words: ['call'] },
  { name: 'usage-surplus-operand', words: ['tools', 'files', 'more'] },
  { name: 'usage-tool-apart', words: h('call', 'h', 'book_table', 'guests=2') },
  { name: 'usage-bad-json', words: h('call', 'h.book_table', 'guests:={2') },
  { name: 'usage-bad-args-file', words: h('call', 'h.book_table', '--args', '@args.json') },
  { name: 'usage-bad-timeout', words: h('call', 'h.book_table', '--timeout', 'soon') },
  { name: 'usage-bad-timeout-of-check', words: h('check', '--timeout', '0') },
  { name: 'usage-empty-target', words: ['tools', '--'] },
  { name: 'usage-json', words: ['tools', '--jsn', '--json'] },
  { name: 'config-missing', words: ['tools', '--config', 'nowhere.json'] },
  { name: 'config-none', words: ['tools'], cwd: 'home' },
  { name: 'config-untrusted', words: ['tools'] },
  { name: 'config-passed-over', words: ['check', 'h'], env: OTHER_HOME },
  { name: 'config-path-passed-over', words: ['config', 'path'], env: OTHER_HOME },
  { name: 'config-validate-untrusted', words: ['config', 'validate'], env: { KEY: 'k' } },
  { name: 'config-validate-untrusted-json', words: ['config', 'validate', '--json'], env: { ...OTHER_HOME, KEY: 'k' } },
  { name: 'config-validate-passed-over', words: ['config', 'validate'], env: { ...OTHER_HOME, KEY: 'k' } },
  { name: 'config-broken', words: ['tools', '--config', 'broken.json'] },
  { name: 'config-bad-root', words: ['tools', '--config', 'bad-root.json'] },
  { name: 'config-bad-variable', words: h('tools'), env: { DOORWARD_LIMITS_MAX_DEPTH: 'deep' } },
  { name: 'config-bad-flag', words: ['stdio', '--config', 'one.json', '--prefix', 'sometimes'] },
  { name: 'config-validate-wrong', words: ['config', 'validate', 'wrong.json'] },
  { name: 'config-validate-wrong-json', words: ['config', 'validate', 'wrong.json', '--json'] },
  { name: 'config-validate-good', words: ['config', 'validate', 'one.json'] },
  { name: 'config-validate-empty', words: ['config', 'validate', 'empty.json'] },
  { name: 'config-validate-off', words: ['config', 'validate', 'off.json'] },
  { name: 'tools-off', words: ['tools', '--config', 'off.json'] },
  { name: 'config-trust', words: ['config', 'trust'] },
  { name: 'config-trust-remove', words: ['config', 'trust', '--remove'] },
  { name: 'config-trust-broken', words: ['config', 'trust', 'broken.json'] },
  { name: 'config-path-json', words: ['config', 'path', '--json'] },
  { name: 'tools', words: h('tools') },
  { name: 'tools-server', words: h('tools', 'h') },
  { name: 'tools-schema-json', words: h('tools', 'h', '--schema', '--json') },
  { name: 'tools-unknown-server', words: h('tools', 'g') },
  { name: 'tools-of-tool', words: h('tools', 'h.book_table', '--schema') },
  { name: 'tools-broken-neighbour', words: ['tools', '--config', 'two.json'] },
  { name: 'tools-broken-server', words: ['tools', 'token', '--config', 'wrong.json'] },
  { name: 'check', words: h('check') },
  { name: 'check-json', words: h('check', '--json') },
  { name: 'tools-hidden', words: ['tools', '--config', 'some.json'] },
  { name: 'tools-hidden-json', words: ['tools', '--config', 'some.json', '--json'] },
  { name: 'check-hidden', words: ['check', '--config', 'some.json'] },
  { name: 'check-hidden-json', words: ['check', '--config', 'some.json', '--json'] },
  { name: 'call-good', words: h('call', 'h.book_table', 'guests=2', 'day=friday') },
  { name: 'call-public-name', words: h('call', 'h__book_table', 'guests=2', 'day=friday') },
  { name: 'call-refused', words: h('call', 'h.book_table', 'guests=two', 'day=monday') },
  { name: 'call-refused-json', words: h('call', 'h.book_table', 'guests=two', 'day=friday', '--json') },
  { name: 'call-surprise', words: h('call', 'h.big_number', 'n=1', 'm=2') },
  { name: 'call-digits', words: h('call', 'h.big_number', 'n=12345678901234567890', '--json') },
  { name: 'call-tool-error', words: h('call', 'h.tool_error') },
  { name: 'call-own-error', words: h('call', 'h.own_error') },
  { name: 'call-own-error-json', words: h('call', 'h.own_error', '--json') },
  { name: 'call-violation', words: h('call', 'h.lying_weather') },
  { name: 'call-excluded', words: h('call', 'h.dangling_ref') },
  { name: 'call-unknown-tool', words: h('call', 'h.book_tabel') },
  { name: 'call-unlisted-tool', words: h('call', 'h.trigger_elicitation') },
  { name: 'call-lost', words: h('call', 'h.exit_now') },
  { name: 'call-lost-json', words: h('call', 'h.exit_now', '--json') },
  { name: 'call-timeout', words: h('call', 'h.never_answer', '--timeout', '2s') },
  { name: 'call-server-only', words: h('call', 'h') },
  { name: 'call-unreachable', words: ['call', 'gone.tool', '--config', 'two.json'] },
  { name: 'call-enforced', words: ['call', 'h.lying_weather', '--config', 'enforce.json'] },
  { name: 'call-refused-for-models', words: ['call', 'h.book_table', '--config', 'enforce.json'] },
  { name: 'check-unreachable', words: ['check', '--config', 'gone.json'] },
  { name: 'tools-unreachable', words: ['tools', '--config', 'gone.json'] },
  { name: 'tools-timeout', words: ['tools', '--config', 'hung.json', '--timeout', '300ms'] },
  { name: 'check-timeout', words: ['check', '--config', 'hung.json', '--timeout', '0.3'] },
  { name: 'terminal-tools', words: ['tools', '--config', 'two.json'], isTerminal: true },
  { name: 'terminal-check', words: h('check'), isTerminal: true },
  { name: 'terminal-refused', words: h('call', 'h.book_table', 'guests=two', 'dy=monday'), isTerminal: true },
  { name: 'call-target', words: ['call', 'book_table', 'guests=2', 'day=friday', '--', process.execPath, HOSTILE] },
];

test.each(ROWS)('$name', async ({ name, ...row }) => {
  const transcript = await transcribe(row);
  const path = join(GOLDEN, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, transcript);
  expect(existsSync(path), `${path} is there`).toBe(true);
  expect(transcript).toBe(readFileSync(path, 'utf8'));
});

/** Runs one command line, its places on this machine written out of what it says. */
async function transcribe({
  words,
  env = {},
  cwd = 'project',
  isTerminal = false,
}: Omit<Row, 'name'>): Promise<string> {
  const written = { out: '', err: '' };
  const environment = { PATH: process.env.PATH, HOME: join(folder, 'home'), ...env };
  const screen = (name: 'out' | 'err') =>
    screenOf({ write: (text) => (written[name] += String(text)), isTTY: isTerminal, columns: 60 }, environment);
  const code = await run(words, {
    environment,
    cwd: join(folder, cwd),
    out: screen('out'),
    err: screen('err'),
    signal: new CallSignal(),
    readStdin: async () => new Uint8Array(),
    createGateway: async (options) => createGateway(options),
  });
  const line = `$ doorward ${words.map((word) => (/[\s{]/.test(word) ? `'${word}'` : word)).join(' ')}`;
  const parts = [line, `exit ${code}`, '--- stdout', written.out, '--- stderr', written.err];
  return parts
    .join('\n')
    .replaceAll(folder, '/tmp')
    .replaceAll('\u001b', '␛')
    .replaceAll(HOSTILE, 'server.mjs')
    .replaceAll(process.execPath, 'node')
    .replaceAll(`doorward ${VERSION}`, 'doorward VERSION')
    .replaceAll(process.env.PATH!.replaceAll(':', ', '), '$PATH');
}
