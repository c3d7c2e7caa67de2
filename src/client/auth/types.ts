/** HTTP to whatever a stranger's metadata names. The runtime supplies it, and guards it: see `egressFetch`. */
export type EgressFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a server's entry says about logging in there. */
export interface OAuthConfig {
  /** A client registered beforehand, or the https URL of a client's metadata document. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Asked for instead of what the server asks for. */
  readonly scope?: string;
  /** The port of the redirect, for servers that compare it; else any that is free. */
  readonly redirectPort?: number;
}

/** As what we are known at an authorization server. */
export interface StoredClient {
  readonly id: string;
  readonly secret?: string;
  /** `given`: none was needed, the token was handed to us. */
  readonly origin: 'configured' | 'metadata-document' | 'registered' | 'given';
  /** `token_endpoint_auth_method`, where the registration said one. */
  readonly authMethod?: string;
  /** The authorization server has said that it does not know this client (any more). */
  readonly isUnknown?: boolean;
}

export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  /** Epoch milliseconds; absent where the server did not say. */
  readonly expiresAtMs?: number;
  /** Epoch milliseconds at which the authorization server gave them. */
  readonly givenAtMs: number;
}

/**
 * What one authorization server gave us for one server. It is bound to its issuer: nothing of it is sent to another (MCP
 * basic/authorization/client-registration, Authorization Server Binding).
 */
export interface Credential {
  readonly issuer: string;
  /** What the tokens are for: the `resource` of their requests (RFC 8707). */
  readonly resource: string;
  readonly client: StoredClient;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly tokenAuthMethods?: readonly string[];
  /** The scopes granted; those asked for where the server did not say. */
  readonly scope?: string;
  /** The scopes asked for, which a wider login asks for again. */
  readonly asked?: string;
  /** Absent once they are dead. */
  readonly tokens?: Tokens;
  /** Epoch milliseconds of the login; a refresh does not change it. */
  readonly loggedInAtMs: number;
}

/** What a login is needed for, so that the command that is run later knows. */
export interface Wanted {
  readonly reason: 'unauthorized' | 'insufficient-scope';
  /** The challenge's scopes, together with those we had. */
  readonly scope?: string;
  readonly resourceMetadata?: string;
}

/** All that is kept of one server. */
export interface ServerRecord {
  readonly server: string;
  /** The issuer whose credential is in use. */
  readonly current?: string;
  /** One an issuer. */
  readonly credentials: readonly Credential[];
  readonly wanted?: Wanted;
}

/** Where tokens lie. The runtime supplies it; several processes share one. */
export interface TokenStore {
  /** Cheap while nothing has changed: asked before every request. Sees at once what another process has written. */
  read(server: string): Promise<ServerRecord | undefined>;
  /** Only inside `locked`. @param record undefined removes what is there */
  write(server: string, record: ServerRecord | undefined): Promise<void>;
  /** Runs `task` while no other process and nobody else here does so for this server. */
  locked<Result>(server: string, task: () => Promise<Result>): Promise<Result>;
}

/** Changes what is kept of a server. @returns what is kept now */
export function changeRecord(
  store: TokenStore,
  server: string,
  change: (record: ServerRecord) => ServerRecord,
): Promise<ServerRecord> {
  return store.locked(server, async () => {
    const record = change((await store.read(server)) ?? { server, credentials: [] });
    await store.write(server, record);
    return record;
  });
}

/** Whether an `Authorization` header can carry it. A line break in it would be a header of its own. */
export function isBearerToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The credential in use. */
export function currentOf(record: ServerRecord | undefined): Credential | undefined {
  return record?.credentials.find(({ issuer }) => issuer === record.current);
}

/** The record with this credential in the place of its issuer's. */
export function withCredential(record: ServerRecord, credential: Credential): ServerRecord {
  const others = record.credentials.filter(({ issuer }) => issuer !== credential.issuer);
  return { ...record, credentials: [...others, credential] };
}

/** Whether somebody has logged in at `sinceMs` or after. */
export function hasLoggedInSince(record: ServerRecord | undefined, sinceMs: number): boolean {
  const credential = currentOf(record);
  return credential?.tokens !== undefined && credential.loggedInAtMs >= sinceMs;
}

/** What a token endpoint answers (RFC 6749 section 5.1), as far as it is kept. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  /** Seconds. */
  readonly expires_in?: number | undefined;
}
