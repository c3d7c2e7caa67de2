import { DoorError, EventBus, systemClock } from '../../base/index.js';
import type { HttpAuth } from '../../config/index.js';
import type { Contract, Implementation, SliceFacts } from '../../contract/index.js';
import { fingerprintMeta, loadHttpDoor, openServer, type ServerOptions } from '../../doors/index.js';
import { type BrokenMount, createGateway, type GatewayOptions, localMount, type Mount } from '../../gateway/index.js';
import { buildStamp } from './build-stamp.js';
import { FileCatalogCache } from './catalog-store.js';
import { type EventLogOptions, logEvents } from './event-log.js';
import { identifierOf, refuseOpenBind, shownHost } from './http-door.js';
import { listenHttp } from './http-server.js';
import { LogStream } from './log-stream.js';
import { remoteMounts } from './remote-mounts.js';
import { isRemoteNamed } from './remote-record.js';
import { runStdioDoor, type StdioEnd } from './stdio.js';

export interface ServeOptions extends Omit<ServerOptions, 'listening' | 'identifier'> {
  /** Default 127.0.0.1. Anything but this machine itself needs `auth`. */
  readonly host?: string;
  /** 0: any that is free. Default 7450. */
  readonly port?: number;
  /** Who may come in; as `http.auth` of the configuration. Default: everybody on this machine. */
  readonly auth?: HttpAuth;
  /** What is written to stderr. Default: warnings, as text on a terminal and JSON elsewhere; false: nothing. */
  readonly log?: Partial<EventLogOptions> | false;
}

/** A server that is listening. */
export interface RunningServer {
  /** Where callers on this machine reach the endpoint. */
  readonly url: string;
  readonly port: number;
  /** Takes nothing new, lets what is under way end for `graceMs` (default 10,000), then ends everything. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const PORT = 7450;
const GRACE_MS = 10_000;

/**
 * Serves a contract over HTTP, on Node.
 *
 * @throws {DoorError} CONFIG_INVALID where everybody on the network could come in, or the address cannot be listened on
 */
export async function serve(implementation: Implementation, options: ServeOptions = {}): Promise<RunningServer> {
  const { host = '127.0.0.1', auth, log, events = new EventBus(), ...rest } = options;
  refuseOpenBind({ host, ...(auth && { auth }) });
  const stopLog = log === false ? () => {} : logEvents(events, logOptions(log));
  const lib = await loadHttpDoor();
  const identifier = identifierOf(auth, { lib, environment: process.env, clock: systemClock, events });
  let { port = PORT } = options;
  const generatedAt = options.generatedAt ?? buildStamp(process.env);
  const server = openServer(implementation, {
    ...rest,
    events,
    identifier,
    listening: { host, port: () => port },
    ...(generatedAt !== undefined && { generatedAt }),
  });
  const listening = await listenHttp(
    { host, port },
    {
      path: server.path,
      endpoint: (exchange) => server.door.handle(exchange),
      fetch: (request, { exchange }) => server.route(request, exchange),
    },
  ).catch(async (thrown: unknown) => {
    await server.close();
    throw thrown;
  });
  port = listening.port;
  server.gateway.start();
  const close = async ({ graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> => {
    listening.stop();
    const reason = new DoorError('BUSY', 'the server is ending and takes no new requests');
    server.door.refuse(reason);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    try {
      await Promise.race([server.door.whenIdle(), late]).finally(() => clearTimeout(timer));
      server.door.abandon(new DoorError('UPSTREAM_LOST', 'the server ended', { data: { outcome: 'unknown' } }));
      await server.close();
    } finally {
      await listening.close();
      stopLog();
    }
  };
  return { url: `http://${shownHost(host)}:${port}${server.path}`, port, close };
}

export interface ServeStdioOptions extends Pick<GatewayOptions, 'limits' | 'validation' | 'events' | 'cache'> {
  readonly deployment?: string;
  readonly profile?: string;
  /** Other servers whose tools are served too. */
  readonly upstreams?: readonly (Mount | BrokenMount)[];
  /**
   * Leaves what does not need this machine to a server elsewhere, whose tools are mounted: the one at this URL, or `true` for the
   * one that the user has named by `doorward login URL --program NAME`. As long as nobody has, and by default, all of the contract
   * is served here.
   */
  readonly remote?: boolean | string;
  readonly log?: Partial<EventLogOptions> | false;
}

/** Serves a contract to one caller on stdin and stdout, until it leaves or a signal comes. */
export function serveStdio(implementation: Implementation, options: ServeStdioOptions = {}): Promise<StdioEnd> {
  const { contract } = implementation;
  const { deployment, profile, upstreams = [], remote = false, log, events = new EventBus(), ...rest } = options;
  const { name, title, version, instructions } = contract.server;
  const hasRemote = remote === true ? isRemoteNamed({ environment: process.env, program: name }) : remote !== false;
  const facts: SliceFacts = {
    ...(deployment !== undefined && { deployment }),
    ...(profile !== undefined && { profile }),
    ...(hasRemote && { locality: 'local' as const }),
  };
  const info = { name, ...(title !== undefined && { title }), version };
  const near = [localMount(implementation, { facts, events }), ...upstreams];
  const gateway = createGateway({
    mounts: [...near, ...remoteOf(contract, near, { remote, events })],
    events,
    info,
    cache: new FileCatalogCache({ environment: process.env }),
    ...rest,
  });
  if (log !== false) logEvents(events, logOptions(log));
  return runStdioDoor({
    limits: gateway.limits,
    info,
    ...(instructions !== undefined && { instructions: () => instructions }),
    meta: fingerprintMeta(contract),
    open: async () => gateway,
  });
}

/** Last of all: where a name is wanted twice, what is near has it. */
function remoteOf(
  { server, fingerprint }: Contract,
  near: readonly { readonly id: string }[],
  { remote, events }: { readonly remote: boolean | string; readonly events: EventBus },
): readonly Mount[] {
  if (remote === false) return [];
  const taken = near.map(({ id }) => id);
  return remoteMounts({ program: server.name, fingerprint, events, taken, ...(remote !== true && { url: remote }) });
}

function logOptions(given: Partial<EventLogOptions> = {}): EventLogOptions {
  const format = given.format ?? (process.stderr.isTTY ? 'text' : 'json');
  return { format, level: 'warn', stream: new LogStream(process.stderr, format), ...given };
}
