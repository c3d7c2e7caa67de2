import type { Credential, TokenStore } from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import type { AuthStatus, LoggedOut, LoginOptions } from './oauth-login.js';
import type { OAuthServer } from './oauth-server.js';

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

/** See token-store.ts. */
export async function openTokenStore(environment: Environment): Promise<TokenStore> {
  const { FileTokenStore } = await import('./token-store.js');
  return new FileTokenStore({ environment });
}

/** See keychain.ts. */
export async function whyNoKeychain(environment: Environment): Promise<string | undefined> {
  return (await import('./keychain.js')).whyNoKeychain(environment);
}
