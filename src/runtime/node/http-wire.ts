import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import type { Piece } from '../../base/index.js';
import type { HttpWire, WireExchange, WireHandlers, WireRequest } from '../../client/index.js';
import { HttpAgents } from './http-wire-agents.js';
import { decodedBody } from './http-wire-decoding.js';
import { wireError } from './http-wire-errors.js';
import { lendNativeBytes } from './native-bytes.js';
import { bareHost, findProxy, portOf } from './proxy.js';
import { ProxyFault, proxyHeaders } from './proxy-tunnel.js';

export interface HttpWireOptions {
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
/** A request that met closed connections only is given up. */
const MAX_STALE = 3;
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** How to get to a URL: what node:http wants to know, made once. */
interface Way {
  readonly options: RequestOptions & { readonly agent: Agent };
  /** Header names and values in turn, as node:http takes them without looking at each. */
  readonly headers: readonly string[];
  readonly place: string;
}

/**
 * HTTP on node:http, over connections that are kept, through the proxies and with the authorities that the environment
 * names. Nothing is loaded, and no connection opened, before the first request. May be shared by all upstreams.
 */
export function httpWire(options: HttpWireOptions = {}): HttpWire {
  lendNativeBytes();
  return new NodeHttpWire(options);
}

class NodeHttpWire implements HttpWire {
  readonly agents: HttpAgents;
  #http: typeof import('node:http') | undefined;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #ways = new Map<string, Way>();

  constructor({ env = process.env, connectTimeoutMs = CONNECT_TIMEOUT_MS }: HttpWireOptions) {
    this.#env = env;
    this.agents = new HttpAgents({ env, connectTimeoutMs });
  }

  /** Loaded at the first request. */
  get http(): typeof import('node:http') {
    this.#http ??= process.getBuiltinModule('node:http');
    return this.#http;
  }

  send(request: WireRequest, handlers: WireHandlers): WireExchange {
    return new NodeExchange(this, request, handlers);
  }

  async close(): Promise<void> {
    this.agents.close();
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
    const place = placeOf(url);
    const headers = ['host', url.host];
    if (url.username !== '' || url.password !== '') headers.push('authorization', basic(url));
    if (proxy === undefined || url.protocol === 'https:') {
      const agent = this.agents.agentFor(url.protocol, proxy);
      const { protocol, pathname, search } = url;
      const options = { protocol, host: bareHost(url), port: portOf(url), path: `${pathname}${search}`, agent };
      return { options, headers, place };
    }
    // A proxy for plain HTTP is asked for the whole URL (RFC 9112, 3.2.2).
    for (const [name, value] of Object.entries(proxyHeaders(proxy))) headers.push(name, String(value));
    const agent = this.agents.agentFor(proxy.protocol);
    const path = `${url.origin}${url.pathname}${url.search}`;
    const options = { protocol: proxy.protocol, host: bareHost(proxy), port: portOf(proxy), path, agent };
    return { options, headers, place };
  }
}

class NodeExchange implements WireExchange {
  readonly #wire: NodeHttpWire;
  readonly #request: WireRequest;
  readonly #handlers: WireHandlers;
  #out: ClientRequest | undefined;
  #body: Readable | undefined;
  #place = '';
  #stale = 0;
  #isWritten = false;
  #hasHead = false;
  #isPaused = false;
  #isOver = false;

  constructor(wire: NodeHttpWire, request: WireRequest, handlers: WireHandlers) {
    this.#wire = wire;
    this.#request = request;
    this.#handlers = handlers;
    this.#start();
  }

  pause(): void {
    this.#isPaused = true;
    this.#body?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#body?.resume();
  }

  abort(): void {
    // Behind the end its connection may serve another request already.
    if (this.#isOver) return;
    this.#isOver = true;
    this.#body?.destroy();
    this.#out?.destroy();
  }

  #start(): void {
    const { method, headers, body } = this.#request;
    try {
      const way = this.#wire.wayTo(this.#request.url);
      this.#place = way.place;
      const chunks = body === undefined ? [] : chunksOf(body);
      const out = this.#wire.http.request({
        ...way.options,
        method,
        headers: headerList(way, headers, body && chunks),
      });
      this.#out = out;
      out.on('response', (response) => this.#respond(response));
      out.on('error', (error) => this.#fail(error));
      // A response that has begun fails by itself, without an error of the request.
      if (this.#wire.agents.isDoubtful(out)) setImmediate(() => this.#write(out, chunks));
      else this.#write(out, chunks);
    } catch (thrown) {
      queueMicrotask(() => this.#fail(thrown as Error));
    }
  }

  #write(out: ClientRequest, chunks: readonly Uint8Array[]): void {
    if (this.#isOver || out.destroyed || out !== this.#out) return;
    this.#isWritten = true;
    if (chunks.length < 2) {
      out.end(chunks[0]);
      return;
    }
    out.cork();
    for (const chunk of chunks) out.write(chunk);
    out.end();
    out.uncork();
  }

  #respond(response: IncomingMessage): void {
    if (this.#isOver) return;
    const { statusCode = 0 } = response;
    if (statusCode === PROXY_AUTHENTICATION_REQUIRED) {
      response.destroy();
      return this.#fail(new ProxyFault('it wants a user and a password, HTTP 407'));
    }
    this.#hasHead = true;
    this.#handlers.head(statusCode, (name) => headerOf(response, name));
    if (this.#isOver) return;
    response.on('error', (error) => this.#fail(error));
    let body: Readable;
    try {
      body = decodedBody(response, (error) => this.#fail(error));
    } catch (thrown) {
      response.destroy();
      return this.#fail(thrown as Error);
    }
    this.#body = body;
    body.on('data', (chunk: Uint8Array) => {
      if (!this.#isOver) this.#handlers.data(chunk);
    });
    body.on('end', () => this.#end());
    if (this.#isPaused) body.pause();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handlers.end();
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    // The connection was closed while nothing of the request had been written: another one serves as well.
    if (!this.#isWritten && this.#out?.reusedSocket && this.#stale < MAX_STALE) {
      this.#stale++;
      return this.#start();
    }
    this.#isOver = true;
    this.#out?.destroy();
    const progress = { isUnsent: !this.#isWritten || isSecuring(this.#out), hasHead: this.#hasHead };
    const place = this.#place === '' ? placeOf(new URL(this.#request.url)) : this.#place;
    this.#handlers.failed(wireError(place, error, progress));
  }
}

/** What is written before TLS stands is kept back, and never sent where that fails. */
function isSecuring(out: ClientRequest | undefined): boolean {
  const socket = out?.socket as { readonly secureConnecting?: boolean } | null | undefined;
  return socket?.secureConnecting === true;
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

function basic(url: URL): string {
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

function headerList(
  way: Way,
  headers: Readonly<Record<string, string>>,
  chunks: readonly Uint8Array[] | undefined,
): string[] {
  const list = [...way.headers];
  for (const name in headers) {
    if (name === 'host') {
      list[1] = headers[name]!;
      continue;
    }
    // Credentials in a URL give way to those of the request.
    if (name === 'authorization' && list[2] === name) list.splice(2, 2);
    list.push(name, headers[name]!);
  }
  if (chunks !== undefined) {
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    list.push('content-length', String(length));
  }
  return list;
}

/** The body as node:http takes it: one small chunk, or large ones uncopied. */
function chunksOf(pieces: readonly Piece[]): Uint8Array[] {
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.end - piece.start;
  if (length > JOINED_BYTES) return pieces.map(bytesOf);
  const joined = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += joined.write(piece, at);
    else {
      joined.set(piece.bytes.subarray(piece.start, piece.end), at);
      at += piece.end - piece.start;
    }
  }
  return [joined];
}

function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece.bytes.subarray(piece.start, piece.end);
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
