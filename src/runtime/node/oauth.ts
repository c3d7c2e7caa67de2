import { type EventBus, systemClock } from '../../base/index.js';
import { type Authorizer, oauthAuthorizer } from '../../client/index.js';
import type { Environment, ServerEntry } from '../../config/index.js';
import { egressFetch } from './egress-fetch.js';
import { hasOwnToken, oauthServerOf } from './oauth-server.js';
import { FileTokenStore } from './token-store.js';

export interface AuthorizerFor {
  readonly environment: Environment;
  readonly events?: EventBus;
  /** See `OAuthServer`. */
  readonly realm?: string;
  readonly command?: string;
}

/**
 * Leave to be at a configured HTTP server, for whoever connects to it. No file is read until a
 * request is made.
 *
 * @returns undefined where the entry names an `Authorization` header itself, or is no HTTP server
 */
export function authorizerFor(
  entry: ServerEntry,
  { environment, events, realm, command }: AuthorizerFor,
): Authorizer | undefined {
  const server = oauthServerOf(entry);
  if (!server || hasOwnToken(server)) return undefined;
  const { id, url, config } = server;
  return oauthAuthorizer({
    server: id,
    url,
    config,
    store: new FileTokenStore({ environment, ...(realm !== undefined && { realm }) }),
    fetch: egressFetch({ server: url, environment }),
    clock: systemClock,
    ...(events && { events }),
    ...(command !== undefined && { command }),
  });
}
