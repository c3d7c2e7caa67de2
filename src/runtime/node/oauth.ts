import { type EventBus, systemClock } from '../../base/index.js';
import { type Authorizer, type Credential, type OAuthConfig, oauthAuthorizer } from '../../client/index.js';
import type { Environment, ServerEntry } from '../../config/index.js';
import { egressFetch } from './egress-fetch.js';
import type { AuthStatus, LoggedOut, LoginOptions } from './oauth-login.js';
import { FileTokenStore } from './token-store.js';

/** A server that is reached over HTTP, as far as logging in there is concerned. */
export interface OAuthServer {
  /** Its id in the configuration. */
  readonly id: string;
  readonly url: string;
  /** Headers of its entry, in lower case or not. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly config: OAuthConfig;
}

/** @returns undefined for what is no HTTP server that can be used */
export function oauthServerOf(entry: ServerEntry): OAuthServer | undefined {
  if (entry.kind !== 'ready' || entry.target.kind !== 'http') return undefined;
  const { url, headers } = entry.target;
  return { id: entry.id, url, headers: Object.fromEntries(headers), config: entry.options.oauth ?? {} };
}

/** Whether its entry brings a token of its own: then there is nothing to log in to. */
export function hasOwnToken({ headers = {} }: OAuthServer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

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
