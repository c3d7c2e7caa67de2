import type { ClientRequestArgs, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { bareHost, portOf } from './proxy.js';

/** A proxy would not, or could not, let us through. */
export class ProxyFault extends Error {}

/** What an https.Agent opens a connection with. */
export type TunnelOptions = ClientRequestArgs & ConnectionOptions;

type Opened = (error: Error | null, socket?: Socket) => void;

/** What a proxy is told of who we are, by the user and password in its URL. */
export function proxyHeaders(proxy: URL): OutgoingHttpHeaders {
  if (proxy.username === '' && proxy.password === '') return {};
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
}

/**
 * Opens a TLS connection through a proxy, by CONNECT (RFC 9110, 9.3.6). Ours because Node 20's agents know no proxies, and
 * the libraries that do bring an HTTP client of their own.
 *
 * @param options as an https.Agent gives them
 * @param opened called once
 */
export function openTunnel(proxy: URL, options: TunnelOptions, timeoutMs: number, opened: Opened): void {
  const { request } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'node:https' : 'node:http');
  const tls = process.getBuiltinModule('node:tls');
  const { host = '', port } = options;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  let isOver = false;
  const finish = (error: Error | null, socket?: Socket): void => {
    if (isOver) {
      socket?.destroy();
      return;
    }
    isOver = true;
    clearTimeout(timer);
    opened(error, socket);
  };
  const connect = request({
    host: bareHost(proxy),
    port: portOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
  });
  const timer = setTimeout(() => {
    finish(new ProxyFault(`the proxy ${proxy.host} did not answer within ${timeoutMs} ms`));
    connect.destroy();
  }, timeoutMs);
  connect.once('connect', (response: IncomingMessage, socket: Socket) => {
    if (response.statusCode !== 200) {
      socket.destroy();
      return finish(new ProxyFault(`the proxy ${proxy.host} refused the connection (HTTP ${response.statusCode})`));
    }
    const { servername } = options;
    const secured: TLSSocket = tls.connect({ ...options, socket, ...(servername !== undefined && { servername }) });
    // Handed over before it is secure, as an https.Agent's own sockets are: its errors are the request's.
    finish(null, secured);
  });
  connect.once('response', (response: IncomingMessage) => {
    response.destroy();
    finish(new ProxyFault(`the proxy ${proxy.host} refused the connection (HTTP ${response.statusCode})`));
  });
  connect.once('error', (error: NodeJS.ErrnoException) => {
    finish(new ProxyFault(`the proxy ${proxy.host} cannot be reached (${error.code ?? error.message})`));
  });
  connect.end();
}
