import { resolve } from 'node:path';
import type { EventBus } from '../../base/index.js';
import type { Config, Environment, ServerEntry } from '../../config/index.js';
import type { BrokenMount, GatewayLimits, Mount, Validation } from '../../gateway/index.js';
import { cacheKeyOf } from './cache-key.js';
import { httpUpstream } from './http-upstream.js';
import { loginShellTransport } from './login-shell.js';
import { type SpawnOptions, spawnTransport } from './spawn-transport.js';

export interface MountsOptions {
  /** The folder a relative `cwd` is relative to: the configuration file's. */
  readonly folder: string;
  /** Hears what a server writes to stderr. */
  readonly onStderr?: (server: string, chunk: Uint8Array) => void;
  /** Names proxies, certificates and where credentials are kept; the process's own by default. */
  readonly environment?: Environment;
  /** Hears what becomes of credentials. */
  readonly events?: EventBus;
}

type Ready = Extract<ServerEntry, { readonly kind: 'ready' }>;

/** What a gateway is made of, out of a checked configuration: a mount a server, those that are off left out. */
export function mountsOf(config: Config, options: MountsOptions): readonly (Mount | BrokenMount)[] {
  return config.servers.flatMap((server): (Mount | BrokenMount)[] => {
    // An entry without a name is reported with the configuration; there is nothing to call it by here.
    if (server.kind === 'disabled' || server.id === '') return [];
    if (server.kind === 'broken') return [{ id: server.id, error: server.error }];
    return [mountOf(server, config, options)];
  });
}

function mountOf(server: Ready, config: Config, options: MountsOptions): Mount {
  const { target } = server;
  const { prefix, tools, startTimeoutMs, callTimeoutMs, validation, isolation, era } = server.options;
  return {
    id: server.id,
    ...(target.kind === 'http' ? remote(server, target, config, options) : local(server, target, options)),
    ...(prefix !== undefined && { prefix }),
    ...(tools !== undefined && { tools: { ...tools } }),
    startTimeoutMs: startTimeoutMs ?? config.limits.startTimeoutMs,
    callTimeoutMs: callTimeoutMs ?? config.limits.callTimeoutMs,
    ...(validation !== undefined && { validation: validationOf(validation) }),
    ...(isolation !== undefined && { isolation }),
    ...(era !== undefined && { era }),
  };
}

type Reached = Pick<Mount, 'connect' | 'cacheKey'>;
type Target<Kind> = Extract<Ready['target'], { readonly kind: Kind }>;

function remote(entry: Ready, { url, type, headers }: Target<'http'>, config: Config, options: MountsOptions): Reached {
  const { environment = process.env, events } = options;
  const { maxMessageBytes } = config.limits;
  const upstream = { entry, url, type, headers, maxMessageBytes, environment, ...(events && { events }) };
  const credential = entry.options.oauth?.clientId;
  return {
    connect: () => httpUpstream(upstream),
    cacheKey: cacheKeyOf({ kind: 'http', url, headers, ...(credential !== undefined && { credential }) }),
  };
}

function local({ id, options }: Ready, target: Target<'stdio'>, { folder, onStderr }: MountsOptions): Reached {
  const { command, args, env, cwd } = target;
  const spawn: SpawnOptions = {
    command,
    args,
    env: Object.fromEntries(env),
    ...(cwd !== undefined && { cwd: resolve(folder, cwd) }),
    ...(onStderr && { onStderr: (chunk: Uint8Array) => onStderr(id, chunk) }),
  };
  return {
    connect: () => (options.loginShellPath ? loginShellTransport(spawn) : spawnTransport(spawn)),
    cacheKey: cacheKeyOf({ kind: 'stdio', command, args, env, cwd: spawn.cwd ?? process.cwd() }),
  };
}

/** The part of `validation` that a gateway knows. */
export function validationOf(validation: Partial<Validation>): Partial<Validation> {
  const { invalidArguments, outputs, uncompilableOutput, elicitationFormats, elicitationSchemas } = validation;
  return {
    ...(invalidArguments !== undefined && { invalidArguments }),
    ...(outputs !== undefined && { outputs }),
    ...(uncompilableOutput !== undefined && { uncompilableOutput }),
    ...(elicitationFormats !== undefined && { elicitationFormats }),
    ...(elicitationSchemas !== undefined && { elicitationSchemas }),
  };
}

/** The part of `limits` that a gateway knows; the rest is each mount's. */
export function gatewayLimitsOf({ limits }: Config): GatewayLimits {
  const { maxMessageBytes, maxDepth, maxCallMs, maxInFlight, pageSize } = limits;
  return { maxMessageBytes, maxDepth, maxCallMs, maxInFlight, pageSize };
}
