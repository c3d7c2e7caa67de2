import { DoorError, type Principal } from '../../base/index.js';
import type { HeaderList } from './exchange.js';
import { type Refusal, refusalOf } from './refusal.js';

/** Who sent a request, or why that is not known. */
export type Identity =
  | { readonly kind: 'known'; readonly principal: Principal }
  /** No token at all. */
  | { readonly kind: 'missing' }
  /** A token that is not good. `why` says nothing of what is in it. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** Whether the token is good cannot be told at the moment. */
  | { readonly kind: 'unsure'; readonly why: string };

/** Tells who a caller is by its `Authorization` header. The token is looked at, and goes nowhere. */
export interface Identifier {
  /** Whoever it finds may have to be waited for: keys come over the network. Never rejects. */
  identify(authorization: string | undefined): Identity | Promise<Identity>;
  /** Scopes that every caller needs. */
  readonly requiredScopes: readonly string[];
  /** Authorization servers that callers can get a token from; none where tokens are made by hand. */
  readonly issuers: readonly string[];
}

const ANONYMOUS: Identity = { kind: 'known', principal: { id: 'anonymous', kind: 'anonymous' } };

/** Where everyone who can reach the door comes in. */
export const anyone: Identifier = { identify: () => ANONYMOUS, requiredScopes: [], issuers: [] };

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
const MAX_TOKEN_CHARACTERS = 16_384;

/** The token of an `Authorization: Bearer` header (RFC 6750 section 2.1). Never taken from anywhere else. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > MAX_TOKEN_CHARACTERS) return undefined;
  return BEARER.exec(authorization)?.[1];
}

/**
 * The answer to a caller who is not let in (MCP basic/authorization; RFC 6750 section 3, RFC 9728 section 5.1).
 *
 * @param metadataUrl where it reads which authorization server to go to; absent where there is none
 * @returns undefined for a caller who may come in
 */
export function challengeOf(
  identity: Identity,
  { requiredScopes }: Identifier,
  metadataUrl: string | undefined,
): Refusal | undefined {
  if (identity.kind === 'known') {
    const missing = requiredScopes.filter((scope) => !identity.principal.scopes?.includes(scope));
    if (missing.length === 0) return undefined;
    const error = new DoorError('FORBIDDEN', 'the token lacks a scope that is needed here', {
      data: { scopes: requiredScopes },
    });
    return refusalOf(403, error, authenticate('insufficient_scope', requiredScopes, metadataUrl));
  }
  // No 401: the caller would throw its token away, which may be as good as any.
  if (identity.kind === 'unsure') return refusalOf(503, new DoorError('BUSY', identity.why), ['Retry-After', '5']);
  const why = identity.kind === 'missing' ? 'a token is needed: Authorization: Bearer' : identity.why;
  const code = identity.kind === 'missing' ? undefined : 'invalid_token';
  return refusalOf(401, new DoorError('AUTH_REQUIRED', why), authenticate(code, requiredScopes, metadataUrl));
}

function authenticate(
  code: string | undefined,
  scopes: readonly string[],
  metadataUrl: string | undefined,
): HeaderList {
  const parameters = [
    'realm="doorward"',
    ...(code === undefined ? [] : [`error="${code}"`]),
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ];
  return ['WWW-Authenticate', `Bearer ${parameters.join(', ')}`];
}
