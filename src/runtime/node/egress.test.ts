import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LoopbackServer } from '../../../test/fixtures/authorization-server.js';
import { guardedFetch, type Resolve } from './egress.js';

async function openServer(): Promise<LoopbackServer> {
  const server = await LoopbackServer.start();
  onTestFinished(() => server.close());
  return server;
}

/** Names as a test wants them. */
const names = (table: Readonly<Record<string, string>>): Resolve => {
  return async (host) => {
    const address = table[host];
    if (address === undefined) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' });
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };
};

const FAR = { server: 'https://mcp.example/mcp', environment: {} };
const TABLE = {
  'mcp.example': '93.184.216.34',
  'inside.example': '10.0.0.7',
  'here.example': '127.0.0.1',
  'cloud.example': '169.254.169.254',
};

test.each([
  { url: 'https://127.0.0.1/', why: 'loopback' },
  { url: 'https://[::1]/', why: 'loopback' },
  { url: 'https://[::ffff:10.0.0.1]/', why: 'private' },
  { url: 'https://2130706433/', why: 'loopback' },
  { url: 'https://0x7f.1/', why: 'loopback' },
  { url: 'https://192.168.0.1/admin', why: 'private' },
  { url: 'https://169.254.169.254/latest/meta-data', why: 'reserved' },
  { url: 'https://0.0.0.0/', why: 'reserved' },
  { url: 'https://inside.example/', why: 'private' },
  { url: 'https://here.example/', why: 'loopback' },
  { url: 'https://cloud.example/', why: 'reserved' },
  { url: 'http://mcp.example.org/', why: 'not https' },
  { url: 'http://127.0.0.1/', why: 'not https' },
  { url: 'http://localhost/', why: 'not https' },
  { url: 'ftp://mcp.example/', why: 'not https' },
  { url: 'file:///etc/passwd', why: 'not https' },
  { url: 'https://user:word@mcp.example/', why: 'password' },
])('$url is refused: $why', async ({ url, why }) => {
  const fetch = guardedFetch({ ...FAR, resolve: names(TABLE) });
  await expect(fetch(url)).rejects.toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining(why) });
});

test('a name is held to the address it has when the connection is made', async () => {
  const server = await openServer();
  const { port } = new URL(server.origin);
  let asked = 0;
  // A name server that answers a public address first, and this machine's after.
  const resolve: Resolve = async (host) => {
    if (host !== 'rebind.example') return [{ address: '93.184.216.34', family: 4 }];
    asked++;
    return [{ address: asked > 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }];
  };
  const fetch = guardedFetch({ ...FAR, resolve });
  await expect(fetch(`https://rebind.example:${port}/`)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(asked, 'one look, and that one counts').toBe(1);
  expect(server.requests).toEqual([]);
});

test.each([
  { server: 'http://127.0.0.1:1/mcp', why: 'the configured server is on this machine' },
  { server: 'https://local.example/mcp', why: 'its name leads to this machine' },
])('this machine may be asked where $why', async ({ server: configured }) => {
  const server = await openServer();
  server.routes.set('GET /here', () => ({ json: { is: 'there' } }));
  const fetch = guardedFetch({
    server: configured,
    environment: {},
    resolve: names({ 'local.example': '127.0.0.1', localhost: '127.0.0.1' }),
  });
  const response = await fetch(`${server.origin}/here`);
  expect([response.status, await response.json(), response.url]).toEqual([
    200,
    { is: 'there' },
    `${server.origin}/here`,
  ]);
  expect((await fetch(server.origin.replace('127.0.0.1', 'localhost').concat('/here'))).status).toBe(200);
  // But not what lies in another network.
  await expect(fetch('https://10.0.0.1/')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(fetch('https://169.254.169.254/')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('a server inside a network may name others inside, and none on this machine', async () => {
  const fetch = guardedFetch({
    server: 'https://mcp.corp/mcp',
    environment: {},
    resolve: names({ 'mcp.corp': '10.0.0.5' }),
    timeoutMs: 200,
  });
  await expect(fetch('https://127.0.0.1/')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(fetch('http://10.0.0.6/')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(fetch('https://10.255.255.1:9/')).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

test('redirects are held to the same rules', async () => {
  const server = await openServer();
  const to = (location: string) => () => ({ status: 302, headers: { location } });
  server.routes.set('GET /good', to('/there'));
  server.routes.set('GET /there', () => ({ text: 'arrived' }));
  server.routes.set('GET /inside', to('https://10.0.0.1/'));
  server.routes.set('GET /loop', to('/loop'));
  server.routes.set('POST /post', to('/there'));
  const fetch = guardedFetch({ server: server.origin, environment: {} });
  expect(await (await fetch(`${server.origin}/good`)).text()).toBe('arrived');
  await expect(fetch(`${server.origin}/inside`)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(fetch(`${server.origin}/loop`)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(server.log.filter((line) => line === 'GET /loop')).toHaveLength(6);
  // A secret that was posted goes where it was sent, or nowhere.
  expect((await fetch(`${server.origin}/post`, { method: 'POST', body: 'secret' })).status).toBe(302);
  expect((await fetch(`${server.origin}/good`, { redirect: 'manual' })).status).toBe(302);
});

test('size and time are bounded', async () => {
  const server = await openServer();
  server.routes.set('GET /large', () => ({ text: 'x'.repeat(70_000) }));
  server.routes.set('GET /hang', () => 'hang');
  const fetch = guardedFetch({ server: server.origin, environment: {}, maxBytes: 64_000, timeoutMs: 300 });
  await expect(fetch(`${server.origin}/large`)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('64000 bytes'),
  });
  const startedMs = performance.now();
  await expect(fetch(`${server.origin}/hang`)).rejects.toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    data: { reason: 'timeout' },
  });
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});

test('an event stream is not waited for', async () => {
  const server = await openServer();
  server.routes.set('GET /events', () => ({ headers: { 'content-type': 'text/event-stream' }, text: 'data: 1\n\n' }));
  const response = await guardedFetch({ server: server.origin, environment: {} })(`${server.origin}/events`);
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('what cannot be reached says why', async () => {
  const fetch = guardedFetch({ server: 'http://127.0.0.1/', environment: {}, resolve: names({}) });
  const gone = await LoopbackServer.start();
  const { origin } = gone;
  await gone.close();
  await expect(fetch(origin)).rejects.toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    data: { reason: 'refused' },
  });
  await expect(fetch('http://127.0.0.1:9/')).rejects.toMatchObject({
    message: '127.0.0.1:9 cannot be reached: bad port',
  });
  await expect(fetch('https://nowhere.example/')).rejects.toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    data: { reason: 'dns' },
  });
});

test('a proxy of the environment is used, save for this machine, and what a name resolves to is checked before', async () => {
  const heard: string[] = [];
  const proxy = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      heard.push(chunk.toString().split('\r\n')[0]!);
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const environment = { https_proxy: address, HTTP_PROXY: address };
  const far = guardedFetch({ ...FAR, environment, resolve: names(TABLE), timeoutMs: 2_000 });
  await expect(far('https://mcp.example/x')).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  expect(heard).toEqual(['CONNECT mcp.example:443 HTTP/1.1']);
  await expect(far('https://inside.example/')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const server = await openServer();
  server.routes.set('GET /', () => 204);
  const near = guardedFetch({ server: server.origin, environment });
  expect((await near(`${server.origin}/`)).status).toBe(204);
  expect(heard).toHaveLength(1);
});

test('https is spoken to the address that was looked up', async () => {
  const server = await openServer();
  const { port } = new URL(server.origin);
  const fetch = guardedFetch({
    server: 'https://local.example/mcp',
    environment: {},
    resolve: names({ 'local.example': '127.0.0.1' }),
  });
  // The server speaks http: it was reached, and the handshake failed.
  await expect(fetch(`https://local.example:${port}/`)).rejects.toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    data: { reason: 'tls' },
  });
});
