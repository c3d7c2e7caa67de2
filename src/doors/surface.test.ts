import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import * as z from 'zod';
import { MemoryGateway, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { defineContract, defineTool, implement, sliceContract } from '../contract/index.js';
import { createServer, type ServerOptions } from './create-server.js';
import { anyone, type Identifier } from './http/identity.js';
import { SurfaceBoard, type SurfaceBoardOptions } from './surface.js';

// Which tools everybody may know of: those of this deployment that are public, and what the operator names.

const tool = (name: string, rest: object = {}) =>
  defineTool({ name, description: 'd', kind: 'read', input: z.object({}), output: z.object({}), ...rest });

const contract = defineContract({
  server: { name: 'io.example/shop', description: 'A shop.', version: '1.0.0' },
  deployments: ['node', 'edge'],
  tools: [
    tool('everywhere'),
    tool('on_node', { availability: ['node'] }),
    tool('on_edge', { availability: ['edge'] }),
    tool('on_both', { availability: ['node', 'edge'] }),
    tool('hidden', { visibility: 'private' }),
    tool('near', { locality: 'local' }),
    tool('signed_in', { auth: { scopes: ['buy'] } }),
    tool('for_admins', { profiles: ['admin'] }),
    tool('never', { when: () => false }),
    tool('old', { deprecated: 'Use everywhere.' }),
  ],
  remotes: [{ type: 'streamable-http', url: 'https://shop.example/mcp' }],
});
const handlers = Object.fromEntries(contract.tools.map(({ name }) => [name, () => ({})]));
const implementation = implement(contract, { tools: handlers as never });

async function documents(options: ServerOptions, context: Pick<TestContext, 'onTestFinished'>) {
  const server = createServer(implementation, options);
  context.onTestFinished(() => server.close());
  const read = async (path: string): Promise<Record<string, unknown>> =>
    (await (await server.fetch(new Request(`https://spoofed.test${path}`))).json()) as Record<string, unknown>;
  const namesAt = async (path: string): Promise<readonly unknown[]> =>
    ((await read(path)).tools as { name: string }[]).map(({ name }) => name);
  return { server, read, namesAt };
}

const EVERYWHERE = ['everywhere', 'on_both', 'signed_in', 'for_admins', 'old'];

describe.each(['/.well-known/mcp.json', '/.well-known/agent-tools/index.json', '/.well-known/agent-tools/openai.json'])(
  '%s has the public tools',
  (path) => {
    test.each([
      { why: 'of all deployments where none is named', options: {}, more: ['on_node', 'on_edge'] },
      { why: 'of this deployment', options: { deployment: 'node' }, more: ['on_node'] },
      { why: 'of the other one', options: { deployment: 'edge' }, more: ['on_edge'] },
      { why: 'of a set of tools', options: { deployment: 'edge', profile: 'admin' }, more: ['on_edge'] },
    ])('$why', async ({ options, more }) => {
      const { namesAt } = await documents(options, { onTestFinished });
      expect([...(await namesAt(path))].sort()).toEqual([...EVERYWHERE, ...more].sort());
    });
  },
);

test('a set of tools leaves out those of others', async (context) => {
  const { namesAt } = await documents({ deployment: 'edge', profile: 'guest' }, context);
  expect(await namesAt('/.well-known/mcp.json')).not.toContain('for_admins');
});

test('no pattern of the operator makes a private tool of the contract public', async (context) => {
  const { namesAt, server } = await documents({ publicTools: ['*'] }, context);
  server.gateway.start();
  await server.gateway.listTools();
  const names = await namesAt('/.well-known/agent-tools/index.json');
  for (const name of ['hidden', 'near', 'never']) expect(names).not.toContain(name);
});

test('documents say the same as lists do', async (context) => {
  const { read, server } = await documents({ deployment: 'node' }, context);
  const index = (await read('/.well-known/agent-tools/index.json')).tools as Record<string, unknown>[];
  const anonymous = { id: 'anonymous', kind: 'anonymous' } as const;
  const listed = (await server.gateway.listTools({ principal: anonymous })).map(({ advertisedModern }) =>
    JSON.parse(advertisedModern),
  );
  expect(index.map(({ projections: _, ...shown }) => shown)).toEqual(listed);
});

test('the address comes from the configuration; the fingerprint and remotes from the contract', async (context) => {
  const { read } = await documents({ publicUrl: 'https://shop.example' }, context);
  expect(await read('/mcp/server-card')).toMatchObject({
    name: 'io.example/shop',
    remotes: [{ url: 'https://shop.example/mcp' }],
    _meta: { 'doorward/fingerprint': contract.fingerprint },
  });
});

describe('the board', () => {
  const issuer: Identifier = { ...anyone, issuers: ['https://i.test'], requiredScopes: ['s'] };
  const closed: Identifier = { ...anyone, identify: () => ({ kind: 'missing' }) as never };
  const asking: Identifier = { ...anyone, identify: async () => ({ kind: 'missing' }) as never };

  function boardOf(options: Partial<SurfaceBoardOptions> = {}, memory = new MemoryGateway({ a: { scripts: [] } })) {
    const board = new SurfaceBoard({
      gateway: memory.gateway,
      server: contract.server,
      slice: () => undefined,
      identifier: anyone,
      path: '/mcp',
      documents: {},
      ...options,
    });
    return { board, memory };
  }

  test('gives the same surface as long as nothing changed, and another when tools come', async () => {
    const { board, memory } = boardOf(
      { documents: { publicTools: ['a__x'], publicServers: ['a', 'none'] } },
      new MemoryGateway({ a: { scripts: [{ tools: [toolNamed('x'), toolNamed('y')] }] } }),
    );
    const before = board.surface;
    expect([before.tools, before.servers]).toEqual([[], [{ id: 'a' }]]);
    expect(board.surface).toBe(before);
    memory.gateway.start();
    await memory.gateway.listTools();
    const { tools, servers } = board.surface;
    expect(tools.map(({ name }) => name)).toEqual(['a__x']);
    expect(servers).toEqual([{ id: 'a', title: expect.any(String) }]);
    expect(board.surface).toBe(board.surface);
    await memory.gateway.close();
  });

  test('shows of a mounted tool what MCP has there, and nothing that is not', async () => {
    const whole = {
      name: 'x',
      title: 'X',
      description: 'd',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      _meta: { 'a/b': 1 },
    };
    const odd = { ...toolNamed('y'), title: 1, description: [], annotations: [], _meta: 'm', 'x-secret': true };
    const { board, memory } = boardOf(
      { documents: { publicTools: ['*'] } },
      new MemoryGateway({ a: { scripts: [{ tools: [whole, odd] }] } }),
    );
    memory.gateway.start();
    await memory.gateway.listTools();
    expect(board.surface.tools).toEqual([
      { ...whole, name: 'a__x' },
      { name: 'a__y', inputSchema: expect.objectContaining({ type: 'object' }) },
    ]);
    await memory.gateway.close();
  });

  test.each([
    { why: 'nobody needs a token', identifier: anyone, auth: undefined },
    {
      why: 'an authorization server gives them',
      identifier: issuer,
      auth: { kind: 'issuer', issuers: ['https://i.test'], scopes: ['s'] },
    },
    { why: 'the operator does', identifier: closed, auth: { kind: 'tokens', scopes: [] } },
    { why: 'it takes time to tell', identifier: asking, auth: { kind: 'tokens', scopes: [] } },
  ])('says how callers show who they are: $why', ({ identifier, auth }) => {
    expect(boardOf({ identifier }).board.surface.auth).toEqual(auth);
  });

  test('says what was configured, and nothing else', () => {
    const documents = { contact: 'c', registryAuth: 'r', generatedAt: 't' };
    const slice = () => sliceContract(contract, { deployment: 'edge' });
    const { surface } = boardOf({ documents, resource: 'https://x.test/mcp', slice }).board;
    expect(surface).toMatchObject({ ...documents, publicUrl: 'https://x.test/mcp', remotes: contract.remotes });
    expect(Object.keys(boardOf().board.surface).sort()).toEqual(
      ['capabilities', 'path', 'server', 'servers', 'supportedVersions', 'tools'].sort(),
    );
  });
});
