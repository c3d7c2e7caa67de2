// @ts-check
/**
 * The upstream over HTTP: an MCP server of either era that costs next to nothing, on bare sockets. Like upstream.mjs it
 * finds id and pick without parsing and answers with bytes made beforehand, in one write.
 *
 * usage: node bench/http-upstream.mjs ERA DIRECTORY KIND[,KIND...]     prints its address; ends with its stdin
 */
import { createServer } from 'node:net';
import { idOf, MessageReader, whole } from './http-wire.mjs';
import { checkArguments, PICK, readPick, readPools } from './pools.mjs';
import { CALLED_TOOLS } from './tool-list.mjs';

const [era = 'handshake', directory = '.', kinds = ''] = process.argv.slice(2);
const CHECK_EVERY = 61;
const COPY_BYTES = 16 * 1024;
const SESSION = 'Mcp-Session-Id: bench-upstream-session\r\n';
const MODERN = '2026-07-28';
const SERVER_INFO = { name: 'bench-upstream', version: '1.0.0' };

const { results: plain, wanted } = readPools(directory, kinds.split(','));
const results = era === 'modern' ? plain.map(complete) : plain;
const END = Buffer.from('}');
let calls = 0;

const server = createServer((socket) => {
  socket.setNoDelay(true);
  const reader = new MessageReader((head, pieces) => answer(socket, head, pieces));
  socket.on('data', (chunk) => reader.push(chunk));
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
process.stdin.resume().on('end', () => process.exit(0));

/** @param {import('node:net').Socket} socket @param {string} head @param {readonly Buffer[]} pieces */
function answer(socket, head, pieces) {
  if (!head.startsWith('POST '))
    return say(socket, head.startsWith('DELETE ') ? '200 OK' : '405 Method Not Allowed', '');
  const first = /** @type {Buffer} */ (pieces[0]);
  const bytes = first.includes(PICK) ? first : whole(pieces);
  const pickAt = bytes.indexOf(PICK);
  if (pickAt < 0) return answerRest(socket, JSON.parse(whole(pieces).toString()));
  const pick = readPick(bytes, pickAt);
  const result = results[pick];
  if (!result) throw new Error(`no payload is number ${pick}`);
  if (calls++ % CHECK_EVERY === 0) {
    const all = whole(pieces);
    checkArguments(all, pickAt, /** @type {Buffer} */ (wanted[pick]), all.length);
  }
  const envelope = `{"jsonrpc":"2.0","id":${idOf(pieces)},"result":`;
  const length = envelope.length + result.length + 1;
  const start = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${envelope}`;
  if (result.length <= COPY_BYTES) {
    const message = Buffer.allocUnsafe(start.length + result.length + 1);
    message.write(start, 0, 'latin1');
    result.copy(message, start.length);
    message[message.length - 1] = 0x7d;
    return void socket.write(message);
  }
  socket.cork();
  socket.write(start, 'latin1');
  socket.write(result);
  socket.write(END);
  socket.uncork();
}

/** @param {import('node:net').Socket} socket @param {{ id?: string | number, method: string, params?: { protocolVersion?: string } }} message */
function answerRest(socket, { id, method, params }) {
  if (id === undefined) return say(socket, '202 Accepted', '');
  const result = era === 'modern' ? modernResult(method) : handshakeResult(method, params?.protocolVersion);
  if (result)
    return say(
      socket,
      '200 OK',
      JSON.stringify({ jsonrpc: '2.0', id, result }),
      method === 'initialize' ? SESSION : '',
    );
  const error = { code: era === 'modern' ? -32601 : -32000, message: 'not known here' };
  say(socket, era === 'modern' ? '404 Not Found' : '400 Bad Request', JSON.stringify({ jsonrpc: '2.0', id, error }));
}

/** @param {string} method @param {string} [protocolVersion] */
function handshakeResult(method, protocolVersion = '2025-11-25') {
  if (method === 'initialize') return { protocolVersion, capabilities: { tools: {} }, serverInfo: SERVER_INFO };
  return method === 'tools/list' ? { tools: CALLED_TOOLS } : method === 'ping' ? {} : undefined;
}

/** @param {string} method */
function modernResult(method) {
  const caching = { ttlMs: 3_600_000, cacheScope: 'public' };
  const _meta = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO };
  if (method === 'tools/list') return { resultType: 'complete', tools: CALLED_TOOLS, ...caching, _meta };
  if (method !== 'server/discover') return undefined;
  return { resultType: 'complete', supportedVersions: [MODERN], capabilities: { tools: {} }, ...caching, _meta };
}

/** @param {import('node:net').Socket} socket @param {string} status @param {string} body @param {string} [more] header lines */
function say(socket, status, body, more = '') {
  const type = body === '' ? '' : 'Content-Type: application/json\r\n';
  socket.write(`HTTP/1.1 ${status}\r\n${type}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** A result as the modern era writes it. @param {Buffer} result */
function complete(result) {
  return Buffer.concat([Buffer.from('{"resultType":"complete",'), result.subarray(1)]);
}
