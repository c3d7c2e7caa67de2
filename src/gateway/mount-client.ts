import { askingOf, Client, type ClientOptions } from '../client/index.js';
import type { FleetOptions } from './fleet-options.js';
import type { Mount, Validation } from './types.js';

const DEFAULT_TIMEOUT_MS = 60_000;

/** What a client tells its mount. */
type Hears = Required<Pick<ClientOptions, 'listed' | 'failed' | 'connected' | 'notified'>>;

/** The client of one mount in one fleet. */
export function mountClient(mount: Mount, validation: Validation, options: FleetOptions, hears: Hears): Client {
  const { gateway, limits, clock, events, caller, capabilities, parked } = options;
  const { elicitationFormats: formats, elicitationSchemas: schemas } = validation;
  return new Client({
    upstream: mount.id,
    connect: mount.connect,
    events,
    clock,
    validation,
    startTimeoutMs: mount.startTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    callTimeoutMs: mount.callTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxCallMs: limits.maxCallMs,
    maxMessageBytes: limits.maxMessageBytes,
    maxDepth: limits.maxDepth,
    maxInFlight: limits.maxInFlight,
    info: gateway.info ?? { name: 'doorward', version: '0.0.0' },
    comesAndGoes: mount.presence !== undefined,
    ...(gateway.random !== undefined && { random: gateway.random }),
    ...(mount.era !== undefined && { era: mount.era }),
    ...(capabilities !== undefined && {
      capabilities,
      ask: askingOf({ upstream: mount.id, ...(caller && { caller }), events, clock, parked, formats, schemas }),
    }),
    ...hears,
  });
}
