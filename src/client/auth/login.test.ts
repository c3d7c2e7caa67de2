import { expect, onTestFinished, test } from 'vitest';
import { AuthorizationServer } from '../../../test/fixtures/authorization-server.js';
import { OAuthSetting } from '../../../test/fixtures/oauth-setting.js';
import { DoorError } from '../../base/index.js';

const open = (): Promise<OAuthSetting> => OAuthSetting.start({ onTestFinished });

async function errorOf(promise: Promise<unknown>): Promise<DoorError> {
  const thrown = await promise.then(
    () => new Error('it worked'),
    (error: unknown) => error,
  );
  if (thrown instanceof DoorError) return thrown;
  throw thrown;
}

test('the way through: registration, resource, PKCE, and what is kept of it', async () => {
  const setting = await open();
  const { as, rs } = setting;
  rs.challenge = 'scope="a"';
  const credential = await setting.logIn();
  const registered = JSON.parse(as.requests.find(({ path }) => path === '/register')!.body) as Record<string, unknown>;
  const page = setting.shown[0]!.searchParams;
  expect(registered).toMatchObject({
    redirect_uris: [page.get('redirect_uri')],
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  });
  const [form] = as.forms('/token');
  for (const parameters of [page, form!]) expect(parameters.get('resource')).toBe(rs.url);
  expect(page.get('code_challenge_method')).toBe('S256');
  expect(page.get('state')).toMatch(/^[0-9a-f]{64}$/);
  expect(credential).toMatchObject({ issuer: as.issuer, resource: rs.url, scope: 'a', asked: 'a' });
  expect(credential).toEqual(await setting.credential());
  expect(await setting.call(setting.authorizer())).toBe(200);
});

test('the resource is the server itself where nothing says it, without a slash of its own making', async () => {
  const setting = await open();
  const { rs } = setting;
  rs.metadata.resource = rs.origin;
  expect((await setting.logIn())?.resource).toBe(rs.origin);
});

test('what a request was challenged with is asked for, where the login itself is not challenged', async () => {
  const setting = await open();
  const { rs } = setting;
  rs.metadata.scopes_supported = ['everything'];
  rs.challenge = 'scope="a"';
  await expect(setting.call(setting.authorizer())).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  rs.challenge = undefined;
  await setting.logIn();
  expect(setting.shown[0]!.searchParams.get('scope')).toBe('a');
});

// MCP basic/authorization, Authorization Response Validation: the table.
test.each([
  { why: 'advertised and right', advertised: true, iss: 'right', works: true },
  { why: 'advertised and absent', advertised: true, iss: undefined, works: false },
  { why: 'advertised and wrong', advertised: true, iss: 'https://evil.example', works: false },
  { why: 'not advertised and right', advertised: false, iss: 'right', works: true },
  { why: 'not advertised and wrong', advertised: false, iss: 'https://evil.example', works: false },
  { why: 'not advertised and absent', advertised: false, iss: undefined, works: true },
  { why: 'the same but for a slash', advertised: false, iss: 'slash', works: false },
])('iss: $why', async ({ advertised, iss, works }) => {
  const setting = await open();
  const { as } = setting;
  as.metadata.authorization_response_iss_parameter_supported = advertised;
  as.iss = iss === 'right' ? as.issuer : iss === 'slash' ? `${as.issuer}/` : iss;
  if (works) return expect(await setting.logIn()).toBeDefined();
  expect(await errorOf(setting.logIn())).toMatchObject({ code: 'FORBIDDEN', data: { expected: as.issuer } });
  expect(as.log, 'the code goes nowhere').not.toContain('POST /token');
});

test('an error of somebody else is neither acted on nor shown', async () => {
  const setting = await open();
  setting.as.decide = () => false;
  setting.as.iss = 'https://evil.example';
  const { code, message } = await errorOf(setting.logIn());
  expect(code).toBe('FORBIDDEN');
  expect(message).not.toContain('access_denied');
});

test('a user who says no', async () => {
  const setting = await open();
  setting.as.decide = () => false;
  expect(await errorOf(setting.logIn())).toMatchObject({
    code: 'AUTH_REQUIRED',
    message: expect.stringContaining('access_denied'),
    hint: 'Run: doorward login team',
  });
  expect(await setting.credential()).toBeUndefined();
});

test.each([
  {
    why: 'says nothing of PKCE',
    metadata: { code_challenge_methods_supported: undefined },
    code: 'FORBIDDEN',
    says: 'PKCE',
  },
  {
    why: 'has only plain PKCE',
    metadata: { code_challenge_methods_supported: ['plain'] },
    code: 'FORBIDDEN',
    says: 'PKCE',
  },
  {
    why: 'gives no codes',
    metadata: { response_types_supported: ['token'] },
    code: 'UPSTREAM_BROKE_PROTOCOL',
    says: 'response type',
  },
  {
    why: 'asks for the user over http',
    metadata: { authorization_endpoint: 'http://as.example/authorize' },
    code: 'FORBIDDEN',
    says: 'not https',
  },
  ...['file://localhost/bin/sh', 'ms-msdt://127.0.0.1/x', 'smb://[::1]/share', 'ftp://localhost/'].map((page) => ({
    why: `shows the user no page but ${page}`,
    metadata: { authorization_endpoint: page },
    code: 'FORBIDDEN',
    says: 'not https',
  })),
  {
    why: 'takes codes over http',
    metadata: { token_endpoint: 'http://as.example/token' },
    code: 'FORBIDDEN',
    says: 'not https',
  },
])('an authorization server that $why', async ({ metadata, code, says }) => {
  const setting = await open();
  Object.assign(setting.as.metadata, metadata);
  expect(await errorOf(setting.logIn())).toMatchObject({ code, message: expect.stringContaining(says) });
  expect(setting.as.log).not.toContain('POST /token');
});

test('a page instead of a token is no token, and its text is not repeated', async () => {
  const setting = await open();
  setting.as.routes.set('POST /token', () => ({ text: 'secret-page' }));
  const error = await errorOf(setting.logIn());
  expect(error.code).toBe('UPSTREAM_BROKE_PROTOCOL');
  expect(`${error.message} ${error.hint}`).not.toContain('secret');
});

test('a refused registration says why, and what to configure', async () => {
  const setting = await open();
  const json = { error: 'invalid_redirect_uri', error_description: 'loopback is not allowed' };
  setting.as.routes.set('POST /register', () => ({ status: 400, json }));
  expect(await errorOf(setting.logIn())).toMatchObject({
    code: 'AUTH_REQUIRED',
    message: expect.stringContaining('loopback is not allowed'),
    hint: expect.stringContaining('oauth.clientId'),
  });
});

test('a server that names no authorization server, and is none, wants nobody to log in', async () => {
  const setting = await open();
  setting.rs.metadataPaths = ['/nowhere'];
  setting.rs.routes.set('GET /nowhere', () => 404);
  expect(await setting.logIn()).toBeUndefined();
  expect(setting.shown).toEqual([]);
});

test('a wrong secret of the configuration is named as such', async () => {
  const setting = await open();
  const config = { clientId: 'mine', clientSecret: 'wrong' };
  setting.as.clients.set('mine', ['*']);
  setting.as.routes.set('POST /token', () => ({ status: 401, json: { error: 'invalid_client' } }));
  const { hint, message } = await errorOf(setting.logIn({ config }));
  expect(hint).toContain('oauth.clientSecret');
  expect(message).not.toContain('wrong');
});

// MCP basic/authorization/client-registration, Authorization Server Binding.
test('a server that names another authorization server gets no client of the configuration for it', async () => {
  const setting = await open();
  const { as, rs } = setting;
  const config = { clientId: 'mine', clientSecret: 'hush' };
  as.clients.set('mine', ['*']);
  await setting.logIn({ config });
  const other = await setting.other(AuthorizationServer.start());
  other.clients.set('mine', ['*']);
  rs.authorization = other;
  const error = await errorOf(setting.logIn({ config }));
  expect(error).toMatchObject({ code: 'FORBIDDEN', data: { expected: as.issuer, found: other.issuer } });
  expect(other.log).toEqual(['GET /.well-known/oauth-authorization-server']);
});

test('of two authorization servers the one we know is preferred, and each keeps its own credential', async () => {
  const setting = await open();
  const { as, rs } = setting;
  const other = await setting.other(AuthorizationServer.start());
  rs.metadata.authorization_servers = [other.issuer, as.issuer];
  expect((await setting.logIn())?.issuer).toBe(other.issuer);
  rs.metadata.authorization_servers = [as.issuer];
  expect((await setting.logIn())?.issuer).toBe(as.issuer);
  rs.metadata.authorization_servers = [other.issuer, as.issuer];
  expect((await setting.logIn())?.issuer, 'the last one used').toBe(as.issuer);
  const record = await setting.store.read(rs.url);
  expect(record?.credentials.map(({ issuer }) => issuer).sort()).toEqual([as.issuer, other.issuer].sort());
});

test.each([
  { why: 'with a line break in it', token: { access_token: 'a\r\nx-evil: 1', token_type: 'Bearer' } },
  { why: 'that is empty', token: { access_token: '', token_type: 'Bearer' } },
  { why: 'of another kind', token: { access_token: 'a', token_type: 'mac' } },
])('a token $why is not taken, by a login or a refresh', async ({ token }) => {
  const setting = await open();
  const { as, rs } = setting;
  await setting.logIn();
  await setting.change((credential) => ({ ...credential, tokens: { ...credential.tokens!, expiresAtMs: 1 } }));
  const before = await setting.credential();
  as.routes.set('POST /token', () => ({ json: token }));
  rs.requests.length = 0;
  expect(await errorOf(setting.call(setting.authorizer()))).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  expect(await errorOf(setting.logIn())).toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL' });
  expect(rs.log).not.toContain('POST /mcp');
  expect(await setting.credential()).toEqual(before);
});
