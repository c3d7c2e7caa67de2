import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool, implement } from '../../contract/index.js';
import { type RunningServer, type ServeOptions, serve } from './serve-implementation.js';

const slow = defineTool({
  name: 'slow',
  description: 'Answers after a while.',
  kind: 'read',
  input: z.object({ ms: z.int().max(5_000) }),
  output: z.object({ who: z.string() }),
});
const contract = defineContract({
  server: { name: 'io.example/slow', description: 'A slow server.', version: '1.0.0' },
  tools: [slow],
});
const implementation = implement(contract, {
  tools: {
    slow: async ({ ms }, { principal }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return { who: principal.id };
    },
  },
});

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close({ graceMs: 0 });
});

async function open(options: ServeOptions = {}): Promise<RunningServer> {
  const server = await serve(implementation, { port: 0, log: false, ...options });
  running.push(server);
  return server;
}

async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('serves on any free port of this machine, and says where', async () => {
  const server = await open();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`);
  const client = await connect(server.url);
  const result = await client.callTool({ name: 'slow', arguments: { ms: 0 } });
  expect(result.structuredContent).toEqual({ who: 'anonymous' });
  await client.close();
  expect(await statusOf(server.url.replace('/mcp', '/healthz'), {})).toBe(200);
});

test('a name that leads here by DNS gets no further', async () => {
  const server = await open();
  expect(await statusOf(server.url, { host: 'evil.example' })).toBe(403);
});

test('with tokens, handlers hear whose call it is, and strangers stay outside', async () => {
  const token = 'a-long-secret-token';
  const sha256 = createHash('sha256').update(token).digest('hex');
  const server = await open({
    auth: { kind: 'tokens', tokens: [{ name: 'ci', sha256, scopes: [] }], requiredScopes: [] },
  });
  const client = await connect(server.url, { authorization: `Bearer ${token}` });
  const result = await client.callTool({ name: 'slow', arguments: { ms: 0 } });
  expect(result.structuredContent).toEqual({ who: 'token:ci' });
  await client.close();
  expect(await statusOf(server.url, {})).toBe(401);
});

test('does not listen to the whole network where nobody is asked who they are', async () => {
  await expect(serve(implementation, { port: 0, host: '0.0.0.0', log: false })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
});

test('a port that is taken is an error that names it', async () => {
  const { port } = await open();
  await expect(serve(implementation, { port, log: false })).rejects.toThrow(String(port));
});

test('an end lets what is under way finish, and takes nothing new', async () => {
  const server = await open();
  const client = await connect(server.url);
  const calling = client.callTool({ name: 'slow', arguments: { ms: 200 } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closing = server.close();
  expect((await calling).structuredContent).toEqual({ who: 'anonymous' });
  await closing;
  await expect(statusOf(server.url, {})).rejects.toThrow('ECONNREFUSED');
});
