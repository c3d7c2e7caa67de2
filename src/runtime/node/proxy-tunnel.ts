import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { bareHost, portOf } from './proxy.js';

/** A proxy would not, or could not, let us through. */
export class ProxyFault extends Error {}

type Opened = (error: Error | null, socket?: Socket) => void;

/** What a proxy is told of who we are, by the user and password in its URL. */
export function proxyHeaders(proxy: URL): OutgoingHttpHeaders {
  const credentials = basicCredentials(proxy);
  return credentials === undefined ? {} : { 'proxy-authorization': credentials };
}

/** The user and password in a URL as a header says them (RFC 7617); undefined where it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

/**
 * Opens a way through a proxy, by CONNECT (RFC 9110, 9.3.6). Ours because undici's own cannot be told what we know of a
 * proxy that would not.
 *
 * @param opened called once, with the connection or with why there is none
 */
export function openTunnel(
  proxy: URL,
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
  opened: Opened,
): void {
  const { request } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'node:https' : 'node:http');
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
    finish(null, socket);
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
