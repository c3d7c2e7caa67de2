import { OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import type { Clock } from '../../base/index.js';
import { clientInformationOf, tokensOf } from './login.js';
import { fetchOrTrouble, TemporaryTrouble, troubleOfFailure } from './trouble.js';
import type { Credential, EgressFetch } from './types.js';

export interface RefreshOptions {
  readonly credential: Credential;
  readonly fetch: EgressFetch;
  readonly clock: Clock;
}

/** What became of it. Only `dead` means that the tokens are worth nothing any more. */
export type Refreshed =
  | { readonly kind: 'refreshed'; readonly credential: Credential }
  | { readonly kind: 'dead' }
  | { readonly kind: 'client-unknown' }
  | { readonly kind: 'trouble'; readonly trouble: TemporaryTrouble };

const ATTEMPTS = 2;
const PAUSE_MS = 500;
/** A longer wait than this is not sat out: the caller waits meanwhile. */
const MAX_PAUSE_MS = 5_000;

/**
 * Asks for a new access token. A server that is slow, broken or busy has said nothing about the token: it is asked once
 * more, after the time it names, and what is stored stays.
 */
export async function refreshCredential(options: RefreshOptions): Promise<Refreshed> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await refreshOnce(options);
    if (outcome.kind !== 'trouble' || !outcome.trouble.mayRetry || attempt === ATTEMPTS) return outcome;
    const pauseMs = outcome.trouble.retryAfterMs ?? PAUSE_MS;
    if (pauseMs > MAX_PAUSE_MS) return outcome;
    await new Promise<void>((resolve) => void options.clock.schedule(pauseMs, resolve));
  }
}

async function refreshOnce({ credential, fetch, clock }: RefreshOptions): Promise<Refreshed> {
  const { issuer, resource, client, tokens, tokenEndpoint, tokenAuthMethods, scope } = credential;
  if (tokens?.refresh === undefined) return { kind: 'dead' };
  try {
    const answer = await refreshAuthorization(issuer, {
      metadata: {
        issuer,
        authorization_endpoint: tokenEndpoint,
        token_endpoint: tokenEndpoint,
        response_types_supported: ['code'],
        ...(tokenAuthMethods !== undefined && { token_endpoint_auth_methods_supported: [...tokenAuthMethods] }),
      },
      clientInformation: clientInformationOf(client),
      refreshToken: tokens.refresh,
      resource,
      fetchFn: fetchOrTrouble(fetch, clock),
    });
    const granted = answer.scope ?? scope;
    const renewed = { ...credential, tokens: tokensOf(answer, clock.nowMs()) };
    return { kind: 'refreshed', credential: granted === undefined ? renewed : { ...renewed, scope: granted } };
  } catch (thrown) {
    return outcomeOf(thrown);
  }
}

function outcomeOf(thrown: unknown): Refreshed {
  if (thrown instanceof OAuthError) {
    if (thrown.code === 'invalid_grant') return { kind: 'dead' };
    if (thrown.code === 'invalid_client' || thrown.code === 'unauthorized_client') return { kind: 'client-unknown' };
    return troubled(`it answered ${thrown.code}`, thrown);
  }
  const trouble = troubleOfFailure(thrown);
  // Whatever else it is (a page instead of JSON, a guard's refusal), it says nothing about the token.
  return trouble ? { kind: 'trouble', trouble } : troubled(messageOf(thrown), thrown);
}

function troubled(message: string, cause: unknown): Refreshed {
  return { kind: 'trouble', trouble: new TemporaryTrouble(message, { mayRetry: false, cause }) };
}

/** A parser's message quotes what it read, which may be a token. */
function messageOf(thrown: unknown): string {
  return thrown instanceof SyntaxError || (thrown as Error).name === 'ZodError'
    ? 'it answered with something that is no token'
    : (thrown as Error).message;
}
