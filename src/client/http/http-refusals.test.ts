import { describe, expect, test } from 'vitest';
import { answer, inModernEra, type Open, request, URL_OF_IT } from '../../../test/fixtures/http-transports.js';
import { settled } from '../../../test/fixtures/virtual-clock.js';
import type { DoorError } from '../../base/index.js';
import { isNoModernEvidence } from './http-errors.js';

const errorText = (message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });

describe('refusals', () => {
  const explained = '{"jsonrpc":"2.0","error":{"code":-32022,"message":"no","data":{"n":1.0}},"id":null}';

  test.each([400, 403, 404, 405, 429, 500])('HTTP %i with a JSON-RPC error is the answer', async (status) => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 5);
    wire.last.answer(status, explained);
    expect(ear.texts).toEqual([explained.replace('null', '5')]);
    expect(ear.failures).toEqual([]);
  });

  test.each([
    [400, 'UPSTREAM_UNREACHABLE', 'not-executed', true],
    [404, 'UPSTREAM_UNREACHABLE', 'not-executed', true],
    [405, 'UPSTREAM_UNREACHABLE', 'not-executed', true],
    [401, 'AUTH_REQUIRED', 'not-executed', false],
    [403, 'FORBIDDEN', 'not-executed', false],
    [408, 'UPSTREAM_UNREACHABLE', 'unknown', false],
    [429, 'UPSTREAM_UNREACHABLE', 'not-executed', false],
    [500, 'UPSTREAM_LOST', 'unknown', false],
    [503, 'UPSTREAM_LOST', 'unknown', false],
  ])('HTTP %i is %s, %s; a sign of an older server: %s', async (status, code, outcome, isSign) => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.answer(status, 'Sorry', { 'retry-after': '30' });
    const { reason } = ear.failures[0]!;
    expect(reason).toMatchObject({ code, data: { httpStatus: status, outcome } });
    expect(reason.data.retryAfter).toBe(status === 429 || status === 503 ? '30' : undefined);
    expect(reason.message).toContain(`HTTP ${status}`);
    expect(isNoModernEvidence(reason)).toBe(isSign);
  });

  test('what is said of it holds no secret of ours', async () => {
    const { wire, ear, transport } = await inModernEra({
      headers: { Authorization: 'Bearer topsecret', 'X-Key': 'key-12345' },
    });
    request(transport, 1);
    wire.last.answer(400, 'bad token topsecret, key key-12345 at https://up.test/mcp?key=hidden');
    const { message } = ear.failures[0]!.reason;
    expect(message).toContain('https://up.test/mcp answered HTTP 400: bad token (secret), key (secret)');
    expect(message).not.toMatch(/topsecret|12345/);
  });

  test.each([
    { status: 401, says: /^Correct the Authorization header .*, or take it out and run `doorward login up`\.$/ },
    { status: 403, says: /^Ask those who run it for the right, or for another token\.$/ },
  ])('HTTP $status to a token of the entry: no login alone helps', async ({ status, says }) => {
    const { wire, ear, transport } = await inModernEra({ headers: { authorization: 'Bearer topsecret' } });
    request(transport, 1);
    wire.last.answer(status, '');
    expect(ear.failures[0]!.reason.hint).toMatch(says);
  });

  const SECRETS = /topsecret|12345|hidden-key|s3cret\/word|s3cret%2Fword|c29tZWJvZHk6czNjcmV0L3dvcmQ=/;

  test.each<{ what: string; status: number; body: string; headers?: Readonly<Record<string, string>> }>([
    { what: 'a page', status: 404, body: '<pre>Cannot POST /mcp?api_key=hidden-key</pre>' },
    { what: 'a decoded text', status: 400, body: 'user somebody, password s3cret/word, s3cret%2Fword' },
    { what: 'basic credentials', status: 500, body: 'Basic c29tZWJvZHk6czNjcmV0L3dvcmQ=' },
    { what: 'a secret that stands across a limit', status: 400, body: `${'<i>'.repeat(339)}x topsecret` },
    { what: 'an error of JSON-RPC', status: 400, body: errorText('at ?api_key=hidden-key with Bearer topsecret') },
    { what: 'a kind of content', status: 200, body: 'x', headers: { 'content-type': 'text/key-12345' } },
    { what: 'a time to wait', status: 429, body: '', headers: { 'retry-after': 'key-12345' } },
  ])('nothing of our secrets is repeated from $what', async ({ status, body, headers }) => {
    const { wire, ear, transport } = await inModernEra({
      url: 'https://somebody:s3cret%2Fword@up.test/mcp?api_key=hidden-key',
      headers: { Authorization: 'Bearer topsecret', 'X-Key': 'key-12345' },
    });
    request(transport, 1);
    wire.last.answer(status, body, headers === undefined ? {} : { ...headers });
    const told = ear.failures.map(({ reason: { message, data, hint } }) => JSON.stringify({ message, data, hint }));
    const all = [...told, ...ear.texts].join();
    expect(all).not.toBe('');
    expect(all).not.toMatch(SECRETS);
  });

  test('of an endless refusal only the beginning is read', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.head(500).data('x'.repeat(70_000));
    expect(wire.last.isAborted).toBe(true);
    expect(ear.failures[0]!.reason.message.length).toBeLessThan(300);
  });

  test('nobody reached: as the wire says', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.fail('UPSTREAM_UNREACHABLE');
    request(transport, 2);
    wire.last.fail('UPSTREAM_LOST');
    expect(ear.story).toEqual(['failed 1 UPSTREAM_UNREACHABLE not-executed', 'failed 2 UPSTREAM_LOST unknown']);
  });
});

describe('redirects', () => {
  test.each([307, 308])('%i within the origin is followed with the same message', async (status) => {
    const { wire, ear, transport } = await inModernEra({ headers: { authorization: 'Bearer x' } });
    request(transport, 1);
    wire.last.answer(status, '', { location: '/mcp/' });
    expect(wire.last).toMatchObject({ method: 'POST', url: 'https://up.test/mcp/', body: wire.exchanges[0]!.body });
    wire.last.answer(200, answer(1));
    expect(ear.story).toEqual(['message 1']);
    request(transport, 2);
    expect(wire.last.url, 'moved for good, or not').toBe(status === 308 ? 'https://up.test/mcp/' : URL_OF_IT);
  });

  test.each([
    { why: 'another origin', status: 307, location: 'https://evil.test/mcp?token=x', says: 'another origin' },
    { why: 'the same host without TLS', status: 308, location: 'http://up.test/mcp', says: 'another origin' },
    { why: 'another method', status: 302, location: '/login', says: 'would not be sent along' },
    { why: 'no place', status: 307, location: undefined, says: 'names no place' },
  ])('$why is not followed', async ({ status, location, says }) => {
    const { wire, ear, transport } = await inModernEra({ headers: { authorization: 'Bearer x' } });
    request(transport, 1);
    wire.last.answer(status, '', location === undefined ? {} : { location });
    expect(wire.exchanges).toHaveLength(1);
    expect(ear.failures[0]!.reason.message).toContain(says);
    expect(ear.failures[0]!.reason.message).not.toContain('token');
  });

  test('a circle ends', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    for (let i = 0; i < 10 && ear.failures.length === 0; i++) wire.last.answer(307, '', { location: '/mcp' });
    expect(wire.exchanges).toHaveLength(4);
    expect(ear.failures[0]!.reason.message).toContain('more than 3');
  });
});

describe('leave', () => {
  type Refused = readonly [status: number, challenge: string, used: string | undefined];

  async function withAuthorizer(give: (asked: number) => boolean | DoorError): Promise<Open & { asked: Refused[] }> {
    const asked: Refused[] = [];
    const authorizer = {
      headers: async () => ({ Authorization: `Bearer t${asked.length}` }),
      refused: async (...refused: Refused) => {
        asked.push(refused);
        const given = give(asked.length);
        if (typeof given !== 'boolean') throw given;
        return given;
      },
    };
    return { ...(await inModernEra({ authorizer })), asked };
  }

  test.each([
    { status: 401, challenge: 'Bearer realm="x"' },
    { status: 403, challenge: 'Bearer error="insufficient_scope", scope="b"' },
  ])('HTTP $status: new credentials, the very same message once more', async ({ status, challenge }) => {
    const { wire, ear, transport, asked } = await withAuthorizer(() => true);
    request(transport, 1);
    await settled();
    wire.last.answer(status, '', { 'www-authenticate': challenge });
    await settled();
    expect(asked).toEqual([[status, challenge, 'Bearer t0']]);
    expect(wire.last.headers.authorization).toBe('Bearer t1');
    expect(wire.last.body).toBe(wire.exchanges[0]!.body);
    wire.last.answer(200, answer(1));
    expect(ear.story).toEqual(['message 1']);
  });

  test('but once only', async () => {
    const { wire, ear, transport } = await withAuthorizer(() => true);
    request(transport, 1);
    for (let i = 0; i < 5; i++) {
      await settled();
      if (ear.failures.length === 0) wire.last.answer(401);
    }
    expect(wire.exchanges).toHaveLength(2);
    expect(ear.failures[0]!.reason.code).toBe('AUTH_REQUIRED');
  });

  test('another 403 is no matter of scope', async () => {
    const { wire, ear, transport, asked } = await withAuthorizer(() => true);
    request(transport, 1);
    await settled();
    wire.last.answer(403, 'No');
    await settled();
    expect(asked).toEqual([]);
    expect(ear.failures[0]!.reason.code).toBe('FORBIDDEN');
  });

  test('without any to be had the request fails, and says what to do', async () => {
    const { wire, ear, transport } = await withAuthorizer(() => false);
    request(transport, 1);
    await settled();
    wire.last.answer(401);
    await settled();
    expect(ear.failures[0]!.reason).toMatchObject({
      code: 'AUTH_REQUIRED',
      hint: expect.stringContaining('doorward login up'),
      data: { httpStatus: 401, outcome: 'not-executed' },
    });
  });

  test('a request that is abandoned meanwhile is not sent', async () => {
    const { wire, transport } = await withAuthorizer(() => true);
    request(transport, 1);
    transport.abandon?.(1);
    await settled();
    expect(wire.exchanges).toHaveLength(0);
  });
});
