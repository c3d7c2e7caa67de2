import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { openTestDoor } from '../../../test/fixtures/http-door.js';
import { VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { systemClock } from '../../base/index.js';
import { bearerTokenOf } from './identity.js';
import { issuerIdentifier } from './issuer-identifier.js';
import { metadataUrlOf, resourceUrl } from './resource-metadata.js';
import { tokenIdentifier } from './token-identifier.js';

const digest = (token: string) => createHash('sha256').update(token).digest('hex');
const PING = { id: 1, method: 'ping' };

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  ['Basic abc', undefined],
  ['Bearer abc, Bearer def', undefined],
  [`Bearer ${'x'.repeat(20_000)}`, undefined],
])('the token of "%s"', (header, token) => expect(bearerTokenOf(header)).toBe(token));

test('tokens are known by their digests, in either case of the letters', async () => {
  const identifier = tokenIdentifier([
    { name: 'ada', sha256: digest('s3cret').toUpperCase(), scopes: ['read'] },
    { name: 'bob', sha256: digest('other'), scopes: [] },
  ]);
  expect(identifier.identify('Bearer s3cret')).toEqual({
    kind: 'known',
    principal: { id: 'token:ada', kind: 'token', scopes: ['read'] },
  });
  expect(identifier.identify('Bearer other')).toMatchObject({ principal: { id: 'token:bob' } });
  for (const header of ['Bearer S3cret', 'Bearer s3cre', `Bearer ${digest('s3cret')}`, 'Basic s3cret', '']) {
    expect((await identifier.identify(header)).kind).toBe('invalid');
  }
  expect((await identifier.identify(undefined)).kind).toBe('missing');
});

describe('a door with tokens', () => {
  const http = {
    auth: {
      tokens: [
        { name: 'ada', sha256: digest('ada'), scopes: ['mcp', 'more'] },
        { name: 'bob', sha256: digest('bob') },
      ],
      requiredScopes: ['mcp'],
    },
  };

  test('lets in who has one, and tells the others what is missing', async (context) => {
    const { caller } = await openTestDoor(context, { http });
    const ada = caller({ authorization: 'Bearer ada' });
    expect((await ada.initialize()).status).toBe(200);
    const none = await caller().post(PING);
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer realm="doorward", scope="mcp"']);
    const wrong = await caller({ authorization: 'Bearer nobody' }).post(PING);
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="doorward", error="invalid_token", scope="mcp"',
    ]);
    const poor = await caller({ authorization: 'Bearer bob' }).post(PING);
    expect([poor.status, poor.headers['www-authenticate']]).toEqual([
      403,
      'Bearer realm="doorward", error="insufficient_scope", scope="mcp"',
    ]);
    // Never by the address: it is logged everywhere.
    expect((await caller().send({ path: '/mcp?access_token=ada', body: '{}' })).status).toBe(401);
    expect(JSON.parse((await caller().send({ method: 'GET', path: '/readyz' })).text)).toEqual({ status: 'ready' });
  });

  test('tells each call whose it is', async (context) => {
    const { caller, memory } = await openTestDoor(context, { http });
    await caller({ authorization: 'Bearer ada' }).modern({
      method: 'tools/call',
      params: { name: 'a__x', arguments: {} },
    });
    expect(memory.named('call.completed')).toMatchObject([{ principal: 'token:ada', door: 'http' }]);
    // The token went nowhere.
    expect(JSON.stringify(memory.attempts('a').map(({ sent }) => sent))).not.toContain('Bearer');
  });
});

describe('an authorization server', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' };
  const ISSUER = 'https://as.test';
  const AUDIENCE = 'https://gw.test/mcp';

  interface Claims {
    readonly iss?: string;
    readonly aud?: string;
    readonly sub?: unknown;
    readonly exp?: number;
    readonly scope?: string;
  }
  const now = () => Math.floor(Date.now() / 1_000);
  function sign(
    { iss = ISSUER, aud = AUDIENCE, sub = 'ada', exp = now() + 300, scope }: Claims,
    key = privateKey,
    alg = 'RS256',
  ) {
    const claims = {
      iss,
      aud,
      exp,
      ...(sub !== null && { sub: sub as string }),
      ...(scope !== undefined && { scope }),
    };
    return new SignJWT(claims).setProtectedHeader({ alg, kid: 'k' }).sign(key);
  }

  function make(more: object = {}) {
    let fetches = 0;
    const identifier = issuerIdentifier({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUri: `${ISSUER}/keys`,
      fetch: async () => {
        fetches++;
        return Response.json({ keys: [jwk] });
      },
      clock: systemClock,
      ...more,
    });
    return { identify: async (token: string) => identifier.identify(`Bearer ${token}`), fetches: () => fetches };
  }

  test('a good token names a principal of that issuer, with its scopes', async () => {
    const { identify, fetches } = make();
    const token = await sign({ scope: 'read write' });
    for (let times = 0; times < 3; times++) {
      expect(await identify(token)).toEqual({
        kind: 'known',
        principal: { id: `${ISSUER} ada`, kind: 'token', scopes: ['read', 'write'] },
      });
    }
    expect(fetches()).toBe(1);
  });

  test.each([
    { why: 'another issuer', claims: { iss: 'https://evil.test' } },
    { why: 'the same issuer with a slash', claims: { iss: `${ISSUER}/` } },
    { why: 'another audience', claims: { aud: 'https://other.test/mcp' } },
    { why: 'expired', claims: { exp: now() - 60 } },
    { why: 'nobody', claims: { sub: null } },
    { why: 'nobody, at length', claims: { sub: '' } },
    { why: 'what is no name', claims: { sub: { name: 'ada' } } },
    { why: 'what is nothing', claims: { sub: [] } },
  ])('refused: $why', async ({ claims }) => expect((await make().identify(await sign(claims))).kind).toBe('invalid'));

  test('clocks may be half a minute apart', async () => {
    expect((await make().identify(await sign({ exp: now() - 20 }))).kind).toBe('known');
  });

  test('refused: signed by somebody else, with a secret, or not at all', async () => {
    const { identify } = make();
    const other = await generateKeyPair('RS256');
    expect((await identify(await sign({}, other.privateKey))).kind).toBe('invalid');
    // The public key as a secret: whoever takes HS256 takes everybody.
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    expect((await identify(await sign({}, secret as never, 'HS256'))).kind).toBe('invalid');
    const [, payload] = (await sign({})).split('.');
    const none = Buffer.from('{"alg":"none","kid":"k"}').toString('base64url');
    expect((await identify(`${none}.${payload}.`)).kind).toBe('invalid');
    expect((await identify('abc')).kind).toBe('invalid');
  });

  test('no keys: whoever runs the door is told why, once in half a minute', async () => {
    const clock = new VirtualClock();
    const heard: string[] = [];
    const { identify } = make({
      fetch: () => Promise.reject(new Error('no network')),
      clock,
      onTrouble: (why: string) => heard.push(why),
    });
    await identify(await sign({}));
    await clock.advance(29_999);
    await identify(await sign({}));
    expect(heard).toEqual(['no network']);
    await clock.advance(1);
    await identify(await sign({}));
    await identify('no token at all');
    expect(heard).toEqual(['no network', 'no network']);
  });

  test('no keys: nobody is told that the token is bad', async (context) => {
    const failing = make({ fetch: () => Promise.reject(new Error('no network')) });
    expect((await failing.identify(await sign({}))).kind).toBe('unsure');
    const { caller, memory } = await openTestDoor(context, {
      http: {
        publicUrl: 'https://gw.test',
        auth: { issuer: ISSUER, audience: AUDIENCE, jwksUri: 'http://127.0.0.1:1/keys' },
      },
    });
    const reply = await caller({ authorization: `Bearer ${await sign({})}` }).post(PING);
    expect([reply.status, reply.headers['retry-after'], reply.headers['www-authenticate']]).toEqual([
      503,
      '5',
      undefined,
    ]);
    expect(memory.named('door.warning')).toMatchObject([
      { warning: 'keys-unreadable', message: expect.stringContaining(`the keys of ${ISSUER} cannot be read`) },
    ]);
  });

  test('a token is not trusted beyond its end', async () => {
    const clock = new VirtualClock();
    await clock.advance(Date.now());
    const { identify } = make({ clock });
    const token = await sign({ exp: Math.floor(clock.nowMs() / 1_000) + 10 });
    expect((await identify(token)).kind).toBe('known');
    await clock.advance(45_000);
    expect((await identify(token)).kind).toBe('invalid');
  });

  test('callers are led to it, by what was configured and never by their Host', async (context) => {
    const { caller } = await openTestDoor(context, {
      http: {
        publicUrl: 'https://gw.test/team/mcp',
        auth: { issuer: ISSUER, audience: AUDIENCE, jwksUri: `${ISSUER}/keys`, requiredScopes: ['mcp'] },
      },
    });
    const reply = await caller().post(PING);
    expect(reply.headers['www-authenticate']).toBe(
      'Bearer realm="doorward", scope="mcp", resource_metadata="https://gw.test/.well-known/oauth-protected-resource/team/mcp"',
    );
    for (const inserted of ['', '/mcp', '/team/mcp']) {
      const path = `/.well-known/oauth-protected-resource${inserted}`;
      expect(JSON.parse((await caller().send({ method: 'GET', path })).text)).toEqual({
        resource: 'https://gw.test/team/mcp',
        authorization_servers: [ISSUER],
        scopes_supported: ['mcp'],
        bearer_methods_supported: ['header'],
        resource_name: 'Test door',
      });
    }
  });
});

test.each([
  ['https://gw.test', '/mcp', 'https://gw.test/mcp'],
  ['https://gw.test/', '/mcp', 'https://gw.test/mcp'],
  ['https://GW.test:443/team/', '/mcp', 'https://gw.test/team'],
  ['http://gw.test:8080', '/', 'http://gw.test:8080'],
])('%s and %s: %s', (publicUrl, path, wanted) => {
  expect(resourceUrl(publicUrl, path)).toBe(wanted);
  expect(metadataUrlOf(wanted).startsWith(new URL(wanted).origin)).toBe(true);
});
