// @ts-check
/**
 * The official SDK as a proxy over HTTP at its best, like sdk-v1.mjs: low-level servers with one fallback handler, a client
 * whose schema lets everything pass, answers as JSON and not as streams. Version 1 where there are sessions, version 2,
 * which alone knows it, for the modern era.
 *
 * usage: node bench/http-sdk.mjs ERA URL     prints its address; ends with its stdin
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';

const [era = 'handshake', target = ''] = process.argv.slice(2);
const INFO = { name: 'bench-proxy', version: '1.0.0' };
const MODERN = '2026-07-28';

const listener = era === 'modern' ? await modernListener() : await handshakeListener();
const server = createServer({ keepAliveTimeout: 60_000 }, listener);
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
process.stdin.resume().on('end', () => process.exit(0));

/** @returns {Promise<import('node:http').RequestListener>} */
async function handshakeListener() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  /** @type {import('@modelcontextprotocol/sdk/server/zod-compat.js').AnySchema} */
  const anything = /** @type {never} */ ({ safeParse: (/** @type {unknown} */ data) => ({ success: true, data }) });
  const client = new Client(INFO);
  // Its class declares more exactly than its interface what may be undefined.
  await client.connect(/** @type {never} */ (new StreamableHTTPClientTransport(new URL(target))));
  /** @type {Map<string, InstanceType<typeof StreamableHTTPServerTransport>>} */
  const sessions = new Map();
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const session = new Server(INFO, { capabilities: { tools: {} } });
    session.fallbackRequestHandler = (request) => client.request(request, anything);
    await session.connect(/** @type {never} */ (transport));
    return transport;
  };
  return async (request, response) => {
    const transport = sessions.get(String(request.headers['mcp-session-id'])) ?? (await open());
    await transport.handleRequest(request, response);
  };
}

/** @returns {Promise<import('node:http').RequestListener>} */
async function modernListener() {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { createMcpHandler, Server } = await import('@modelcontextprotocol/server');
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: MODERN } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(target)));
  const anything = /** @type {never} */ ({
    '~standard': { version: 1, vendor: 'bench', validate: (/** @type {unknown} */ value) => ({ value }) },
  });
  const handler = createMcpHandler(
    () => {
      const one = new Server(INFO, { capabilities: { tools: {} } });
      one.fallbackRequestHandler = (request) => client.request(/** @type {never} */ (request), anything);
      return one;
    },
    { legacy: 'reject', responseMode: 'json', keepAliveMs: 0 },
  );
  return getRequestListener((request) => handler.fetch(request));
}
