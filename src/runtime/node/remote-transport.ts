import type { Transport } from '../../client/index.js';
import { httpUpstream } from './http-upstream.js';

export interface RemoteOptions {
  /** The address of the server, http or https. */
  readonly url: string;
  /** Sent with each request. With an `Authorization` among them nobody is asked to log in. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `auto` finds out; `sse` is the older HTTP+SSE (MCP 2024-11-05). Default `auto`. */
  readonly type?: 'auto' | 'streamable-http' | 'sse';
  /** What messages call it, and `doorward login` takes. Default: the host of its address. */
  readonly server?: string;
  /** Bytes of one message. Default 32 MiB. */
  readonly maxMessageBytes?: number;
}

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * A connection to a remote server, for `Mount.connect`: with the proxies and certificates that the environment of this
 * process names, and the tokens that `doorward login` keeps. Loads what HTTP needs when it is opened.
 */
export function remoteTransport(options: RemoteOptions): Transport {
  const { url, headers = {}, maxMessageBytes = MAX_MESSAGE_BYTES } = options;
  const { type = 'auto', server = new URL(url).host } = options;
  const target = {
    kind: 'http',
    type: type === 'auto' ? 'http' : type,
    url,
    headers: new Map(Object.entries(headers)),
  } as const;
  return httpUpstream({
    ...target,
    entry: { kind: 'ready', id: server, target, options: {} },
    maxMessageBytes,
    environment: process.env,
  });
}
