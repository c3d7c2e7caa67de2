import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/index.js';
import { bearerTokenOf, type Identifier, type Identity } from './identity.js';

export interface IssuerOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri: string;
  readonly requiredScopes?: readonly string[];
  /** Fetches the keys. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** Hears why the keys cannot be read, at most every half minute: callers are told no more than that. */
  readonly onTrouble?: (why: string) => void;
}

/** Signatures that whoever can check them cannot make. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** How far the two clocks may be apart, in seconds. */
const SKEW_S = 30;
/** A token that was found good is not looked into again for so long: a signature costs as much as a call. */
const TRUSTED_MS = 60_000;
const MAX_TRUSTED = 1_000;
const TROUBLE_EVERY_MS = 30_000;

const MISSING: Identity = { kind: 'missing' };
const NAMELESS = invalid('the sub of the token is no text that names somebody');

interface Trusted {
  readonly identity: Identity;
  readonly untilMs: number;
}

/**
 * Knows callers by the access tokens of an authorization server (JWT, RFC 9068): signed with one of its keys, by it, for
 * us, and not expired. Both spellings of the audience count, with and without a slash at the end, and nothing else.
 */
export function issuerIdentifier(options: IssuerOptions): Identifier {
  const { issuer, requiredScopes = [], clock } = options;
  const trusted = new LRUCache<string, Trusted>({ max: MAX_TRUSTED });
  let verifier: Promise<Verify> | undefined;
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  const refuse = (thrown: unknown): Identity => {
    const identity = whyNot(thrown);
    if (identity.kind === 'unsure' && clock.monotonicMs() >= quietUntilMs) {
      quietUntilMs = clock.monotonicMs() + TROUBLE_EVERY_MS;
      options.onTrouble?.((thrown as Error).message);
    }
    return identity;
  };
  return {
    requiredScopes,
    issuers: [issuer],
    identify(authorization) {
      if (authorization === undefined) return MISSING;
      const token = bearerTokenOf(authorization);
      if (token === undefined) return invalid('the Authorization header holds no bearer token');
      const known = trusted.get(token);
      if (known !== undefined && known.untilMs > clock.nowMs()) return known.identity;
      verifier ??= makeVerifier(options);
      return verifier
        .then((verify) => verify(token))
        .then(({ identity, expiresAtMs }) => {
          trusted.set(token, { identity, untilMs: Math.min(expiresAtMs, clock.nowMs() + TRUSTED_MS) });
          return identity;
        }, refuse);
    },
  };
}

type Verify = (token: string) => Promise<{ readonly identity: Identity; readonly expiresAtMs: number }>;

/** Loaded when the first token comes: few doors need it. */
async function makeVerifier({ issuer, audience, jwksUri, fetch, clock }: IssuerOptions): Promise<Verify> {
  const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose');
  const keys = createRemoteJWKSet(new URL(jwksUri), { [customFetch]: fetch });
  const plain = audience.endsWith('/') ? audience.slice(0, -1) : audience;
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: [plain, `${plain}/`],
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_S,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(clock.nowMs()),
    });
    // What is no name would be one for many: an object is spelled as any other is.
    const { sub }: { readonly sub?: unknown } = payload;
    if (typeof sub !== 'string' || sub === '') return { identity: NAMELESS, expiresAtMs: 0 };
    // Neither part can hold a space where it matters: an issuer is an address.
    const id = `${issuer} ${sub}`;
    const principal = { id, kind: 'token', scopes: scopesOf(payload) } as const;
    return { identity: { kind: 'known', principal }, expiresAtMs: (payload.exp ?? 0) * 1_000 };
  };
}

/** Scopes come as one text with spaces (RFC 8693 section 4.2), or as a list. */
function scopesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const scopes = claims.scope ?? claims.scp;
  if (typeof scopes === 'string') return scopes.split(' ').filter(Boolean);
  return Array.isArray(scopes) ? scopes.filter((each) => typeof each === 'string') : [];
}

function invalid(why: string): Identity {
  return { kind: 'invalid', why };
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'the token was not made by the issuer, or not for this door',
  ERR_JWT_INVALID: 'the token is no good token',
  ERR_JWS_INVALID: 'the token is no good token',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the token is not good',
  ERR_JWKS_NO_MATCHING_KEY: 'the token was signed with a key that the issuer does not name',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token does not say which key it was signed with',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is signed in a way that is not taken',
  ERR_JOSE_NOT_SUPPORTED: 'the token is signed in a way that is not taken',
};

/** What may be told of why a token is not taken: nothing of the token itself. Without keys nothing can be said of it. */
function whyNot(thrown: unknown): Identity {
  const why = REASONS[(thrown as { readonly code?: string } | null)?.code ?? ''];
  return why === undefined ? { kind: 'unsure', why: 'the keys of the issuer cannot be read' } : invalid(why);
}
