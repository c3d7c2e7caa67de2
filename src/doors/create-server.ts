import { type Clock, DoorError, EventBus, systemClock } from '../base/index.js';
import { type Contract, type Implementation, type Slice, type SliceFacts, sliceContract } from '../contract/index.js';
import {
  type BrokenMount,
  createGateway,
  type Gateway,
  type GatewayOptions,
  localMount,
  type Mount,
} from '../gateway/index.js';
import { assembleHttpDoor } from './assemble-http-door.js';
import { fingerprintMeta } from './fingerprint-meta.js';
import { FetchExchange } from './http/fetch-exchange.js';
import type { RoutedExchange } from './http/http-app.js';
import type { HttpDoor } from './http/http-door.js';
import { anyone, type Identifier } from './http/identity.js';
import type { Readiness } from './http/readiness.js';
import type { PublicOptions } from './surface.js';

export interface ServerOptions
  extends Pick<GatewayOptions, 'limits' | 'validation' | 'secret' | 'store' | 'events' | 'cache'>,
    PublicOptions {
  /** Which of the contract's deployments this is. */
  readonly deployment?: string;
  readonly profile?: string;
  /** The path of the MCP endpoint. Default `/mcp`. */
  readonly path?: string;
  /** Where callers reach it, as a whole URL. Documents name it; a Host header never decides it. */
  readonly publicUrl?: string;
  /** Hosts that requests may name beside those of this machine and of `publicUrl`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages that may call it from a browser. */
  readonly allowedOrigins?: readonly string[];
  /** Tells who a caller is. Default: everybody may come in. */
  readonly identifier?: Identifier;
  /** Other servers whose tools are served too. */
  readonly upstreams?: readonly (Mount | BrokenMount)[];
  /** Sessions at once; one more is refused. Default 1,000. */
  readonly maxSessions?: number;
  /** A session that says nothing for so long ends. Default 30 minutes. */
  readonly idleTimeoutMs?: number;
  /** Where something is listened on, and on which port. Default: something else listens. */
  readonly listening?: { readonly host: string; readonly port: () => number };
  readonly clock?: Clock;
}

/** A contract that is served over HTTP, both eras on one path. */
export interface Server {
  readonly contract: Contract;
  readonly gateway: Gateway;
  /** What is mounted, as it is: who wonders whether the documentation has all of it need not trust the route table. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Answers one request, of the endpoint or of a document; mount it wherever a fetch handler goes. */
  fetch(request: Request): Promise<Response>;
  /** Ends what is under way and whatever was started. */
  close(): Promise<void>;
}

/** The same as the runtimes hold it: with what is closer to the wire than a `Request`. */
export interface OpenServer extends Server {
  readonly door: HttpDoor;
  readonly path: string;
  /** Answers a request that has been made an exchange; `fetch` is this on a `Request`'s own. */
  route(request: Request, exchange: RoutedExchange): Response | Promise<Response>;
}

const DEFAULTS = { path: '/mcp', maxSessions: 1_000, idleTimeoutMs: 30 * 60_000 };

/**
 * Makes a server of a contract and its handlers. Neutral: it runs wherever `fetch` does.
 *
 * @throws {DoorError} CONTRACT_INVALID for a deployment that the contract does not have; CONFIG_INVALID for a path or a public
 * URL that cannot be one
 */
export function createServer(implementation: Implementation, options: ServerOptions = {}): Server {
  const { contract, gateway, routes, fetch, close } = openServer(implementation, options);
  return { contract, gateway, routes, fetch, close };
}

/** As `createServer`, for runtimes. */
export function openServer(implementation: Implementation, options: ServerOptions = {}): OpenServer {
  const { contract } = implementation;
  const { deployment, profile, clock = systemClock, identifier = anyone, publicUrl } = options;
  const { path, maxSessions, idleTimeoutMs } = { ...DEFAULTS, ...defined(options) };
  holdPath(path);
  const facts: SliceFacts = {
    locality: 'remote',
    ...(deployment !== undefined && { deployment }),
    ...(profile !== undefined && { profile }),
  };
  const gateway = gatewayOf(implementation, facts, options);
  const { name, title, version, instructions } = contract.server;
  let isClosed = false;
  const { door, app } = assembleHttpDoor({
    gateway,
    limits: gateway.limits,
    info: { name, ...(title !== undefined && { title }), version },
    ...(instructions !== undefined && { instructions: () => instructions }),
    meta: fingerprintMeta(contract),
    admission: {
      ...(options.listening && { port: options.listening.port }),
      host: options.listening?.host ?? '127.0.0.1',
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
    },
    identifier,
    maxSessions,
    idleTimeoutMs,
    clock,
    path,
    ...(publicUrl !== undefined && { publicUrl }),
    server: contract.server,
    slice: (): Slice => sliceContract(contract, facts),
    documents: options,
    readiness: () => readinessOf(gateway, isClosed),
  });
  const route = (request: Request, exchange: RoutedExchange): Response | Promise<Response> =>
    app.fetch(request, { exchange });
  return {
    contract,
    gateway,
    routes: app.routes.map(({ method, path: at }) => ({ method, path: at })),
    door,
    path,
    route,
    fetch: async (request) => {
      // Not before: some runtimes allow no network until a request is there.
      if (!isClosed) gateway.start();
      return route(request, new FetchExchange(request));
    },
    close: async () => {
      isClosed = true;
      door.refuse(new DoorError('BUSY', 'the server has ended and takes no new requests'));
      await door.close();
      await gateway.close();
    },
  };
}

/** Paths are compared as they come, so that one with anything else in it would never be asked for. */
function holdPath(path: string): void {
  if (typeof path === 'string' && /^\/[A-Za-z0-9._~/-]*$/.test(path)) return;
  throw new DoorError('CONFIG_INVALID', 'the path of the endpoint cannot be served', {
    data: { option: 'path' },
    hint: 'Begin it with /, and use letters, digits and . _ ~ - / alone.',
  });
}

function gatewayOf(implementation: Implementation, facts: SliceFacts, options: ServerOptions): Gateway {
  const { events = new EventBus(), upstreams = [], limits, validation, secret, store, cache, clock } = options;
  const { name, version } = implementation.contract.server;
  return createGateway({
    mounts: [localMount(implementation, { facts, events }), ...upstreams],
    events,
    info: { name, version },
    ...defined({ limits, validation, secret, store, cache, clock }),
  });
}

function readinessOf(gateway: Gateway, isClosed: boolean): Readiness {
  const upstreams = gateway.upstreams().map(({ id, state }) => ({ id, state: state.kind }));
  const degraded = upstreams.filter(({ state }) => state === 'failed' || state === 'closed').map(({ id }) => id);
  return { status: isClosed ? 'draining' : 'ready', degraded, upstreams };
}

/** The members that have a value: an option that is undefined is one that was not given. */
function defined<Options extends object>(
  options: Options,
): { [Key in keyof Options]: Exclude<Options[Key], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
