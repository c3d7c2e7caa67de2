import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallSignal } from '../../base/index.js';
import { run } from '../run.js';
import { screenOf } from '../screen.js';
import { VERSION } from '../version.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-clients-')));
  mkdirSync(join(folder, 'project'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function doorward(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const written = { out: '', err: '' };
  const environment = { HOME: folder, ...env };
  const screen = (name: 'out' | 'err') => screenOf({ write: (text) => (written[name] += String(text)) }, environment);
  const code = await run(words, {
    environment,
    cwd: join(folder, 'project'),
    out: screen('out'),
    err: screen('err'),
    signal: new CallSignal(),
    readStdin: async () => new Uint8Array(),
    createGateway: () => Promise.reject(new Error('no gateway is needed')),
  });
  return { code, ...written };
}

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

describe('client add', () => {
  test("adds doorward to the user's file, and says where", async () => {
    const { code, out, err } = await doorward(['client', 'add', 'cursor']);
    expect({ code, out, err }).toEqual({ code: 0, out: `added doorward in ${folder}/.cursor/mcp.json\n`, err: '' });
    expect(JSON.parse(read('.cursor/mcp.json'))).toEqual({
      mcpServers: { doorward: { command: 'npx', args: ['-y', `doorward@${VERSION}`, 'stdio'] } },
    });
  });

  test('init-client is the same command', async () => {
    await doorward(['init-client', 'cursor', '--scope', 'project']);
    expect(existsSync(join(folder, 'project/.cursor/mcp.json'))).toBe(true);
  });

  test('keeps the old file and says where; a second time there is nothing to do', async () => {
    put('.cursor/mcp.json', '{\n  "mcpServers": {} // none\n}\n');
    const first = await doorward(['client', 'add', 'cursor']);
    expect(first.err).toBe(`the old file is ${folder}/.cursor/mcp.json.bak\n`);
    expect(read('.cursor/mcp.json.bak')).toBe('{\n  "mcpServers": {} // none\n}\n');
    expect(read('.cursor/mcp.json')).toContain('// none');
    const second = await doorward(['client', 'add', 'cursor']);
    expect(second).toMatchObject({ code: 0, out: expect.stringMatching(/^nothing to change: doorward in /) });
    expect(readdirSync(join(folder, '.cursor'))).toHaveLength(2);
  });

  test('--print shows the block and writes nothing', async () => {
    const { out, err } = await doorward(['client', 'add', 'goose', '--print']);
    expect(out).toMatch(/^extensions:\n {2}doorward:\n/);
    expect(err).toContain(`goes into ${folder}/.config/goose/config.yaml\n`);
    expect(err).toContain('or open goose://extension?cmd=npx');
    expect(readdirSync(folder)).toEqual(['project']);
  });

  test('--json says what was done', async () => {
    const { out } = await doorward(['client', 'add', 'zed', '--json', '--mode', 'http']);
    const file = `${folder}/.config/zed/settings.json`;
    expect(JSON.parse(out)).toMatchObject({
      client: 'zed',
      scope: 'user',
      mode: 'http',
      name: 'doorward',
      file,
      change: 'created',
      backup: null,
    });
    const printed = await doorward(['client', 'add', 'cursor', '--print', '--json']);
    expect(JSON.parse(printed.out)).toMatchObject({ format: 'jsonc', link: expect.stringMatching(/^cursor:/) });
  });

  test("the program's configuration is named in full: a client starts it elsewhere", async () => {
    await doorward(['client', 'add', 'cursor', '--config', 'my.json']);
    expect(read('.cursor/mcp.json')).toContain(`${folder}/project/my.json`);
  });

  test('a variable without a value is a reference, never its value', async () => {
    const words = ['client', 'add', 'cursor', '--name', 'n', '--env', 'API_KEY', '--', 'node', 'n.js'];
    await doorward(words, { API_KEY: 's3cret' });
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.n.env).toEqual({ API_KEY: '${env:API_KEY}' });
  });

  test('a file that is broken is left alone, and its mistake named', async () => {
    const text = '{\n  "mcpServers": {\n    "a": { "command": "x" }\n';
    put('.cursor/mcp.json', text);
    const { code, err } = await doorward(['client', 'add', 'cursor']);
    expect(code).toBe(2);
    expect(err).toContain(`${folder}/.cursor/mcp.json:4:1: `);
    expect(read('.cursor/mcp.json')).toBe(text);
    expect(readdirSync(join(folder, '.cursor'))).toEqual(['mcp.json']);
  });

  test('a secret is refused, and its text not repeated; --literal-secrets allows it', async () => {
    const words = [
      'client',
      'add',
      'cursor',
      '--url',
      'https://h.example/mcp',
      '--header',
      'Authorization: Bearer s3cret',
    ];
    const refused = await doorward(words);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('headers.Authorization looks like a secret');
    expect(refused.err).not.toContain('s3cret');
    expect(existsSync(join(folder, '.cursor'))).toBe(false);
    const allowed = await doorward([...words, '--literal-secrets', '--print']);
    expect(allowed.out).toContain('Bearer s3cret');
    expect(allowed.err).not.toContain('cursor://');
  });

  test('what the table does not vouch for is said where it is used', async () => {
    const { err } = await doorward(['client', 'add', 'roo', '--scope', 'project']);
    expect(err).toContain('note:  Roo Code: where its file lies was not verified');
  });

  test.each([
    { why: 'an unknown client', words: ['client', 'add', 'curser'], says: 'Did you mean cursor?' },
    { why: 'an unknown mode', words: ['client', 'add', 'zed', '--mode', 'x'], says: 'Write stdio, http or local.' },
    { why: 'an unknown scope', words: ['client', 'add', 'zed', '--scope', 'x'], says: 'Write project or user.' },
    {
      why: 'a scope the client has no file for',
      words: ['client', 'add', 'windsurf', '--scope', 'project'],
      says: "its file is the user's",
    },
    { why: 'no file at all', words: ['client', 'add', 'jetbrains'], says: 'Print the block with --print.' },
    {
      why: 'a program without a name',
      words: ['client', 'add', 'zed', '--', 'node'],
      says: '--mode local needs a name',
    },
    { why: 'local without a program', words: ['client', 'add', 'zed', '--mode', 'local'], says: 'needs a program' },
    {
      why: 'a program where none belongs',
      words: ['client', 'add', 'zed', '--mode', 'http', '--', 'node'],
      says: 'takes no server after --',
    },
    { why: 'a header of a program', words: ['client', 'add', 'zed', '--header', 'a: b'], says: 'does not go with' },
    {
      why: 'a header without its colon',
      words: ['client', 'add', 'zed', '--url', 'https://h', '--header', 'ab'],
      says: '--header is not NAME: VALUE',
    },
    { why: 'a URL that is none', words: ['client', 'add', 'zed', '--url', 'h.example'], says: 'not an http or https' },
    { why: 'a variable that is none', words: ['client', 'add', 'zed', '--env', '1=2'], says: 'names no variable' },
    { why: 'a value without its name', words: ['client', 'add', 'zed', '--env', 'a-secret'], says: 'no variable\n' },
    { why: 'a name with a space', words: ['client', 'add', 'zed', '--name', 'a b'], says: 'cannot be a server' },
  ])('$why is a usage error', async ({ words, says }) => {
    const { code, err } = await doorward(words);
    expect(code).toBe(2);
    expect(err).toContain(says);
    expect(readdirSync(folder)).toEqual(['project']);
  });

  test('without a home there is nowhere to look', async () => {
    const { code, err } = await doorward(['client', 'add', 'cursor'], { HOME: '' });
    expect(code).toBe(2);
    expect(err).toContain('Set HOME.');
  });
});

describe('client list', () => {
  test('one line a client; a star marks the files that are there', async () => {
    put('.cursor/mcp.json', '{}');
    const { code, out } = await doorward(['client', 'list']);
    expect(code).toBe(0);
    const line = out.split('\n').find((row) => row.startsWith('cursor '));
    expect(line).toMatch(/^cursor +Cursor +jsonc +stdio http local +~\/\.cursor\/mcp\.json \*, \.cursor\/mcp\.json$/);
    expect(out.trim().split('\n').length).toBeGreaterThanOrEqual(22);
  });

  test('--json has the whole table, sources included', async () => {
    const { clients } = JSON.parse((await doorward(['client', 'list', '--json'])).out);
    const desktop = clients.find(({ id }: { id: string }) => id === 'claude-desktop');
    expect(desktop).toMatchObject({ modes: ['stdio', 'local'], instead: expect.stringContaining('Connectors') });
    for (const { sources } of clients)
      expect(Object.keys(sources)).toEqual(expect.arrayContaining(['files', 'remote']));
  });
});

describe('import', () => {
  const CURSOR =
    '{ "mcpServers": { "a": { "url": "https://h", "headers": { "X-A": "${env:T}" }, "auth": { "s": 1 } } } }';

  test('prints the block, and what is lost on stderr', async () => {
    put('.cursor/mcp.json', CURSOR);
    const { code, out, err } = await doorward(['import', '--from', 'cursor']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      mcpServers: { a: { type: 'http', url: 'https://h', headers: { 'X-A': '${T}' } } },
    });
    expect(err).toBe(`warning: ${folder}/.cursor/mcp.json: a: auth: has no counterpart in doorward and was left out\n`);
  });

  test('--write adds to doorward.json, and touches nothing that is there', async () => {
    put(
      '.cursor/mcp.json',
      '{ "mcpServers": { "a": { "command": "x" }, "b": { "command": "y" }, "c": { "command": "z" } } }',
    );
    put(
      '.config/doorward/doorward.json',
      '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "mine" },\n    "c": { "command": "z" }\n  }\n}\n',
    );
    const { code, out, err } = await doorward(['import', '--from', 'cursor', '--write']);
    const own = read('.config/doorward/doorward.json');
    expect(own).toContain('    "a": { "command": "mine" },\n');
    expect(JSON.parse(own.replace('// mine', '')).mcpServers.b).toEqual({ command: 'y' });
    expect(out).toBe(`added b to ${folder}/.config/doorward/doorward.json\n`);
    expect(err).toContain('a: another server of that name is in');
    expect(err).toContain('c: is in');
    expect(code).toBe(2);
    const again = await doorward(['import', '--from', 'cursor', '--write', '--json']);
    expect(JSON.parse(again.out).written).toMatchObject({ added: [] });
    expect(read('.config/doorward/doorward.json')).toBe(own);
  });

  test('a new doorward.json is for the user alone and can be used', async () => {
    put('.cursor/mcp.json', CURSOR);
    await doorward(['import', '--from', 'cursor', '--write']);
    const { code, err } = await doorward(['config', 'validate'], { T: 't' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  test('doorward itself is not put behind itself', async () => {
    put('.cursor/mcp.json', CURSOR);
    await doorward(['client', 'add', 'cursor']);
    const { code, out, err } = await doorward(['import', '--from', 'cursor', '--write']);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.not.stringContaining('added doorward') });
    expect(err).toContain('doorward: is doorward itself');
    expect(read('.config/doorward/doorward.json')).not.toContain('stdio');
    expect((await doorward(['import', '--from', 'cursor'])).err).toContain('doorward: is doorward itself');
  });

  test('one file that cannot be read does not keep others from it', async () => {
    put('project/good.json', '{ "mcpServers": { "a": { "command": "x" }, "b": 1 } }');
    put('project/bad.json', '{ "mcpServers": ');
    const { code, out } = await doorward(['import', 'bad.json', 'good.json', 'gone.json', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: { a: { command: 'x' } },
      skipped: [{ file: 'good.json', server: 'b', message: 'is a number, not an object' }],
      failed: [
        { file: 'bad.json', error: { code: 'CONFIG_INVALID' } },
        { file: 'gone.json', error: { code: 'CONFIG_INVALID' } },
      ],
    });
  });

  test('two servers of one name: the first is taken, the other told', async () => {
    put('project/one.json', '{ "mcpServers": { "a": { "command": "x" } } }');
    put('project/two.json', '{ "mcpServers": { "a": { "command": "y" } } }');
    const { code, out, err } = await doorward(['import', 'one.json', 'two.json', 'one.json']);
    expect(code).toBe(2);
    expect(JSON.parse(out).mcpServers.a).toEqual({ command: 'x' });
    expect(err).toContain('two.json: a: another server of that name is in one.json');
  });

  test('--literal-secrets lets them stand', async () => {
    put('project/f.json', '{ "mcpServers": { "a": { "command": "x", "env": { "API_KEY": "s3cret" } } } }');
    const kept = await doorward(['import', 'f.json']);
    expect(kept.out).toContain('"API_KEY": "${API_KEY}"');
    expect(kept.out + kept.err).not.toContain('s3cret');
    expect((await doorward(['import', 'f.json', '--literal-secrets'])).out).toContain('s3cret');
  });

  test.each([
    { why: 'nothing named', words: ['import'], says: 'import needs a file' },
    { why: 'a client without a file', words: ['import', '--from', 'zed'], says: 'Zed has no file here' },
    { why: 'an unknown client', words: ['import', 'x', '--from', 'zzz'], says: 'there is no client' },
  ])('$why', async ({ words, says }) => {
    const { code, err } = await doorward(words);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});
