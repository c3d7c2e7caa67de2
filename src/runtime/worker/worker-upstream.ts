import type { Clock } from '../../base/index.js';
import { type HttpTransportOptions, type HttpWire, httpTransport } from '../../client/index.js';
import type { Mount } from '../../gateway/index.js';
import { UnlisteningTransport } from './unlistening-transport.js';

/** Another server, reached over HTTP, whose tools are served beside the contract's own. */
export interface WorkerUpstream extends Omit<Mount, 'connect' | 'isLocal' | 'aliases' | 'access' | 'cacheKey'> {
  /** The address of its MCP endpoint; take it from `env` where it is not the same everywhere. */
  readonly url: string;
  /** Sent with each request. Secrets come from `env`: `{ Authorization: 'Bearer ' + env.TEAM_TOKEN }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long its lists are taken to be as they were, in milliseconds. Default 300,000. */
  readonly relistAfterMs?: number;
  /** Bytes of one message. Default 8 MiB: an isolate has 128 MiB in all. */
  readonly maxMessageBytes?: number;
}

const RELIST_AFTER_MS = 300_000;
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** What a Worker's gateway is given of an upstream. */
export function mountOf(
  { url, headers = {}, relistAfterMs = RELIST_AFTER_MS, maxMessageBytes = MAX_MESSAGE_BYTES, ...mount }: WorkerUpstream,
  { wire, clock }: { readonly wire: HttpWire; readonly clock: Clock },
): Mount {
  const options: HttpTransportOptions = {
    url,
    headers,
    // The older HTTP+SSE has one stream for all answers, which no request of a Worker's could keep open.
    type: 'streamable-http',
    wire,
    clock,
    maxMessageBytes,
    server: mount.id,
  };
  return {
    ...mount,
    connect: () => new UnlisteningTransport({ inner: httpTransport(options), clock, relistAfterMs }),
  };
}
