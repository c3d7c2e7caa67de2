import { afterEach, expect, test } from 'vitest';
import { toolNamed } from '../../../test/fixtures/memory-gateway.js';
import { MemoryTransport } from '../../../test/fixtures/memory-transport.js';
import type { Principal } from '../../base/index.js';
import { createGateway, type Gateway, type Mount } from '../../gateway/index.js';
import { ownMount } from './mount.js';

const ME: Principal = { id: 'local:1', kind: 'local' };

let gateway: Gateway;
afterEach(() => gateway.close());

function open(tools: readonly object[] = [], more: Partial<Mount> = {}): void {
  const list = {
    on: { 'tools/list': ({ id }: { id: number }, transport: MemoryTransport) => transport.answer(id, { tools }) },
  };
  const connect = (): MemoryTransport => new MemoryTransport(list as never);
  gateway = createGateway({
    mounts: [
      ownMount({ gatewayOf: () => gateway, taken: ['files'] }),
      { id: 'files', connect, era: 'handshake', ...more },
    ],
  });
  gateway.start();
}

async function call(tool: string, args: object): Promise<unknown> {
  const bytes = new TextEncoder().encode(JSON.stringify(args));
  const answer = await gateway.callTool({ mount: 'doorward', tool, arguments: bytes }, { principal: ME });
  const { json } = answer;
  return JSON.parse(new TextDecoder().decode(json.bytes.subarray(json.start, json.end))).structuredContent;
}

const EXCLUDED = toolNamed('odd', { inputSchema: { type: 'object', properties: { a: { $ref: '#/none' } } } });

test('the status names every server with its state, and the tools that were left out with reasons', async () => {
  open([toolNamed('read'), EXCLUDED]);
  await gateway.listTools();
  expect(await call('doorward_status', {})).toEqual({
    tools: 3,
    servers: [
      { id: 'doorward', state: 'ready', tools: 2 },
      { id: 'files', state: 'ready', tools: 1 },
    ],
    excluded: [{ server: 'files', tool: 'odd', code: 'UNRESOLVED_REF', reason: expect.any(String) }],
  });
  expect(await call('doorward_status', { server: 'files' })).toMatchObject({ tools: 1, servers: [{ id: 'files' }] });
});

test('a server that cannot be reached says why, and when it is tried again', async () => {
  open([], {
    connect: () => {
      throw new Error('no such program');
    },
  });
  await gateway.listTools();
  expect(await call('doorward_status', { server: 'files' })).toMatchObject({
    servers: [{ id: 'files', state: 'failed', reason: expect.any(String), code: expect.any(String) }],
  });
});

const NEEDS_PATH = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

test.each([
  { why: 'valid arguments', tool: 'files__read', args: { path: 'a' }, says: { accepted: true, issues: [] } },
  {
    why: 'invalid arguments',
    tool: 'files__read',
    args: { path: 1 },
    says: { accepted: false, issues: [{ path: '$.path', message: 'expected string, got number' }] },
  },
  {
    why: 'a tool that was left out',
    tool: 'files__odd',
    args: {},
    says: { accepted: false, reason: expect.stringContaining('it was left out') },
  },
  { why: 'no tool', tool: 'nothing', args: {}, says: { accepted: false, reason: 'there is no tool of that name' } },
  { why: 'a tool of its own', tool: 'doorward_status', args: {}, says: { accepted: true } },
])('a check of $why says whether they would be taken', async ({ tool, args, says }) => {
  open([toolNamed('read', { inputSchema: NEEDS_PATH }), EXCLUDED]);
  expect(await call('doorward_check', { tool, arguments: args })).toMatchObject({ tool, ...says });
});

test('a server of the same id leaves it its own', () => {
  open();
  expect(ownMount({ gatewayOf: () => gateway, taken: ['doorward'] }).id).toBe('doorward_');
});
