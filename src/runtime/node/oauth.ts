import { type EventBus, systemClock } from '../../base/index.js';
import { type Authorizer, type Credential, oauthAuthorizer } from '../../client/index.js';
import type { Environment, ServerEntry } from '../../config/index.js';
import { egressFetch } from './egress-fetch.js';
import type { AuthStatus, LoggedOut, LoginOptions } from './oauth-login.js';
import { hasOwnToken, type OAuthServer, oauthServerOf } from './oauth-server.js';
import { FileTokenStore } from './token-store.js';

/**
 * Leave to be at a configured HTTP server, for whoever connects to it. Nothing is loaded and no file is read until a
 * request is made.
 *
 * @returns undefined where the entry names an `Authorization` header itself, or is no HTTP server
 */
export function authorizerFor(
  entry: ServerEntry,
  { environment, events }: { readonly environment: Environment; readonly events?: EventBus },
): Authorizer | undefined {
  const server = oauthServerOf(entry);
  if (!server || hasOwnToken(server)) return undefined;
  const { id, url, config } = server;
  return oauthAuthorizer({
    server: id,
    url,
    config,
    store: new FileTokenStore({ environment }),
    fetch: egressFetch({ server: url, environment }),
    clock: systemClock,
    ...(events && { events }),
  });
}

/** See oauth-login.ts. What only commands need is loaded by them. */
export async function logInTo(options: LoginOptions): Promise<Credential | undefined> {
  return (await import('./oauth-login.js')).logInTo(options);
}

/** See oauth-login.ts. */
export async function logOutOf(server: OAuthServer, environment: Environment): Promise<LoggedOut> {
  return (await import('./oauth-login.js')).logOutOf(server, environment);
}

/** See oauth-login.ts. */
export async function authStatusOf(server: OAuthServer, environment: Environment): Promise<AuthStatus> {
  return (await import('./oauth-login.js')).authStatusOf(server, environment);
}
