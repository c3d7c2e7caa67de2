/** Mounts that cost only themselves, what is remembered of them, and who uses them. */
import { expect, test } from 'vitest';
import { MemoryGateway, type MemoryMount, paramsOf, SILENT } from '../../test/fixtures/memory-gateway.js';
import { FakeCaller, ME } from '../../test/fixtures/memory-view.js';
import { modernScript } from '../../test/fixtures/modern-script.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { DoorError } from '../base/index.js';
import type { CachedCatalog } from '../catalog/index.js';
import { resourceParams } from '../protocol/index.js';
import { createGateway } from './index.js';

test('one whose entry is bad says so when it is called, and in the status', async () => {
  const error = new DoorError('CONFIG_INVALID', 'bad: command is missing', { hint: 'Write one.' });
  const gateway = createGateway({ mounts: [{ id: 'bad', error }] });
  expect(await gateway.listTools()).toEqual([]);
  expect(gateway.upstreams()).toEqual([{ id: 'bad', state: { kind: 'failed', error, isFlapping: false } }]);
  await expect(gateway.call(paramsOf('bad__x'), ME)).rejects.toBe(error);
  await expect(gateway.callTool({ mount: 'bad', tool: 'x' }, ME)).rejects.toBe(error);
  expect((await gateway.listOffers('resources')).map(({ key }) => key)).toEqual(['doorward://status']);
  await gateway.close();
});

test.each([
  { revision: '2025-11-25', greeting: 'initialize' },
  { revision: '2026-07-28', greeting: 'server/discover' },
])('one that spoke $revision is greeted by $greeting at the next start', async ({ revision, greeting }) => {
  const kept: CachedCatalog = { savedAtMs: 0, revision, serverName: 's', instructions: '', tools: [] };
  const mount: MemoryMount = { scripts: [SILENT], cacheKey: 'k', era: 'auto' };
  const fixture = new MemoryGateway({ a: mount }, { cache: { read: () => kept, write: () => {} } });
  fixture.gateway.start();
  await settled();
  expect(fixture.transport('a').sent.map(({ method }) => method)).toEqual([greeting]);
  await fixture.gateway.close();
});

test('fleets that end with the gateway give back what they were lent, wishes and all', async () => {
  const capabilities = { tools: {}, resources: { subscribe: true } };
  const modern = modernScript({
    capabilities,
    on: {
      'resources/list': () => ({ resultType: 'complete', resources: [{ uri: 'x://1', name: 'n' }] }),
      'resources/templates/list': () => ({ resultType: 'complete', resourceTemplates: [] }),
    },
  });
  const fixture = new MemoryGateway({ a: { scripts: [modern], era: 'auto' } });
  const { gateway } = fixture;
  gateway.start();
  await settled();
  const asking = () => gateway.admit(new FakeCaller({ elicitation: '{}' }));
  const [one, two] = [asking(), asking()];
  for (const view of [one, two]) {
    const subscribed = view.subscribe(resourceParams('x://1'), ME);
    await fixture.clock.advance(100);
    expect(await subscribed).toMatchObject({ kind: 'result' });
  }
  await gateway.close();
  expect(
    fixture.attempts('a').map(({ closed }) => closed),
    'one connection, ended once',
  ).toEqual([1]);
});
