/** A product made with doorward: its local tools, and the rest of its contract from its own remote, as if it were one server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { type CallEvent, decodeText, EventBus } from '../../src/base/index.js';
import { type Contract, defineContract, defineTool, implement } from '../../src/contract/index.js';
import { createGateway, type Gateway, localMount } from '../../src/gateway/index.js';
import { resourceParams } from '../../src/protocol/index.js';
import { type RunningServer, remoteMounts, type ServeOptions, serve } from '../../src/runtime/node/index.js';
import { paramsOf } from '../fixtures/memory-gateway.js';
import { ME } from '../fixtures/memory-view.js';

const tool = (name: string, locality: 'local' | 'remote') =>
  defineTool({
    name,
    description: `${name}.`,
    kind: 'read',
    locality,
    input: z.object({}),
    output: z.object({ at: z.string() }),
  });

function contractOf(...names: readonly string[]): Contract {
  const tools = [tool('status', 'local'), ...names.map((name) => tool(name, 'remote'))];
  return defineContract({ server: { name: 'io.example/tools', description: 'Tools.', version: '1.0.0' }, tools });
}

const contract = contractOf('licence');

/** Each tool says where it runs. */
function implementationOf(of: Contract, at: string) {
  return implement(of, { tools: Object.fromEntries(of.tools.map(({ name }) => [name, () => ({ at })])) } as never);
}

async function serveRemote(of: Contract, options: ServeOptions = {}): Promise<RunningServer> {
  const server = await serve(implementationOf(of, 'remote'), { port: 0, log: false, ...options });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server;
}

function openProduct(url: string): { readonly gateway: Gateway; readonly calls: CallEvent[] } {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-product-'));
  const environment = { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const events = new EventBus();
  const calls: CallEvent[] = [];
  events.on('call.completed', (call) => calls.push(call));
  const near = localMount(implementationOf(contract, 'here'), { facts: { locality: 'local' }, events });
  const { fingerprint } = contract;
  const remote = remoteMounts({
    environment,
    url,
    fingerprint,
    program: contract.server.name,
    events,
    taken: [near.id],
  });
  const gateway = createGateway({ mounts: [near, ...remote], events });
  onTestFinished(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { gateway, calls };
}

const namesIn = async (gateway: Gateway): Promise<readonly string[]> =>
  (await gateway.listTools()).map(({ name }) => name);

test('a remote that serves the same contract is part of it: no prefixes, and each call is told of by how it went', async () => {
  const { url } = await serveRemote(contract);
  const { gateway, calls } = openProduct(url);
  expect(await namesIn(gateway)).toEqual(['status', 'licence']);
  await gateway.call(paramsOf('status'), ME);
  await gateway.call(paramsOf('licence'), ME);
  expect(calls.map(({ tool: name, transport }) => [name, transport])).toEqual([
    ['status', 'local'],
    ['licence', 'proxied'],
  ]);
});

test('one that serves another contract has its id before its names', async () => {
  const { url } = await serveRemote(contractOf('licence', 'owner'));
  expect(await namesIn(openProduct(url).gateway)).toEqual(['status', 'remote__licence', 'remote__owner']);
});

test('one that wants to know who asks is signed in to by the name of the product', async () => {
  const auth = {
    kind: 'tokens',
    tokens: [{ name: 'ada', sha256: '0'.repeat(64), scopes: [] }],
    requiredScopes: [],
  } as const;
  const { url } = await serveRemote(contract, { auth });
  const { gateway } = openProduct(url);
  expect(await namesIn(gateway)).toEqual(['status']);
  const { json } = await gateway.relay('resources/read', resourceParams('doorward://status'), ME);
  const text = decodeText(json.bytes, json.start, json.end);
  expect(text).toContain('signed-out');
  expect(text).toContain(`Run: doorward login ${url} --program io.example/tools`);
});

test('while it is not there, what is local is there at once', async () => {
  const remote = await serveRemote(contract);
  await remote.close({ graceMs: 0 });
  const { gateway } = openProduct(remote.url);
  expect(await namesIn(gateway)).toEqual(['status']);
  await expect(gateway.call(paramsOf('licence'), ME)).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  expect((await gateway.listOffers('resources')).map(({ key }) => key)).toEqual(['doorward://status']);
});
