import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import type { Piece } from '../../base/index.js';
import type { HttpWire, WireExchange, WireHandlers, WireRequest } from '../../client/index.js';
import { decoderOf } from './http-wire-decoding.js';
import { wireError } from './http-wire-errors.js';
import { HttpPools } from './http-wire-pools.js';
import { bytesIn, joinBytes } from './joined-bytes.js';
import { lendNativeBytes } from './native-bytes.js';
import { findProxy } from './proxy.js';
import { basicCredentials, ProxyFault, proxyHeaders } from './proxy-tunnel.js';

interface HttpWireOptions {
  /** Names proxies and certificates; the process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How long a connection may take to be there, TLS and proxy included. */
  readonly connectTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Places whose way there is remembered. */
const MAX_PLACES = 256;
/** A body up to this size is sent in one piece; copying a larger one costs more than it saves. */
const JOINED_BYTES = 65_536;
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** How to get to a URL: what is to be known of it, found out once. */
interface Way {
  readonly pool: Pool;
  readonly path: string;
  readonly host: string;
  readonly place: string;
  /** The user and password that stand in it, as a header's value. */
  readonly credentials: string | undefined;
  /** Names and values in turn. */
  readonly proxyHeaders: readonly string[];
  /** The lists that were made of headers. */
  readonly lists: WeakMap<Readonly<Record<string, string>>, string[]>;
}

/**
 * HTTP on undici's connections, which are kept, through the proxies and with the authorities that the environment names.
 * Not on node:http: its requests cost more than all else that is done for a call. No connection is opened before the
 * first request. May be shared by all upstreams.
 */
export function httpWire(options: HttpWireOptions = {}): HttpWire {
  lendNativeBytes();
  return new PooledWire(options);
}

class PooledWire implements HttpWire {
  readonly #pools: HttpPools;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #ways = new Map<string, Way>();

  constructor({ env = process.env, connectTimeoutMs = CONNECT_TIMEOUT_MS }: HttpWireOptions) {
    this.#env = env;
    this.#pools = new HttpPools({ env, connectTimeoutMs });
  }

  send(request: WireRequest, handlers: WireHandlers): WireExchange {
    return new Exchange(this, request, handlers);
  }

  async close(): Promise<void> {
    this.#pools.close();
    this.#ways.clear();
  }

  /** @throws where the environment names a proxy or a file that is no good */
  wayTo(href: string): Way {
    let way = this.#ways.get(href);
    if (way === undefined) {
      if (this.#ways.size >= MAX_PLACES) this.#ways.clear();
      way = this.#findWay(new URL(href));
      this.#ways.set(href, way);
    }
    return way;
  }

  #findWay(url: URL): Way {
    const proxy = findProxyOrFault(url, this.#env);
    const credentials = basicCredentials(url);
    const common = { host: url.host, place: placeOf(url), credentials, lists: new WeakMap() };
    const path = `${url.pathname}${url.search}`;
    if (proxy === undefined || url.protocol === 'https:') {
      return { ...common, pool: this.#pools.poolFor(url.origin, proxy), path, proxyHeaders: [] };
    }
    // A proxy for plain HTTP is asked for the whole URL (RFC 9112, 3.2.2).
    const headers = Object.entries(proxyHeaders(proxy)).flatMap(([name, value]) => [name, String(value)]);
    return { ...common, pool: this.#pools.poolFor(proxy.origin), path: `${url.origin}${path}`, proxyHeaders: headers };
  }
}

/** One request on its way, as undici tells of it. */
class Exchange implements WireExchange, Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  readonly #handlers: WireHandlers;
  /** There from when the request is about to be written. */
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Transform | undefined;
  #place = '';
  #hasHead = false;
  #isPaused = false;
  #isOver = false;

  constructor(wire: PooledWire, request: WireRequest, handlers: WireHandlers) {
    this.#request = request;
    this.#handlers = handlers;
    try {
      const way = wire.wayTo(request.url);
      this.#place = way.place;
      way.pool.dispatch(dispatchOptions(way, request), this);
    } catch (thrown) {
      this.onResponseError(undefined, thrown as Error);
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#controller?.pause();
    this.#decoder?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#decoder?.resume();
    this.#controller?.resume();
  }

  abort(): void {
    // Behind the end its connection may serve another request already.
    if (this.#isOver) return;
    this.#isOver = true;
    this.#decoder?.destroy();
    this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It may have been given up while it waited for a connection.
    if (this.#isOver) return controller.abort(new Error('aborted'));
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What is interim (RFC 9110, 15.2) is no answer yet.
    if (this.#isOver || status < 200) return;
    if (status === PROXY_AUTHENTICATION_REQUIRED) {
      return this.#giveUp(new ProxyFault('it wants a user and a password, HTTP 407'));
    }
    this.#hasHead = true;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && !this.#decode(encoding)) return;
    this.#handlers.head(status, (name) => headerOf(headers, name));
    if (this.#isPaused && !this.#isOver) controller.pause();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    const decoder = this.#decoder;
    if (decoder === undefined) return this.#handlers.data(chunk);
    if (decoder.write(chunk)) return;
    controller.pause();
    decoder.once('drain', () => {
      if (!this.#isPaused) controller.resume();
    });
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  /** @param _controller undefined where it had not even begun */
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#decoder?.destroy();
    const isUnsent = this.#controller === undefined;
    const failure = wireError(this.#place || placeOf(new URL(this.#request.url)), error, {
      isUnsent,
      hasHead: this.#hasHead,
    });
    // What cannot be sent fails while it is being made: whoever made it is not ready to hear of it.
    if (isUnsent) queueMicrotask(() => this.#handlers.failed(failure));
    else this.#handlers.failed(failure);
  }

  /** @returns false where that failed the request */
  #decode(encoding: string): boolean {
    let decoder: Transform | undefined;
    try {
      decoder = decoderOf(encoding);
    } catch (thrown) {
      this.#giveUp(thrown as Error);
      return false;
    }
    this.#decoder = decoder;
    decoder?.on('error', (error) => this.#giveUp(error));
    decoder?.on('data', (chunk: Uint8Array) => {
      if (!this.#isOver) this.#handlers.data(chunk);
    });
    decoder?.on('end', () => this.#end());
    return true;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handlers.end();
  }

  #giveUp(reason: Error): void {
    this.onResponseError(this.#controller, reason);
    this.#controller?.abort(reason);
  }
}

function findProxyOrFault(url: URL, env: Readonly<Record<string, string | undefined>>): URL | undefined {
  let proxy: URL | undefined;
  try {
    proxy = findProxy(url, env);
  } catch (thrown) {
    throw new ProxyFault((thrown as Error).message);
  }
  if (proxy === undefined || proxy.protocol === 'http:' || proxy.protocol === 'https:') return proxy;
  throw new ProxyFault(`a proxy of kind ${proxy.protocol}// is not supported`);
}

/** A URL as it may be shown: user, password and query may be secrets. */
function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function dispatchOptions(way: Way, { method, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  const list = headerList(way, headers);
  if (body === undefined) return { path: way.path, method, headers: list };
  const length = bytesIn(body);
  if (length <= JOINED_BYTES) return { path: way.path, method, headers: list, body: joinBytes(body, length) };
  // Large pieces go out uncopied. undici takes any iterable; only its types do not say so.
  const chunks = body.map(bytesOf) as unknown as Buffer;
  return { path: way.path, method, headers: [...list, 'content-length', String(length)], body: chunks };
}

/** A transport gives the very same headers for request after request, frozen: their list is made once. */
function headerList(way: Way, headers: Readonly<Record<string, string>>): string[] {
  const known = way.lists.get(headers);
  if (known !== undefined) return known;
  const list = ['host', way.host];
  // Credentials in a URL give way to those of the request.
  if (way.credentials !== undefined && headers.authorization === undefined) {
    list.push('authorization', way.credentials);
  }
  list.push(...way.proxyHeaders);
  for (const name in headers) {
    if (name === 'host') list[1] = headers[name]!;
    else list.push(name, headers[name]!);
  }
  if (Object.isFrozen(headers)) way.lists.set(headers, list);
  return list;
}

function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece.bytes.subarray(piece.start, piece.end);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
