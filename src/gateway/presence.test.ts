/** An upstream that comes and goes: its tools are there while it can be used, and what is missing is said else. */
import { expect, onTestFinished, test } from 'vitest';
import { FakePresence } from '../../test/fixtures/fake-presence.js';
import { MemoryGateway, type MemoryMount, paramsOf, SILENT, toolNamed } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { FakeCaller, ME, offering } from '../../test/fixtures/memory-view.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { DoorError, decodeText } from '../base/index.js';
import type { CachedCatalog, CatalogCache } from '../catalog/index.js';
import { resourceParams } from '../protocol/index.js';
import type { GatewayOptions, View } from './index.js';

const LOCAL: MemoryMount = { scripts: [{ tools: [toolNamed('here')] }] };
const STATUS = 'doorward://status';
const HERE = { kind: 'here', session: 's0' } as const;

class MemoryCache implements CatalogCache {
  readonly kept = new Map<string, CachedCatalog>();
  readonly removed: string[] = [];

  read(key: string): CachedCatalog | undefined {
    return this.kept.get(key);
  }

  write(key: string, catalog: CachedCatalog): void {
    this.kept.set(key, catalog);
  }

  remove(key: string): void {
    this.removed.push(key);
    this.kept.delete(key);
  }
}

const listing = (...names: readonly string[]): MemoryScript => ({
  tools: names.map((name) => toolNamed(name)),
  on: { 'tools/call': () => ({ content: [] }) },
});

/** One that serves a contract. */
const serving = (fingerprint: unknown, ...names: readonly string[]): MemoryScript => ({
  ...listing(...names),
  on: {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
      _meta: { 'doorward/fingerprint': fingerprint },
    }),
  },
});

const REFUSING: MemoryScript = {
  open: () => {
    throw new DoorError('UPSTREAM_UNREACHABLE', 'nobody takes the connection', { hint: 'Start it.' });
  },
};
const SHUT: MemoryScript = {
  open: () => {
    throw new DoorError('AUTH_REQUIRED', 'r wants you to log in', { hint: 'Log in somehow.' });
  },
};

interface Setup {
  readonly presence: FakePresence;
  readonly scripts?: readonly MemoryScript[];
  readonly mounts?: Readonly<Record<string, MemoryMount>>;
  readonly options?: Partial<GatewayOptions>;
}

function open({ presence, scripts = [listing('far')], mounts = { local: LOCAL }, options = {} }: Setup) {
  const clock = new VirtualClock();
  const fixture = new MemoryGateway(
    { ...mounts, remote: { presence, scripts } },
    { random: () => 0.5, ...options },
    clock,
  );
  onTestFinished(() => fixture.gateway.close());
  return fixture;
}

const namesIn = async (view: View): Promise<readonly string[]> => (await view.listTools()).map(({ name }) => name);

async function statusOf(view: View): Promise<{ readonly summary: string; readonly upstreams: readonly object[] }> {
  const { json } = await view.relay('resources/read', resourceParams(STATUS), ME);
  const result = JSON.parse(decodeText(json.bytes, json.start, json.end)) as { contents: [{ text: string }] };
  return JSON.parse(result.contents[0].text) as never;
}

test('one that nobody ever named leaves no trace', async () => {
  const { gateway } = open({ presence: new FakePresence() });
  expect(await namesIn(gateway)).toEqual(['local__here']);
  expect(await statusOf(gateway)).toEqual({ summary: 'all 1 servers are well', upstreams: [] });
  expect(await gateway.listOffers('resources')).toEqual([]);
  expect(gateway.upstreams().map(({ id }) => id)).toEqual(['local']);
  await expect(gateway.call(paramsOf('remote__far'), ME)).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  const call = gateway.callTool({ mount: 'remot', tool: 'far' }, ME);
  await expect(call).rejects.toMatchObject({ hint: 'Name a server of the configuration.' });
});

test('signing in mounts its tools, signing out takes them away, and both are told', async () => {
  const presence = new FakePresence();
  const fixture = open({ presence });
  const { gateway, clock } = fixture;
  expect(await namesIn(gateway)).toEqual(['local__here']);
  const told: string[] = [];
  gateway.onListChanged((list) => told.push(list));
  presence.signIn();
  await clock.advance(1_000);
  expect(await namesIn(gateway)).toEqual(['local__here', 'remote__far']);
  expect((await gateway.call(paramsOf('remote__far'), ME)).kind).toBe('result');
  presence.signOut();
  await clock.advance(1_000);
  expect(await namesIn(gateway)).toEqual(['local__here']);
  expect(told).toEqual(['tools', 'tools', 'resources']);
  expect(fixture.transport('remote').closed).toBe(1);
  expect(fixture.named('mount.changed')).toEqual([
    { upstream: 'remote', change: 'mounted', tools: 1 },
    { upstream: 'remote', change: 'unmounted', tools: 1, reason: 'nobody is signed in at https://r.example/mcp' },
  ]);
  expect(fixture.named('tool.changed'), 'tools that went with their mount').toEqual([]);
});

test('nothing is connected to before the gateway is used', async () => {
  const presence = new FakePresence();
  const fixture = open({ presence });
  presence.signIn();
  await fixture.clock.advance(1_000);
  expect(fixture.attempts('remote')).toHaveLength(0);
  expect(await namesIn(fixture.gateway)).toEqual(['local__here', 'remote__far']);
});

test('while nobody is signed in an advisory says so, calls too, and nobody waits', async () => {
  const presence = new FakePresence({ kind: 'signed-out', reason: 'nobody is signed in', sinceMs: 5 });
  const { gateway, clock } = open({ presence });
  expect(await namesIn(gateway)).toEqual(['local__here']);
  expect(clock.monotonicMs(), 'no time has passed').toBe(0);
  expect((await statusOf(gateway)).upstreams).toEqual([
    {
      id: 'remote',
      status: 'signed-out',
      code: 'AUTH_REQUIRED',
      reason: 'nobody is signed in',
      action: 'Run: doorward login URL',
      since: '1970-01-01T00:00:00.005Z',
      retryAtMs: null,
    },
  ]);
  expect((await gateway.listOffers('resources')).map(({ key }) => key)).toEqual([STATUS]);
  const refusal = { code: 'AUTH_REQUIRED', hint: 'Run: doorward login URL', data: { upstream: 'remote' } };
  await expect(gateway.call(paramsOf('remote__far'), ME)).rejects.toMatchObject(refusal);
  await expect(gateway.callTool({ mount: 'remote', tool: 'far' }, ME)).rejects.toMatchObject(refusal);
  expect((await gateway.whenSettled('remote')).state).toMatchObject({ kind: 'failed', sinceMs: 5 });
});

test('a login that cannot be told when has no time in its advisory', async () => {
  const { gateway } = open({ presence: new FakePresence({ kind: 'signed-out', reason: 'the file is damaged' }) });
  expect((await statusOf(gateway)).upstreams).toMatchObject([{ reason: 'the file is damaged', since: null }]);
});

test('one that lets nobody in is signed out, whatever its error advises', async () => {
  const { gateway } = open({ presence: new FakePresence(HERE), scripts: [SHUT] });
  expect(await namesIn(gateway)).toEqual(['local__here']);
  const advisory = { status: 'signed-out', action: 'Run: doorward login URL', retryAtMs: 250 };
  expect((await statusOf(gateway)).upstreams).toMatchObject([advisory]);
});

test('one that is gone is not listed, and is listed again when it is back', async () => {
  const presence = new FakePresence(HERE);
  const fixture = open({ presence, scripts: [listing('far'), REFUSING, REFUSING, listing('far', 'new')] });
  const { gateway, clock } = fixture;
  expect(await namesIn(gateway)).toEqual(['local__here', 'remote__far']);
  fixture.transport('remote').lose();
  expect(await namesIn(gateway)).toEqual(['local__here']);
  expect((await statusOf(gateway)).upstreams).toMatchObject([{ status: 'failed', code: 'UPSTREAM_LOST' }]);
  await clock.advance(300);
  // Being started again, it is still not known to be there.
  expect(await namesIn(gateway)).toEqual(['local__here']);
  expect((await statusOf(gateway)).upstreams).toMatchObject([{ code: 'UPSTREAM_UNREACHABLE', action: 'Start it.' }]);
  await clock.advance(5_000);
  expect(await namesIn(gateway)).toEqual(['local__here', 'remote__far', 'remote__new']);
});

test('a call of a tool that it listed before brings it back, or says why it cannot', async () => {
  const fixture = open({ presence: new FakePresence(HERE), scripts: [listing('far'), REFUSING, listing('far')] });
  await namesIn(fixture.gateway);
  fixture.transport('remote').lose();
  const call = () => fixture.gateway.call(paramsOf('remote__far'), ME);
  await expect(call()).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE', hint: 'Start it.' });
  expect((await call()).kind).toBe('result');
});

test('however often it is gone, it is tried again every few seconds, and no call is refused for that', async () => {
  const fixture = open({ presence: new FakePresence(HERE), scripts: [REFUSING] });
  await namesIn(fixture.gateway);
  await fixture.clock.advance(60_000);
  const before = fixture.attempts('remote').length;
  await fixture.clock.advance(60_000);
  expect(fixture.attempts('remote').length - before).toBe(12);
  expect((await statusOf(fixture.gateway)).upstreams).toMatchObject([{ status: 'failed' }]);
});

test('one that falls silent is found out without a call', async () => {
  let isSilent = false;
  const script: MemoryScript = { ...listing('far'), on: { ping: () => (isSilent ? undefined : {}) } };
  const fixture = open({ presence: new FakePresence(HERE), scripts: [script, REFUSING] });
  await namesIn(fixture.gateway);
  await fixture.clock.advance(60_000);
  expect(fixture.transport('remote').received('ping')).toHaveLength(2);
  isSilent = true;
  await fixture.clock.advance(39_000);
  expect(await namesIn(fixture.gateway)).toContain('remote__far');
  await fixture.clock.advance(2_000);
  expect(await namesIn(fixture.gateway)).toEqual(['local__here']);
});

test('another login is another connection: nothing of the one before is shown or remembered', async () => {
  const cache = new MemoryCache();
  const presence = new FakePresence({ ...HERE, cacheKey: 'k1' });
  const fixture = open({ presence, scripts: [listing('mine'), SILENT, listing('hers')], options: { cache } });
  expect(await namesIn(fixture.gateway)).toContain('remote__mine');
  expect([...cache.kept.keys()]).toEqual(['k1']);
  presence.signIn('s1', 'k2');
  expect(cache.removed).toEqual(['k1']);
  expect(fixture.gateway.snapshot().entries.map(({ name }) => name)).toEqual(['local__here']);
  // Still connecting when the next one comes.
  presence.signIn('s2', 'k2');
  await fixture.clock.advance(0);
  expect(await namesIn(fixture.gateway)).toEqual(['local__here', 'remote__hers']);
  expect(cache.removed, 'the same account').toEqual(['k1']);
  presence.signOut();
  expect(cache.removed).toEqual(['k1', 'k2']);
  expect(cache.kept.size).toBe(0);
  expect(fixture.attempts('remote').map(({ closed }) => closed > 0)).toEqual([true, true, true]);
});

test('what an ended connection still says is heard by nobody', async () => {
  const presence = new FakePresence(HERE);
  const cache = new MemoryCache();
  let answer: () => void = () => {};
  const slow: MemoryScript = {
    on: {
      'tools/list': ({ id }, transport) => {
        answer = () => transport.answer(id, { tools: [toolNamed('late')] });
      },
    },
  };
  const fixture = open({ presence, scripts: [slow], options: { cache } });
  fixture.gateway.start();
  await settled();
  presence.signOut();
  answer();
  await settled();
  expect(fixture.gateway.snapshot().entries.map(({ mount }) => mount)).toEqual(['local']);
});

const kept = (more: Partial<CachedCatalog>, ...names: readonly string[]): CachedCatalog => ({
  savedAtMs: 0,
  revision: '2025-11-25',
  serverName: 's',
  instructions: '',
  tools: names.map((name) => JSON.stringify(toolNamed(name))),
  ...more,
});

test('what is kept on disk is shown while it is connected to, and no longer', async () => {
  const cache = new MemoryCache();
  cache.kept.set('k', kept({}, 'old'));
  const presence = new FakePresence({ ...HERE, cacheKey: 'k' });
  const fixture = open({ presence, scripts: [SILENT], options: { cache } });
  expect(await namesIn(fixture.gateway)).toEqual(['local__here', 'remote__old']);
  expect(fixture.gateway.staleMounts()).toContain('remote');
  await fixture.clock.advance(70_000);
  expect(await namesIn(fixture.gateway)).toEqual(['local__here']);
  expect(fixture.gateway.staleMounts()).toEqual([]);
  expect(cache.kept.has('k'), 'it is there for the next start').toBe(true);
});

test('without a session nothing is shown of what is kept on disk', async () => {
  const cache = new MemoryCache();
  cache.kept.set('k', kept({}, 'old'));
  const { gateway } = open({ presence: new FakePresence({ kind: 'signed-out', reason: 'r' }), options: { cache } });
  expect(await namesIn(gateway)).toEqual(['local__here']);
});

test.each([
  { why: 'the same contract', fingerprint: 'f1', name: 'far' },
  { why: 'another contract', fingerprint: 'f2', name: 'remote__far' },
  { why: 'no text', fingerprint: 1, name: 'remote__far' },
  { why: 'none', fingerprint: undefined, name: 'remote__far' },
])('$why: the tool is $name', async ({ fingerprint, name }) => {
  const presence = new FakePresence(HERE, 'f1');
  const { gateway } = open({ presence, scripts: [serving(fingerprint, 'far')] });
  expect(await namesIn(gateway)).toEqual(['local__here', name]);
});

test('where there is no contract of our own, its fingerprint says nothing', async () => {
  const { gateway } = open({ presence: new FakePresence(HERE), scripts: [serving('f1', 'far')] });
  expect(await namesIn(gateway)).toContain('remote__far');
});

test('the fingerprint is kept on disk with the list', async () => {
  const cache = new MemoryCache();
  const presence = new FakePresence({ ...HERE, cacheKey: 'k' }, 'f1');
  await namesIn(open({ presence, scripts: [serving('f1', 'far')], options: { cache } }).gateway);
  expect(cache.kept.get('k')?.fingerprint).toBe('f1');
  expect(await namesIn(open({ presence, scripts: [SILENT], options: { cache } }).gateway)).toContain('far');
});

test('a tool without a prefix that it listed before it went is still known to be its own', async () => {
  const presence = new FakePresence(HERE, 'f1');
  const fixture = open({ presence, scripts: [serving('f1', 'far'), REFUSING] });
  await namesIn(fixture.gateway);
  fixture.transport('remote').lose();
  const call = (name: string) => fixture.gateway.call(paramsOf(name), ME);
  await expect(call('far')).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  await expect(call('nobodys')).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  presence.signOut();
  await expect(call('far')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
});

test('of two tools of one name the local one is there, and an event says so once', async () => {
  const presence = new FakePresence(HERE, 'f1');
  const mounts = { local: { scripts: [listing('both', 'here')], prefix: 'never' as const }, pre: LOCAL };
  const fixture = open({ presence, mounts, scripts: [serving('f1', 'both', 'far')] });
  expect(await namesIn(fixture.gateway)).toEqual(['both', 'here', 'pre__here', 'far']);
  await fixture.gateway.call(paramsOf('both'), ME);
  expect(fixture.transport('local').received('tools/call')).toHaveLength(1);
  presence.signIn('s1');
  await fixture.clock.advance(1_000);
  expect(await namesIn(fixture.gateway)).toHaveLength(4);
  expect(fixture.named('server.warning')).toEqual([
    {
      upstream: 'remote',
      warning: 'name-collision',
      tool: 'both',
      message: 'remote: the name both is taken by local; the one of remote is left out',
    },
  ]);
});

test('what it offers besides tools comes and goes with it', async () => {
  const presence = new FakePresence(HERE);
  const fixture = open({ presence, scripts: [offering()], mounts: {} });
  const { gateway, clock } = fixture;
  gateway.start();
  await settled();
  const keys = async () => (await gateway.listOffers('resources')).map(({ key }) => key);
  expect(await keys()).toEqual(['x://1']);
  const told: string[] = [];
  gateway.onListChanged((list) => told.push(list));
  presence.signOut();
  await clock.advance(1_000);
  expect(await keys()).toEqual([STATUS]);
  const read = gateway.relay('resources/read', resourceParams('x://1'), ME);
  await expect(read, 'whose it was is still known').rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  presence.signIn();
  await clock.advance(1_000);
  expect(await keys()).toEqual(['x://1']);
  expect(told).toContain('resources');
});

test('what callers subscribed to is subscribed to anew at the same account, and told to no other', async () => {
  const presence = new FakePresence({ ...HERE, cacheKey: 'ada' });
  const fixture = open({ presence, scripts: [offering({ 'resources/subscribe': () => ({}) })], mounts: {} });
  const view = fixture.gateway.admit(new FakeCaller());
  view.start();
  await settled();
  await view.subscribe(resourceParams('x://1'), ME);
  const asked = (): number => fixture.transport('remote').received('resources/subscribe').length;
  expect(asked()).toBe(1);
  presence.signOut();
  presence.signIn('s2', 'ada');
  await settled();
  expect([fixture.attempts('remote').length, asked()]).toEqual([2, 1]);
  presence.signIn('s3', 'grace');
  await settled();
  expect([fixture.attempts('remote').length, asked()]).toEqual([3, 0]);
});

test('a list of offers that comes after its login is dropped', async () => {
  const presence = new FakePresence(HERE);
  let answer: () => void = () => {};
  const on: MemoryScript['on'] = {
    'resources/list': ({ id }, transport) => {
      answer = () => transport.answer(id, { resources: [{ uri: 'x://late', name: 'late' }] });
    },
  };
  const fixture = open({ presence, scripts: [offering(on)], mounts: {} });
  fixture.gateway.start();
  await settled();
  const listed = fixture.gateway.listOffers('resources');
  await settled();
  answer();
  // Between the answer and whoever waited for it.
  presence.signOut();
  await fixture.clock.advance(2_000);
  await listed;
  expect((await fixture.gateway.listOffers('resources')).map(({ key }) => key)).toEqual([STATUS]);
});

test('callers with connections of their own follow, too', async () => {
  const presence = new FakePresence();
  const fixture = open({ presence });
  const view = fixture.gateway.admit(new FakeCaller({ elicitation: '{}' }));
  expect(await namesIn(view)).toEqual(['local__here']);
  presence.signIn();
  await fixture.clock.advance(1_000);
  expect(await namesIn(view)).toEqual(['local__here', 'remote__far']);
  expect(presence.followers).toBe(2);
  await view.close();
  expect(presence.followers).toBe(1);
  await fixture.gateway.close();
  expect(presence.followers).toBe(0);
});

test('what it offered before it was forgotten is not there any more', async () => {
  const presence = new FakePresence(HERE);
  const { gateway } = open({ presence, scripts: [offering()], mounts: {} });
  gateway.start();
  await settled();
  await gateway.listOffers('resources');
  presence.forget();
  const read = gateway.relay('resources/read', resourceParams('x://1'), ME);
  await expect(read).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: 'remote is not there any more' });
});

test('one that was named and is forgotten is as if there had never been one', async () => {
  const presence = new FakePresence(HERE);
  const fixture = open({ presence });
  await namesIn(fixture.gateway);
  presence.forget();
  expect(await statusOf(fixture.gateway)).toEqual({ summary: 'all 1 servers are well', upstreams: [] });
  expect(fixture.gateway.upstreams().map(({ id }) => id)).toEqual(['local']);
  expect(fixture.named('mount.changed').at(-1)).toMatchObject({ reason: 'remote is not there any more' });
});
