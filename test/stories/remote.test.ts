/** The stdio gateway with a login: a real `doorward serve` is the remote, with authorization, on loopback (`npm run remote`). */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import type { DoorClient } from '../fixtures/door-client.js';
import { modernMeta } from '../fixtures/modern-meta.js';
import { textOf } from '../fixtures/open-door.js';
import { listUntil, RemoteStage } from '../fixtures/remote-stage.js';

const LOCAL = 'here__local';
const has =
  (name: string) =>
  (names: readonly string[]): boolean =>
    names.includes(name);
const isLocalOnly = (names: readonly string[]): boolean => names.length === 1 && names[0] === LOCAL;

/** What is wrong with the remote, as `doorward://status` says; undefined where nothing is. */
async function adviceIn(door: DoorClient): Promise<Record<string, unknown> | undefined> {
  const { message } = await door.request('resources/read', { uri: 'doorward://status' });
  const { contents } = message!.result as { readonly contents: readonly [{ readonly text: string }] };
  const { upstreams } = JSON.parse(contents[0].text) as { readonly upstreams: readonly Record<string, unknown>[] };
  return upstreams.find(({ id }) => id === 'remote');
}

test('login, both tool sets; the remote stops, starts and grows; logout: all without a restart', async (test) => {
  const stage = await RemoteStage.open(test);
  const door = await stage.stdio(test);
  expect(await listUntil(door, () => true), 'nobody is signed in').toEqual([LOCAL]);
  expect(await adviceIn(door), 'nobody ever named a remote').toBeUndefined();

  const login = await stage.login();
  expect(login).toMatchObject({ code: 0, out: expect.stringMatching(/^logged in: http.*\(\d+ tools\)\n$/) });
  await door.waitFor(({ message }) => message?.method === 'notifications/tools/list_changed');
  expect(await listUntil(door, has('remote__mirror'))).toContain(LOCAL);
  expect(textOf(await door.call('remote__payload', '{"bytes":3}'))).toHaveLength(3);

  const toolsOnce = (await listUntil(door, () => true)).length;
  await door.call('remote__change', '{"list":"tools"}');
  expect((await listUntil(door, (names) => names.length > toolsOnce)).length).toBe(toolsOnce + 1);

  await stage.stop();
  await listUntil(door, isLocalOnly);
  expect(await adviceIn(door)).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('nobody takes the connection there'),
    action: expect.any(String),
    since: expect.stringMatching(/^\d{4}-.*Z$/),
    retryAtMs: expect.any(Number),
  });
  const refused = await door.call('remote__mirror');
  expect(refused.message?.error, 'a call says why, too').toMatchObject({ data: { code: 'UPSTREAM_UNREACHABLE' } });

  await stage.serve();
  await listUntil(door, has('remote__mirror'));
  expect(await adviceIn(door)).toBeUndefined();
  expect((await door.call('remote__mirror')).message?.result).toBeDefined();
  expect(stage.catalogs()).toHaveLength(2);

  expect(await stage.logout()).toMatchObject({ code: 0, out: expect.stringContaining('its tokens are revoked') });
  await listUntil(door, isLocalOnly);
  expect(await adviceIn(door)).toMatchObject({
    status: 'signed-out',
    code: 'AUTH_REQUIRED',
    action: `Run: doorward login ${stage.url}`,
    retryAtMs: null,
  });
  expect(stage.catalogs(), 'of the local server alone').toHaveLength(1);

  await stage.login();
  await listUntil(door, has('remote__mirror'));
}, 90_000);

test('the record of the remote is its owner’s alone, and holds no token', async (test) => {
  const stage = await RemoteStage.open(test);
  await stage.login();
  const path = join(stage.folder.path, 'config/doorward/remotes/doorward.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    doorward: 'remote 1',
    url: stage.url,
    changedAtMs: expect.any(Number),
    session: {
      id: expect.stringMatching(/^\S{16,}$/),
      principal: expect.stringMatching(/^[0-9a-f]{64}$/),
      hasTokens: true,
    },
  });
});

test('a token from stdin signs in where there is no browser, and is never shown', async (test) => {
  const stage = await RemoteStage.open(test);
  const token = stage.as.token(stage.url);
  const wrong = await stage.run(['login', stage.url, '--token-stdin'], 'wrong-token');
  expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('does not take this token') });
  expect((await stage.run(['auth', 'status', '--json'])).out, 'nothing was kept').not.toContain('remote');
  const right = await stage.run(['login', stage.url, '--token-stdin'], `${token}\n`);
  expect(right).toMatchObject({ code: 0, out: expect.stringContaining('with the token') });
  const door = await stage.stdio(test);
  await listUntil(door, has('remote__mirror'));
  const status = await stage.run(['auth', 'status', '--config', join(stage.folder.path, 'doorward.json')]);
  expect(status.out).toContain('authorized');
  const all = [wrong, right, status].flatMap(({ out, err }) => [out, err]).join('');
  expect(all).not.toContain(token);
  expect(all).not.toContain('wrong-token');
  expect(door.stderr).not.toContain(token);
});

test.each(['handshake', 'modern'] as const)(
  'any MCP server can be the remote: one of the %s era stops and starts',
  async (era) => {
    const stage = await RemoteStage.open({ onTestFinished }, { era, isDirect: true });
    await stage.login();
    const door = stage.bare({ onTestFinished });
    await door.initialize();
    await listUntil(door, has('remote__mirror'));
    await stage.stop();
    await listUntil(door, (names) => names.length === 0);
    await stage.serve();
    await listUntil(door, has('remote__mirror'));
    expect((await door.call('remote__mirror')).message?.result).toBeDefined();
  },
  60_000,
);

test('whoever has a remote needs no configuration', async (test) => {
  const stage = await RemoteStage.open(test);
  const before = await stage.run(['stdio']);
  expect(before, 'without one, there is nothing to serve').toMatchObject({ code: 2, out: '' });
  await stage.login();
  const door = stage.bare(test);
  await door.initialize();
  await listUntil(door, has('remote__mirror'));
  expect(door.stderr).toBe('');
});

test('a remote that asks nobody to log in is remembered as well', async (test) => {
  const stage = await RemoteStage.open(test, { isOpen: true });
  expect(await stage.login('--json')).toMatchObject({ code: 0 });
  const status = JSON.parse((await stage.run(['auth', 'status', '--json'])).out) as object;
  expect(status).toMatchObject({ remote: { url: stage.url, state: 'open' } });
  await listUntil(await stage.stdio(test), has('remote__mirror'));
});

test('a login whose token endpoint hangs ends with its time, and not when the network gives up', async (test) => {
  const stage = await RemoteStage.open(test);
  stage.as.routes.set('POST /token', () => 'hang');
  const startedMs = performance.now();
  expect(await stage.login('--timeout', '2s')).toMatchObject({ code: 124 });
  expect(performance.now() - startedMs, 'it took 10 s').toBeLessThan(7_000);
});

test('a session that the authorization server has ended unmounts its tools', async (test) => {
  const stage = await RemoteStage.open(test);
  await stage.login();
  const door = await stage.stdio(test);
  await listUntil(door, has('remote__mirror'));
  stage.as.endAll();
  await stage.stop();
  await stage.serve();
  await listUntil(door, isLocalOnly);
  await until(async () => (await adviceIn(door))?.status === 'signed-out');
  expect(await adviceIn(door)).toMatchObject({ code: 'AUTH_REQUIRED', action: `Run: doorward login ${stage.url}` });
}, 60_000);

test('the disk copy is kept for whom it belongs to, and is shown at the next start until the remote is known to be gone', async (test) => {
  const stage = await RemoteStage.open(test);
  await stage.login();
  const door = await stage.stdio(test);
  await listUntil(door, has('remote__mirror'));
  await until(() => stage.catalogs().length === 2);
  const ofAda = stage.catalogs();
  stage.as.subject = 'grace';
  await stage.login();
  await until(() => stage.catalogs().length === 2 && stage.catalogs().some((name) => !ofAda.includes(name)));
  expect(
    stage.catalogs().filter((name) => ofAda.includes(name)),
    'of the local server',
  ).toHaveLength(1);
  await stage.stop();
  await door.stop();
  const next = await stage.stdio(test);
  await listUntil(next, isLocalOnly);
}, 60_000);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); performance.now() - startedMs < 20_000; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come');
}

interface Way {
  readonly era: 'handshake' | 'modern';
  readonly call: (door: DoorClient, name: string, args?: object, meta?: object) => Promise<Record<string, unknown>>;
}

/** A caller of each era, before a server of each era behind the remote. */
const CALLERS: readonly Way[] = [
  {
    era: 'handshake',
    call: async (door, name, args = {}, _meta = {}) =>
      (await door.request('tools/call', { name, arguments: args, _meta })).message?.result ?? {},
  },
  {
    era: 'modern',
    call: async (door, name, args = {}, more = {}) => {
      const _meta = modernMeta({ elicitation: {} }, more as Record<string, unknown>);
      return (await door.request('tools/call', { name, arguments: args, _meta })).message?.result ?? {};
    },
  },
];
const SERVERS = ['handshake', 'modern'] as const;
const PAIRS = CALLERS.flatMap((caller) => SERVERS.map((server) => ({ ...caller, server, caller: caller.era })));

async function stagedDoor(test: TestContext, era: 'handshake' | 'modern', server: 'handshake' | 'modern') {
  const stage = await RemoteStage.open(test, { era: server });
  await stage.login();
  const isOld = era === 'handshake';
  const door = await stage.stdio(test, { initialize: isOld, ...(isOld && { capabilities: { elicitation: {} } }) });
  const list = () => door.request('tools/list', isOld ? {} : { _meta: modernMeta({ elicitation: {} }) });
  await listUntil(door, has('remote__mirror'), list);
  return door;
}

describe.each(PAIRS)('a $caller caller, a $server server behind the remote', ({ era, server, call }) => {
  test('_meta, progress, cancelling and questions go all the way', async (test) => {
    const door = await stagedDoor(test, era, server);
    const seen = await call(door, 'remote__mirror', { n: 1 }, { 'vendor.example/x': { kept: [1] } });
    expect(seen.structuredContent).toMatchObject({ arguments: { n: 1 }, _meta: { 'vendor.example/x': { kept: [1] } } });

    await call(door, 'remote__report_progress', { steps: 3 }, { progressToken: 'mine' });
    const progress = door.notifications('notifications/progress').map(({ message }) => message?.params);
    expect(progress).toMatchObject([1, 2, 3].map((step) => ({ progressToken: 'mine', progress: step })));

    const _meta = era === 'modern' ? { _meta: modernMeta({ elicitation: {} }) } : {};
    const held = { name: 'remote__hold', arguments: { key: 'k' }, ..._meta };
    door.send(JSON.stringify({ jsonrpc: '2.0', id: 'held', method: 'tools/call', params: held }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    door.notify('notifications/cancelled', { requestId: 'held', reason: 'enough' });
    const cancelled = await call(door, 'remote__what_was_cancelled', { key: 'k' });
    expect(cancelled.structuredContent).toMatchObject({ cancelled: [{ key: 'k' }] });

    door.answerRequests(({ method }) =>
      method === 'elicitation/create' ? { action: 'accept', content: { name: 'Ada', age: 36 } } : undefined,
    );
    const asked = await call(door, 'remote__ask_form', {});
    const answered = era === 'handshake' ? asked : await retried(door, asked);
    expect(JSON.stringify(answered)).toContain('Ada');
  }, 60_000);
});

/** A modern caller answers by calling once more. */
async function retried(door: DoorClient, asked: Record<string, unknown>): Promise<unknown> {
  expect(asked).toMatchObject({ resultType: 'input_required' });
  const { inputRequests, requestState } = asked as { inputRequests: Record<string, unknown>; requestState: string };
  const answer = { action: 'accept', content: { name: 'Ada', age: 36 } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
  const params = { name: 'remote__ask_form', arguments: {}, inputResponses, requestState };
  const _meta = modernMeta({ elicitation: {} });
  return (await door.request('tools/call', { ...params, _meta })).message?.result;
}
