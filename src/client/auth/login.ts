import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  OAuthError,
  type OAuthTokens,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { type Clock, DoorError, randomId } from '../../base/index.js';
import { readChallenge } from './challenge.js';
import { type Discovered, discover } from './discovery.js';
import { loginCommand } from './hints.js';
import { insecure, loginFailure } from './login-failure.js';
import { chooseClient } from './registration.js';
import { selectScope, unionOf } from './scopes.js';
import { fetchOrTrouble } from './trouble.js';
import {
  type Credential,
  changeRecord,
  type EgressFetch,
  isBearerToken,
  type OAuthConfig,
  type ServerRecord,
  type StoredClient,
  type TokenAnswer,
  type TokenStore,
  type Tokens,
  withCredential,
} from './types.js';

/** Whoever shows a page to the user, and hears where it sends them. The runtime supplies it. */
export interface UserAgent {
  /** Where the page is to send the user. */
  readonly redirectUri: string;
  /**
   * @param state what the redirect has to carry; one without it is not an answer to this request
   * @returns the parameters of the redirect
   */
  ask(url: string, state: string): Promise<URLSearchParams>;
}

export interface LogInOptions {
  /** The server's id, for messages. */
  readonly server: string;
  readonly url: string;
  readonly config: OAuthConfig;
  /** The `WWW-Authenticate` header that the server answers with now; '' where it has none. */
  readonly challenge: string;
  readonly clientMetadataUrl?: string | undefined;
  readonly store: TokenStore;
  readonly fetch: EgressFetch;
  readonly clock: Clock;
  readonly agent: UserAgent;
}

/**
 * Logs in: finds the authorization server, sends the user there, and keeps what comes back. One attempt has one verifier
 * and one state, both of which live in this call alone.
 *
 * @returns undefined where the server does not say that it wants to be authorized
 * @throws {DoorError} AUTH_REQUIRED where the user or the server says no; FORBIDDEN where issuers or resources do not
 *   match; UPSTREAM_UNREACHABLE where somebody cannot be asked just now
 */
export async function logIn(options: LogInOptions): Promise<Credential | undefined> {
  try {
    return await attempt(options);
  } catch (thrown) {
    throw loginFailure(thrown, options.server);
  }
}

async function attempt(options: LogInOptions): Promise<Credential | undefined> {
  const { server, url, config, store, fetch, clock, agent } = options;
  const record = await store.read(url);
  const challenge = readChallenge(options.challenge);
  const discovered = await discover({
    url,
    resourceMetadata: challenge.resourceMetadata ?? record?.wanted?.resourceMetadata,
    preferred: record?.current,
    fetch,
    nowMs: clock.nowMs(),
  });
  if (!discovered) return undefined;
  const { issuer, metadata } = discovered;
  checkProofKeys(issuer, metadata);
  checkIssuerOfClient(server, config, record, issuer);
  const before = record?.credentials.find((credential) => credential.issuer === issuer);
  const scope = selectScope({
    configured: config.scope,
    // A server may greet everybody and ask for a token later: then our own probe is not challenged, but a request was.
    challenged: challenge.scope ?? (record?.wanted?.reason === 'unauthorized' ? record.wanted.scope : undefined),
    resource: discovered.scopes,
    before: unionOf(before?.asked, before?.scope),
    lacking: record?.wanted?.reason === 'insufficient-scope' ? record.wanted.scope : undefined,
    server: metadata.scopes_supported,
  });
  const { redirectUri } = agent;
  const { clientMetadataUrl } = options;
  const client = await chooseClient({
    server,
    discovered,
    config,
    clientMetadataUrl,
    redirectUri,
    scope,
    fetch,
    clock,
  });
  const code = await askUser(options, discovered, client, scope);
  const tokens = await exchange(options, discovered, client, code);
  const credential = credentialOf({ discovered, client, tokens, scope, nowMs: clock.nowMs() });
  await changeRecord(store, url, (now) => loggedIn(now, credential));
  return credential;
}

/** MCP basic/authorization/security-considerations, Authorization Code Protection: without PKCE we do not proceed. */
function checkProofKeys(issuer: string, { code_challenge_methods_supported: methods }: AuthorizationServerMetadata) {
  if (methods?.includes('S256')) return;
  throw new DoorError('FORBIDDEN', `${issuer} does not say that it supports PKCE with S256`, {
    data: { issuer, code_challenge_methods_supported: methods ?? null },
    hint: 'Ask those who run it to show code_challenge_methods_supported in its metadata.',
  });
}

/**
 * A client of the configuration belongs to the authorization server it was first used with. A server that suddenly names
 * another one does not get its secret.
 */
function checkIssuerOfClient(
  server: string,
  { clientId }: OAuthConfig,
  record: ServerRecord | undefined,
  issuer: string,
): void {
  const used = record?.credentials.find(({ client }) => client.origin === 'configured' && client.id === clientId);
  if (clientId === undefined || !used || used.issuer === issuer) return;
  throw new DoorError('FORBIDDEN', `${server} now names ${issuer}, but its clientId was used with ${used.issuer}`, {
    data: { server, expected: used.issuer, found: issuer },
    hint: `If that is right, run doorward logout for it, and configure a client of the new one.`,
  });
}

const STATE_BYTES = 32;

interface Code {
  readonly code: string;
  readonly codeVerifier: string;
  readonly iss: string | undefined;
}

async function askUser(
  { server, agent }: LogInOptions,
  { issuer, metadata, resource }: Discovered,
  client: StoredClient,
  scope: string | undefined,
): Promise<Code> {
  const state = randomId(STATE_BYTES);
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: { client_id: client.id },
    redirectUrl: agent.redirectUri,
    state,
    resource,
    ...(scope !== undefined && { scope }),
  });
  const { protocol, hostname } = authorizationUrl;
  // No other scheme: each may start a program, whoever its host is.
  const isLocal = protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !isLocal) throw insecure(metadata.authorization_endpoint);
  const answer = await agent.ask(authorizationUrl.href, state);
  const iss = answer.get('iss') ?? undefined;
  checkIssuerOfAnswer(iss, issuer, metadata);
  const code = answer.get('code');
  if (code !== null) return { code, codeVerifier, iss };
  const error = answer.get('error') ?? 'no code and no error';
  const description = answer.get('error_description');
  throw new DoorError('AUTH_REQUIRED', `${issuer} did not authorize doorward: ${description ?? error}`, {
    data: { server, issuer, error },
    hint: error === 'access_denied' ? `Run: ${loginCommand(server)}` : 'Ask those who run it, with this message.',
  });
}

/** RFC 9207 section 2.4, before anything of the answer is used or shown. */
function checkIssuerOfAnswer(iss: string | undefined, issuer: string, metadata: AuthorizationServerMetadata): void {
  const issParameterSupported =
    (metadata as Record<string, unknown>).authorization_response_iss_parameter_supported === true;
  try {
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported });
  } catch (cause) {
    throw new DoorError('FORBIDDEN', `the answer came from ${iss ?? 'no issuer'}, expected was ${issuer}`, {
      data: { expected: issuer, found: iss ?? null },
      hint: 'Nothing was sent anywhere. Somebody may stand between you and the authorization server.',
      cause,
    });
  }
}

async function exchange(
  { server, agent, fetch, clock }: LogInOptions,
  { issuer, metadata, resource }: Discovered,
  client: StoredClient,
  { code, codeVerifier, iss }: Code,
): Promise<OAuthTokens> {
  try {
    return await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: clientInformationOf(client),
      authorizationCode: code,
      codeVerifier,
      redirectUri: agent.redirectUri,
      resource,
      ...(iss !== undefined && { iss }),
      fetchFn: fetchOrTrouble(fetch, clock),
    });
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    const isOurs = client.origin === 'configured' && thrown.code === 'invalid_client';
    throw new DoorError('AUTH_REQUIRED', `${issuer} gave no token: ${thrown.code}`, {
      data: { server, issuer, error: thrown.code },
      hint: isOurs
        ? `Check oauth.clientId and oauth.clientSecret in the entry of ${server}.`
        : `Run: ${loginCommand(server)}`,
      cause: thrown,
    });
  }
}

/** A client as the SDK wants it. */
export function clientInformationOf({ id, secret, authMethod }: StoredClient) {
  return {
    client_id: id,
    ...(secret !== undefined && { client_secret: secret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}

function credentialOf(facts: {
  readonly discovered: Discovered;
  readonly client: StoredClient;
  readonly tokens: OAuthTokens;
  readonly scope: string | undefined;
  readonly nowMs: number;
}): Credential {
  const { discovered, client, tokens, nowMs } = facts;
  const { issuer, metadata, resource } = discovered;
  const { token_endpoint: tokenEndpoint, token_endpoint_auth_methods_supported: tokenAuthMethods } = metadata;
  const revocationEndpoint = (metadata as Record<string, unknown>).revocation_endpoint;
  const scope = tokens.scope ?? facts.scope;
  return {
    issuer,
    resource,
    client,
    tokenEndpoint,
    ...(typeof revocationEndpoint === 'string' && { revocationEndpoint }),
    ...(tokenAuthMethods !== undefined && { tokenAuthMethods }),
    ...(scope !== undefined && { scope }),
    ...(facts.scope !== undefined && { asked: facts.scope }),
    tokens: tokensOf(tokens, nowMs),
    loggedInAtMs: nowMs,
  };
}

/**
 * Tokens as they are kept.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL for one that is no bearer token, or that no header can carry
 */
export function tokensOf(answer: TokenAnswer, nowMs: number): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds, token_type: type } = answer;
  const what = type.toLowerCase() === 'bearer' ? 'holds characters that no header can carry' : 'is no bearer token';
  if (type.toLowerCase() !== 'bearer' || !isBearerToken(access)) {
    throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `the token that was given ${what}`, {
      hint: 'Ask those who run the authorization server.',
    });
  }
  return {
    access,
    givenAtMs: nowMs,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { expiresAtMs: nowMs + seconds * 1000 }),
  };
}

/** The new credential is in use, and nothing is wanted any more. */
function loggedIn({ wanted: _, ...record }: ServerRecord, credential: Credential): ServerRecord {
  return { ...withCredential(record, credential), current: credential.issuer };
}
