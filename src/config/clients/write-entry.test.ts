import { describe, expect, test } from 'vitest';
import type { ClientEntry } from './entry.js';
import { readText } from './reference.js';
import { findClient } from './table/index.js';
import { ownText, type Refusal, writeEntry } from './write-entry.js';

const remote = (headers: Record<string, string>): ClientEntry => ({
  connection: {
    kind: 'remote',
    transport: 'http',
    url: ['https://h.example/mcp'],
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, ownText(value)])),
  },
  settings: {},
});

const program = (env: Record<string, string>): ClientEntry => ({
  connection: {
    kind: 'stdio',
    command: ['npx'],
    args: [['-y'], ['server']],
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, ownText(value)])),
  },
  settings: {},
});

const write = (id: string, entry: ClientEntry, literalSecrets?: (name: string) => string | undefined) =>
  writeEntry(entry, { client: findClient(id)!, scope: 'user', name: 'it', literalSecrets });

const BEARER = { Authorization: 'Bearer ${TOKEN}' };

describe('each client refers to a secret in its own way', () => {
  test.each([
    { id: 'claude-code', value: { type: 'http', url: 'https://h.example/mcp', headers: BEARER } },
    { id: 'cursor', value: { url: 'https://h.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } } },
    {
      id: 'windsurf',
      value: { serverUrl: 'https://h.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
    },
    {
      id: 'vscode',
      value: { type: 'http', url: 'https://h.example/mcp', headers: { Authorization: 'Bearer ${input:TOKEN}' } },
    },
    { id: 'codex', value: { url: 'https://h.example/mcp', bearer_token_env_var: 'TOKEN' } },
    {
      id: 'opencode',
      value: {
        type: 'remote',
        enabled: true,
        url: 'https://h.example/mcp',
        headers: { Authorization: 'Bearer {env:TOKEN}' },
      },
    },
    {
      id: 'continue',
      value: {
        name: 'it',
        type: 'streamable-http',
        url: 'https://h.example/mcp',
        requestOptions: { headers: { Authorization: 'Bearer ${{ secrets.TOKEN }}' } },
      },
    },
  ])('$id', ({ id, value }) => expect(write(id, remote(BEARER))).toMatchObject({ value, holdsSecret: false }));

  test('Codex: a whole header by its name, a variable under its own', () => {
    expect(write('codex', remote({ 'X-Key': '${KEY}', 'X-Team': 'blue' }))).toMatchObject({
      value: { url: 'https://h.example/mcp', env_http_headers: { 'X-Key': 'KEY' }, http_headers: { 'X-Team': 'blue' } },
    });
    expect(write('codex', program({ KEY: '${KEY}', LEVEL: 'info' }))).toMatchObject({
      value: { command: 'npx', args: ['-y', 'server'], env: { LEVEL: 'info' }, env_vars: ['KEY'] },
    });
  });

  test('VS Code is told which values to ask for', () => {
    expect(write('vscode', remote(BEARER))).toMatchObject({ inputs: ['TOKEN'], variables: ['TOKEN'] });
  });
});

describe('what cannot be said is refused, with what to do instead', () => {
  test.each([
    { why: 'a reference where there are none', id: 'lmstudio', entry: remote(BEARER), kind: 'secret' },
    { why: 'half a header for Codex', id: 'codex', entry: remote({ 'X-Key': 'k-${KEY}' }), kind: 'secret' },
    { why: 'another variable for Codex', id: 'codex', entry: program({ KEY: '${OTHER}' }), kind: 'secret' },
    { why: 'a secret written out', id: 'cursor', entry: remote({ Authorization: 'Bearer abc' }), kind: 'secret' },
    { why: 'a URL in Claude Desktop', id: 'claude-desktop', entry: remote({}), kind: 'remote' },
    { why: 'headers of JetBrains', id: 'jetbrains', entry: remote({ 'X-Team': 'blue' }), kind: 'headers' },
    {
      why: 'SSE, for which there is no word',
      id: 'goose',
      entry: {
        connection: { kind: 'remote', transport: 'sse', url: ['https://h'], headers: {} },
        settings: {},
      } as const,
      kind: 'transport',
    },
    {
      why: 'text that would be a reference',
      id: 'cursor',
      entry: program({ X: '$${HOME}' }),
      kind: 'text',
    },
  ])('$why', ({ id, entry, kind }) => {
    const [first] = write(id, entry) as Refusal[];
    expect(first).toMatchObject({ kind });
    expect(first!.hint).toMatch(/\.$/);
    expect(first!.message).not.toContain('abc');
  });
});

describe('--literal-secrets', () => {
  test('lets a secret stand', () => {
    expect(write('cursor', remote({ Authorization: 'Bearer abc' }), () => undefined)).toMatchObject({
      value: { headers: { Authorization: 'Bearer abc' } },
      holdsSecret: true,
    });
  });

  test('writes a value out where the client has no references, and only there', () => {
    const environment = (name: string): string | undefined => ({ TOKEN: 's3cret' })[name];
    expect(write('lmstudio', remote(BEARER), environment)).toMatchObject({
      value: { headers: { Authorization: 'Bearer s3cret' } },
      holdsSecret: true,
    });
    expect(write('cursor', remote(BEARER), environment)).toMatchObject({
      value: { headers: { Authorization: 'Bearer ${env:TOKEN}' } },
      holdsSecret: false,
    });
  });

  test('names the variable that is not set', () => {
    const [first] = write('lmstudio', remote(BEARER), () => undefined) as Refusal[];
    expect(first!.message).toBe('the variable TOKEN is not set');
  });
});

test('what is left out is told', () => {
  const entry: ClientEntry = {
    connection: {
      kind: 'stdio',
      command: ['x'],
      args: [],
      env: { A: readText('${A:-1}', 'doorward') },
      cwd: ['/srv'],
    },
    settings: { callTimeoutMs: 5 },
  };
  expect(write('cursor', entry)).toMatchObject({
    value: { command: 'x', args: [], env: { A: '${env:A}' } },
    losses: [
      'the default of A in env.A was left out: Cursor has no word for it',
      'cwd was left out: Cursor has no word for it',
      "callTimeoutMs is a setting of doorward's and was left out",
    ],
  });
  const off = { ...program({}), settings: { enabled: false } };
  expect(write('cline', off)).toMatchObject({ value: { disabled: true }, losses: [] });
  expect(write('opencode', off)).toMatchObject({ value: { enabled: false }, losses: [] });
  expect(write('cursor', off)).toMatchObject({ losses: ['enabled: false was left out: Cursor has no word for it'] });
});
