import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool, implement } from '../contract/index.js';
import { createServer } from './create-server.js';
import type { Identifier } from './http/identity.js';

const output = z.object({ ok: z.boolean() });
const shown = defineTool({ name: 'show_notes', description: 'Shows.', kind: 'read', input: z.object({}), output });
const hidden = defineTool({
  name: 'purge_notes',
  description: 'Empties the zebra.',
  kind: 'destructive',
  visibility: 'private',
  aliases: ['wipe_notes'],
  meta: { owner: 'zebra' },
  input: z.object({ zebra: z.string().optional() }),
  output,
});
const contract = defineContract({
  server: { name: 'io.example/notes', description: 'Keeps notes.', version: '1.0.0' },
  tools: [shown, hidden],
});
const ok = () => ({ ok: true });
const implementation = implement(contract, { tools: { show_notes: ok, purge_notes: ok } });
/** Whoever has a token is known; whoever has none may come in all the same. */
const identifier: Identifier = {
  identify: (authorization) => ({
    kind: 'known',
    principal: authorization === undefined ? { id: 'anonymous', kind: 'anonymous' } : { id: 'ann', kind: 'token' },
  }),
  requiredScopes: [],
  issuers: [],
};

const HANDSHAKE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function open() {
  const server = createServer(implementation, { identifier, publicUrl: 'https://notes.example' });
  const post = async (body: object, headers: Record<string, string>) =>
    server.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      }),
    );
  /** @returns what asks in one era as one caller, and gives the text of the answer */
  const asking = async (era: 'handshake' | 'modern', token?: string) => {
    const auth: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    if (era === 'modern') {
      return async (method: string, params: { readonly name?: string }) => {
        const names = {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(params.name && { 'mcp-name': params.name }),
        };
        const response = await post(
          { id: 7, method, params: { ...params, _meta: MODERN_META } },
          { ...auth, ...names },
        );
        return response.text();
      };
    }
    const hello = await post({ id: 0, method: 'initialize', params: HANDSHAKE }, auth);
    const session = {
      ...auth,
      'mcp-session-id': hello.headers.get('mcp-session-id')!,
      'mcp-protocol-version': '2025-11-25',
    };
    await post({ method: 'notifications/initialized' }, session);
    return async (method: string, params: object) => (await post({ id: 7, method, params }, session)).text();
  };
  return { server, asking };
}

test.each(['handshake', 'modern'] as const)(
  '%s: a private tool is to the anonymous as one that is not there',
  async (era) => {
    const { server, asking } = open();
    const ask = await asking(era);
    const list = await ask('tools/list', {});
    expect(list).toContain('show_notes');
    expect(list).not.toMatch(/purge_notes|wipe_notes|zebra/);
    // The same words for each: what is hidden, its old name, what is nearly its name, and what is nothing.
    const unknown = (await ask('tools/call', { name: 'x'.repeat(20) })).replaceAll('x'.repeat(20), 'NAME');
    expect(unknown).toContain('TOOL_UNKNOWN');
    for (const name of ['purge_notes', 'wipe_notes', 'purge_nots', 'purge_notesx']) {
      for (const args of [{}, { zebra: 5 }]) {
        expect((await ask('tools/call', { name, arguments: args } as never)).replaceAll(name, 'NAME')).toBe(unknown);
      }
    }
    // What may be named is.
    expect(await ask('tools/call', { name: 'show_nots' })).toContain('Did you mean show_notes?');
    await server.close();
  },
);

test.each(['handshake', 'modern'] as const)('%s: a private tool is there for those who are known', async (era) => {
  const { server, asking } = open();
  const ask = await asking(era, 'good');
  expect(await ask('tools/list', {})).toContain('purge_notes');
  for (const name of ['purge_notes', 'wipe_notes']) expect(await ask('tools/call', { name })).toContain('{"ok":true}');
  expect(await ask('tools/call', { name: 'purge_nots' })).toContain('Did you mean purge_notes?');
  await server.close();
});

test('no path that is served names a private tool, whoever asks', async () => {
  const { server } = open();
  const paths = [...new Set(server.routes.map(({ path }) => path))];
  expect(paths.length).toBeGreaterThan(15);
  for (const path of paths) {
    for (const headers of [{}, { authorization: 'Bearer good' }]) {
      const response = await server.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
      expect(`${path} ${await response.text()}`).not.toMatch(/purge_notes|wipe_notes|zebra/);
    }
  }
  await server.close();
});
