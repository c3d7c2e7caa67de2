import { type Clock, DoorError, type EventBus } from '../../base/index.js';
import type { Environment, HttpAuth, HttpSettings } from '../../config/index.js';
import { type Contract, type ServerIdentity, sliceContract } from '../../contract/index.js';
import {
  type HttpDoor,
  type HttpDoorOptions,
  type Identifier,
  loadHttpDoor,
  type Readiness,
} from '../../doors/index.js';
import { buildStamp } from './build-stamp.js';
import { guardedFetch } from './egress.js';
import { type HttpServer, listenHttp } from './http-server.js';

export interface HttpDoorSetup {
  readonly http: HttpSettings;
  /** What stands behind the door. */
  readonly served: Pick<HttpDoorOptions, 'gateway' | 'limits' | 'info' | 'instructions' | 'meta'>;
  readonly readiness: () => Readiness;
  /** Who the door is to the public, where the configuration does not say. */
  readonly identity: ServerIdentity;
  /** The contract of tools of its own, where it serves any. */
  readonly contract?: Contract;
  /** When the program was made, RFC 3339; SOURCE_DATE_EPOCH counts more. */
  readonly builtAt?: string;
  readonly environment: Environment;
  readonly clock: Clock;
}

/** A door that is open on a port. */
export interface OpenHttpDoor {
  readonly door: HttpDoor;
  readonly server: HttpServer;
  /** Where callers on this machine reach it. */
  readonly url: string;
}

/**
 * Opens the door that the configuration describes.
 *
 * @throws {DoorError} CONFIG_INVALID where everybody on the network could come in, or the address cannot be listened on
 */
export async function openHttpDoor(setup: HttpDoorSetup): Promise<OpenHttpDoor> {
  const { http, served, readiness, environment, clock } = setup;
  const { host, path, publicUrl, allowedHosts, allowedOrigins, maxSessions, idleTimeoutMs } = http;
  refuseOpenBind(http);
  const lib = await loadHttpDoor();
  let port = http.port;
  const { events } = served.gateway;
  const identifier = identifierOf(http.auth, { lib, environment, clock, events });
  const { tools: publicTools, servers: publicServers, contact, registryAuth } = http.discovery;
  const generatedAt = buildStamp(environment) ?? setup.builtAt;
  const { door, app } = lib.assembleHttpDoor({
    ...served,
    identifier,
    admission: { port: () => port, host, allowedHosts, allowedOrigins },
    maxSessions,
    idleTimeoutMs,
    clock,
    path,
    ...(publicUrl !== undefined && { publicUrl }),
    server: identityOf(http, setup.identity),
    slice: () => setup.contract && sliceContract(setup.contract, { locality: 'remote' }),
    documents: {
      publicTools,
      publicServers,
      ...(contact !== undefined && { contact }),
      ...(registryAuth !== undefined && { registryAuth }),
      ...(generatedAt !== undefined && { generatedAt }),
    },
    readiness,
  });
  const server = await listenHttp(http, {
    path,
    endpoint: (exchange) => door.handle(exchange),
    fetch: (request, bindings) => app.fetch(request, bindings),
  });
  port = server.port;
  return { door, server, url: `http://${shownHost(host)}:${port}${path}` };
}

/** Who the door is: what the configuration says of it, and doorward where that says nothing. */
function identityOf({ discovery }: HttpSettings, identity: ServerIdentity): ServerIdentity {
  const { name, title, description, websiteUrl } = discovery;
  const own = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(websiteUrl !== undefined && { websiteUrl }),
  };
  if (name === undefined) return { ...identity, ...own };
  // Somebody else's door: its pages and sources are not doorward's.
  return { name, description: identity.description, version: identity.version, ...own };
}

/** What telling callers apart needs. */
export interface Means {
  readonly lib: Awaited<ReturnType<typeof loadHttpDoor>>;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly events: EventBus;
}

/** Tells callers apart as the configuration says. */
export function identifierOf(auth: HttpAuth | undefined, { lib, environment, clock, events }: Means): Identifier {
  if (auth === undefined) return lib.anyone;
  if (auth.kind === 'tokens') return lib.tokenIdentifier(auth.tokens, auth.requiredScopes);
  // The address of the keys is the operator's own word, so wherever that lies may be asked.
  const fetch = guardedFetch({ server: auth.jwksUri, environment });
  const onTrouble = (why: string): void => {
    const message = `the keys of ${auth.issuer} cannot be read, so callers get 503: ${why}`;
    events.emit('door.warning', { warning: 'keys-unreadable', message });
  };
  return lib.issuerIdentifier({ ...auth, fetch, clock, onTrouble });
}

/** Whoever can reach the port can do whatever the servers behind it can: on a network that is nobody's choice by default. */
export function refuseOpenBind({ host, auth }: Pick<HttpSettings, 'host' | 'auth'>): void {
  if (auth !== undefined || isLoopback(host)) return;
  throw new DoorError('CONFIG_INVALID', `http.host is ${host}, and everybody who can reach it could come in`, {
    data: { reason: 'open-bind', host },
    hint: 'Set http.auth: "tokens", or "issuer", "audience" and "jwksUri". Or listen on 127.0.0.1.',
  });
}

/** Whether only this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** The host by which callers on this machine reach what listens on an address. */
export function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '[::]') return '127.0.0.1';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
