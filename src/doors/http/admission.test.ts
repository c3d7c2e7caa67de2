import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTestDoor } from '../../../test/fixtures/http-door.js';
import { Admission } from './admission.js';

const admission = (more: object = {}) =>
  new Admission({ port: () => 7450, host: '127.0.0.1', allowedHosts: [], allowedOrigins: [], ...more });

describe('Host', () => {
  test.each([
    ['127.0.0.1:7450', true],
    ['localhost:7450', true],
    ['LocalHost:7450', true],
    ['[::1]:7450', true],
    ['localhost', false],
    ['localhost:80', false],
    ['evil.example:7450', false],
    ['localhost.evil.example:7450', false],
    ['127.0.0.1:7450@evil.example', false],
    ['', false],
    ['127.0.0.1:7450, evil.example', false],
  ])('%s: %s', (host, isOurs) => expect(admission().isOurs(host)).toBe(isOurs));

  test('the public one, and those that were allowed', () => {
    const open = admission({ publicUrl: 'https://gw.example/mcp', allowedHosts: ['ten.example', 'one.example:8443'] });
    expect(
      ['gw.example', 'gw.example:443', 'ten.example:1', 'one.example:8443'].map((host) => open.isOurs(host)),
    ).toEqual([true, true, true, true]);
    expect(['one.example', 'x.gw.example', 'gw.example.evil'].map((host) => open.isOurs(host))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('whatever is written there, it is ours only if its name is', () => {
    const ours = /^(127\.0\.0\.1|localhost|\[::1\]):7450$/i;
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^(localhost|127\.0\.0\.1|\[::1\])[:@.,a-z0-9 ]{0,8}$/)),
        (host) => {
          expect(admission().isOurs(host)).toBe(ours.test(host));
        },
      ),
    );
  });
});

const send = (port: number, lines: readonly string[], method = 'GET', path = '/readyz') =>
  [`${method} ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n').replaceAll('PORT', String(port));
const statusOf = (text: string) => Number(text.split(' ')[1]);

test.for([
  { why: 'no Host', lines: [], status: 400 },
  { why: 'two Hosts', lines: ['Host: 127.0.0.1:PORT', 'Host: 127.0.0.1:PORT'], status: 400 },
  { why: 'a foreign Host', lines: ['Host: evil.example:PORT'], status: 403 },
  { why: 'a foreign Origin', lines: ['Host: 127.0.0.1:PORT', 'Origin: https://evil.example'], status: 403 },
  { why: 'Origin null', lines: ['Host: 127.0.0.1:PORT', 'Origin: null'], status: 403 },
  { why: 'an empty Origin', lines: ['Host: 127.0.0.1:PORT', 'Origin:'], status: 403 },
  {
    why: 'two Origins',
    lines: ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT'],
    status: 403,
  },
  { why: 'another port of this machine', lines: ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:1'], status: 403 },
  {
    why: 'a prefix of our own',
    lines: ['Host: localhost:PORT', 'Origin: http://localhost.evil.example:PORT'],
    status: 403,
  },
  { why: 'our own page', lines: ['Host: localhost:PORT', 'Origin: http://localhost:PORT'], status: 400 },
  { why: 'an allowed page', lines: ['Host: localhost:PORT', 'Origin: http://localhost:6274'], status: 400 },
  { why: 'no page at all', lines: ['Host: [::1]:PORT'], status: 400 },
])('at the endpoint, $why: $status', async ({ lines, status }, context) => {
  const { caller, server } = await openTestDoor(context, { http: { allowedOrigins: ['http://localhost:6274'] } });
  // 400 of those who come in: a GET without a session.
  const text = await caller().raw(send(server.port, ['Accept: text/event-stream', ...lines], 'GET', '/mcp'));
  expect(statusOf(text)).toBe(status);
});

test('only allowed pages may read what they get, and never all of them', async (context) => {
  const { caller } = await openTestDoor(context, { http: { allowedOrigins: ['http://localhost:6274'] } });
  const one = caller();
  const preflight = await one.send({
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:6274', 'access-control-request-headers': 'mcp-session-id' },
  });
  expect(preflight).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': 'http://localhost:6274',
      'access-control-allow-headers': 'mcp-session-id',
      vary: 'Origin',
    },
  });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const allowed = await one.post({ id: 1, method: 'initialize', params }, { origin: 'http://localhost:6274' });
  expect(allowed.headers['access-control-allow-origin']).toBe('http://localhost:6274');
  expect(allowed.headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
  const own = await one.post({ id: 1, method: 'initialize', params }, { origin: `http://127.0.0.1:${one.port}` });
  expect(own.status).toBe(200);
  expect(own.headers['access-control-allow-origin']).toBeUndefined();
});

test('whoever looks after the process is answered whatever its Host, and told names only if it may come in', async (context) => {
  const { caller } = await openTestDoor(context);
  const one = caller();
  const ask = (path: string, host: string) => one.send({ method: 'GET', path, headers: { host } });
  expect((await ask('/healthz', '10.0.0.7:8080')).status).toBe(200);
  expect((await ask('/readyz', '10.0.0.7:8080')).text).toBe('{"status":"ready"}');
  expect(JSON.parse((await ask('/readyz', `127.0.0.1:${one.port}`)).text)).toMatchObject({ upstreams: [{ id: 'a' }] });
  expect((await ask('/no/such', `127.0.0.1:${one.port}`)).status).toBe(404);
});
