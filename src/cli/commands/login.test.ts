import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { browse, LoopbackServer } from '../../../test/fixtures/authorization-server.js';
import { OAuthSetting } from '../../../test/fixtures/oauth-setting.js';
import { CallSignal } from '../../base/index.js';
import { run } from '../run.js';
import { screenOf } from '../screen.js';

async function open() {
  const setting = await OAuthSetting.start({ onTestFinished });
  writeConfig(setting);
  return setting;
}

function writeConfig({ folder, rs }: OAuthSetting, entry: object = {}): void {
  const servers = { team: { type: 'http', url: rs.url, ...entry }, local: { command: 'x' } };
  writeFileSync(join(folder, 'doorward.json'), JSON.stringify({ mcpServers: servers }));
}

/** Runs a command; `follow` gets the page it shows. */
async function command(setting: OAuthSetting, words: readonly string[], follow?: (page: string) => unknown) {
  const written = { out: '', err: '' };
  const { environment, folder: cwd } = setting;
  let isFollowed = false;
  const screen = (name: 'out' | 'err') =>
    screenOf(
      {
        write: (text) => {
          written[name] += String(text);
          const page = /^ {2}(http\S+)$/m.exec(written.err)?.[1];
          if (page === undefined || isFollowed) return;
          isFollowed = true;
          void follow?.(page);
        },
      },
      environment,
    );
  const signal = new CallSignal();
  const code = await run([...words, '--config', 'doorward.json'], {
    environment,
    cwd,
    out: screen('out'),
    err: screen('err'),
    signal,
    readStdin: async () => new Uint8Array(),
    createGateway: () => Promise.reject(new Error('no server is to be started')),
  });
  return { code, ...written };
}

test('login, status and logout, from none to none', async () => {
  const setting = await open();
  const { as, rs } = setting;
  rs.challenge = 'scope="read"';
  expect(await command(setting, ['auth', 'status'])).toMatchObject({ code: 0, out: 'team  none\n' });
  const login = await command(setting, ['login', 'team', '--no-browser'], browse);
  expect(login).toMatchObject({ code: 0, out: `logged in: team by ${as.issuer}, for read\n` });
  expect(login.err).toContain('open this page');
  const status = await command(setting, ['auth', 'status']);
  expect(status.out).toMatch(/^team {2}authorized {2}http:\S+, for read, until 20\d\d-\S+Z\n$/);
  const { access, refresh } = (await setting.credential())!.tokens!;
  for (const { out, err } of [login, status]) {
    expect(out + err).not.toContain(access);
    expect(out + err).not.toContain(refresh);
  }
  const logout = await command(setting, ['logout', 'team']);
  expect(logout).toEqual({ code: 0, out: 'logged out: team, and its tokens are revoked\n', err: '' });
  expect([as.tokens.size, as.refreshTokens.size]).toEqual([0, 0]);
  expect(setting.files()).toEqual([]);
  expect(await command(setting, ['logout', 'team'])).toMatchObject({ code: 0, out: 'there were no tokens for team\n' });
});

test('the same as JSON', async () => {
  const setting = await open();
  const { as } = setting;
  const login = await command(setting, ['login', 'team', '--no-browser', '--json'], browse);
  expect(JSON.parse(login.out)).toEqual({ server: 'team', issuer: as.issuer, expiresAt: expect.stringMatching(/Z$/) });
  const status = await command(setting, ['auth', 'status', '--json']);
  expect(JSON.parse(status.out)).toEqual({
    servers: [{ server: 'team', state: 'authorized', issuer: as.issuer, expiresAt: expect.stringMatching(/Z$/) }],
  });
  // A server that does not take tokens back.
  as.routes.set('POST /revoke', () => 503);
  const logout = await command(setting, ['logout', 'team', '--json']);
  expect(JSON.parse(logout.out)).toEqual({ server: 'team', hadTokens: true, revoked: false });
  expect(setting.files()).toEqual([]);
});

test('whoever asked for a keychain that is not there is told where the tokens go', async () => {
  const setting = await open();
  Object.assign(setting.environment, { DOORWARD_TOKENS: 'keyring' });
  const { code, err } = await command(setting, ['login', 'team', '--no-browser'], browse);
  expect(code).toBe(0);
  expect(err).toMatch(/^warning: DOORWARD_TOKENS knows no other word than keychain: tokens go to a file\.\n/);
});

test('status names the entries it could not read', async () => {
  const setting = await open();
  writeConfig(setting, { headers: { Authorization: 'Bearer ${NOT_SET}' } });
  const { code, out, err } = await command(setting, ['auth', 'status', '--json']);
  expect({ code, servers: JSON.parse(out) }).toEqual({ code: 0, servers: { servers: [] } });
  expect(err).toContain('mcpServers.team.headers.Authorization: environment variable NOT_SET is not set');
});

test('status tells a token whose time is over, and a server that has asked', async () => {
  const setting = await open();
  await setting.logIn();
  await setting.change((credential) => ({ ...credential, tokens: { access: 'a', expiresAtMs: 1, givenAtMs: 0 } }));
  const expired = await command(setting, ['auth', 'status']);
  expect(expired.out).toMatch(/^team {2}expired {5}http/);
  expect(expired.out).toContain('Run: doorward login team --config doorward.json');
  await setting.call(setting.authorizer()).catch(() => {});
  expect((await command(setting, ['auth', 'status'])).out).toMatch(/^team {2}needed/);
  await setting.logIn();
  setting.rs.needs = ['write'];
  await setting.call(setting.authorizer()).catch(() => {});
  const lacking = await command(setting, ['auth', 'status']);
  expect(lacking.out).toMatch(/^team {2}authorized.* wanted: write\n.*Run: doorward login team/);
});

test.each([
  { why: 'a user who says no', words: ['login', 'team', '--no-browser'], code: 3, says: 'access_denied' },
  {
    why: 'nobody comes',
    words: ['login', 'team', '--no-browser', '--timeout', '300ms'],
    code: 124,
    says: 'nobody has logged in',
  },
  { why: 'no such server', words: ['login', 'taem'], code: 2, says: 'Did you mean team?' },
  { why: 'a program on this machine', words: ['login', 'local'], code: 2, says: 'a program on this machine' },
  { why: 'logout of one', words: ['logout', 'local'], code: 2, says: 'a program on this machine' },
  { why: 'a time that is none', words: ['login', 'team', '--timeout', 'soon'], code: 2, says: '--timeout' },
])('$why: exit $code', async ({ words, code, says }) => {
  const setting = await open();
  setting.as.decide = () => false;
  const ended = await command(setting, words, words.includes('--timeout') ? undefined : browse);
  expect(ended.code).toBe(code);
  expect(ended.err).toContain(says);
  expect(ended.out).toBe('');
});

test('a server that is down: exit 4', async () => {
  const setting = await open();
  await setting.rs.close();
  const ended = await command(setting, ['login', 'team']);
  expect(ended.code).toBe(4);
});

test('a server that says nowhere how to log in, and one that lets everybody in', async () => {
  const setting = await open();
  setting.rs.metadataPaths = [];
  setting.rs.namesMetadata = false;
  const refused = await command(setting, ['login', 'team', '--no-browser']);
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('says nowhere where to get one') });
  setting.rs.routes.set('POST /mcp', () => ({ json: { jsonrpc: '2.0', id: 1, result: {} } }));
  const ended = await command(setting, ['login', 'team', '--no-browser']);
  expect(ended).toMatchObject({ code: 0, err: 'team does not ask anybody to log in.\n' });
});

test('an entry with a token of its own takes no login', async () => {
  const setting = await open();
  writeConfig(setting, { headers: { authorization: 'Bearer mine' } });
  expect((await command(setting, ['auth', 'status'])).out).toContain('header');
  const ended = await command(setting, ['login', 'team']);
  expect(ended.code).toBe(2);
  expect(ended.err).toContain('Authorization header');
  expect(ended.err).not.toContain('mine');
});

test('the port of the redirect is the configured one', async () => {
  const setting = await open();
  const probe = await setting.other(LoopbackServer.start());
  const port = Number(new URL(probe.origin).port);
  await probe.close();
  writeConfig(setting, { oauth: { redirectPort: port, scope: 'mine' } });
  let page = '';
  const login = await command(setting, ['login', 'team', '--no-browser'], (shown) => {
    page = shown;
    return browse(shown);
  });
  expect(login.code).toBe(0);
  const { searchParams } = new URL(page);
  expect(searchParams.get('redirect_uri')).toBe(`http://127.0.0.1:${port}/callback`);
  expect(searchParams.get('scope')).toBe('mine');
});
