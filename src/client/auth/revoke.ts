import type { Credential, EgressFetch } from './types.js';

/**
 * Tells the authorization server that the tokens are not needed any more (RFC 7009). Best effort: they are forgotten here
 * whatever it says.
 *
 * @returns whether it agreed to all; false too where it has no such endpoint
 */
export async function revokeTokens({
  credential,
  fetch,
}: {
  credential: Credential;
  fetch: EgressFetch;
}): Promise<boolean> {
  const { revocationEndpoint, tokens, client } = credential;
  if (revocationEndpoint === undefined || tokens === undefined) return false;
  // The refresh token first: with it, servers end what was made of it.
  const each = [
    ...(tokens.refresh === undefined ? [] : ([['refresh_token', tokens.refresh]] as const)),
    ['access_token', tokens.access] as const,
  ];
  let areAllGone = true;
  for (const [kind, token] of each) {
    const body = new URLSearchParams({ token, token_type_hint: kind, client_id: client.id });
    if (client.secret !== undefined) body.set('client_secret', client.secret);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    try {
      const response = await fetch(revocationEndpoint, { method: 'POST', headers, body, redirect: 'manual' });
      areAllGone &&= response.ok;
    } catch {
      areAllGone = false;
    }
  }
  return areAllGone;
}
