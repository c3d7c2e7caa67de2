/** The example's Worker in Cloudflare's own runtime, driven by the official clients of both eras. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildExample, EXAMPLE } from '../fixtures/example.js';
import { endHttpServers } from '../fixtures/http-server.js';
import { serveModern, serveSessions, serveStateless } from '../fixtures/http-upstreams.js';
import { modernMeta } from '../fixtures/modern-meta.js';
import { findWorkerd, type RunningWorker, startWorker } from '../fixtures/workerd.js';
import { startUpstream } from './worker-upstream.js';

const MODULE = join(EXAMPLE, 'dist', 'worker.js');
const REMOTE = ['find_licence', 'search_licences', 'check_licences', 'recommend_licence'];
const TOKEN = 'a-token-of-the-caller';
const CALLER = { CALLER_SHA256: createHash('sha256').update(TOKEN).digest('hex') };
const AUTHORIZED = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } };
const WISHES = { sharing: 'anything-goes', patents: true };

interface Seen {
  readonly tools: readonly string[];
  readonly found: unknown;
  readonly progress: readonly number[];
  readonly recommended: unknown;
  readonly refused: unknown;
}

interface Asked {
  readonly message: string;
}

/** What every client does, in whatever way it does it. */
interface Caller {
  tools(): Promise<readonly string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    onProgress?: (at: number) => void,
  ): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const CALLERS: Readonly<Record<string, (url: URL, asked: Asked[]) => Promise<Caller>>> = {
  'SDK 1, handshake era': async (url, asked) => {
    const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return { action: 'accept', content: WISHES };
    });
    // Its types clash with exactOptionalPropertyTypes in its own declarations.
    await client.connect(new HttpV1(url, AUTHORIZED) as never);
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args, onProgress) =>
        client.callTool({ name, arguments: args }, undefined, {
          ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
        }),
      close: () => client.close(),
    };
  },
  'SDK 2, handshake era': (url, asked) => connectV2(url, asked, 'legacy'),
  'SDK 2, modern era': (url, asked) => connectV2(url, asked, 'auto'),
};

async function connectV2(url: URL, asked: Asked[], mode: 'auto' | 'legacy'): Promise<Caller> {
  const client = new ClientV2(
    { name: 'v2', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params);
    return { action: 'accept' as const, content: WISHES };
  });
  await client.connect(new HttpV2(url, AUTHORIZED));
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, onProgress) =>
      (await client.callTool(
        { name, arguments: args },
        { ...(onProgress && { onprogress: ({ progress }: { progress: number }) => onProgress(progress) }) },
      )) as Record<string, unknown>,
    close: () => client.close(),
  };
}

// Without the binary of this platform there is nothing to start.
describe.skipIf(findWorkerd() === undefined)('a Worker under workerd', () => {
  let worker: RunningWorker;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;

  beforeAll(async () => {
    buildExample();
    upstream = await startUpstream('a-secret-of-the-team');
    worker = await startWorker({
      module: MODULE,
      bindings: { ...CALLER, TEAM_URL: upstream.url, TEAM_TOKEN: 'a-secret-of-the-team' },
    });
  });

  afterAll(async () => {
    await worker?.stop();
    await upstream?.close();
    await endHttpServers();
  });

  const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${worker.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${TOKEN}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });

  test.each(Object.keys(CALLERS))('%s: lists, calls, progress, a question, a refusal', async (name) => {
    const asked: Asked[] = [];
    const caller = await CALLERS[name]!(new URL(`${worker.origin}/mcp`), asked);
    try {
      const progress: number[] = [];
      const packages = Array.from({ length: 120 }, (_, at) => ({ name: `p${at}`, licence: at === 7 ? 'Nope' : 'MIT' }));
      const seen: Seen = {
        tools: await caller.tools(),
        found: (await caller.call('find_licence', { id: 'mit' })).structuredContent,
        ...(await caller.call('check_licences', { packages }, (at) => progress.push(at)).then(() => ({ progress }))),
        recommended: (await caller.call('recommend_licence', {})).structuredContent,
        refused: await caller.call('find_licence', { name: 'MIT' }).catch((thrown: { code: number }) => thrown.code),
      };
      expect(seen.tools).toEqual([...REMOTE, 'team__add', 'team__wait']);
      expect(seen.found).toMatchObject({ id: 'MIT', isOsiApproved: true });
      expect(seen.progress).toEqual([50, 100, 120]);
      expect(seen.recommended).toMatchObject({ licences: [{ id: 'Apache-2.0' }] });
      expect(asked).toMatchObject([{ message: 'What should the licence ask of others?' }]);
      expect(seen.refused).toBe(-32602);
    } finally {
      await caller.close();
    }
  });

  test.each(Object.keys(CALLERS))('%s: an upstream over HTTP, judged before it is asked', async (name) => {
    const caller = await CALLERS[name]!(new URL(`${worker.origin}/mcp`), []);
    try {
      const before = upstream.calls();
      expect(await caller.call('team__add', { a: 2, b: 3 })).toMatchObject({ content: [{ text: '5' }] });
      const refused = await caller
        .call('team__add', { a: 'two', b: 3 })
        .catch((thrown: { code: number }) => thrown.code);
      expect(refused).toBe(-32602);
      expect(upstream.calls() - before).toBe(1);
    } finally {
      await caller.close();
    }
  });

  test.each([
    { kind: 'with sessions', serve: serveSessions },
    { kind: 'without sessions', serve: serveStateless },
    { kind: 'of the modern era', serve: serveModern },
  ])('an upstream $kind is called, and no stream to it is opened that would outlive its request', async ({ serve }) => {
    const served = await serve();
    const other = await startWorker({ module: MODULE, bindings: { ...CALLER, TEAM_URL: served.url } });
    const caller = await CALLERS['SDK 2, modern era']!(new URL(`${other.origin}/mcp`), []);
    try {
      expect(await caller.tools()).toContain('team__echo');
      for (let call = 0; call < 3; call++) {
        expect(await caller.call('team__echo', {})).toMatchObject({ content: [{ text: 'ok' }] });
      }
      expect(served.runs()).toBe(3);
      expect(served.asked).not.toContain('GET');
      expect(served.asked).not.toContain('POST subscriptions/listen');
      expect(other.log()).toBe('');
    } finally {
      await caller.close();
      await other.stop();
    }
  });

  test('many callers at once get their own answers', async () => {
    const caller = await CALLERS['SDK 2, modern era']!(new URL(`${worker.origin}/mcp`), []);
    const sums = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const { content } = await caller.call('team__add', { a: at, b: 1 });
        return Number((content as { text: string }[])[0]?.text);
      }),
    );
    await caller.close();
    expect(sums).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  });

  test('a question that is answered late still finds its call', async () => {
    const asked: Asked[] = [];
    const client = new ClientV2(
      { name: 'late', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      return { action: 'accept' as const, content: WISHES };
    });
    await client.connect(new HttpV2(new URL(`${worker.origin}/mcp`), AUTHORIZED));
    expect(await client.callTool({ name: 'recommend_licence', arguments: {} })).toMatchObject({
      structuredContent: { licences: [{ id: 'Apache-2.0' }] },
    });
    expect(asked).toHaveLength(1);
    await client.close();
  });

  // The runtime notices with the next thing that it writes: here, progress.
  test('a caller that hangs up ends what was asked of an upstream', async () => {
    const before = upstream.hangUps();
    const leaving = new AbortController();
    const calling = fetch(`${worker.origin}/mcp`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${TOKEN}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'team__wait',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'team__wait', arguments: {}, _meta: modernMeta({}, { progressToken: 1 }) },
      }),
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(upstream.hangUps()).toBe(before);
    leaving.abort();
    await expect(calling.then((answer) => answer.text())).rejects.toThrow();
    await expect.poll(() => upstream.hangUps(), { timeout: 5_000 }).toBe(before + 1);
  });

  test('a foreign Host is refused at the endpoint, and so is what is no JSON', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await post(ping, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(ping, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(ping)).status).toBe(400);
  });

  test('a caller without a good token is not let in, and documents are for everybody', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await post(ping, { authorization: 'Bearer other' })).status).toBe(401);
    expect((await fetch(`${worker.origin}/.well-known/mcp.json`)).status).toBe(200);
  });

  test('nothing tries to generate code, is dropped or fails, however often it is called', async () => {
    const caller = await CALLERS['SDK 2, modern era']!(new URL(`${worker.origin}/mcp`), []);
    for (let call = 0; call < 30; call++) await caller.call('find_licence', { id: 'mit' });
    await caller.close();
    expect(worker.log()).toBe('');
  });
});
