import { EventBus } from '../base/index.js';
import type { CatalogCache, Gateway, Mount } from '../gateway/index.js';
import { FileCatalogCache, gatewayLimitsOf, mountsOf, remoteMounts, validationOf } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { LoadedConfig } from './load-config.js';
import type { OwnMountOptions } from './own/mount.js';
import { stderrLines } from './server-lines.js';
import { VERSION } from './version.js';

export interface OpenOptions {
  /** Show what servers write to stderr. */
  readonly isVerbose: boolean;
  /** The caller reads exit codes, not results: a refusal is always an error. */
  readonly isOneShot: boolean;
  /** Overrides how long a server may take to start. */
  readonly startTimeoutMs?: number;
  /** The remote is mounted, while somebody is signed in there. */
  readonly hasRemote?: boolean;
}

/** A gateway before the configured servers. Nothing is started yet. */
export async function openGateway(loaded: LoadedConfig, cli: Cli, options: OpenOptions): Promise<Gateway> {
  const { config, folder } = loaded;
  const { isVerbose, isOneShot, startTimeoutMs } = options;
  const { environment } = cli;
  const events = new EventBus();
  const mounts = mountsOf(config, {
    folder,
    environment,
    events,
    ...(isVerbose && { onStderr: stderrLines(cli.err) }),
  });
  const refuse = isOneShot ? { invalidArguments: 'protocol-error' as const } : {};
  const start = startTimeoutMs === undefined ? {} : { startTimeoutMs };
  const adjust = (mount: Mount): Mount => ({ ...mount, ...start, validation: { ...mount.validation, ...refuse } });
  const cache = new FileCatalogCache({ environment: cli.environment });
  const own = config.ownTools
    ? await openOwnMount({ events, gatewayOf: () => gateway, taken: mounts.map(({ id }) => id) })
    : [];
  const remote = options.hasRemote
    ? remoteMounts({
        environment,
        events,
        taken: [...own, ...mounts].map(({ id }) => id),
        maxMessageBytes: config.limits.maxMessageBytes,
        callTimeoutMs: config.limits.callTimeoutMs,
        ...(config.ownTools && { fingerprint: await ownFingerprint() }),
      })
    : [];
  const gateway: Gateway = await cli.createGateway({
    mounts: [...own, ...mounts.map((mount) => ('error' in mount ? mount : adjust(mount))), ...remote],
    events,
    prefix: config.prefix,
    validation: { ...validationOf(config.validation), ...refuse },
    limits: gatewayLimitsOf(config),
    ...(config.http.secret !== undefined && { secret: config.http.secret }),
    cache: isOneShot ? writeOnly(cache) : cache,
    info: { name: 'doorward', version: VERSION },
  });
  return gateway;
}

/** Its contract and zod are loaded by those who want it. */
async function openOwnMount(options: OwnMountOptions): Promise<readonly Mount[]> {
  const { ownMount } = await import('./own/mount.js');
  return [ownMount(options)];
}

async function ownFingerprint(): Promise<string> {
  return (await import('./own/contract.js')).contract.fingerprint;
}

/** Whoever asks once wants to know how things are now; others may still profit from what was found out. */
function writeOnly(cache: CatalogCache): CatalogCache {
  return { read: () => undefined, write: (key, catalog) => cache.write(key, catalog) };
}
