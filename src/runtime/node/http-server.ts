import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { DoorError } from '../../base/index.js';
import type { HttpEnvironment, HttpExchange } from '../../doors/index.js';
import { NodeExchange } from './http-exchange.js';

/** What answers requests. */
export interface HttpHandler {
  /** What is asked for at exactly this path goes to `endpoint` straight away: routes cost a tenth of a call. */
  readonly path: string;
  endpoint(exchange: HttpExchange): void;
  fetch(request: Request, env: HttpEnvironment): Response | Promise<Response>;
}

/** Set one by one: what Node has for a default is made for other servers, and may change. */
const LIMITS = {
  /** All of a request's head; whoever sends it byte by byte is not waited for. */
  headersTimeout: 15_000,
  /** Head and body: 32 MiB in two minutes is a slow line. */
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than the minute that most proxies and clients keep a connection: they are to close it, not we under them. */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 32 * 1024,
  requireHostHeader: true,
  insecureHTTPParser: false,
  /** What came twice is to be seen, not dropped. */
  joinDuplicateHeaders: true,
  noDelay: true,
  /** Finds out that the other side is gone without a word. */
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const;
const MAX_HEADERS = 200;
/** Node leaves out what comes behind its own limit, without a word: what came twice could stand there once. */
const ALL_HEADERS = 0;

/** An HTTP server that is listening. */
export interface HttpServer {
  readonly port: number;
  /** No new connections; those that nothing is asked on close, the others after their answer. */
  stop(): void;
  /** Every connection ends, whatever is under way on it. */
  close(): Promise<void>;
}

/**
 * Listens, with limits on whatever a caller can do to a connection.
 *
 * @throws {DoorError} CONFIG_INVALID where the address cannot be listened on
 */
export async function listenHttp(
  { host, port }: { readonly host: string; readonly port: number },
  handler: HttpHandler,
): Promise<HttpServer> {
  const listener = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: never };
      return handler.fetch(request, { exchange: new NodeExchange(incoming, outgoing) });
    },
    { overrideGlobalObjects: false, errorHandler: () => new Response(null, { status: 400 }) },
  );
  const server = createServer(LIMITS, (incoming, outgoing) => {
    // A connection that breaks says so to whoever waits for it; unheard, it would end the process and everyone's calls.
    incoming.on('error', ignore);
    outgoing.on('error', ignore);
    if (incoming.rawHeaders.length > 2 * MAX_HEADERS) return refuseHead(outgoing);
    if (incoming.url === handler.path) handler.endpoint(new NodeExchange(incoming, outgoing));
    else listener(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.maxHeadersCount = ALL_HEADERS;
  await listen(server, host, port);
  return serverOf(server);
}

function ignore(): void {}

/** As Node does with a head of too many bytes. */
function refuseHead(outgoing: ServerResponse): void {
  outgoing.writeHead(431, { Connection: 'close', 'Content-Length': '0' }).end();
}

function serverOf(server: Server): HttpServer {
  let closing: NodeJS.Timeout | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      // Node closes the idle ones once; others become idle while the last answers are given.
      closing ??= setInterval(() => server.closeIdleConnections(), 100).unref();
    },
    async close() {
      clearInterval(closing);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port, backlog: 1_024 }, resolve);
  });
}

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'Something else listens there, perhaps another doorward. Choose another one: --port, or http.port (0 takes a free one).',
  EACCES: 'Ports below 1024 are for root alone: --port, or http.port.',
  EADDRNOTAVAIL: 'This machine has no such address: --host, or http.host.',
  ENOTFOUND: 'No such host is known: --host, or http.host.',
};

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): DoorError {
  const { code = '' } = cause;
  const what =
    code === 'EADDRINUSE' ? `port ${port} on ${host} is in use` : `cannot listen on ${host}, port ${port} (${code})`;
  const hint = HINTS[code];
  return new DoorError('CONFIG_INVALID', what, {
    data: { reason: 'listen', host, port },
    ...(hint !== undefined && { hint }),
    cause,
  });
}
