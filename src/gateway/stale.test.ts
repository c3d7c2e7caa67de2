/** Lists that are remembered from an earlier process: shown at once, held to nothing. */
import { expect, test } from 'vitest';
import {
  MemoryGateway,
  type MemoryMount,
  paramsOf,
  SILENT,
  slow,
  toolNamed,
} from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { FakeCaller, ME } from '../../test/fixtures/memory-view.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import type { CachedCatalog, CatalogCache } from '../catalog/index.js';

class MemoryCache implements CatalogCache {
  readonly kept = new Map<string, CachedCatalog>();

  /** Keeps these definitions as if an earlier process had. */
  keep(key: string, ...tools: readonly object[]): this {
    const definitions = tools.map((tool) => JSON.stringify(tool));
    this.kept.set(key, { savedAtMs: 0, revision: '2025-11-25', serverName: 's', instructions: '', tools: definitions });
    return this;
  }

  read(key: string): CachedCatalog | undefined {
    return this.kept.get(key);
  }

  write(key: string, catalog: CachedCatalog): void {
    this.kept.set(key, catalog);
  }
}

const mounted = (script: MemoryScript): MemoryMount => ({ scripts: [script], cacheKey: 'k' });
const answering = (...tools: readonly object[]): MemoryScript => ({
  tools,
  on: { 'tools/call': () => ({ content: [] }) },
});

test('are shown before any upstream is up, and named as stale', async () => {
  const { gateway } = new MemoryGateway({ a: mounted(SILENT) }, { cache: new MemoryCache().keep('k', toolNamed('x')) });
  expect((await gateway.listTools()).map(({ name }) => name)).toEqual(['a__x']);
  expect(gateway.staleMounts()).toEqual(['a']);
});

test('give way to what the upstream lists; only a difference is told', async () => {
  const clock = new VirtualClock();
  const cache = new MemoryCache().keep('k', toolNamed('x'), toolNamed('old'));
  const fixture = new MemoryGateway(
    { a: mounted(slow(clock, 100, [toolNamed('x'), toolNamed('new')])) },
    { cache },
    clock,
  );
  const told: string[] = [];
  await fixture.gateway.listTools();
  fixture.gateway.onListChanged((list) => told.push(list));
  await clock.advance(200);
  expect(fixture.gateway.staleMounts()).toEqual([]);
  expect((await fixture.gateway.listTools()).map(({ name }) => name)).toEqual(['a__x', 'a__new']);
  expect(told).toEqual(['tools']);
  expect(cache.kept.get('k')?.tools).toHaveLength(2);
});

test('refuse nothing: a call waits for its upstream, and is judged by what that lists now', async () => {
  const before = { name: 'x', inputSchema: { type: 'object', required: ['gone'] } };
  const cache = new MemoryCache().keep('k', before);
  const { gateway } = new MemoryGateway({ a: mounted(answering(toolNamed('x'))) }, { cache });
  await gateway.listTools();
  expect((await gateway.call(paramsOf('a__x'), ME)).kind).toBe('result');
});

test('promise nothing: what was added since is found, what is gone is said to be', async () => {
  const cache = new MemoryCache().keep('k', toolNamed('gone'));
  const { gateway } = new MemoryGateway({ a: mounted(answering(toolNamed('new'))) }, { cache });
  await gateway.listTools();
  expect((await gateway.call(paramsOf('a__new'), ME)).kind).toBe('result');
  await expect(gateway.call(paramsOf('a__gone'), ME)).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
});

test('count as a first list: an upstream that hangs costs 1.5 s, not 5', async () => {
  const cache = new MemoryCache().keep('k', toolNamed('x'));
  const fixture = new MemoryGateway({ a: mounted(answering(toolNamed('x'))), hung: { scripts: [SILENT] } }, { cache });
  let isListed = false;
  void fixture.gateway.listTools().then(() => (isListed = true));
  await fixture.clock.advance(1_499);
  expect(isListed).toBe(false);
  await fixture.clock.advance(1);
  expect(isListed).toBe(true);
});

test('are kept apart by what the caller can be asked, for servers list by that', async () => {
  const cache = new MemoryCache();
  const fixture = new MemoryGateway({ a: mounted(answering(toolNamed('x'))) }, { cache });
  await fixture.gateway.listTools();
  await fixture.gateway.admit(new FakeCaller({ elicitation: '{}', roots: '{}' })).listTools();
  await settled();
  expect([...cache.kept.keys()]).toEqual(['k', 'k-elicitation-roots']);
});
