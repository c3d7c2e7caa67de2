import type { Surface } from './types.js';

/** Where callers get their tokens from (RFC 9728). @returns undefined where they get none by themselves */
export function protectedResource({ auth, publicUrl, server }: Surface): object | undefined {
  if (publicUrl === undefined || auth?.kind !== 'issuer') return undefined;
  const { issuers, scopes } = auth;
  return {
    resource: publicUrl,
    authorization_servers: issuers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    resource_name: server.title ?? server.name,
  };
}
