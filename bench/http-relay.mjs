// @ts-check
/**
 * The floor over HTTP: a relay on node:http, connections kept on both sides. It takes a whole message, as a relay must
 * that may have to choose, sends it on as it is, and gives the whole answer back in one write. Nothing is looked into; over HTTP
 * not even ids need be changed.
 *
 * usage: node bench/http-relay.mjs URL     prints its address; ends with its stdin
 */
import { Agent, createServer, request } from 'node:http';

const [target = ''] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(target);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
/** Headers of one connection only: they are not passed on. */
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'date']);

const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
  gather(incoming, (pieces) => {
    const outgoing = request(
      { hostname, port, path: pathname, method: incoming.method, agent, headers: passedOn(incoming.headers) },
      (answer) => {
        gather(answer, (parts) => {
          response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
          writeAll(response, parts);
        });
      },
    );
    outgoing.on('error', () => response.writeHead(502).end());
    writeAll(outgoing, pieces);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
});
process.stdin.resume().on('end', () => process.exit(0));

/** @param {import('node:http').IncomingMessage} message @param {(pieces: readonly Buffer[]) => void} done */
function gather(message, done) {
  /** @type {Buffer[]} */
  const pieces = [];
  message.on('data', (piece) => pieces.push(piece));
  message.on('end', () => done(pieces));
}

/** One write to the kernel. @param {import('node:http').OutgoingMessage} sink @param {readonly Buffer[]} pieces */
function writeAll(sink, pieces) {
  if (pieces.length <= 1) return void sink.end(pieces[0]);
  sink.cork();
  for (const piece of pieces) sink.write(piece);
  sink.end();
  sink.uncork();
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
function passedOn(headers) {
  /** @type {import('node:http').OutgoingHttpHeaders} */
  const passed = {};
  for (const name in headers) if (!HOP.has(name)) passed[name] = headers[name];
  return passed;
}
