import type { buildConnector as Connecting } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { trustedContext } from './ca-certificates.js';
import { openTunnel } from './proxy-tunnel.js';

export interface PoolsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connectTimeoutMs: number;
}

/** Between the attempts at a host's several addresses. Node's own 250 ms gives up on slow networks. */
const ADDRESS_ATTEMPT_MS = 1_000;
/** Servers that do not say how long they keep an idle connection commonly do so for 5 s. */
const UNSAID_KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 60_000;
/** We let go of a connection this long before the server does. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/**
 * The connections of one wire, kept between requests and let go of before the server closes them. One that lay idle is
 * looked at before it is used again, and a request that had not been written when it closed goes out on another one: both
 * are undici's doing.
 */
export class HttpPools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<string, Pool>();

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  /**
   * @param origin of the connections' other end
   * @param tunnel the proxy that they are led through
   * @throws where the certificates that the environment names cannot be read
   */
  poolFor(origin: string, tunnel?: URL): Pool {
    const key = `${origin} ${tunnel?.href ?? ''}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(origin, {
        connect: this.#connector(origin, tunnel),
        // How long a request may take is for the client to say; a stream of events may be silent for ever.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: UNSAID_KEEP_ALIVE_MS,
        keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
        keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      });
      this.#pools.set(key, pool);
    }
    return pool;
  }

  close(): void {
    for (const pool of this.#pools.values()) pool.destroy().catch(() => {});
    this.#pools.clear();
  }

  /** A connection is there in time, or the request fails: a server that swallows packets is no reason to wait a minute. */
  #connector(origin: string, tunnel: URL | undefined): Connecting.connector {
    const { env, connectTimeoutMs } = this.#options;
    const secureContext = origin.startsWith('https:') ? trustedContext(env) : undefined;
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
      ...(secureContext !== undefined && { secureContext }),
    } as Connecting.BuildOptions);
    if (tunnel === undefined) return connect;
    return (options, connected) => {
      const to = { host: options.hostname, port: Number(options.port || 443) };
      openTunnel(tunnel, to, connectTimeoutMs, (error, httpSocket) => {
        if (httpSocket === undefined) connected(error!, null);
        else connect({ ...options, httpSocket }, connected);
      });
    };
  }
}
