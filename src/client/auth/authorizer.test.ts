import { expect, onTestFinished, test } from 'vitest';
import { AuthorizationServer } from '../../../test/fixtures/authorization-server.js';
import { OAuthSetting } from '../../../test/fixtures/oauth-setting.js';
import { CallSignal, DoorError, EventBus } from '../../base/index.js';
import { FileTokenStore } from '../../runtime/node/token-store.js';

const open = (): Promise<OAuthSetting> => OAuthSetting.start({ onTestFinished });

async function loggedIn(): Promise<OAuthSetting> {
  const setting = await open();
  await setting.logIn();
  setting.as.requests.length = 0;
  return setting;
}

async function errorOf(promise: Promise<unknown>): Promise<DoorError> {
  const thrown = await promise.then(
    () => new Error('it worked'),
    (error: unknown) => error,
  );
  if (thrown instanceof DoorError) return thrown;
  throw thrown;
}

/** The token's time is over; the authorization server knows it too. */
async function runOut(setting: OAuthSetting): Promise<void> {
  setting.as.tokens.clear();
  await setting.change((credential) => ({
    ...credential,
    tokens: { ...credential.tokens!, expiresAtMs: 1, givenAtMs: 0 },
  }));
}

/** The token is no longer fresh. */
async function grow(setting: OAuthSetting): Promise<void> {
  await setting.change((credential) => ({ ...credential, tokens: { ...credential.tokens!, givenAtMs: 0 } }));
}

const refreshes = ({ as }: OAuthSetting) =>
  as.forms('/token').filter((form) => form.get('grant_type') === 'refresh_token');

test('without a token nothing is sent along, and a refusal says what to run', async () => {
  const setting = await open();
  const events = new EventBus();
  const heard: unknown[] = [];
  events.on('auth.required', (event) => heard.push(event));
  const authorizer = setting.authorizer({ events });
  expect(await authorizer.headers()).toEqual({});
  expect(setting.rs.requests).toEqual([]);
  expect(await errorOf(setting.call(authorizer))).toMatchObject({
    code: 'AUTH_REQUIRED',
    hint: 'Run: doorward login team',
    data: { server: 'team' },
  });
  expect(heard).toEqual([{ upstream: 'team', hint: 'Run: doorward login team' }]);
  expect(setting.as.log, 'nobody sits here: nothing is begun').toEqual([]);
});

test('an id that a shell would take apart is quoted in the hint', async () => {
  const setting = await open();
  const { hint } = await errorOf(setting.call(setting.authorizer({ server: "my team's" })));
  expect(hint).toBe("Run: doorward login 'my team'\\''s'");
});

test('a login in another process is seen by the next attempt', async () => {
  const setting = await open();
  const authorizer = setting.authorizer();
  expect((await errorOf(setting.call(authorizer))).code).toBe('AUTH_REQUIRED');
  await setting.logIn({ store: new FileTokenStore({ environment: setting.environment }) });
  expect(await setting.call(authorizer)).toBe(200);
});

test('a login while a request is under way: the refused one is tried once more', async () => {
  const setting = await open();
  const authorizer = setting.authorizer();
  await authorizer.headers();
  await setting.logIn({ store: new FileTokenStore({ environment: setting.environment }) });
  expect(await authorizer.refused(401, 'Bearer', undefined)).toBe(true);
});

test('a token that is about to end is renewed before it is used, for the same resource', async () => {
  const setting = await loggedIn();
  const before = await setting.credential();
  await runOut(setting);
  expect(await setting.call(setting.authorizer())).toBe(200);
  expect(
    setting.rs.log.filter((line) => line === 'POST /mcp'),
    'no refusal in between',
  ).toHaveLength(1);
  const [form] = refreshes(setting);
  expect(form?.get('resource')).toBe(setting.rs.url);
  const after = await setting.credential();
  expect(after?.tokens?.refresh).not.toBe(before?.tokens?.refresh);
  expect(after?.loggedInAtMs, 'a refresh is no login').toBe(before?.loggedInAtMs);
});

test('many at once, in several processes, renew it once', async () => {
  const setting = await loggedIn();
  await runOut(setting);
  const store = () => new FileTokenStore({ environment: setting.environment });
  const authorizers = Array.from({ length: 4 }, () => setting.authorizer({ store: store() }));
  const calls = authorizers.flatMap((authorizer) => Array.from({ length: 8 }, () => setting.call(authorizer)));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  expect(refreshes(setting)).toHaveLength(1);
});

test('a token that is refused before its time is renewed once, and tried once more', async () => {
  const setting = await loggedIn();
  await grow(setting);
  setting.as.tokens.clear();
  expect(await setting.call(setting.authorizer())).toBe(200);
  expect(refreshes(setting)).toHaveLength(1);
});

test('a server that refuses every token is not asked for one after the other', async () => {
  const setting = await loggedIn();
  setting.rs.authorization = await setting.other(AuthorizationServer.start());
  setting.rs.metadata.authorization_servers = [setting.as.issuer];
  await grow(setting);
  expect(await setting.call(setting.authorizer())).toBe(401);
  // Each connection has an authorizer of its own.
  for (let again = 0; again < 3; again++) {
    expect((await errorOf(setting.call(setting.authorizer()))).code).toBe('AUTH_REQUIRED');
  }
  expect(refreshes(setting)).toHaveLength(1);
});

test('trouble while the token is still good costs nothing', async () => {
  const setting = await loggedIn();
  await setting.change((credential) => ({
    ...credential,
    tokens: { ...credential.tokens!, givenAtMs: 0, expiresAtMs: Date.now() + 5_000 },
  }));
  setting.as.routes.set('POST /token', () => ({ status: 503, headers: { 'retry-after': '60' } }));
  const authorizer = setting.authorizer();
  expect(await setting.call(authorizer)).toBe(200);
  expect(await setting.call(authorizer)).toBe(200);
  expect(refreshes(setting), 'Retry-After is kept to').toHaveLength(1);
});

test('trouble when it is over says when to try again, and is not asked for at every call', async () => {
  const setting = await loggedIn();
  await runOut(setting);
  setting.as.routes.set('POST /token', () => ({ status: 503, headers: { 'retry-after': '60' } }));
  const authorizer = setting.authorizer();
  for (let again = 0; again < 3; again++) {
    const error = await errorOf(setting.call(authorizer));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', hint: expect.stringContaining('in 60 s') });
  }
  expect(refreshes(setting)).toHaveLength(1);
  expect(setting.rs.log.filter((line) => line === 'POST /mcp')).toEqual([]);
});

test('who waits for a refresh can be called off', async () => {
  const setting = await loggedIn();
  await runOut(setting);
  setting.timeoutMs = 1_000;
  setting.as.routes.set('POST /token', () => 'hang');
  const signal = new CallSignal();
  const waiting = setting.authorizer().headers(signal);
  setTimeout(() => signal.abort(new Error('enough')), 50);
  await expect(waiting).rejects.toThrow('enough');
});

test('tokens are not sent to a server that has moved to another authorization server', async () => {
  const setting = await loggedIn();
  const other = await setting.other(AuthorizationServer.start());
  setting.rs.authorization = other;
  await grow(setting);
  const authorizer = setting.authorizer();
  expect((await errorOf(setting.call(authorizer))).code).toBe('AUTH_REQUIRED');
  expect(refreshes(setting), 'the old one is not asked').toEqual([]);
  expect(other.log, 'and the new one sees nothing of it').toEqual(['GET /.well-known/oauth-authorization-server']);
  expect((await setting.logIn())?.issuer).toBe(other.issuer);
  expect(await setting.call(authorizer)).toBe(200);
  // And back: what the first one gave is still there.
  setting.rs.authorization = setting.as;
  await grow(setting);
  expect(await setting.call(authorizer)).toBe(200);
  expect((await setting.credential())?.issuer).toBe(setting.as.issuer);
});

test('a 403 that names no scope is no reason for a login', async () => {
  const setting = await loggedIn();
  const used = (await setting.authorizer().headers()).authorization;
  const error = await errorOf(setting.authorizer().refused(403, 'Bearer error="insufficient_scope"', used));
  expect(error).toMatchObject({ code: 'FORBIDDEN', hint: expect.stringContaining('Ask those who run') });
  const covered = await errorOf(setting.authorizer().refused(403, '', used));
  expect(covered.code).toBe('FORBIDDEN');
  expect((await setting.store.read(setting.rs.url))?.wanted).toBeUndefined();
});

test('a challenge that only some requests get is remembered for the login', async () => {
  const setting = await open();
  const { rs } = setting;
  rs.metadataPaths = ['/elsewhere'];
  const challenge = rs.challengeText('scope="deep"');
  expect(await errorOf(setting.authorizer().refused(401, challenge, undefined))).toMatchObject({
    code: 'AUTH_REQUIRED',
  });
  // What the login hears when it knocks is nothing.
  expect(await setting.logIn({ challenge: '' })).toMatchObject({ asked: 'deep', issuer: setting.as.issuer });
});

test('scopes that a login asked for in vain are not asked for again', async () => {
  const setting = await open();
  const { as, rs } = setting;
  rs.challenge = 'scope="read write"';
  as.routes.set('POST /token', ({ body }) => {
    const resource = new URLSearchParams(body).get('resource');
    return as.issue({ client: 'c', scope: 'read', resource });
  });
  expect(await setting.logIn()).toMatchObject({ scope: 'read', asked: 'read write' });
  rs.needs = ['write'];
  const interactive = async () => void (await setting.logIn());
  const error = await errorOf(setting.call(setting.authorizer({ interactive })));
  expect(error).toMatchObject({ code: 'FORBIDDEN', hint: expect.stringMatching(/^Ask those who run/) });
  expect(setting.shown).toHaveLength(1);
});

test('a logout in another process is seen as well', async () => {
  const setting = await loggedIn();
  const authorizer = setting.authorizer();
  expect(await setting.call(authorizer)).toBe(200);
  await new FileTokenStore({ environment: setting.environment }).write(setting.rs.url, undefined);
  setting.as.tokens.clear();
  expect((await errorOf(setting.call(authorizer))).code).toBe('AUTH_REQUIRED');
  expect(await authorizer.headers()).toEqual({});
});

test('where somebody sits there, they are asked, and a no is taken for one', async () => {
  const setting = await open();
  const interactive = async (challenge: string) => void (await setting.logIn({ challenge }));
  const authorizer = setting.authorizer({ interactive });
  expect(await setting.call(authorizer)).toBe(200);
  expect(setting.shown).toHaveLength(1);
  const stranger = setting.authorizer({ interactive });
  await setting.store.write(setting.rs.url, undefined);
  setting.as.decide = () => false;
  for (let again = 0; again < 3; again++) expect((await errorOf(setting.call(stranger))).code).toBe('AUTH_REQUIRED');
  expect(setting.shown).toHaveLength(2);
});

test('a login elsewhere is seen soon even where nothing is refused', async () => {
  const setting = await open();
  const authorizer = setting.authorizer();
  expect(await authorizer.headers()).toEqual({});
  await setting.logIn({ store: new FileTokenStore({ environment: setting.environment }) });
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(await authorizer.headers()).toEqual({ authorization: expect.stringMatching(/^Bearer /) });
});

test('no message and no event holds a token', async () => {
  const setting = await loggedIn();
  const { access, refresh } = (await setting.credential())!.tokens!;
  const said: string[] = [];
  const events = new EventBus();
  events.onAny((name, event) => said.push(name, JSON.stringify(event)));
  await runOut(setting);
  for (const answer of [
    500,
    { text: `page with ${refresh}` },
    { status: 400, json: { error: 'x', error_description: refresh } },
  ] as const) {
    setting.as.routes.set('POST /token', () => answer);
    const error = await errorOf(setting.call(setting.authorizer({ events })));
    said.push(error.message, error.hint ?? '', JSON.stringify(error.data));
  }
  expect(said.join('\n')).not.toContain(access);
  expect(said.join('\n')).not.toContain(refresh);
  expect(said.length).toBeGreaterThan(8);
});

test.each([0, 1, 5, 20, 30])('a token that lives %i s is used, and not renewed for each request', async (seconds) => {
  const setting = await open();
  setting.as.expiresInSeconds = seconds;
  await setting.logIn();
  for (let count = 0; count < 5; count++) expect(await setting.call(setting.authorizer())).toBe(200);
  expect(refreshes(setting)).toHaveLength(0);
});

test('a token of a short life is renewed when half of it is over', async () => {
  const setting = await open();
  setting.as.expiresInSeconds = 20;
  await setting.logIn();
  const age = (ms: number): Promise<void> =>
    setting.change((credential) => {
      const nowMs = Date.now();
      const tokens = { ...credential.tokens!, givenAtMs: nowMs - ms, expiresAtMs: nowMs - ms + 20_000 };
      return { ...credential, tokens };
    });
  await age(8_000);
  expect(await setting.call(setting.authorizer())).toBe(200);
  expect(refreshes(setting)).toHaveLength(0);
  await age(12_000);
  expect(await setting.call(setting.authorizer())).toBe(200);
  expect(refreshes(setting)).toHaveLength(1);
});
