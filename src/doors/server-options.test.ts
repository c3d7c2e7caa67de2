import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool, implement } from '../contract/index.js';
import { createServer } from './create-server.js';

const run = defineTool({ name: 'run', description: 'Runs.', kind: 'read', input: z.object({}), output: z.object({}) });
const contract = defineContract({
  server: { name: 'io.example/run', description: 'Runs.', version: '1.0.0' },
  tools: [run],
});
const implementation = implement(contract, { tools: { run: () => ({}) } });

test.each([
  'https://ann:secret@run.example/mcp',
  'https://ann@run.example',
  'https://run.example/mcp?token=secret',
  'https://run.example/mcp#secret',
  'ftp://run.example/mcp',
  'javascript:alert(1)',
  'run.example/mcp',
  'https://[::1/secret',
  '',
])('a public URL that everybody must not or cannot use is refused and not repeated: %s', (publicUrl) => {
  const refused = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('secret') });
  expect(() => createServer(implementation, { publicUrl })).toThrow(refused);
});

test.each([
  ['https://run.example', 'https://run.example/mcp'],
  ['http://[::1]:99/a%20b/', 'http://[::1]:99/a%20b'],
])('%s is what documents lead to as %s', async (publicUrl, shown) => {
  const server = createServer(implementation, { publicUrl });
  const card = await server.fetch(new Request('http://x/.well-known/mcp/server-card.json'));
  expect(await card.json()).toMatchObject({ remotes: [{ url: shown }] });
  await server.close();
});

test.each(['mcp', '', '/:id', '/*', '/a b', '/ü', '/a?b', '/a#b', '/%2e', '/{id}', 5, null])(
  'a path that no request could name is refused: %j',
  (path) => {
    expect(() => createServer(implementation, { path: path as string })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  },
);

test('a server that was closed takes no new requests, and can be closed again', async () => {
  const server = createServer(implementation);
  await server.close();
  const response = await server.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      }),
    }),
  );
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('has ended');
  await server.close();
});

test('whoever asks whether calls can be served hears when the server has ended', async () => {
  const server = createServer(implementation);
  const ask = async (): Promise<unknown> => {
    const response = await server.fetch(new Request('http://127.0.0.1/readyz'));
    return [response.status, await response.json()];
  };
  expect(await ask()).toMatchObject([200, { status: 'ready' }]);
  await server.close();
  expect(await ask()).toMatchObject([503, { status: 'draining' }]);
});
