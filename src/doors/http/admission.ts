import { DoorError } from '../../base/index.js';
import type { HeaderList, HttpExchange } from './exchange.js';
import { type Refusal, refusal, refusalOf } from './refusal.js';

export interface AdmissionOptions {
  /** The port that is listened on; known only once it is. Absent where something else listens for us: any of ours is good. */
  readonly port?: () => number;
  /** The address that is listened on, as it was configured. */
  readonly host: string;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** What is added to every answer to a page that may read it; nothing for callers that are no pages. */
export type CorsHeaders = HeaderList;

const NO_CORS: CorsHeaders = [];
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]', '*']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Lets in only who was meant to come in: by DNS a page on the web can make any name lead to this machine, and would then
 * reach the door with the reader's own rights (MCP basic/transports, Security Warning). Its Host and Origin give it away.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #origins: ReadonlySet<string>;
  /** Exact `host:port`, and hosts with whatever port. */
  readonly #hosts = new Set<string>();
  /** Hosts that are good with our own port. */
  readonly #own = new Set(['127.0.0.1', 'localhost', '[::1]']);
  /** The last Host that was found good: callers keep to theirs. */
  #known = '';

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
    for (const host of options.allowedHosts) this.#hosts.add(host.toLowerCase());
    if (!WILDCARDS.has(options.host)) this.#own.add(bracketed(options.host.toLowerCase()));
    if (options.publicUrl !== undefined) {
      this.#hosts.add(new URL(options.publicUrl).host);
    }
  }

  /** @returns the headers that let a page read the answer, or why there is none for it */
  admit(exchange: HttpExchange): CorsHeaders | Refusal {
    const host = exchange.header('host');
    if (host === undefined || exchange.isRepeated('host')) return refusal(400, 'one Host header is needed');
    if (host !== this.#known) {
      if (!this.isOurs(host)) return refusalOf(403, foreignHost());
      this.#known = host;
    }
    const origin = exchange.header('origin');
    if (origin === undefined) return NO_CORS;
    if (exchange.isRepeated('origin')) return refusalOf(403, foreignOrigin());
    if (this.#origins.has(origin.toLowerCase())) return corsHeaders(origin);
    return isSameHost(origin, host) ? NO_CORS : refusalOf(403, foreignOrigin());
  }

  /** Whether a Host is one that we are meant to be reached by. */
  isOurs(host: string): boolean {
    const text = host.toLowerCase();
    if (this.#hosts.has(text)) return true;
    const [name, port] = splitHost(text);
    if (this.#hosts.has(name) && port !== undefined) return true;
    if (!this.#own.has(name)) return false;
    const ownPort = this.#options.port?.();
    return ownPort === undefined || (port ?? '80') === String(ownPort);
  }
}

/** The answer to a browser that asks first (CORS preflight), for origins that were allowed. */
export function answerPreflight(exchange: HttpExchange, cors: CorsHeaders): void {
  const headers = [
    'Access-Control-Allow-Methods',
    'POST, GET, DELETE',
    'Access-Control-Allow-Headers',
    exchange.header('access-control-request-headers') ?? '',
    'Access-Control-Max-Age',
    '600',
  ];
  exchange.answer(204, cors.length === 0 ? ['Allow', 'POST, GET, DELETE'] : [...cors, ...headers], []);
}

function corsHeaders(origin: string): CorsHeaders {
  return ['Access-Control-Allow-Origin', origin, 'Vary', 'Origin', 'Access-Control-Expose-Headers', EXPOSED];
}

/** A page of this very door, or of what serves it to the outside. `null` and what is no origin are none of these. */
function isSameHost(origin: string, host: string): boolean {
  const match = /^(https?:)\/\/([^/\s?#@]+)$/i.exec(origin);
  if (!match) return false;
  const [, scheme = '', originHost = ''] = match;
  const port = DEFAULT_PORTS[scheme.toLowerCase()];
  const withPort = (text: string): string => {
    const [name, own] = splitHost(text.toLowerCase());
    return `${name}:${own ?? port}`;
  };
  return withPort(originHost) === withPort(host);
}

function splitHost(host: string): readonly [name: string, port: string | undefined] {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host);
  return match ? [match[1]!, match[2]] : ['', undefined];
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function foreignHost(): DoorError {
  return new DoorError('FORBIDDEN', 'the Host header names none of the hosts that this door is reached by', {
    hint: 'Add the host to http.allowedHosts, or set http.publicUrl.',
  });
}

function foreignOrigin(): DoorError {
  return new DoorError('FORBIDDEN', 'pages of this origin may not call', { hint: 'Add it to http.allowedOrigins.' });
}
