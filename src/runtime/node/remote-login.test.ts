/** Signing in at a remote and out of it, before real servers on loopback. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, browse, LoopbackServer, type Seen } from '../../../test/fixtures/authorization-server.js';
import { OAuthSetting } from '../../../test/fixtures/oauth-setting.js';
import { EventBus } from '../../base/index.js';
import { FileCatalogCache } from './catalog-store.js';
import {
  logInToRemote,
  logOutOfRemote,
  type RemoteLoginOptions,
  readRemoteUrl,
  remoteStatusOf,
} from './remote-login.js';
import { remoteConnection, remoteMounts } from './remote-mounts.js';
import { RemotePresence, remoteCacheKey } from './remote-presence.js';
import { readRemote, realmOf, remotePath } from './remote-record.js';
import { FileTokenStore } from './token-store.js';

const RESULTS = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
};

class Stage {
  readonly setting: OAuthSetting;
  readonly environment: {
    readonly XDG_CONFIG_HOME: string;
    readonly XDG_STATE_HOME: string;
    readonly XDG_CACHE_HOME: string;
  };

  private constructor(setting: OAuthSetting) {
    this.setting = setting;
    const { folder } = setting;
    this.environment = { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder };
    Object.assign(setting.rs.results, RESULTS);
  }

  static async open(): Promise<Stage> {
    return new Stage(await OAuthSetting.start({ onTestFinished }));
  }

  get url(): string {
    return this.setting.rs.url;
  }

  login(options: Partial<RemoteLoginOptions> = {}) {
    return logInToRemote({
      environment: this.environment,
      url: this.url,
      show: async (page) => void browse(page),
      timeoutMs: 10_000,
      ...options,
    });
  }

  logout(options: { readonly url?: string; readonly isForgotten?: boolean; readonly program?: string } = {}) {
    return logOutOfRemote({ environment: this.environment, ...options });
  }

  record(program = 'doorward') {
    return readRemote(remotePath(this.environment, program)!);
  }

  keep(text: string): void {
    const path = remotePath(this.environment, 'doorward')!;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  }

  tokens(program = 'doorward', url = this.url) {
    return new FileTokenStore({ environment: this.environment, realm: realmOf(program) }).read(url);
  }

  /** A server that lets everybody in. */
  async openServer(answer: (seen: Seen) => Answer = openAnswer): Promise<string> {
    const server = await this.setting.other(LoopbackServer.start());
    server.routes.set('POST /mcp', answer);
    return `${server.origin}/mcp`;
  }
}

function openAnswer({ body }: Seen): Answer {
  const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: keyof typeof RESULTS };
  if (id === undefined) return 202;
  const result = RESULTS[method];
  const error = { code: -32601, message: 'there is no such method' };
  return { json: { jsonrpc: '2.0', id, ...(result ? { result } : { error }) } };
}

test('by OAuth: the record names the server and no token, the tokens lie in a realm of their own', async () => {
  const stage = await Stage.open();
  const { by, credential, state, url, replaced } = await stage.login();
  expect({ by, url, replaced, tools: state.kind === 'ready' && state.tools }).toEqual({
    by: 'oauth',
    url: stage.url,
    replaced: undefined,
    tools: 1,
  });
  expect(credential?.issuer).toBe(stage.setting.as.issuer);
  expect(stage.record()).toMatchObject({ kind: 'record', record: { url: stage.url, session: { hasTokens: true } } });
  expect(JSON.stringify(stage.record())).not.toContain('access-');
  expect(await stage.tokens()).toMatchObject({ server: stage.url });
  expect(await new FileTokenStore({ environment: stage.environment }).read(stage.url)).toBeUndefined();
  expect(await remoteStatusOf(stage.environment)).toMatchObject({ url: stage.url, status: { state: 'authorized' } });
});

test('two programs do not share a remote', async () => {
  const stage = await Stage.open();
  await stage.login({ program: 'repo-tools' });
  expect(stage.record()).toEqual({ kind: 'none' });
  expect(stage.record('repo-tools').kind).toBe('record');
  expect(await stage.tokens()).toBeUndefined();
  expect(await remoteStatusOf(stage.environment)).toBeUndefined();
  expect((await remoteStatusOf(stage.environment, 'repo-tools'))?.status.state).toBe('authorized');
  expect(await stage.logout()).toEqual({ hadTokens: false, isRevoked: false });
  expect(await stage.logout({ program: 'repo-tools' })).toMatchObject({ hadTokens: true, isRevoked: true });
});

test('with a token: it is tried first, and kept where tokens are', async () => {
  const stage = await Stage.open();
  stage.setting.as.tokens.set('good', { client: 'c', scope: undefined, resource: null });
  expect(await stage.login({ token: ' good\n' })).toMatchObject({ by: 'token', state: { kind: 'ready' } });
  expect((await stage.tokens())?.credentials).toMatchObject([{ issuer: 'given', tokens: { access: 'good' } }]);
  expect((await remoteStatusOf(stage.environment))?.status).toMatchObject({ state: 'authorized', issuer: 'given' });
  expect(stage.setting.as.log, 'no authorization server was asked').toEqual([]);
});

test.each([
  { why: 'is not known', token: 'bad', code: 'AUTH_REQUIRED' },
  { why: 'is none', token: ' \n', code: 'CONFIG_INVALID' },
  { why: 'no header can carry', token: 'a\nb', code: 'CONFIG_INVALID' },
  { why: 'has a word before it', token: 'Bearer x', code: 'CONFIG_INVALID' },
  { why: 'is no text of a token', token: 'x'.repeat(20_000), code: 'CONFIG_INVALID' },
])('a token that $why is refused, not shown and not kept', async ({ token, code }) => {
  const stage = await Stage.open();
  const thrown = await stage.login({ token }).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code });
  if (token.trim() !== '') expect(JSON.stringify([thrown, (thrown as Error).message])).not.toContain(token);
  expect(stage.record()).toEqual({ kind: 'none' });
  expect(await stage.tokens()).toBeUndefined();
});

test('a token that its server does not allow this is refused as well; a server that is down is no verdict', async () => {
  const stage = await Stage.open();
  stage.setting.rs.needs = ['admin'];
  stage.setting.as.tokens.set('good', { client: 'c', scope: 'user', resource: null });
  await expect(stage.login({ token: 'good' })).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  const url = await stage.openServer(() => 503);
  await expect(stage.login({ token: 'good', url })).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  expect(stage.record()).toEqual({ kind: 'none' });
});

test('a server that asks nobody to sign in is remembered as such', async () => {
  const stage = await Stage.open();
  const url = await stage.openServer();
  expect(await stage.login({ url })).toMatchObject({ by: 'open', state: { kind: 'ready' } });
  expect(stage.record()).toMatchObject({ record: { url, session: { hasTokens: false } } });
  expect(await remoteStatusOf(stage.environment)).toMatchObject({ url, status: { state: 'open' } });
  expect(await stage.logout()).toEqual({ url, hadTokens: false, isRevoked: false });
});

test('what is no MCP server is not remembered', async () => {
  const stage = await Stage.open();
  const url = await stage.openServer(() => ({ text: '<p>hello</p>' }));
  await expect(stage.login({ url })).rejects.toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL' });
  expect(stage.record()).toEqual({ kind: 'none' });
});

test('a server that wants a token and says nowhere how to get one names the way by stdin', async () => {
  const stage = await Stage.open();
  const url = await stage.openServer(() => 401);
  const hint = `Ask those who run it for a token, and hand it over: doorward login ${url} --token-stdin < FILE`;
  await expect(stage.login({ url })).rejects.toMatchObject({ code: 'AUTH_REQUIRED', hint });
});

test('a login that went well counts, though the remote cannot be used just now', async () => {
  const stage = await Stage.open();
  stage.setting.rs.needs = ['more'];
  expect(await stage.login()).toMatchObject({ by: 'oauth', state: { kind: 'failed' } });
  expect(stage.record().kind).toBe('record');
});

test('over plain http beyond this machine nobody hands over a token', async () => {
  const stage = await Stage.open();
  const url = 'http://r.invalid/mcp';
  await expect(stage.login({ url, token: 'good' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(stage.login({ url })).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

test('one that is not this machine by its name, over plain http, is not asked for a login', async () => {
  const stage = await Stage.open();
  const url = stage.url.replace('127.0.0.1', '[::ffff:127.0.0.1]');
  await expect(stage.login({ url })).rejects.toMatchObject({ message: expect.stringContaining('is not https') });
  const open = (await stage.openServer()).replace('127.0.0.1', '[::ffff:127.0.0.1]');
  expect(await stage.login({ url: open }), 'where no token is asked for').toMatchObject({ by: 'open' });
});

test.each([
  { text: 'gateway', why: /cannot be read/ },
  { text: 'ftp://x/', why: /begins with ftp:/ },
  { text: 'https://u:p@x/', why: /holds a name or a password/ },
])('$text is no remote', ({ text, why }) => {
  expect(() => readRemoteUrl(text)).toThrow(why);
});

test('what follows a # is no part of it', () => expect(readRemoteUrl('https://x/mcp#a')).toBe('https://x/mcp'));

test('another remote takes the place of the one before, which is signed out of', async () => {
  const stage = await Stage.open();
  await stage.login();
  const before = stage.record();
  const url = await stage.openServer();
  expect(await stage.login({ url })).toMatchObject({ by: 'open', replaced: stage.url });
  expect(await stage.tokens()).toBeUndefined();
  expect(before.kind).toBe('record');
});

test('what is kept on disk goes with its principal: at another login, and at the logout', async () => {
  const stage = await Stage.open();
  const cache = new FileCatalogCache({ environment: stage.environment });
  const keyOf = () => {
    const found = stage.record();
    if (found.kind !== 'record') throw new Error('there is no record');
    const { url, session } = found.record;
    return remoteCacheKey({ url, program: 'doorward', principal: session!.principal });
  };
  const keep = async (key: string) => {
    cache.write(key, { savedAtMs: Date.now(), revision: '2025-11-25', serverName: 's', instructions: '', tools: [] });
    cache.write(`${key}-elicitation`, {
      savedAtMs: Date.now(),
      revision: 'r',
      serverName: 's',
      instructions: '',
      tools: [],
    });
    await cache.whenIdle();
  };
  const url = await stage.openServer();
  await stage.login({ url });
  const key = keyOf();
  await keep(key);
  await stage.login({ url });
  expect(cache.read(key), 'the same one').toBeDefined();
  await stage.login();
  expect(cache.read(key)).toBeUndefined();
  expect(cache.read(`${key}-elicitation`), 'for whatever callers').toBeUndefined();
  const next = keyOf();
  await keep(next);
  await stage.logout();
  expect(cache.read(next)).toBeUndefined();
});

test.each([
  {
    why: 'a JWT of one subject',
    first: jwt({ sub: 'ada', jti: 1 }),
    second: jwt({ sub: 'ada', jti: 2 }),
    isSame: true,
  },
  { why: 'JWTs of two', first: jwt({ sub: 'ada' }), second: jwt({ sub: 'grace' }), isSame: false },
  { why: 'a JWT of nobody', first: jwt({ sub: '' }), second: jwt({}), isSame: false },
  { why: 'a JWT of nothing', first: jwt(null), second: jwt(null), isSame: true },
  { why: 'tokens that say nothing', first: 'a', second: 'b', isSame: false },
])('$why is the same principal: $isSame', async ({ first, second, isSame }) => {
  const stage = await Stage.open();
  const principals: unknown[] = [];
  for (const token of [first, second]) {
    stage.setting.as.tokens.set(token, { client: 'c', scope: undefined, resource: null });
    await stage.login({ token });
    principals.push((stage.record() as { record: { session: { principal: string } } }).record.session.principal);
  }
  expect(principals[0] === principals[1]).toBe(isSame);
});

function jwt(claims: unknown): string {
  return ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'x'].join('.');
}

test('after a logout it is still known which server it was; forgetting takes that, too', async () => {
  const stage = await Stage.open();
  await stage.login();
  await expect(stage.logout({ url: 'https://other.example/' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await stage.logout({ url: stage.url })).toEqual({ url: stage.url, hadTokens: true, isRevoked: true });
  const out = stage.record();
  expect(out).toMatchObject({ record: { url: stage.url } });
  expect(await remoteStatusOf(stage.environment)).toMatchObject({ status: { state: 'needed' } });
  expect(await stage.logout(), 'once more').toEqual({ url: stage.url, hadTokens: false, isRevoked: false });
  expect(stage.record(), 'since when nobody is').toEqual(out);
  await stage.logout({ isForgotten: true });
  expect(stage.record()).toEqual({ kind: 'none' });
});

test('a damaged record is told of, and a login or a logout mends it', async () => {
  const stage = await Stage.open();
  stage.keep('{');
  await expect(remoteStatusOf(stage.environment)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await stage.logout();
  expect(stage.record()).toEqual({ kind: 'none' });
  stage.keep('{');
  await stage.login();
  expect(stage.record().kind).toBe('record');
});

test('without a place for files nothing is named', async () => {
  const stage = await Stage.open();
  await expect(stage.login({ environment: {} })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await remoteStatusOf({})).toBeUndefined();
});

test('a place where nothing can be written is told of', async () => {
  const stage = await Stage.open();
  const url = await stage.openServer();
  const file = join(stage.setting.folder, 'file');
  writeFileSync(file, '');
  const environment = { ...stage.environment, XDG_CONFIG_HOME: file };
  await expect(stage.login({ environment, url })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('cannot be kept'),
  });
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('a login whose token endpoint hangs ends when its time is over', async () => {
  const stage = await Stage.open();
  stage.setting.as.routes.set('POST /token', () => 'hang');
  const startedMs = performance.now();
  await expect(stage.login({ timeoutMs: 600 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(performance.now() - startedMs).toBeLessThan(3_000);
});

test('a login that is ended before it began asks nobody', async () => {
  const stage = await Stage.open();
  const { CallSignal } = await import('../../base/index.js');
  const signal = new CallSignal();
  const reason = new Error('enough');
  signal.abort(reason);
  await expect(stage.login({ signal })).rejects.toBe(reason);
});

test('the mount of a remote takes an id that is free, and follows its own program', async () => {
  const stage = await Stage.open();
  const [mount] = remoteMounts({ environment: stage.environment, taken: ['remote', 'remote2'], callTimeoutMs: 5 });
  expect(mount).toMatchObject({ id: 'remote3', prefix: 'always', startTimeoutMs: 20_000, callTimeoutMs: 5 });
  expect(mount?.presence?.now).toEqual({ kind: 'none' });
  expect(() => mount?.connect()).toThrow('nobody has named a remote');
  const own = remoteMounts({ url: 'https://own.example/mcp', program: 'p', fingerprint: 'f', startTimeoutMs: 7 })[0];
  expect(own).toMatchObject({ id: 'remote', startTimeoutMs: 7, presence: { fingerprint: 'f' } });
  expect(own?.presence).toBeInstanceOf(RemotePresence);
  expect(own?.connect()).toMatchObject({ kind: 'http', hasStreams: true });
  expect(remoteMounts()[0]?.id).toBe('remote');
  const events = new EventBus();
  expect(remoteConnection(stage.url, { environment: stage.environment, program: 'p', events }).kind).toBe('http');
});
