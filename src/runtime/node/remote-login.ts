import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CancelSignal, DoorError, EventBus, randomId } from '../../base/index.js';
import { type Credential, isBearerToken, probeChallenge } from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import { createGateway, type UpstreamState } from '../../gateway/index.js';
import { FileCatalogCache } from './catalog-store.js';
import { egressFetch } from './egress-fetch.js';
import { makeFolder } from './make-folder.js';
import { type AuthStatus, authStatusOf, logInTo, logOutOf } from './oauth-login.js';
import type { OAuthServer } from './oauth-server.js';
import { remoteConnection } from './remote-mounts.js';
import { remoteCacheKey } from './remote-presence.js';
import {
  GIVEN,
  OWN_PROGRAM,
  type RemoteRecord,
  readRemote,
  realmOf,
  remoteLoginCommand,
  remotePath,
  remoteText,
  shownUrl,
} from './remote-record.js';
import { FileTokenStore } from './token-store.js';
import { sha256Of } from './trust-store.js';

export interface RemoteLoginOptions {
  readonly environment: Environment;
  /** Whose remote it is to be. Default `doorward`. */
  readonly program?: string;
  /** As the user wrote it. */
  readonly url: string;
  /** A bearer token that was handed to us, instead of a login in a browser. */
  readonly token?: string;
  /** Shows the page to the user. */
  readonly show: (url: string) => Promise<void>;
  /** Another process shows its page already. */
  readonly onWaiting?: () => void;
  readonly timeoutMs: number;
  readonly signal?: CancelSignal;
}

export interface SignedIn {
  readonly url: string;
  /** `open`: the remote asks nobody to sign in. */
  readonly by: 'oauth' | 'token' | 'open';
  readonly credential?: Credential;
  /** How the remote was found; what is wrong with it now, where anything is, costs no login. */
  readonly state: UpstreamState;
  /** The remote that it was before, where that was another one: nobody is signed in there any more. */
  readonly replaced?: string;
}

const MAX_TOKEN_CHARACTERS = 16_384;

/**
 * Names the remote of a program, and signs in there: by OAuth, with a token, or not at all where nobody is asked to.
 *
 * @throws {DoorError} CONFIG_INVALID for a URL or a token that cannot be one; AUTH_REQUIRED, UPSTREAM_UNREACHABLE and as
 *   `logInTo` where nothing came of it: the remote that was named before stays
 */
export async function logInToRemote(options: RemoteLoginOptions): Promise<SignedIn> {
  const { environment, program = OWN_PROGRAM, token } = options;
  const path = getRemotePath(environment, program);
  const url = readRemoteUrl(options.url);
  const entered =
    token === undefined ? await byBrowser(url, program, options) : await byToken(url, program, { ...options, token });
  const before = readRemote(path);
  const replaced = before.kind === 'record' && before.record.url !== url ? before.record : undefined;
  const { by, credential } = entered;
  const principal = await principalOf(credential);
  const session = { id: randomId(16), principal, hasTokens: by !== 'open' };
  await writeRecord(path, { url, changedAtMs: Date.now(), session });
  if (before.kind === 'record') forgetCatalog(environment, program, before.record, { url, principal });
  // What lies there for nobody to see would lie there for ever.
  if (replaced !== undefined) await logOutOf(serverOf(replaced.url, program), environment);
  return { url, ...entered, ...(replaced && { replaced: replaced.url }) };
}

type Entered = Pick<SignedIn, 'by' | 'credential' | 'state'>;

async function byBrowser(url: string, program: string, options: RemoteLoginOptions): Promise<Entered> {
  const { environment } = options;
  const server = serverOf(url, program);
  if (!isPrivate(url)) {
    const { status } = await probeChallenge({ url, headers: {}, fetch: egressFetch({ server: url, environment }) });
    if (status === 401) throw notPrivate(url);
  }
  const credential = await logInTo({ ...options, server });
  const state = await meet(url, { environment, program });
  if (credential !== undefined) return { by: 'oauth', credential, state };
  // Nothing was asked of anybody: all that tells that there is a server is that it can be used.
  if (state.kind === 'failed') throw state.error;
  return { by: 'open', state };
}

async function byToken(
  url: string,
  program: string,
  { environment, token: text }: RemoteLoginOptions & { readonly token: string },
): Promise<Entered> {
  const token = readToken(text);
  if (!isPrivate(url)) throw notPrivate(url);
  const headers = new Map([['authorization', `Bearer ${token}`]]);
  const state = await meet(url, { environment, program, headers });
  if (state.kind === 'failed') {
    const isRefused = state.error.code === 'AUTH_REQUIRED' || state.error.code === 'FORBIDDEN';
    if (!isRefused) throw state.error;
    throw new DoorError('AUTH_REQUIRED', `${shownUrl(url)} does not take this token`, {
      data: { url: shownUrl(url) },
      hint: 'Nothing was kept. Ask those who run it for another one.',
      cause: state.error,
    });
  }
  const nowMs = Date.now();
  const credential: Credential = {
    issuer: GIVEN,
    resource: url,
    client: { id: GIVEN, origin: 'given' },
    tokenEndpoint: '',
    tokens: { access: token, givenAtMs: nowMs },
    loggedInAtMs: nowMs,
  };
  const store = new FileTokenStore({ environment, realm: realmOf(program) });
  const record = { server: url, current: GIVEN, credentials: [credential] };
  await store.locked(url, () => store.write(url, record));
  return { by: 'token', credential, state };
}

/** Connects once, as `stdio` will. */
async function meet(
  url: string,
  options: {
    readonly environment: Environment;
    readonly program: string;
    readonly headers?: ReadonlyMap<string, string>;
  },
): Promise<UpstreamState> {
  const id = shownUrl(url);
  const connect = () => remoteConnection(url, options);
  const gateway = createGateway({ mounts: [{ id, connect, startTimeoutMs: 20_000 }], events: new EventBus() });
  try {
    return (await gateway.whenSettled(id)).state;
  } finally {
    await gateway.close();
  }
}

/** @throws {DoorError} CONFIG_INVALID */
export function readRemoteUrl(text: string): string {
  const wrong = (why: string, hint: string): DoorError =>
    new DoorError('CONFIG_INVALID', `the URL of the remote ${why}`, { hint });
  if (!URL.canParse(text)) throw wrong('cannot be read', 'Write it whole: https://gateway.example/mcp');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw wrong(`begins with ${url.protocol}`, 'Only https and http lead to a server.');
  if (url.username || url.password)
    throw wrong('holds a name or a password', 'Take it out, and sign in with --token-stdin.');
  url.hash = '';
  return url.href;
}

function readToken(text: string): string {
  const token = text.trim();
  if (token !== '' && token.length <= MAX_TOKEN_CHARACTERS && isBearerToken(token)) return token;
  const why =
    token === ''
      ? 'there is none'
      : token.length > MAX_TOKEN_CHARACTERS
        ? `it has ${token.length} characters`
        : 'no header can carry it';
  throw new DoorError('CONFIG_INVALID', `stdin holds no token: ${why}`, {
    hint: 'Write the token alone, on one line, without the word Bearer.',
  });
}

/** Nobody between us and it can read along. */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function notPrivate(url: string): DoorError {
  return new DoorError('CONFIG_INVALID', `${shownUrl(url)} is not https: whoever is in between could read the token`, {
    hint: 'Ask those who run it for an https URL.',
  });
}

function serverOf(url: string, program: string): OAuthServer {
  const command = remoteLoginCommand(url, program);
  return {
    id: shownUrl(url),
    url,
    config: {},
    realm: realmOf(program),
    command,
    tokenHint: `Ask those who run it for a token, and hand it over: ${command} --token-stdin < FILE`,
  };
}

/** Who is signed in: the same for the same account, as far as its token says whose it is. */
async function principalOf(credential: Credential | undefined): Promise<string> {
  const { issuer = '', tokens } = credential ?? {};
  if (tokens === undefined) return 'nobody';
  return sha256Of(JSON.stringify([issuer, subjectOf(tokens.access) ?? tokens.access]));
}

/** Of a token that is a JWT. Nobody is let in by it: it only tells accounts apart. */
function subjectOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { sub } = (claims ?? {}) as { readonly sub?: unknown };
    return typeof sub === 'string' && sub !== '' ? sub : undefined;
  } catch {
    return undefined;
  }
}

export interface RemoteLogoutOptions {
  readonly environment: Environment;
  /** Whose remote it is. Default `doorward`. */
  readonly program?: string;
  /** The remote that is meant, where the user named one: signing out of another is refused. */
  readonly url?: string;
  /** It is not the program's remote any more either. */
  readonly isForgotten?: boolean;
}

export interface RemoteLoggedOut {
  /** The remote that nobody is signed in at any more; absent where there was none. */
  readonly url?: string;
  readonly hadTokens: boolean;
  readonly isRevoked: boolean;
}

/**
 * Signs out of the remote of a program: its tokens, and what is kept of its tools, are gone.
 *
 * @throws {DoorError} CONFIG_INVALID where `url` names another server than the remote
 */
export async function logOutOfRemote(options: RemoteLogoutOptions): Promise<RemoteLoggedOut> {
  const { environment, program = OWN_PROGRAM, isForgotten = false } = options;
  const path = getRemotePath(environment, program);
  const found = readRemote(path);
  const named = options.url === undefined ? undefined : readRemoteUrl(options.url);
  if (found.kind !== 'record') {
    if (found.kind === 'unusable') rmSync(path, { force: true });
    return { hadTokens: false, isRevoked: false };
  }
  const { url, session, changedAtMs } = found.record;
  if (named !== undefined && named !== url) {
    throw new DoorError('CONFIG_INVALID', `the remote is ${shownUrl(url)}, not ${shownUrl(named)}`, {
      hint: 'Leave the URL out to sign out of it.',
    });
  }
  // First, so that no process goes on with what is being taken away.
  if (isForgotten) rmSync(path, { force: true });
  else await writeRecord(path, { url, changedAtMs: session === undefined ? changedAtMs : Date.now() });
  forgetCatalog(environment, program, found.record);
  return { url, ...(await logOutOf(serverOf(url, program), environment)) };
}

export interface RemoteStatus {
  readonly url: string;
  /** Epoch milliseconds. */
  readonly changedAtMs: number;
  /** `open`: it asks nobody to sign in. */
  readonly status: AuthStatus | { readonly state: 'open' };
}

/**
 * How it stands with the remote of a program; asks nobody.
 *
 * @returns undefined where none is named
 * @throws {DoorError} CONFIG_INVALID where its file cannot be used
 */
export async function remoteStatusOf(
  environment: Environment,
  program = OWN_PROGRAM,
): Promise<RemoteStatus | undefined> {
  const path = remotePath(environment, program);
  const found = path === undefined ? undefined : readRemote(path);
  if (found?.kind === 'unusable') {
    throw new DoorError('CONFIG_INVALID', `the login at the remote cannot be read: ${found.reason}`, {
      hint: `Run: ${remoteLoginCommand(undefined, program)}`,
    });
  }
  if (found?.kind !== 'record') return undefined;
  const { url, changedAtMs, session } = found.record;
  const isOpen = session !== undefined && !session.hasTokens;
  const kept = await authStatusOf(serverOf(url, program), environment);
  const status = kept.state === 'none' ? { ...kept, state: 'needed' as const } : kept;
  return { url, changedAtMs, status: isOpen ? { state: 'open' } : status };
}

/** What is kept on disk for one principal is not there for the next one. */
function forgetCatalog(
  environment: Environment,
  program: string,
  { url, session }: RemoteRecord,
  next?: { readonly url: string; readonly principal: string },
): void {
  if (session === undefined) return;
  const key = remoteCacheKey({ url, program, principal: session.principal });
  if (next !== undefined && remoteCacheKey({ ...next, program }) === key) return;
  new FileCatalogCache({ environment }).remove(key);
}

async function writeRecord(path: string, record: RemoteRecord): Promise<void> {
  const { writeWhole } = await import('./write-whole.js');
  try {
    makeFolder(dirname(path));
    await writeWhole(path, remoteText(record), { mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DoorError('CONFIG_INVALID', `which remote it is cannot be kept in ${path}: ${code}`, {
      hint: 'Set XDG_CONFIG_HOME to a folder that you may write to.',
      cause,
    });
  }
}

function getRemotePath(environment: Environment, program: string): string {
  const path = remotePath(environment, program);
  if (path !== undefined) return path;
  throw new DoorError('CONFIG_INVALID', 'there is no place to keep which remote it is', {
    hint: 'Set HOME or XDG_CONFIG_HOME.',
  });
}
