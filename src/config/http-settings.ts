import type { Walk } from './check-field.js';
import type { JsoncMember, JsoncNode } from './jsonc.js';
import type { Path } from './place.js';
import type { ProblemFacts } from './problem.js';

/** A token that was made by hand. The token itself is nowhere; what it is compared with is its digest. */
export interface HttpToken {
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly sha256: string;
  readonly scopes: readonly string[];
}

/** Who may come in by HTTP. */
export type HttpAuth = { readonly requiredScopes: readonly string[] } & (
  | { readonly kind: 'tokens'; readonly tokens: readonly HttpToken[] }
  | { readonly kind: 'issuer'; readonly issuer: string; readonly audience: string; readonly jwksUri: string }
);

/** What everybody may know of the door, beside what can be seen of it. */
export interface DiscoverySettings {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  /** Patterns of names, as lists show them. */
  readonly tools: readonly string[];
  /** Ids. */
  readonly servers: readonly string[];
  readonly contact?: string;
  readonly registryAuth?: string;
}

/** The group `http`, every setting with its value. */
export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly secret?: string;
  readonly maxSessions: number;
  readonly idleTimeoutMs: number;
  readonly discovery: DiscoverySettings;
  /** Absent: everyone who can reach the door comes in. */
  readonly auth?: HttpAuth;
}

/** The members of `http.auth` that mean an authorization server. */
const OF_AN_ISSUER = ['issuer', 'audience', 'jwksUri'];

/**
 * Checks what the fields of `http.auth` say together. A mistake here costs the whole file: an `auth` that means nobody
 * must not be read as one that means everybody.
 */
export function checkHttpAuth(walk: Walk, http: JsoncMember | undefined): void {
  const auth = http && findMember(http.value, 'auth');
  if (auth?.value.type !== 'object') return;
  const path = ['http', 'auth'];
  const complain = (node: JsoncNode, facts: Omit<ProblemFacts, 'place' | 'path'>, field?: string): void =>
    void walk.report(node, { ...facts, path: field === undefined ? path : [...path, field] });
  const tokens = findMember(auth.value, 'tokens');
  const written = OF_AN_ISSUER.filter((name) => findMember(auth.value, name) !== undefined);
  if (tokens && written.length > 0) {
    return complain(auth.key, {
      kind: 'conflicting-fields',
      message: `has both tokens and ${written[0]}`,
      hint: 'Keep one.',
    });
  }
  if (!tokens && written.length === 0) {
    const hint = 'Write "tokens": [{ "name": "…", "sha256": "…" }], or "issuer", "audience" and "jwksUri".';
    return complain(auth.key, { kind: 'missing-field', message: 'lets nobody in', hint });
  }
  if (tokens) return checkTokens(walk, tokens.value, [...path, 'tokens']);
  for (const name of OF_AN_ISSUER.filter((each) => !written.includes(each))) {
    complain(auth.key, { kind: 'missing-field', message: `is missing beside ${written[0]}` }, name);
  }
}

function checkTokens(walk: Walk, node: JsoncNode, path: Path): void {
  if (node.type === 'array' && (node.children ?? []).length === 0) {
    walk.report(node, { kind: 'missing-field', path, message: 'lets nobody in: there is no token' });
  }
  // Two people under one name could not be told apart; one token under two names could be either.
  for (const name of ['name', 'sha256']) {
    const seen = new Set<string>();
    for (const [at, token] of (node.children ?? []).entries()) {
      const value = findMember(token, name)?.value;
      const text = String(value?.value).toLowerCase();
      if (value && seen.has(text)) {
        walk.report(value, {
          kind: 'conflicting-fields',
          path: [...path, at, name],
          message: 'another token has the same',
        });
      }
      seen.add(text);
    }
  }
}

function findMember(node: JsoncNode, name: string): Omit<JsoncMember, 'name'> | undefined {
  const [key, value] = node.children?.findLast((property) => property.children?.[0]?.value === name)?.children ?? [];
  return key && value && { key, value };
}

/** What was read of `http`, defaults laid under it, as the door wants it. */
export type WrittenHttp = Omit<HttpSettings, 'auth'> & {
  readonly auth?: {
    readonly tokens?: readonly HttpToken[];
    readonly issuer?: string;
    readonly audience?: string;
    readonly jwksUri?: string;
    readonly requiredScopes: readonly string[];
  };
};

/** Says which of the two ways of letting callers in was written. `checkHttpAuth` has seen it. */
export function httpSettingsOf({ auth, ...http }: WrittenHttp): HttpSettings {
  if (auth === undefined) return Object.freeze(http);
  const { tokens, issuer = '', audience = '', jwksUri = '', requiredScopes } = auth;
  const ways: HttpAuth = tokens
    ? { kind: 'tokens', tokens, requiredScopes }
    : { kind: 'issuer', issuer, audience, jwksUri, requiredScopes };
  return Object.freeze({ ...http, auth: Object.freeze(ways) });
}
