/** Cases of kind `oauth`: an authorization server of our own on loopback, odd in the way each case says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DoorError } from '../../src/base/index.js';
import type { AuthorizerOptions, LogInOptions } from '../../src/client/index.js';
import {
  type Answer,
  type AuthorizationServer,
  browse,
  type LoopbackServer,
} from '../fixtures/authorization-server.js';
import { OAuthSetting } from '../fixtures/oauth-setting.js';
import { CLI, requireBuild } from '../fixtures/open-door.js';
import { getCase, titleOf } from './cases.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const open = (): Promise<OAuthSetting> => OAuthSetting.start({ onTestFinished });

async function errorOf(promise: Promise<unknown>): Promise<DoorError> {
  const thrown = await promise.then(
    (value) => new Error(`it gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof DoorError) return thrown;
  throw thrown;
}

/** Expected of cases by name; a case that asks for something else than is tested here fails. */
const expectOf = <Expect>(id: string): Expect => getCase(id).expect as Expect;

test(titleOf('e01'), async () => {
  const { rs, as, ...setting } = await opened();
  rs.metadataPaths = [WELL_KNOWN];
  const credential = await setting.logIn();
  expect(credential?.issuer).toBe(as.issuer);
  expect(rs.log[0], expectOf<{ first_url_tried: string }>('e01').first_url_tried).toBe(`GET ${WELL_KNOWN}`);
  expect(rs.log).not.toContain(`GET ${WELL_KNOWN}/mcp`);
  // Without a word in the challenge: below the path, then at the root.
  rs.namesMetadata = false;
  rs.requests.length = 0;
  expect((await setting.logIn())?.issuer).toBe(as.issuer);
  expect(rs.log).toEqual([`GET ${WELL_KNOWN}/mcp`, `GET ${WELL_KNOWN}`]);
});

describe(titleOf('e02'), () => {
  test.each<{ why: string; answer: Answer }>([
    { why: '401', answer: 401 },
    { why: '403', answer: 403 },
    { why: '429 is no miss, but 410 is', answer: 410 },
    { why: '200 with a page', answer: { text: '<!doctype html><title>app</title>' } },
    { why: '200 with JSON that is no object', answer: { json: 'nothing here' } },
  ])('$why falls through', async ({ answer }) => {
    const { rs, as, ...setting } = await opened();
    rs.namesMetadata = false;
    rs.metadataPaths = [WELL_KNOWN];
    rs.routes.set(`GET ${WELL_KNOWN}/mcp`, () => answer);
    expect((await setting.logIn())?.issuer).toBe(as.issuer);
    expect(rs.log).toContain(`GET ${WELL_KNOWN}`);
  });

  test.each([500, 502, 503])('%i is reported as temporary and does not fall through', async (status) => {
    const { rs, ...setting } = await opened();
    rs.namesMetadata = false;
    rs.metadataPaths = [WELL_KNOWN];
    rs.routes.set(`GET ${WELL_KNOWN}/mcp`, () => status);
    const error = await errorOf(setting.logIn());
    expect(error).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: expect.stringContaining(String(status)) });
    expect(error.hint).toMatch(/^Try again/);
    expect(rs.log).not.toContain(`GET ${WELL_KNOWN}`);
  });
});

describe(titleOf('e03'), () => {
  test('an issuer with a path, metadata behind it (Keycloak)', async () => {
    const { as, ...setting } = await opened();
    as.issuerPath = '/realms/t';
    as.metadataPaths = ['/realms/t/.well-known/openid-configuration'];
    Object.assign(as.metadata, OPENID);
    expect((await setting.logIn())?.issuer).toBe(`${as.origin}/realms/t`);
    const { order } = expectOf<{ order: string[] }>('e03');
    expect(as.log.slice(0, 3)).toEqual(order.map((path) => `GET ${path}`));
  });

  test('OpenID metadata alone (Google)', async () => {
    const { as, ...setting } = await opened();
    as.metadataPaths = ['/.well-known/openid-configuration'];
    Object.assign(as.metadata, OPENID);
    expect((await setting.logIn())?.issuer).toBe(as.origin);
  });

  test('no metadata of the resource, that of the server at the root (Sentry)', async () => {
    const { as, rs, ...setting } = await opened();
    rs.namesMetadata = false;
    rs.metadataPaths = [];
    rs.routes.set('GET /.well-known/oauth-authorization-server', () => ({ json: metadataOf(as, rs.origin) }));
    const credential = await setting.logIn();
    expect(credential).toMatchObject({ issuer: rs.origin, resource: rs.url });
    expect(credential?.tokens).toBeDefined();
  });

  test('an issuer is held to what it was looked up by', async () => {
    const { as, ...setting } = await opened();
    as.issuerPath = '/realms/t';
    as.metadataPaths = ['/realms/t/.well-known/openid-configuration'];
    Object.assign(as.metadata, OPENID, { issuer: `${as.origin}/realms/other` });
    expect(await errorOf(setting.logIn())).toMatchObject({ code: 'FORBIDDEN' });
    expect(as.log).not.toContain('POST /register');
  });
});

/** What OpenID asks of its metadata beside. */
const OPENID = {
  jwks_uri: 'http://127.0.0.1/jwks',
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
};

function metadataOf(as: AuthorizationServer, issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${as.origin}/authorize`,
    token_endpoint: `${as.origin}/token`,
    registration_endpoint: `${as.origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

describe(titleOf('e04'), () => {
  const [advertised, legacy, foreign, liar] = expectOf<{ results: string[] }>('e04').results;

  test(`another host as the advertised issuer: ${advertised}`, async () => {
    const { as, rs, ...setting } = await opened();
    expect(as.origin).not.toBe(rs.origin);
    expect((await setting.logIn())?.issuer).toBe(as.issuer);
  });

  test(`metadata at the server's own host, with another issuer: ${legacy}`, async () => {
    const { as, rs, ...setting } = await opened();
    rs.namesMetadata = false;
    rs.metadataPaths = [];
    rs.routes.set('GET /.well-known/oauth-authorization-server', () => ({ json: metadataOf(as, 'http://cf.rs.test') }));
    expect((await setting.logIn())?.issuer).toBe('http://cf.rs.test');
  });

  test(`the metadata of another resource: ${foreign}`, async () => {
    const { as, rs, ...setting } = await opened();
    rs.metadata.resource = 'http://other.test/mcp';
    const { message, code } = await errorOf(setting.logIn());
    expect(code).toBe('FORBIDDEN');
    expect(message).toContain('http://other.test/mcp');
    expect(message).toContain(rs.url);
    expect(as.log).toEqual([]);
  });

  test(`an authorization server that calls itself another: ${liar}`, async () => {
    const { as, ...setting } = await opened();
    as.metadata.issuer = 'http://evil.test';
    const { message, code } = await errorOf(setting.logIn());
    expect(code).toBe('FORBIDDEN');
    expect(message).toContain('http://evil.test');
    expect(message).toContain(as.origin);
    expect(as.log).not.toContain('POST /register');
  });
});

test(titleOf('e08'), { timeout: 60_000 }, async () => {
  requireBuild();
  const { processes } = getCase('e08').input as { processes: number };
  const wanted = expectOf<{ browser_opens: number }>('e08');
  const setting = await open();
  const opener = writeOpener(setting.folder);
  const started = Array.from({ length: processes }, () => startLogin(setting, opener.path));
  const page = await until(() => opener.opened()[0]);
  // The others have found that one is at it.
  await until(() => started.filter(({ written }) => written.err.includes('Another doorward')).length === processes - 1);
  const redirect = new URL(page).searchParams.get('redirect_uri')!;
  expect(await browse(`${redirect}?code=forged&state=wrong`), 'a wrong state').toBe(400);
  expect(
    started.some(({ child }) => child.exitCode !== null),
    'and the login goes on',
  ).toBe(false);
  expect(await browse(page)).toBe(200);
  expect(await Promise.all(started.map(({ ended }) => ended))).toEqual(Array.from({ length: processes }, () => 0));
  expect(opener.opened()).toHaveLength(wanted.browser_opens);
  for (const { written } of started) expect(written.out).toMatch(/^logged in: team by http/);
  const [tokens] = [...setting.as.tokens.keys()];
  expect(setting.as.tokens.size).toBe(1);
  expect((await setting.credential())?.tokens?.access).toBe(tokens);
  // An attempt has a verifier and a state of its own.
  const again = startLogin(setting, opener.path);
  const second = await until(() => opener.opened()[1]);
  for (const name of ['code_challenge', 'state']) {
    expect(new URL(second).searchParams.get(name)).not.toBe(new URL(page).searchParams.get(name));
  }
  await browse(second);
  expect(await again.ended).toBe(0);
});

/** What stands for the browser: it writes down which page it was to open. */
function writeOpener(folder: string) {
  const [path, opened] = [join(folder, 'bin'), join(folder, 'opened')];
  for (const each of [path, opened]) mkdirSync(each);
  const name = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(join(path, name), `#!/bin/sh\nprintf %s "$1" > "${opened}/$(date +%s%N)-$$"\n`);
  chmodSync(join(path, name), 0o755);
  return {
    path,
    opened: () =>
      readdirSync(opened)
        .sort()
        .map((file) => readFileSync(join(opened, file), 'utf8'))
        .filter((url) => url !== ''),
  };
}

function startLogin(setting: OAuthSetting, path: string) {
  const config = join(setting.folder, 'doorward.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { team: { type: 'http', url: setting.rs.url } } }));
  const child: ChildProcess = spawn(process.execPath, [CLI, 'login', 'team', '--config', config, '--timeout', '50s'], {
    env: { ...setting.environment, PATH: `${path}:${process.env.PATH}` },
  });
  const written = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, written, ended };
}

async function until<Value>(look: () => Value | undefined | false): Promise<Value> {
  const startedMs = performance.now();
  for (;;) {
    const value = look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() - startedMs > 25_000) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe(titleOf('e09'), () => {
  test.each([
    { why: 'authorize answers 400 with a page', forget: true },
    { why: 'authorize answers 422 with a page', forget: true, status: 422 },
    { why: 'token answers 401 invalid_client', forget: true, token: 401 },
    { why: 'token answers 400 invalid_client', forget: true, token: 400 },
    { why: 'refresh answers 400 invalid_grant, then the client is unknown', forget: true, refresh: true },
  ])('$why', async ({ status, token, refresh }) => {
    const { as, rs, ...setting } = await opened();
    const before = await setting.logIn();
    const dead = before!.client.id;
    as.clients.delete(dead);
    as.tokens.clear();
    as.refreshTokens.clear();
    if (status) as.routes.set('GET /authorize', ({ query }) => (query.get('client_id') === dead ? status : undefined));
    if (token || refresh) {
      const answer = refresh
        ? { status: 400, json: { error: 'invalid_grant' } }
        : { status: token!, json: { error: 'invalid_client' } };
      as.routes.set('POST /token', ({ body }) => (body.includes(dead) ? answer : undefined));
    }
    // What serves finds out first, and says what to run.
    await setting.change((credential) => ({ ...credential, tokens: { ...credential.tokens!, givenAtMs: 0 } }));
    const error = await errorOf(setting.call(setting.authorizer()));
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', hint: 'Run: doorward login team' });
    as.requests.length = 0;
    const after = await setting.logIn();
    expect(after?.tokens).toBeDefined();
    expect(
      as.log.filter((line) => line === 'POST /register'),
      'registers once',
    ).toHaveLength(1);
    expect(
      as.requests.filter(({ query, body }) => `${query}${body}`.includes(dead)),
      'no replay',
    ).toEqual([]);
    expect(setting.files().join(''), 'the old client is gone').not.toContain(dead);
    expect(await setting.call(setting.authorizer())).toBe(200);
    expect(rs.log.length).toBeLessThan(20);
  });
});

describe(titleOf('e10'), () => {
  const document = 'https://client.example/doorward.json';

  test.each([true, false])('a configured client is not registered (documents supported: %s)', async (supported) => {
    const { as, ...setting } = await opened();
    Object.assign(as.metadata, { registration_endpoint: undefined, client_id_metadata_document_supported: supported });
    as.clients.set('static', ['*']);
    const credential = await setting.logIn({ config: { clientId: 'static' } });
    expect(credential?.client).toEqual({ id: 'static', origin: 'configured' });
    expect(as.log).not.toContain('POST /register');
  });

  test('a configured client comes before a registration that could be had', async () => {
    const { as, ...setting } = await opened();
    as.clients.set('static', ['*']);
    const credential = await setting.logIn({ config: { clientId: 'static', clientSecret: 'hush' } });
    expect(credential?.client.id).toBe('static');
    expect(as.log).not.toContain('POST /register');
    const token = as.requests.find(({ path }) => path === '/token');
    expect(token?.headers.authorization).toBe(`Basic ${Buffer.from('static:hush').toString('base64')}`);
  });

  test.each<Partial<LogInOptions>>([{ config: { clientId: document } }, { clientMetadataUrl: document }])(
    'the URL of a document is used where the server reads them: %o',
    async (options) => {
      const { as, ...setting } = await opened();
      as.metadata.client_id_metadata_document_supported = true;
      as.clients.set(document, ['*']);
      const credential = await setting.logIn(options);
      expect(credential?.client).toEqual({ id: document, origin: 'metadata-document' });
      expect(as.log).not.toContain('POST /register');
    },
  );

  test.each([true, false])(
    'nothing of all: it is said what to configure (documents supported: %s)',
    async (supported) => {
      const { as, ...setting } = await opened();
      Object.assign(as.metadata, {
        registration_endpoint: undefined,
        client_id_metadata_document_supported: supported,
      });
      const { code, message, hint } = await errorOf(setting.logIn());
      expect(code).toBe('AUTH_REQUIRED');
      expect(message).toContain(as.issuer);
      expect(hint).toMatch(/redirect to http:\/\/127\.0\.0\.1:\d+\/callback/);
      expect(hint).toContain('oauth.clientId');
      expect(hint).toContain('oauth.redirectPort');
      expect(setting.shown).toEqual([]);
    },
  );
});

describe(titleOf('e11'), () => {
  interface Row {
    readonly challenge?: string | null;
    readonly prm_scopes?: readonly string[] | null;
    readonly config_scope?: string;
    readonly expect: string;
  }
  const rows = (getCase('e11').input as { cases: Row[] }).cases;

  test.each(rows)('%o', async ({ challenge, prm_scopes, config_scope, expect: wanted }) => {
    const { rs, ...setting } = await opened();
    rs.challenge = challenge ?? undefined;
    if (prm_scopes) rs.metadata.scopes_supported = prm_scopes;
    await setting.logIn({ config: config_scope === undefined ? {} : { scope: config_scope } });
    const scope = setting.shown[0]!.searchParams.get('scope');
    expect(scope).toBe(wanted === 'no scope parameter' ? null : wanted);
  });

  test('offline_access is added where the authorization server knows it, and something is asked for', async () => {
    const { as, rs, ...setting } = await opened();
    as.metadata.scopes_supported = ['a', 'offline_access'];
    await setting.logIn();
    rs.challenge = 'scope="a"';
    await setting.logIn();
    expect(setting.shown.map(({ searchParams }) => searchParams.get('scope'))).toEqual([null, 'a offline_access']);
  });
});

test(titleOf('e12'), async () => {
  const wanted = expectOf<{ authorize_scope_set: string[]; attempts_max: number }>('e12');
  const { as, rs, ...setting } = await opened();
  rs.challenge = 'scope="read"';
  await setting.logIn();
  as.requests.length = 0;
  setting.shown.length = 0;
  const authorizer = setting.authorizer({
    interactive: async (challenge) => void (await setting.logIn({ challenge })),
  });
  expect(await setting.call(authorizer), 'nothing is missing yet').toBe(200);
  rs.needs = ['write'];
  rs.requests.length = 0;
  expect(await setting.call(authorizer)).toBe(200);
  expect(
    rs.log.filter((line) => line === 'POST /mcp'),
    'retried once',
  ).toHaveLength(2);
  expect(setting.shown.map(({ searchParams }) => searchParams.get('scope')?.split(' '))).toEqual([
    wanted.authorize_scope_set,
  ]);
  expect(as.forms('/token').map((form) => form.get('grant_type'))).toEqual(['authorization_code']);
  // The user says no to the next one: an error, once, and what is there stays.
  rs.needs = ['admin'];
  as.decide = (scope) => !scope?.includes('admin');
  for (const code of ['AUTH_REQUIRED', 'FORBIDDEN', 'FORBIDDEN']) {
    expect(await errorOf(setting.call(authorizer))).toMatchObject({ code });
  }
  expect(setting.shown).toHaveLength(1 + wanted.attempts_max);
  rs.needs = ['write'];
  expect(await setting.call(authorizer), 'other tools keep working').toBe(200);
});

test('e12, where nobody sits there: it is said what to run, and the next login asks for all of it', async () => {
  const { rs, ...setting } = await opened();
  rs.challenge = 'scope="read"';
  await setting.logIn();
  const authorizer = setting.authorizer();
  rs.needs = ['write'];
  const error = await errorOf(setting.call(authorizer));
  expect(error).toMatchObject({ code: 'FORBIDDEN', hint: 'Run: doorward login team' });
  await setting.logIn();
  expect(setting.shown.at(-1)?.searchParams.get('scope')).toBe('read write');
  expect(await setting.call(authorizer), 'it goes on with the new token').toBe(200);
});

describe(titleOf('e15'), () => {
  const { token_endpoint: kinds } = getCase('e15').input as { token_endpoint: string[] };
  const { credential_kept, retry, user_prompted } = expectOf<Record<string, unknown[]>>('e15');
  const answers: Record<string, Answer> = {
    timeout: 'hang',
    '502': 502,
    '429 Retry-After: 2': { status: 429, headers: { 'retry-after': '2' } },
    '200 HTML page': { text: '<!doctype html><title>Welcome</title>' },
    '400 invalid_grant': { status: 400, json: { error: 'invalid_grant' } },
    '401 invalid_client': { status: 401, json: { error: 'invalid_client' } },
  };
  const rows = kinds.map((kind, at) => ({
    kind,
    isKept: credential_kept![at],
    retry: retry![at],
    isAsked: user_prompted![at],
  }));

  test.each(rows)('$kind', async ({ kind, isKept, retry: retries, isAsked }) => {
    const { as, ...setting } = await opened(700);
    await setting.logIn();
    await setting.change((credential) => ({ ...credential, tokens: { ...credential.tokens!, expiresAtMs: 1 } }));
    as.tokens.clear();
    as.requests.length = 0;
    const answer = answers[kind]!;
    const times: number[] = [];
    as.routes.set('POST /token', () => {
      times.push(performance.now());
      return answer;
    });
    const error = await errorOf(setting.call(setting.authorizer()));
    expect(error.code).toBe(isAsked ? 'AUTH_REQUIRED' : 'UPSTREAM_UNREACHABLE');
    expect((await setting.credential())?.tokens !== undefined, 'kept').toBe(isKept);
    expect(times).toHaveLength(retries === true ? 2 : 1);
    if (kind.startsWith('429')) expect(times[1]! - times[0]!).toBeGreaterThan(1_950);
    // A moment later the server is itself again.
    as.routes.clear();
    if (retries === 're-register' || !isKept) {
      as.requests.length = 0;
      await setting.logIn();
      expect(as.log).toContain('POST /register');
    }
    expect(await setting.call(setting.authorizer())).toBe(200);
  });
});

/** The setting, its methods bound, so that a test can name the parts it uses. */
async function opened(timeoutMs = 5_000) {
  const setting = await open();
  setting.timeoutMs = timeoutMs;
  return {
    as: setting.as,
    rs: setting.rs,
    shown: setting.shown,
    logIn: (changes?: Partial<LogInOptions>) => setting.logIn(changes),
    authorizer: (changes?: Partial<AuthorizerOptions>) => setting.authorizer(changes),
    credential: () => setting.credential(),
    change: (...args: Parameters<OAuthSetting['change']>) => setting.change(...args),
    call: (...args: Parameters<OAuthSetting['call']>) => setting.call(...args),
    files: () => setting.files(),
    other: (starting: Promise<LoopbackServer>) => setting.other(starting),
  };
}
