import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Principal } from '../../base/index.js';
import { bearerTokenOf, type Identifier, type Identity } from './identity.js';

export interface NamedToken {
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly sha256: string;
  readonly scopes: readonly string[];
}

const MISSING: Identity = { kind: 'missing' };
const INVALID: Identity = { kind: 'invalid', why: 'the token is not known here' };

/** Knows callers by tokens that were made by hand. Every token is compared, in constant time: how long it takes tells nothing. */
export function tokenIdentifier(tokens: readonly NamedToken[], requiredScopes: readonly string[] = []): Identifier {
  const known = tokens.map(({ name, sha256: digest, scopes }) => {
    const principal: Principal = { id: `token:${name}`, kind: 'token', scopes };
    return { digest: hexToBytes(digest.toLowerCase()), identity: { kind: 'known', principal } as const };
  });
  return {
    requiredScopes,
    issuers: [],
    identify(authorization) {
      if (authorization === undefined) return MISSING;
      const token = bearerTokenOf(authorization);
      if (token === undefined) return INVALID;
      const digest = sha256(utf8ToBytes(token));
      let found: Identity = INVALID;
      for (const each of known) if (isEqual(each.digest, digest)) found = each.identity;
      return found;
    },
  };
}

/** Whether two digests are the same; takes as long whichever byte differs. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
