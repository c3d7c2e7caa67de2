import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DoorError } from '../../base/index.js';
import { doorwardEntry } from './doorward-entry.js';
import { clientOfPath, importFile, isDoorward } from './import-file.js';
import { findClient } from './table/index.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What becomes of a file: the servers as doorward spells them, and what is said of them. */
function imported(name: string, text: string, from?: string) {
  const client = from === undefined ? undefined : findClient(from)!;
  const { servers, skipped } = importFile({ name, bytes: encode(text), client });
  const own = servers.map((server) => {
    const { value, losses } = doorwardEntry(server.entry, { server: server.name, literalSecrets: false });
    return [server.name, { value, lost: [...server.losses, ...losses].map(({ field }) => field) }] as const;
  });
  return { servers: Object.fromEntries(own), skipped };
}

const only = (name: string, text: string, from?: string) => Object.values(imported(name, text, from).servers)[0];

describe('every spelling of a server', () => {
  test.each([
    { why: 'mcpServers', text: '{ "mcpServers": { "a": { "command": "x" } } }' },
    { why: 'servers', text: '{ "servers": { "a": { "type": "stdio", "command": "x", "args": [] } } }' },
    { why: 'context_servers', text: '{ "context_servers": { "a": { "source": "custom", "command": "x" } } }' },
    { why: 'mcp', text: '{ "mcp": { "a": { "type": "local", "command": ["x"] } } }' },
    { why: 'mcp.servers', text: '{ "mcp": { "servers": { "a": { "type": "local", "command": ["x"] } } } }' },
    { why: 'a bare map', text: '{ "a": { "command": "x" } }' },
    { why: 'a list', text: '[ { "name": "a", "command": "x" } ]' },
    { why: 'comments and trailing commas', text: '{ "mcpServers": { "a": { "command": "x", /* y */ }, }, } // z' },
  ])('$why', ({ text }) => {
    expect(imported('some.json', text).servers).toEqual({ a: { value: { command: 'x' }, lost: [] } });
  });

  test.each([
    { why: 'TOML', name: 'c.toml', text: '[mcp_servers.a]\ncommand = "x"\n' },
    { why: 'YAML', name: 'c.yaml', text: 'extensions:\n  a:\n    type: stdio\n    cmd: x\n' },
    { why: 'a list in YAML', name: 'c.yml', text: 'mcpServers:\n  - name: a\n    command: x\n' },
  ])('$why', ({ name, text }) => {
    expect(imported(name, text).servers).toEqual({ a: { value: { command: 'x' }, lost: [] } });
  });

  test.each(['http', 'streamable-http', 'streamable_http', 'streamableHttp', 'remote'])(
    'the transport %s is http',
    (type) => {
      const text = JSON.stringify({ mcpServers: { a: { type, url: 'https://h' } } });
      expect(only('f.json', text)?.value).toEqual({ type: 'http', url: 'https://h' });
    },
  );

  test.each(['url', 'serverUrl', 'httpUrl', 'uri'])('an address under %s', (field) => {
    const text = JSON.stringify({ mcpServers: { a: { [field]: 'https://h' } } });
    expect(only('f.json', text)?.value).toEqual({ type: 'http', url: 'https://h' });
  });

  test('SSE stays SSE', () => {
    expect(only('f.json', '{ "mcpServers": { "a": { "type": "sse", "url": "https://h" } } }')?.value.type).toBe('sse');
  });

  test.each(['env', 'envs', 'environment'])('variables under %s', (field) => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'x', [field]: { A: 'b', N: 1 } } } });
    expect(only('f.json', text)?.value).toEqual({ command: 'x', env: { A: 'b', N: '1' } });
  });
});

describe('references become ours, and nothing is resolved', () => {
  test.each([
    { from: 'cursor', written: '${env:T}', ours: '${T}' },
    { from: 'claude-code', written: '${T:-d}', ours: '${T:-d}' },
    { from: 'gemini-cli', written: '$T', ours: '${T}' },
    { from: 'opencode', written: '{env:T}', ours: '${T}' },
    { from: 'vscode', written: '${input:T}', ours: '${T}' },
    { from: 'lmstudio', written: '${T}', ours: '$${T}' },
  ])('$from: $written is $ours', ({ from, written, ours }) => {
    const { roots } = findClient(from)!;
    const root = roots[0]![0]!;
    const text = JSON.stringify({ [root]: { a: { url: 'https://h', headers: { 'X-A': `v ${written}` } } } });
    expect(only('f.json', text, from)?.value).toMatchObject({ headers: { 'X-A': `v ${ours}` } });
  });

  test('Codex names variables', () => {
    const text =
      '[mcp_servers.a]\nurl = "https://h"\nbearer_token_env_var = "T"\nenv_http_headers = { "X-A" = "A" }\n' +
      '[mcp_servers.b]\ncommand = "x"\nenv_vars = ["A", { name = "B", source = "local" }]\n';
    expect(imported('config.toml', text, 'codex').servers).toEqual({
      a: {
        value: { type: 'http', url: 'https://h', headers: { 'X-A': '${A}', Authorization: 'Bearer ${T}' } },
        lost: [],
      },
      b: { value: { command: 'x', env: { A: '${A}', B: '${B}' } }, lost: [] },
    });
  });
});

describe('what is lost is told', () => {
  test('settings with a counterpart are kept, others named', () => {
    const text = `{ "mcpServers": { "a": { "command": "x", "disabled": true, "timeout": 5000, "trust": true,
      "includeTools": ["r"], "excludeTools": ["w"], "oauth": { "scopes": [] }, "description": "" } } }`;
    expect(only('f.json', text)).toEqual({
      value: { command: 'x', enabled: false, callTimeoutMs: 5000, tools: { allow: ['r'], deny: ['w'] } },
      lost: ['trust', 'oauth'],
    });
  });

  test('a secret that is written out becomes a variable, and is told', () => {
    const text = `{ "mcpServers": { "a b": { "url": "https://h", "headers": { "Authorization": "Bearer abc", "X-T": "b" } },
      "p": { "command": "x", "args": ["--token=abc", "y"], "env": { "API_KEY": "abc" } } } }`;
    const { servers } = imported('f.json', text);
    expect(servers).toEqual({
      'a b': {
        value: {
          type: 'http',
          url: 'https://h',
          headers: { Authorization: 'Bearer ${A_B_AUTHORIZATION}', 'X-T': 'b' },
        },
        lost: ['headers.Authorization'],
      },
      p: {
        value: { command: 'x', args: ['--token=${P_ARGS_0}', 'y'], env: { API_KEY: '${API_KEY}' } },
        lost: ['args[0]', 'env.API_KEY'],
      },
    });
    expect(JSON.stringify(servers)).not.toContain('abc');
  });

  test('an input of VS Code that says more than its name', () => {
    const text = `{ "inputs": [{ "id": "T", "type": "pickString", "description": "T", "options": ["a"] }],
      "servers": { "a": { "url": "https://h/\${input:T}" }, "b": { "url": "https://h" } } }`;
    expect(imported('f.json', text, 'vscode').servers).toMatchObject({ a: { lost: ['inputs.T'] }, b: { lost: [] } });
  });
});

describe('doorward itself is known, since in its own configuration it would start itself without end', () => {
  const itself = [
    { command: 'npx', args: ['-y', 'doorward@0.1.0', 'stdio'] },
    { command: 'npx', args: ['-y', 'doorward', 'stdio', '--config', '/a/doorward.json'] },
    { command: '/usr/local/bin/doorward', args: ['stdio'] },
    { command: 'cmd', args: ['/c', 'npx', '-y', 'doorward@0.1.0', 'stdio'] },
    { command: 'node', args: ['/home/ada/doorward/dist/cli.cjs', 'stdio', '--config', '/a.json'] },
    { command: 'node', args: ['C:\\src\\doorward\\dist\\cli.cjs', 'stdio'] },
  ];
  const others = [
    { command: 'npx', args: ['-y', 'doorward', 'stdio', '--', 'node', 'x.js'] },
    { command: 'npx', args: ['-y', 'doorward-notes', 'stdio'] },
    { command: 'node', args: ['dist/cli.cjs', 'stdio'] },
    { command: 'doorward-like', args: ['stdio'] },
    { command: 'npx', args: ['-y', 'notes', '--for', 'doorward'] },
  ];

  const isItself = (entry: object): boolean[] => {
    const bytes = new TextEncoder().encode(JSON.stringify({ mcpServers: { a: entry } }));
    return importFile({ name: 'f.json', bytes }).servers.map((server) => isDoorward(server.entry));
  };

  test.each(itself)('$command $args', (entry) => expect(isItself(entry)).toEqual([true]));
  test.each(others)('but not $command $args', (entry) => expect(isItself(entry)).toEqual([false]));
});

test('an entry that cannot be read costs itself only', () => {
  const text = `{ "mcpServers": { "good": { "command": "x" }, "text": "x", "none": {}, "list": { "command": [] },
    "both": { "command": "x", "url": "https://h" }, "odd": { "type": "carrier-pigeon", "url": "https://h" },
    "args": { "command": "x", "args": "-y" }, "number": { "url": 1 } } }`;
  const { servers, skipped } = imported('f.json', text);
  expect(Object.keys(servers)).toEqual(['good']);
  expect(skipped).toEqual([
    { name: 'text', reason: 'is a string, not an object', isFault: true },
    { name: 'none', reason: 'has neither a command nor a url', isFault: true },
    { name: 'list', reason: 'command is neither text nor an array of texts', isFault: true },
    { name: 'both', reason: 'has both a command and a url', isFault: true },
    { name: 'odd', reason: 'has the unknown transport "carrier-pigeon"', isFault: true },
    { name: 'args', reason: 'args is not an array of texts', isFault: true },
    { name: 'number', reason: 'url is a number, not text', isFault: true },
  ]);
});

test("a client's own parts are no servers, and no fault", () => {
  const text = 'extensions:\n  developer:\n    type: builtin\n    name: developer\n';
  expect(imported('config.yaml', text, 'goose')).toEqual({
    servers: {},
    skipped: [{ name: 'developer', reason: 'is part of its client (builtin)', isFault: false }],
  });
});

test.each([
  { path: '/home/a/.cursor/mcp.json', id: 'cursor' },
  { path: 'C:\\Users\\a\\.cursor\\mcp.json', id: 'cursor' },
  { path: '.vscode/mcp.json', id: 'vscode' },
  { path: '/x/Claude/claude_desktop_config.json', id: 'claude-desktop' },
  { path: '/home/a/.codex/config.toml', id: 'codex' },
  { path: '/home/a/.config/goose/config.yaml', id: 'goose' },
  { path: '/home/a/other.json', id: undefined },
])('$path is a file of $id', ({ path, id }) => expect(clientOfPath(path)?.id).toBe(id));

test.each([
  { why: 'a file that is no JSON', name: 'f.json', text: '{ "a" 1 }', message: /^f\.json:1:7: / },
  { why: 'a file without servers', name: 'f.json', text: '{ "a": 1 }', message: /^f\.json: no servers in it/ },
  { why: 'a file in UTF-16', name: 'f.json', text: '\ufeff', message: /UTF-16/ },
])('$why is refused as a whole', ({ name, text, message }) => {
  const bytes = message.source.includes('UTF-16') ? new Uint8Array([0xff, 0xfe, 0x7b, 0]) : encode(text);
  let refusal: unknown;
  try {
    importFile({ name, bytes });
  } catch (thrown) {
    refusal = thrown;
  }
  expect(refusal).toBeInstanceOf(DoorError);
  expect(refusal).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
});

describe('whatever a file holds, there are servers or a clear error', () => {
  const hostile = [
    '['.repeat(20_000),
    `a: ${'['.repeat(5000)}`,
    `a: &a [x]\n${Array.from({ length: 9 }, (_, at) => `b${at}: &b${at} [${`*${at === 0 ? 'a' : `b${at - 1}`}, `.repeat(9)}]`).join('\n')}`,
    'a: *nowhere\n',
    '--- a\n--- b\n',
    '? [a]\n: b\n',
    'x = nan\n[mcp_servers.a]\ncommand = "x"\n',
    '{ "mcpServers": { "__proto__": { "command": "x" }, "a": { "__proto__": 1, "command": "x" } } }',
    '\u0000',
  ];
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"mcpServers"',
    ':',
    ',',
    '\n',
    '  ',
    '- ',
    '"a"',
    'a',
    '=',
    '#',
    '//',
    '1',
    'null',
    '&x',
    '*x',
  ];

  test.each(['f.json', 'f.yaml', 'f.toml'])('%s', (name) => {
    const survives = (text: string): void => {
      try {
        importFile({ name, bytes: encode(text) });
      } catch (thrown) {
        if (!(thrown instanceof DoorError && thrown.code === 'CONFIG_INVALID')) throw thrown;
      }
    };
    for (const text of hostile) survives(text);
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...pieces), maxLength: 30 }), survives), { numRuns: 500 });
    expect(({} as { command?: string }).command).toBeUndefined();
  });
});
