import type { LogInOptions } from './login.js';
import type { Credential, EgressFetch } from './types.js';

export { type AuthorizerOptions, oauthAuthorizer } from './authorizer.js';
export type { LogInOptions, UserAgent } from './login.js';
export { probeChallenge } from './probe.js';
export {
  type Credential,
  changeRecord,
  currentOf,
  type EgressFetch,
  hasLoggedInSince,
  isBearerToken,
  type OAuthConfig,
  type ServerRecord,
  type StoredClient,
  type TokenStore,
  type Tokens,
  type Wanted,
} from './types.js';

/** See login.ts. What speaks OAuth is loaded at use: most runs never need it. */
export async function logIn(options: LogInOptions): Promise<Credential | undefined> {
  return (await import('./login.js')).logIn(options);
}

/** See revoke.ts. */
export async function revokeTokens(options: { credential: Credential; fetch: EgressFetch }): Promise<boolean> {
  return (await import('./revoke.js')).revokeTokens(options);
}
