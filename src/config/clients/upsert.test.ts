import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClientEntry, TextMap } from './entry.js';
import { importFile } from './import-file.js';
import { joinText, type Text } from './reference.js';
import type { Scope } from './spec.js';
import { CLIENTS, findClient } from './table/index.js';
import { upsertEntry } from './upsert.js';
import { type Refusal, type WrittenEntry, writeEntry } from './write-entry.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const variable = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,6}$/).map((name) => ({ variable: name }));
const words = fc.string({ unit: 'grapheme', maxLength: 10 });
const text: fc.Arbitrary<Text> = fc
  .array(fc.oneof({ weight: 3, arbitrary: words }, { weight: 1, arbitrary: variable }), { maxLength: 3 })
  .map(joinText);
const names = fc.stringMatching(/^[A-Z][A-Z_]{0,6}$/);
const map: fc.Arbitrary<TextMap> = fc.dictionary(names, text, { maxKeys: 3, noNullPrototype: true });
const connections: fc.Arbitrary<ClientEntry['connection']> = fc.oneof(
  fc.record({
    kind: fc.constant('stdio' as const),
    command: text.filter((value) => value.length > 0),
    args: fc.array(text, { maxLength: 4 }),
    env: map,
  }),
  fc.record({
    kind: fc.constant('remote' as const),
    transport: fc.constantFrom('http' as const, 'sse' as const),
    url: fc.webUrl({ withQueryParameters: true }).map((url): Text => [url]),
    headers: map,
  }),
);

function isWritten(written: WrittenEntry | readonly Refusal[]): written is WrittenEntry {
  return 'value' in written;
}

describe.each(CLIENTS)('$id', (client) => {
  const scope: Scope = client.user ? 'user' : 'project';

  test('whatever can be written is read back as it was, and once is enough', () => {
    let written = 0;
    fc.assert(
      fc.property(connections, connections, (...both) => {
        let bytes: Uint8Array | undefined;
        for (const connection of both) {
          const entry = { connection, settings: {} };
          // Secrets are another matter here; what is unset stays a reference where there are references.
          const spelled = writeEntry(entry, { client, scope, name: 'it', literalSecrets: () => undefined });
          if (!isWritten(spelled)) continue;
          written++;
          const { value, inputs } = spelled;
          const once = upsertEntry({ client, fileName: 'f', bytes, name: 'it', value, inputs });
          const { servers, skipped } = importFile({ name: 'f', bytes: once.bytes, client });
          expect(skipped).toEqual([]);
          expect(servers.map(({ name }) => name)).toEqual(['it']);
          expect(servers[0]!.entry.connection).toEqual(connection);
          expect(servers[0]!.losses).toEqual([]);
          const twice = upsertEntry({ client, fileName: 'f', bytes: once.bytes, name: 'it', value, inputs });
          expect(twice).toEqual({ change: 'unchanged', bytes: once.bytes, path: once.path });
          bytes = once.bytes;
        }
      }),
      { numRuns: 40 },
    );
    expect(written, 'the property looked at something').toBeGreaterThan(0);
  });
});

test('what is set already stays: an entry that is switched off is not switched on', () => {
  const client = findClient('cline')!;
  const bytes = encode('{ "mcpServers": { "it": { "command": "old", "disabled": true, "autoApprove": ["x"] } } }');
  const value = { command: 'new', args: [], disabled: false };
  const { bytes: after, change } = upsertEntry({ client, fileName: 'f', bytes, name: 'it', value });
  expect(change).toBe('updated');
  expect(JSON.parse(decode(after))).toEqual({
    mcpServers: { it: { command: 'new', args: [], disabled: true, autoApprove: ['x'] } },
  });
});

test('opencode: servers that stand under mcp.servers are added to there', () => {
  const client = findClient('opencode')!;
  const native = encode('{ "mcp": { "servers": { "a": { "type": "remote", "url": "https://a" } } } }');
  const value = { type: 'remote', url: 'https://h' };
  expect(upsertEntry({ client, fileName: 'f', bytes: native, name: 'it', value }).path).toEqual([
    'mcp',
    'servers',
    'it',
  ]);
  const named = encode('{ "mcp": { "servers": { "type": "remote", "url": "https://a" } } }');
  expect(upsertEntry({ client, fileName: 'f', bytes: named, name: 'it', value }).path).toEqual(['mcp', 'it']);
});

test('VS Code: an input that is declared is not declared again', () => {
  const client = findClient('vscode')!;
  const bytes = encode(
    '{\n  "inputs": [{ "type": "promptString", "id": "T", "description": "mine" }],\n  "servers": {}\n}\n',
  );
  const value = { type: 'http', url: 'https://h', headers: { A: '${input:T}${input:U}' } };
  const { bytes: after } = upsertEntry({ client, fileName: 'f', bytes, name: 'it', value, inputs: ['T', 'U'] });
  expect(JSON.parse(decode(after)).inputs).toEqual([
    { type: 'promptString', id: 'T', description: 'mine' },
    { type: 'promptString', id: 'U', description: 'U', password: true },
  ]);
});

test('a name that JavaScript has a meaning for is a name', () => {
  const client = findClient('cursor')!;
  const value = { command: 'x', args: [] };
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const { bytes } = upsertEntry({ client, fileName: 'f', bytes: undefined, name, value });
    const { servers } = importFile({ name: 'f', bytes, client });
    expect(servers.map((server) => server.name)).toEqual([name]);
    expect(({} as { command?: string }).command).toBeUndefined();
  }
});

test.each<{ id: string; text: string; place: string }>([
  { id: 'cursor', text: '{\n  "mcpServers": {\n    "it": ["mine"] } }', place: 'f:3:11' },
  { id: 'cursor', text: '{"mcpServers": {"it": "mine"}}', place: 'f:1:23' },
  { id: 'codex', text: '[[mcp_servers.it]]\nx = "mine"\n', place: 'f:1:1' },
  { id: 'goose', text: 'extensions:\n  it: [mine]\n', place: 'f:2:7' },
  { id: 'goose', text: 'extensions:\n- mine\n', place: 'f:2:1' },
  { id: 'goose', text: 'a: &a { cmd: mine }\nextensions:\n  it: *a\n', place: 'f:3:7' },
])('what is no entry, where the entry should be, is not written over: $id $text', ({ id, text, place }) => {
  const client = findClient(id)!;
  const value = { command: 'x' };
  const write = () => upsertEntry({ client, fileName: 'f', bytes: encode(text), name: 'it', value });
  expect(write).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(place) }));
});
