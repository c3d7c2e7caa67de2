import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool, implement } from '../../contract/index.js';
import { createWorker } from './create-worker.js';
import { anyone } from './index.js';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  kind: 'read',
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
});
const contract = defineContract({
  server: { name: 'io.example/echo', description: 'Says it again.', version: '1.0.0' },
  tools: [echo],
  deployments: ['edge'],
});
const implementation = implement(contract, { tools: { echo: ({ text }) => ({ text }) } });

afterEach(() => void vi.restoreAllMocks());

const get = (path: string): Request => new Request(`http://127.0.0.1${path}`);

test('nothing is made before the first request, and options are made from env once', async () => {
  let made = 0;
  const worker = createWorker(implementation, (env: { readonly URL: string }) => {
    made++;
    return { publicUrl: env.URL };
  });
  expect(made).toBe(0);
  const env = { URL: 'https://echo.test/mcp' };
  for (let at = 0; at < 3; at++) {
    const card = await (await worker.fetch(get('/mcp/server-card'), env)).json();
    expect(card).toMatchObject({ remotes: [{ url: env.URL }] });
  }
  expect(made).toBe(1);
});

test.each([
  {
    why: 'its options cannot be made',
    options: () => {
      throw new Error('the variable SECRET_X is missing');
    },
    logged: 'SECRET_X',
  },
  {
    why: 'upstreams stand open to everybody',
    options: { upstreams: [{ id: 'team', url: 'http://127.0.0.1:1/mcp' }] },
    logged: 'nobody is asked who they are',
  },
  { why: 'the deployment is none of the contract', options: { deployment: 'moon' }, logged: 'moon' },
])('where $why it answers 500, and only its log says more', async ({ options, logged }) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const answer = await createWorker(implementation, options).fetch(get('/mcp'), {});
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain(logged);
  expect(log.mock.calls.flat().join()).toContain(logged);
});

test('upstreams that are meant to be everybody’s are', async () => {
  const options = { identifier: anyone, upstreams: [{ id: 'team', url: 'http://127.0.0.1:1/mcp' }] };
  expect((await createWorker(implementation, options).fetch(get('/healthz'), {})).status).toBe(200);
});

test('where callers get tokens from an authorization server, documents and refusals lead there', async () => {
  const worker = createWorker(implementation, {
    publicUrl: 'https://echo.test/mcp',
    identifier: { issuers: ['https://as.test'], requiredScopes: ['mcp'], identify: () => ({ kind: 'missing' }) },
  });
  const place = '/.well-known/oauth-protected-resource';
  for (const path of [place, `${place}/mcp`]) {
    const answer = await worker.fetch(get(path), {});
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { resource: 'https://echo.test/mcp', authorization_servers: ['https://as.test'], scopes_supported: ['mcp'] },
    ]);
    const again = await worker.fetch(
      new Request(`http://127.0.0.1${path}`, { headers: { 'if-none-match': answer.headers.get('etag')! } }),
      {},
    );
    expect(again.status).toBe(304);
  }
  const refused = await worker.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', body: '{}' }), {});
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="https://echo.test${place}/mcp"`);
});

test('a request is kept alive until its stream of events has been read or given up', async () => {
  const kept: Promise<unknown>[] = [];
  const context = { waitUntil: (promise: Promise<unknown>) => void kept.push(promise) };
  const worker = createWorker(implementation);
  const post = (body: object, session?: string): Request =>
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const greeted = await worker.fetch(post({ id: 1, method: 'initialize', params: hello }), {}, context);
  const session = greeted.headers.get('mcp-session-id')!;
  await worker.fetch(post({ method: 'notifications/initialized' }, session), {}, context);
  const listening = new Request('http://127.0.0.1/mcp', {
    headers: { accept: 'text/event-stream', 'mcp-session-id': session },
  });
  kept.length = 0;
  const stream = await worker.fetch(listening, {}, context);
  let isOver = false;
  const over = Promise.all(kept).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isOver).toBe(false);
  await stream.body!.cancel();
  await over;
});
