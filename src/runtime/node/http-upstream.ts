import { type EventBus, systemClock } from '../../base/index.js';
import type { Transport } from '../../client/index.js';
import type { Environment, ServerEntry } from '../../config/index.js';
import { DeferredTransport } from './deferred-transport.js';

type HttpEntry = Extract<ServerEntry, { readonly kind: 'ready' }>;

export interface HttpUpstreamOptions {
  readonly entry: HttpEntry;
  readonly url: string;
  readonly type: 'http' | 'sse' | 'streamable-http';
  readonly headers: ReadonlyMap<string, string>;
  readonly maxMessageBytes: number;
  readonly environment: Environment;
  readonly events?: EventBus;
  /** Keeps its tokens apart from those of others for the same server: see `OAuthServer`. */
  readonly realm?: string;
  /** The command that logs in, where it is not `doorward login` with the id of the entry. */
  readonly command?: string;
}

/** A remote server. What HTTP needs is loaded when the first one is connected to. */
export function httpUpstream(options: HttpUpstreamOptions): Transport {
  const { entry, url, type, headers, maxMessageBytes, environment, events, realm, command } = options;
  const make = async (): Promise<Transport> => {
    const { authorizerFor, makeHttpTransport } = await import('./http-loaded.js');
    const authorizer = authorizerFor(entry, {
      environment,
      ...(events && { events }),
      ...(realm !== undefined && { realm }),
      ...(command !== undefined && { command }),
    });
    return makeHttpTransport(environment, {
      url,
      type: type === 'http' ? 'auto' : type,
      headers: Object.fromEntries(headers),
      ...(authorizer && { authorizer }),
      clock: systemClock,
      maxMessageBytes,
      server: entry.id,
    });
  };
  return new DeferredTransport({ kind: 'http', hasStreams: true, make });
}
