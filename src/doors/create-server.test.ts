import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool, implement } from '../contract/index.js';
import { createServer } from './create-server.js';

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets somebody by the name that they give.',
  kind: 'read',
  input: z.object({ greeting: z.string().default('hello') }),
  output: z.object({ text: z.string() }),
});
const near = defineTool({
  name: 'near',
  description: 'Needs this machine.',
  kind: 'read',
  locality: 'local',
  input: z.object({}),
  output: z.object({}),
});
const contract = defineContract({
  server: { name: 'io.example/greeter', description: 'Greets.', version: '1.0.0', instructions: 'Be kind.' },
  tools: [greet, near],
});
const implementation = implement(contract, {
  tools: {
    greet: async ({ greeting }, { elicit, progress }) => {
      progress({ progress: 1, total: 2 });
      const reply = await elicit({ message: 'Who are you?', form: z.object({ name: z.string() }) });
      return { text: `${greeting} ${reply.action === 'accept' ? reply.content.name : 'nobody'}` };
    },
    near: () => ({}),
  },
});
const URL_ = new URL('http://127.0.0.1:1234/mcp');

/** What a client sends goes straight to the server. */
function serve() {
  const server = createServer(implementation);
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => server.fetch(new Request(url, init));
  return { server, fetch };
}

test('a caller of the handshake era is served: tools of this place, questions in the middle of a call, progress', async () => {
  const { server, fetch } = serve();
  const client = new OlderClient({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new OlderTransport(URL_, { fetch }) as never);
  expect(client.getServerVersion()).toEqual({ name: 'io.example/greeter', version: '1.0.0' });
  expect(client.getInstructions()).toBe('Be kind.');
  expect((await client.listTools()).tools).toMatchObject([
    {
      name: 'greet',
      title: 'Greet',
      annotations: { readOnlyHint: true },
      inputSchema: { additionalProperties: false },
    },
  ]);
  const told: unknown[] = [];
  const result = await client.callTool({ name: 'greet', arguments: {} }, undefined, {
    onprogress: (progress) => void told.push(progress),
  });
  expect(result.structuredContent).toEqual({ text: 'hello Ada' });
  expect(told).toEqual([{ progress: 1, total: 2 }]);
  await expect(client.callTool({ name: 'greet', arguments: { greting: 'hi' } })).rejects.toMatchObject({
    code: -32602,
  });
  await client.close();
  await server.close();
});

test('a caller of the modern era is served the same, its questions as input required', async () => {
  const { server, fetch } = serve();
  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new StreamableHTTPClientTransport(URL_, { fetch }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet']);
  const result = await client.callTool({ name: 'greet', arguments: { greeting: 'hi' } });
  expect(result.structuredContent).toEqual({ text: 'hi Ada' });
  await client.close();
  await server.close();
});

test('initialize says which contract is served', async () => {
  const { server, fetch } = serve();
  const post = async (body: object) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(URL_, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: ') + 6));
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const hello = await post({ id: 1, method: 'initialize', params });
  expect(hello.result._meta).toEqual({ 'doorward/fingerprint': contract.fingerprint });
  await server.close();
});

test('its fetch can be mounted on a hono app, beside routes of the author', async () => {
  const server = createServer(implementation);
  const app = new Hono();
  app.get('/about', ({ text }) => text('ours'));
  app.all('*', ({ req }) => server.fetch(req.raw));
  expect(await (await app.request('http://127.0.0.1/about')).text()).toBe('ours');
  expect(await (await app.request('http://127.0.0.1/.well-known/mcp.json')).json()).toMatchObject({
    name: 'io.example/greeter',
    tools: [{ name: 'greet' }],
  });
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => app.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(URL_, { fetch }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet']);
  await client.close();
  await server.close();
});
