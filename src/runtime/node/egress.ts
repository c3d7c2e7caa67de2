import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { DoorError } from '../../base/index.js';
import type { EgressFetch } from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import { classOf, type NetworkClass } from './egress-address.js';
import { bareHost } from './proxy.js';

/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface EgressOptions {
  /** The server that somebody configured: where it lies, what it names may lie too. */
  readonly server: string;
  readonly environment: Environment;
  /** Tests have their own. */
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

type LookupDone = (
  error: NodeJS.ErrnoException | null,
  address: string | readonly LookupAddress[],
  family?: number,
) => void;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * A fetch for URLs that strangers name: metadata, token and revocation endpoints. A server that is configured must not be
 * able to make us ask our own network, or a cloud's metadata, for it:
 *
 * - https only; http to this machine alone, and only where the configured server lies on it; its own origin always.
 * - The address is checked when the connection is made, so a name cannot lead somewhere else between check and connect.
 *   Addresses that are not public are refused, unless the configured server lies in a network of the same kind.
 * - Redirects are followed for GET only, five at most, each held to the same rules.
 * - One request takes 10 s and 1 MiB at most.
 *
 * With a proxy from the environment it is the proxy that connects: what the name resolves to here is checked before.
 *
 * @throws {DoorError} FORBIDDEN where the guard says no, UPSTREAM_UNREACHABLE where the network does; by the fetch
 */
export function guardedFetch(options: EgressOptions): EgressFetch {
  const guard = new Guard(options);
  return (url, init) => guard.fetch(new URL(url), init ?? {});
}

class Guard {
  readonly #options: EgressOptions;
  readonly #resolve: Resolve;
  readonly #server: URL;
  #ownClasses: Promise<ReadonlySet<NetworkClass>> | undefined = undefined;
  #direct: Dispatcher | undefined = undefined;
  #proxied: Dispatcher | undefined = undefined;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? lookupAll;
    this.#server = new URL(options.server);
  }

  async fetch(url: URL, init: RequestInit): Promise<Response> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const follows = (init.redirect ?? 'follow') === 'follow' && (init.method ?? 'GET').toUpperCase() === 'GET';
    try {
      let at = url;
      for (let hops = 0; ; hops++) {
        const response = await this.#fetchOnce(at, { ...init, redirect: 'manual', signal });
        const target = follows ? targetOf(at, response) : undefined;
        if (!target) return response;
        if (hops === MAX_REDIRECTS) throw refusal(url, `redirects more than ${MAX_REDIRECTS} times`);
        at = target;
      }
    } catch (thrown) {
      throw failureOf(thrown, url, limit.aborted ? timeoutMs : undefined);
    }
  }

  async #fetchOnce(url: URL, init: RequestInit): Promise<Response> {
    await this.#checkUrl(url);
    const { fetch } = await import('undici');
    const dispatcher = await this.#dispatcherFor(url);
    // The same standard, in undici's and in the platform's types.
    const response = (await fetch(url, { ...init, dispatcher } as never)) as unknown as Response;
    return this.#bounded(url, response);
  }

  /** Scheme, and addresses that are written out: for those no name is looked up, so no lookup sees them. */
  async #checkUrl(url: URL): Promise<void> {
    const host = bareHost(url);
    const classes = await this.#classesAllowed();
    const isOwn = url.origin === this.#server.origin;
    const isLoopback = host === 'localhost' || host.endsWith('.localhost') || classOf(host) === 'loopback';
    const isSafe =
      url.protocol === 'https:' || (url.protocol === 'http:' && (isOwn || (isLoopback && classes.has('loopback'))));
    if (!isSafe) throw refusal(url, 'is not https');
    if (url.username || url.password) throw refusal(url, 'holds a password');
    if (isIP(host) !== 0) this.#checkAddress(url.host, host, classes);
  }

  #checkAddress(name: string, address: string, classes: ReadonlySet<NetworkClass>): void {
    const kind = classOf(address);
    if (kind === 'public' || classes.has(kind)) return;
    throw new DoorError(
      'FORBIDDEN',
      `${name} leads to ${address}, a ${kind} address, from a server that is not there`,
      {
        data: { address, network: kind, server: this.#server.host },
        hint: 'Ask those who run the server why its metadata names an address inside a network.',
      },
    );
  }

  /** What the configured server's own addresses allow, found out once. */
  #classesAllowed(): Promise<ReadonlySet<NetworkClass>> {
    this.#ownClasses ??= this.#classesOfServer();
    return this.#ownClasses;
  }

  async #classesOfServer(): Promise<ReadonlySet<NetworkClass>> {
    const host = bareHost(this.#server);
    const addresses = isIP(host)
      ? [host]
      : await this.#resolve(host).then(
          (found) => found.map(({ address }) => address),
          // Behind a proxy, names of the world may resolve nowhere here.
          () => [],
        );
    return new Set(addresses.map(classOf).filter((kind) => kind !== 'reserved' && kind !== 'public'));
  }

  async #dispatcherFor(url: URL): Promise<Dispatcher> {
    const { Agent, EnvHttpProxyAgent } = await import('undici');
    const { environment, timeoutMs = TIMEOUT_MS } = this.#options;
    const proxies = proxiesOf(environment);
    const isNear = (await this.#classesAllowed()).has('loopback');
    if ((!proxies.httpProxy && !proxies.httpsProxy) || (isNear && classOf(bareHost(url)) === 'loopback')) {
      this.#direct ??= new Agent({ connect: { lookup: this.#lookup as never, timeout: timeoutMs } });
      return this.#direct;
    }
    await this.#checkName(url);
    this.#proxied ??= new EnvHttpProxyAgent(proxies);
    return this.#proxied;
  }

  /** Before a proxy connects for us: as good as can be. */
  async #checkName(url: URL): Promise<void> {
    const found = await this.#resolve(bareHost(url)).catch(() => []);
    const classes = await this.#classesAllowed();
    for (const { address } of found) this.#checkAddress(url.host, address, classes);
  }

  /** What undici connects by: a name's addresses, those that are refused left out. */
  readonly #lookup = (host: string, { all }: LookupOptions, done: LookupDone): void => {
    void this.#allowedAddresses(host).then(
      (found) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };

  async #allowedAddresses(host: string): Promise<readonly LookupAddress[]> {
    const found = await this.#resolve(host);
    const classes = await this.#classesAllowed();
    const allowed = found.filter(({ address }) => ['public', ...classes].includes(classOf(address)));
    if (allowed.length > 0) return allowed;
    const [first] = found;
    if (first) this.#checkAddress(host, first.address, classes);
    throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
  }

  /** The whole answer, as far as it may go. An event stream has no end to wait for; nobody here reads one. */
  async #bounded(url: URL, response: Response): Promise<Response> {
    const { maxBytes = MAX_BYTES } = this.#options;
    const { status, headers, body } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream');
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    if (isStream) await body?.cancel();
    else {
      for await (const chunk of body ?? []) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw refusal(url, `answers with more than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
    }
    // What undici has decoded is not encoded any more.
    const rest = [...headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
    const hasBody = bytes > 0 && ![101, 204, 205, 304].includes(status);
    const whole = new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: rest });
    Object.defineProperty(whole, 'url', { value: url.href });
    return whole;
  }
}

async function lookupAll(host: string): Promise<readonly LookupAddress[]> {
  const { lookup } = await import('node:dns/promises');
  return lookup(host, { all: true });
}

function targetOf(from: URL, { status, headers }: Response): URL | undefined {
  const location = REDIRECTS.has(status) ? headers.get('location') : null;
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

function proxiesOf(environment: Environment) {
  const read = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  const httpProxy = read('HTTP_PROXY') ?? read('ALL_PROXY');
  const httpsProxy = read('HTTPS_PROXY') ?? read('ALL_PROXY');
  const noProxy = read('NO_PROXY');
  return {
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  };
}

function refusal(url: URL, why: string): DoorError {
  return new DoorError('FORBIDDEN', `${url.origin}${url.pathname} ${why}: it is not asked`, {
    data: { url: `${url.origin}${url.pathname}` },
    hint: 'Ask those who run the server why its metadata names this.',
  });
}

/** @param waitedMs the time that ran out, if that was it */
function failureOf(thrown: unknown, url: URL, waitedMs: number | undefined): unknown {
  const causes: Error[] = [];
  for (let cause = thrown; cause instanceof Error && causes.length < 8; cause = cause.cause) causes.push(cause);
  const own = causes.find((cause) => cause instanceof DoorError);
  if (own) return own;
  const code = causes.map((cause) => (cause as NodeJS.ErrnoException).code).find((each) => typeof each === 'string');
  // What `fetch` itself says of any failure is that it failed.
  const why = waitedMs === undefined ? (code ?? causes.at(-1)?.message) : `no answer within ${waitedMs / 1000} s`;
  return new DoorError('UPSTREAM_UNREACHABLE', `${url.host} cannot be reached: ${why}`, {
    data: { host: url.host, reason: waitedMs === undefined ? reasonOf(code) : 'timeout' },
    hint: 'Check your network, and whether that server is up.',
    cause: thrown,
  });
}

function reasonOf(code: string | undefined): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'dns';
  if (code === 'ECONNREFUSED') return 'refused';
  if (code?.includes('CERT') || code?.includes('TLS') || code?.includes('SSL')) return 'tls';
  return code?.includes('TIMEOUT') ? 'timeout' : 'reset';
}
