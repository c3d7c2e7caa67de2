/** doorward's own tools, as a client of a started doorward sees them. */
import { expect, type TestContext, test } from 'vitest';
import { anyTool, CLI, requireBuild, type Setup, TestFolder, upstreamWith } from '../../../test/fixtures/open-door.js';
import { listedDefinition } from '../../contract/index.js';
import { introduce, type Peer } from '../validate/peer.js';
import { openStdioPeer } from '../validate/stdio-peer.js';
import { contract } from './contract.js';

const OWN = ['doorward_status', 'doorward_check'];
const NOT_WANTED: Setup = { upstreams: { one: upstreamWith([anyTool('a')]) } };
const WANTED: Setup = { ...NOT_WANTED, config: { ownTools: true } };

async function open(context: TestContext, setup: Setup | undefined, ...options: string[]): Promise<Peer> {
  requireBuild();
  const folder = new TestFolder();
  const config = setup === undefined ? [] : ['--config', folder.write(setup)];
  const args = [CLI, 'stdio', ...config, ...options];
  const peer = await openStdioPeer({ command: process.execPath, args, cwd: folder.path, env: folder.env });
  context.onTestFinished(async () => {
    await peer.close();
    folder.remove();
  });
  return peer;
}

test.for([
  { why: 'a flag asks for them, and there is no configuration', setup: undefined, options: ['--own-tools'], has: OWN },
  { why: 'the configuration asks for them', setup: WANTED, options: [], has: [...OWN, 'one__a'] },
  { why: 'a flag asks for them', setup: NOT_WANTED, options: ['--own-tools'], has: [...OWN, 'one__a'] },
  { why: 'nobody asks for them', setup: NOT_WANTED, options: [], has: ['one__a'] },
])('listed where $why: $has', async ({ setup, options, has }, context) => {
  const { tools } = await introduce(await open(context, setup, ...options));
  expect(tools.map(({ name }) => name)).toEqual(has);
});

test('they are listed as the contract defines them, and what initialize says tells by which one', async (context) => {
  const peer = await open(context, undefined, '--own-tools');
  const clientInfo = { name: 'a', version: '1' };
  const greeting = await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  expect(greeting._meta).toEqual({ 'doorward/fingerprint': contract.fingerprint });
  await peer.notify('notifications/initialized');
  const { tools } = await peer.request('tools/list', {});
  expect(tools).toEqual(JSON.parse(JSON.stringify(contract.tools.map(listedDefinition))));
});

test('without them initialize says nothing of a contract', async (context) => {
  const peer = await open(context, NOT_WANTED);
  const clientInfo = { name: 'a', version: '1' };
  const greeting = await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  expect(greeting._meta).toBeUndefined();
});

test('the check judges as a call would be, and sends nothing', async (context) => {
  const peer = await open(context, WANTED);
  await introduce(peer);
  const params = { name: 'doorward_check', arguments: { tool: 'one__a', arguments: { path: 5 } } };
  const { structuredContent } = await peer.request('tools/call', params);
  expect(structuredContent).toMatchObject({ tool: 'one__a', accepted: true });
});
