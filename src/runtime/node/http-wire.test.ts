import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CERTIFICATE, OTHER_CERTIFICATE } from '../../../test/fixtures/http-certificate.js';
import { bodyOf, echo, endHttpServers, listening, serveHttp, serveProxy } from '../../../test/fixtures/http-server.js';
import { type DoorError, encodeText } from '../../base/index.js';
import type { HttpWire, WireExchange, WireRequest } from '../../client/index.js';
import { httpWire } from './http-wire.js';

let wires: HttpWire[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doorward-wire-'));
});

afterEach(async () => {
  for (const wire of wires) await wire.close();
  wires = [];
  await endHttpServers();
  rmSync(folder, { recursive: true });
});

function made(env: Readonly<Record<string, string>> = {}, connectTimeoutMs = 10_000): HttpWire {
  const wire = httpWire({ env, connectTimeoutMs });
  wires.push(wire);
  return wire;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly chunks: number;
  readonly header: (name: string) => string | undefined;
}

function ask(
  wire: HttpWire,
  request: Partial<WireRequest> & { url: string },
  begun?: (exchange: WireExchange) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let header: Answer['header'] = () => undefined;
    const chunks: Uint8Array[] = [];
    const exchange = wire.send(
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: ['{"a":', { bytes: encodeText('#1#'), start: 1, end: 2 }, '}'],
        ...request,
      },
      {
        head: (code, find) => {
          status = code;
          header = find;
          begun?.(exchange);
        },
        data: (chunk) => chunks.push(chunk),
        // A connection is free again a turn of the loop later.
        end: () =>
          setTimeout(
            () => resolve({ status, header, body: Buffer.concat(chunks).toString(), chunks: chunks.length }),
            2,
          ),
        failed: reject,
      },
    );
  });
}

async function failureOf(answer: Promise<Answer>): Promise<DoorError> {
  try {
    await answer;
  } catch (thrown) {
    return thrown as DoorError;
  }
  throw new Error('it did not fail');
}

const SERVER_THAT_CUTS = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
  parentPort.on('message', () => server.closeAllConnections());
`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a request', () => {
  test('goes out in one piece and comes back whole; the connection is kept', async () => {
    const served = await serveHttp(echo);
    const wire = made();
    for (let i = 0; i < 3; i++)
      expect(await ask(wire, { url: served.url })).toMatchObject({ status: 200, body: '{"a":1}' });
    expect(served.connections()).toBe(1);
  });

  test('a large body is whole, too', async () => {
    const served = await serveHttp(echo);
    const text = `"${'é€'.repeat(60_000)}"`;
    const body = ['[', text, ',', { bytes: encodeText(text), start: 0, end: encodeText(text).length }, ']'];
    expect((await ask(made(), { url: served.url, body })).body).toBe(`[${text},${text}]`);
  });

  test('method, path, query and headers arrive as they were given', async () => {
    const served = await serveHttp((request, response) => {
      response.setHeader('x-seen', 'a');
      response.end(JSON.stringify([request.method, request.url, request.headers]));
    });
    const { body, header } = await ask(made(), {
      url: `${served.url}?q=%20`,
      method: 'POST',
      headers: { 'mcp-name': 'x', authorization: 'Bearer y' },
    });
    const [method, url, headers] = JSON.parse(body) as [string, string, Record<string, string>];
    expect([method, url]).toEqual(['POST', '/mcp?q=%20']);
    expect(headers).toEqual({
      host: `127.0.0.1:${served.port}`,
      'mcp-name': 'x',
      authorization: 'Bearer y',
      'content-length': '7',
      connection: 'keep-alive',
    });
    expect(header('x-seen')).toBe('a');
  });

  test.each([
    [{}, 'Basic dTpwIHc='],
    [{ authorization: 'Bearer t' }, 'Bearer t'],
  ])('user and password of the URL, unless there are better credentials: %j', async (headers, expected) => {
    const served = await serveHttp((request, response) =>
      response.end(request.rawHeaders.filter((_, i, all) => all[i - 1] === 'authorization').join()),
    );
    const url = served.url.replace('//', '//u:p%20w@');
    expect((await ask(made(), { url, headers: headers as Record<string, string> })).body).toBe(expected);
  });

  test('a Host of our own takes the place of that of the URL', async () => {
    const served = await serveHttp((request, response) => response.end(request.rawHeaders.join()));
    const { body } = await ask(made(), { url: served.url, headers: { host: 'up.test' } });
    expect(body).toMatch(/^host,up\.test,connection,keep-alive,content-length,7$/);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('%s is undone, though nobody asked for it', async (encoding, compress) => {
    const served = await serveHttp((request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(compress(JSON.stringify(request.headers)));
    });
    const { body } = await ask(made(), { url: served.url });
    expect(JSON.parse(body)).not.toHaveProperty('accept-encoding');
  });

  test('pause holds back what comes, resume lets it through', async () => {
    const served = await serveHttp((_request, response) => response.end('x'.repeat(500_000)));
    let paused: WireExchange | undefined;
    let isOver = false;
    const answer = ask(made(), { url: served.url }, (exchange) => {
      paused = exchange;
      exchange.pause();
    }).then((got) => {
      isOver = true;
      return got;
    });
    await pause(80);
    expect(isOver).toBe(false);
    paused?.resume();
    expect((await answer).body).toHaveLength(500_000);
  });

  test('abort ends it at the server, and says nothing more', async () => {
    let closed: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const served = await serveHttp((_request, response) => {
      response.on('close', () => closed?.());
      response.write('a');
    });
    let said = 0;
    const answer = ask(made(), { url: served.url }, (exchange) => setTimeout(() => exchange.abort(), 20));
    void answer.finally(() => said++).catch(() => {});
    await ended;
    await pause(30);
    expect(said).toBe(0);
  });
});

describe('failures', () => {
  const secretUrl = (port: number): string => `http://user:secretpass@127.0.0.1:${port}/mcp?key=secretkey`;

  async function deadPort(): Promise<number> {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  async function serveSockets(react: (socket: Socket) => void): Promise<number> {
    const served = await serveHttp(() => {});
    const server = createServer((socket) => {
      socket.on('error', () => {});
      react(socket);
    });
    served.server.on('close', () => server.close());
    return listening(server);
  }

  test.each([
    {
      why: 'nobody listens',
      port: deadPort,
      expected: { code: 'UPSTREAM_UNREACHABLE', data: { reason: 'refused', outcome: 'not-executed' } },
    },
    {
      why: 'closed before an answer',
      port: () => serveSockets((socket) => socket.once('data', () => socket.destroy())),
      expected: { code: 'UPSTREAM_LOST', data: { reason: 'reset', outcome: 'unknown' } },
    },
    {
      why: 'closed in the middle of one',
      port: () =>
        serveSockets((socket) =>
          socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
        ),
      expected: { code: 'UPSTREAM_LOST', data: { reason: 'reset', outcome: 'unknown' } },
    },
    {
      why: 'no HTTP',
      port: () => serveSockets((socket) => socket.once('data', () => socket.end('SSH-2.0\r\n'))),
      expected: { code: 'UPSTREAM_LOST', data: { reason: 'protocol', outcome: 'unknown' } },
    },
  ])('$why', async ({ port, expected }) => {
    const failure = await failureOf(ask(made(), { url: secretUrl(await port()) }));
    expect(failure).toMatchObject(expected);
    expect(failure.hint).toBeDefined();
    expect(failure.message).toContain('/mcp');
    expect(`${failure.message} ${failure.hint} ${JSON.stringify(failure.data)}`).not.toMatch(/secret|user/);
  });

  test('nobody listens at any address of a name', async () => {
    const failure = await failureOf(ask(made(), { url: `http://localhost:${await deadPort()}/mcp` }));
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      data: { reason: 'refused', outcome: 'not-executed' },
    });
  });

  test.each([false, true])(
    'a TLS fault behind a request that was sent: it may have run (reused: %s)',
    async (isReused) => {
      let requests = 0;
      const served = await serveHttp((request, response) => {
        if (requests++ === (isReused ? 1 : 0)) {
          // What comes is no record of TLS: the other end takes it for a fault of the connection.
          const { _parent: raw } = request.socket as unknown as { _parent: Socket };
          raw.end('this is no record of TLS, and long enough to be read as one');
        } else response.end();
      }, true);
      const file = join(folder, 'ca.pem');
      writeFileSync(file, CERTIFICATE);
      const wire = made({ SSL_CERT_FILE: file });
      if (isReused) await ask(wire, { url: served.url });
      const failure = await failureOf(ask(wire, { url: served.url }));
      expect(failure).toMatchObject({ code: 'UPSTREAM_LOST', data: { outcome: 'unknown' } });
    },
  );

  test('a name without an address', async () => {
    const failure = await failureOf(ask(made(), { url: 'http://nowhere.invalid/mcp' }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'dns', outcome: 'not-executed' } });
  });

  test('a connection that does not come about in time', async () => {
    // It accepts, but the TLS of it never comes about.
    const port = await serveSockets(() => {});
    const failure = await failureOf(ask(made({}, 100), { url: `https://127.0.0.1:${port}/mcp` }));
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      data: { reason: 'timeout', outcome: 'not-executed' },
    });
  });

  test('an encoding we do not know', async () => {
    const served = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
    );
    expect(await failureOf(ask(made(), { url: served.url }))).toMatchObject({ data: { reason: 'protocol' } });
  });

  test('an encoding that is not what it says', async () => {
    const served = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
    );
    expect(await failureOf(ask(made(), { url: served.url }))).toMatchObject({
      code: 'UPSTREAM_LOST',
      data: { reason: 'protocol' },
    });
  });

  test('a header that cannot be sent is not sent, and not repeated', async () => {
    const failure = await failureOf(
      ask(made(), { url: 'http://127.0.0.1:1/mcp', headers: { 'x-key': 'secret\r\nx: y' } }),
    );
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      data: { reason: 'unusable', outcome: 'not-executed' },
    });
    expect(failure.message).not.toContain('secret');
  });
});

describe('connections that were closed while they lay idle', () => {
  test('a request never runs twice, and only one that was not written is sent again', async () => {
    let runs = 0;
    const served = await serveHttp((request, response) => {
      runs++;
      void bodyOf(request).then((body) => (body.includes('die') ? response.destroy() : response.end(body)));
    });
    const wire = made();
    await ask(wire, { url: served.url });
    const failure = await failureOf(ask(wire, { url: served.url, body: ['"die"'] }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_LOST', data: { outcome: 'unknown' } });
    expect(runs).toBe(2);
  });

  test('one closed meanwhile, of which the news is still unread, costs nothing', async () => {
    // On a thread of its own: it closes while our loop stands still.
    const server = new Worker(SERVER_THAT_CUTS, { eval: true });
    try {
      const port = await new Promise<number>((resolve) => server.once('message', resolve));
      const wire = made();
      for (let i = 0; i < 3; i++) {
        await ask(wire, { url: `http://127.0.0.1:${port}/mcp` });
        await pause(150);
        server.postMessage('cut');
        const untilMs = performance.now() + 50;
        while (performance.now() < untilMs);
        expect((await ask(wire, { url: `http://127.0.0.1:${port}/mcp` })).body).toBe('{}');
      }
    } finally {
      await server.terminate();
    }
  });

  test('we let go of one before the server does', async () => {
    const served = await serveHttp(echo);
    served.server.keepAliveTimeout = 2_000;
    const wire = made();
    await ask(wire, { url: served.url });
    await pause(1_300);
    await ask(wire, { url: served.url });
    expect(served.connections(), 'the server says 2 s: it is not used after 1 s').toBe(2);
  });

  test('nor is one kept that the server keeps for a second only', async () => {
    const served = await serveHttp((request, response) => {
      response.setHeader('keep-alive', 'timeout=1');
      echo(request, response);
    });
    const wire = made();
    await ask(wire, { url: served.url });
    await ask(wire, { url: served.url });
    expect(served.connections()).toBe(2);
  });
});

describe('TLS', () => {
  test('a certificate that nobody vouches for is refused, with the way out', async () => {
    const served = await serveHttp(echo, true);
    const failure = await failureOf(ask(made(), { url: served.url }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'tls', outcome: 'not-executed' } });
    expect(failure.hint).toContain('SSL_CERT_FILE');
  });

  test('where plain http is spoken, no certificate is asked for', async () => {
    const served = await serveHttp(echo);
    const failure = await failureOf(ask(made(), { url: served.url.replace('http:', 'https:') }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'tls', outcome: 'not-executed' } });
    expect(failure.hint).toContain('http or https');
  });

  test('SSL_CERT_FILE vouches for it; the connection is kept', async () => {
    const served = await serveHttp(echo, true);
    const file = join(folder, 'ca.pem');
    writeFileSync(file, CERTIFICATE);
    const wire = made({ SSL_CERT_FILE: file });
    for (let i = 0; i < 2; i++) expect((await ask(wire, { url: served.url })).body).toBe('{"a":1}');
    expect(served.connections()).toBe(1);
  });

  test('another list by hand still holds NODE_EXTRA_CA_CERTS', async () => {
    const served = await serveHttp(echo, true);
    const [own, extra] = [join(folder, 'own.pem'), join(folder, 'extra.pem')];
    writeFileSync(own, OTHER_CERTIFICATE);
    writeFileSync(extra, CERTIFICATE);
    expect((await ask(made({ SSL_CERT_FILE: own, NODE_EXTRA_CA_CERTS: extra }), { url: served.url })).status).toBe(200);
  });

  test.each([
    { why: 'is not there', text: undefined, says: 'cannot be read' },
    { why: 'holds none', text: 'hello', says: 'holds no certificates' },
  ])('a file of certificates that $why is said by name', async ({ text, says }) => {
    const file = join(folder, 'ca.pem');
    if (text !== undefined) writeFileSync(file, text);
    const failure = await failureOf(ask(made({ SSL_CERT_FILE: file }), { url: 'https://127.0.0.1:1/mcp' }));
    expect(failure.message).toContain('SSL_CERT_FILE');
    expect(failure.message).toContain(says);
    expect(failure.data).toMatchObject({ reason: 'tls', outcome: 'not-executed' });
  });
});

describe('proxies', () => {
  // Loopback is never reached through a proxy, so the server has a name; the proxy goes to loopback whatever it is.
  const named = (port: number, scheme: string): string => `${scheme}://up.test:${port}/mcp?q=1`;

  test('plain HTTP: asked for the whole URL, with who we are', async () => {
    const proxy = await serveProxy();
    const wire = made({ http_proxy: `http://me:pw@127.0.0.1:${proxy.port}` });
    expect((await ask(wire, { url: named(80, 'http') })).body).toBe('proxied http://up.test/mcp?q=1');
    expect(proxy.asked[0]!.headers).toMatchObject({ host: 'up.test', 'proxy-authorization': 'Basic bWU6cHc=' });
  });

  test('HTTPS: through a tunnel, which is kept; the proxy sees nothing of the request', async () => {
    const served = await serveHttp(echo, true);
    const proxy = await serveProxy();
    const file = join(folder, 'ca.pem');
    writeFileSync(file, CERTIFICATE);
    const wire = made({ https_proxy: `http://me:pw@127.0.0.1:${proxy.port}`, SSL_CERT_FILE: file });
    for (let i = 0; i < 2; i++) expect((await ask(wire, { url: named(served.port, 'https') })).body).toBe('{"a":1}');
    expect(proxy.asked).toHaveLength(1);
    expect(proxy.asked[0]).toMatchObject({ method: 'CONNECT', url: `up.test:${served.port}` });
    expect(proxy.asked[0]!.headers['proxy-authorization']).toBe('Basic bWU6cHc=');
  });

  test('HTTPS: the certificate is looked at behind the tunnel as well', async () => {
    const served = await serveHttp(echo, true);
    const proxy = await serveProxy();
    const file = join(folder, 'ca.pem');
    writeFileSync(file, CERTIFICATE);
    const wire = made({ https_proxy: `127.0.0.1:${proxy.port}`, SSL_CERT_FILE: file });
    const failure = await failureOf(ask(wire, { url: `https://other.test:${served.port}/mcp` }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'tls', outcome: 'not-executed' } });
  });

  test.each([407, 502])('a tunnel refused with HTTP %i', async (status) => {
    const proxy = await serveProxy(status);
    const wire = made({ https_proxy: `http://me:topsecret@127.0.0.1:${proxy.port}` });
    const failure = await failureOf(ask(wire, { url: named(443, 'https') }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'proxy', outcome: 'not-executed' } });
    expect(failure.message).toContain(String(status));
    expect(failure.message).not.toContain('topsecret');
  });

  test('plain HTTP refused with 407', async () => {
    const proxy = await serveProxy(407);
    const failure = await failureOf(ask(made({ http_proxy: `127.0.0.1:${proxy.port}` }), { url: named(80, 'http') }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'proxy' } });
  });

  test.each([
    { why: 'of a kind we do not know', env: { all_proxy: 'socks5://127.0.0.1:1' }, says: 'socks5:// is not supported' },
    { why: 'that is no URL', env: { all_proxy: 'http://x:y z@' }, says: 'all_proxy is no URL' },
    { why: 'that is not there', env: { all_proxy: 'http://127.0.0.1:1' }, says: 'cannot be reached' },
  ])('one $why', async ({ env, says }) => {
    const failure = await failureOf(ask(made(env as Record<string, string>), { url: named(443, 'https') }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'proxy', outcome: 'not-executed' } });
    expect(failure.message).toContain(says);
  });
});
