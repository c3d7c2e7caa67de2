import { expect, test } from 'vitest';
import { DoorError } from '../base/index.js';
import { type FlagOverride, problemText, readConfig } from './index.js';

const DIGEST = '0123456789abcdef'.repeat(4);

function read(http: unknown, environment: Record<string, string> = {}, flags: readonly FlagOverride[] = []) {
  const text = JSON.stringify({ mcpServers: { a: { command: 'x' } }, http });
  return readConfig({ file: { name: 'd.json', bytes: new TextEncoder().encode(text) }, environment, flags });
}

function refusal(http: unknown): string {
  try {
    read(http);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(DoorError);
    return (thrown as DoorError).message;
  }
  throw new Error('it was taken');
}

test('what is not written has its default, and there is no auth', () => {
  expect(read(undefined).http).toEqual({
    host: '127.0.0.1',
    port: 7450,
    discovery: { tools: [], servers: [] },
    path: '/mcp',
    allowedHosts: [],
    allowedOrigins: [],
    maxSessions: 2_000,
    idleTimeoutMs: 1_800_000,
  });
});

test('tokens are digests with a name and their scopes', () => {
  expect(read({ auth: { tokens: [{ name: 'ada', sha256: DIGEST }] } }).http.auth).toEqual({
    kind: 'tokens',
    tokens: [{ name: 'ada', sha256: DIGEST, scopes: [] }],
    requiredScopes: [],
  });
});

test('an authorization server has an issuer, an audience and keys', () => {
  const auth = { issuer: '${AS}', audience: 'https://gw.example/mcp', jwksUri: 'https://as.example/keys' };
  expect(read({ auth }, { AS: 'https://as.example' }).http.auth).toEqual({
    kind: 'issuer',
    issuer: 'https://as.example',
    audience: 'https://gw.example/mcp',
    jwksUri: 'https://as.example/keys',
    requiredScopes: [],
  });
});

// An auth that means nobody must never be read as one that means everybody.
test.each([
  { why: 'empty', auth: {}, says: 'http.auth: lets nobody in' },
  { why: 'no object', auth: true, says: 'http.auth: expected an object' },
  { why: 'off', auth: null, says: 'http.auth: expected an object' },
  { why: 'no token', auth: { tokens: [] }, says: 'http.auth.tokens: lets nobody in' },
  { why: 'misspelt', auth: { token: [{ name: 'a', sha256: DIGEST }] }, says: 'http.auth: lets nobody in' },
  { why: 'both ways', auth: { tokens: [], issuer: 'https://a' }, says: 'has both tokens and issuer' },
  { why: 'an issuer alone', auth: { issuer: 'https://a' }, says: 'http.auth.audience: is missing' },
  { why: 'no digest', auth: { tokens: [{ name: 'a' }] }, says: 'http.auth.tokens[0].sha256: is missing' },
  {
    why: 'one name twice',
    auth: {
      tokens: [
        { name: 'a', sha256: DIGEST },
        { name: 'A', sha256: 'f'.repeat(64) },
      ],
    },
    says: 'http.auth.tokens[1].name: another token has the same',
  },
])('an auth that is wrong costs the file: $why', ({ auth, says }) => {
  expect(refusal({ auth })).toContain(says);
});

test('a token in the place of its digest, and a short secret, are refused and not shown', () => {
  for (const message of [
    refusal({ auth: { tokens: [{ name: 'ada', sha256: 'hunter2' }] } }),
    refusal({ secret: 'hunter2' }),
    refusal({ publicUrl: 'hunter2' }),
    refusal({ allowedOrigins: ['hunter2'] }),
  ]) {
    expect(message).toContain('expected');
    expect(message).not.toContain('hunter2');
  }
});

test('flags and variables stand above the file, and are checked as it is', () => {
  const flags = [
    { flag: '--host', path: ['http', 'host'], text: '::1' },
    { flag: '--port', path: ['http', 'port'], text: '0' },
  ];
  expect(read({ port: 1 }, { DOORWARD_HTTP_MAX_SESSIONS: '5' }, flags).http).toMatchObject({
    host: '::1',
    port: 0,
    maxSessions: 5,
  });
  expect(() => read({}, {}, [{ flag: '--host', path: ['http', 'host'], text: 'a b' }])).toThrow('--host: expected');
  expect(() => read({}, {}, [{ flag: '--port', path: ['http', 'port'], text: '70000' }])).toThrow(
    '--port: expected a whole number from 0 to 65535',
  );
});

test('a server says which era it speaks, and how we log in to it', () => {
  const entry = { url: 'https://h.example/mcp', era: 'modern', oauth: { clientId: 'me', clientSecret: '${S}' } };
  const bytes = new TextEncoder().encode(JSON.stringify({ mcpServers: { a: entry, b: { command: 'x', oauth: {} } } }));
  const { servers, problems } = readConfig({ file: { name: 'd.json', bytes }, environment: { S: 's3cret' } });
  expect(servers[0]).toMatchObject({ options: { era: 'modern', oauth: { clientId: 'me', clientSecret: 's3cret' } } });
  expect(problems.map(problemText)).toEqual([
    expect.stringContaining('mcpServers.b.oauth: has no effect beside command'),
  ]);
});

test.each([
  { why: 'a name without a slash', discovery: { name: 'gateway' }, says: 'a reversed domain' },
  { why: 'a title of two lines', discovery: { title: 'a\nb' }, says: 'one line' },
  { why: 'a long description', discovery: { description: 'x'.repeat(101) }, says: '100 characters' },
  { why: 'no page', discovery: { websiteUrl: 'gw.test' }, says: 'an http or https address' },
  { why: 'no key of the Registry', discovery: { registryAuth: 'p=1' }, says: 'v=MCPv1' },
])('what everybody may know of the door is checked: $why', ({ discovery, says }) => {
  expect(refusal({ discovery })).toContain(says);
});
