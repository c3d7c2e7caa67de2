import { DoorError } from '../../base/index.js';
import type { EgressFetch } from './types.js';

/** What a server answers to somebody who shows no token. */
export interface Probed {
  readonly status: number;
  /** Its `WWW-Authenticate` header, '' where there is none. */
  readonly challenge: string;
}

/**
 * Knocks at a server without a token, to hear how it wants to be authorized. The message is the handshake's, which does
 * nothing by itself.
 *
 * @throws {DoorError} UPSTREAM_UNREACHABLE where it cannot be reached
 */
export async function probeChallenge(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: EgressFetch;
}): Promise<Probed> {
  const { url, headers, fetch } = options;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doorward', version: '1' } },
  });
  const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  try {
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...own }, body, redirect: 'manual' });
    return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' };
  } catch (thrown) {
    if (thrown instanceof DoorError) throw thrown;
    throw new DoorError('UPSTREAM_UNREACHABLE', `${url} cannot be reached: ${(thrown as Error).message}`, {
      hint: 'Check the url in the configuration, and your network.',
      cause: thrown,
    });
  }
}
