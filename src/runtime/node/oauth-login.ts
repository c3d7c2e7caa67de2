import { setTimeout as wait } from 'node:timers/promises';
import { CallSignal, type CancelSignal, DoorError, orAborted, systemClock } from '../../base/index.js';
import {
  type Credential,
  currentOf,
  type EgressFetch,
  hasLoggedInSince,
  logIn,
  probeChallenge,
  revokeTokens,
  type ServerRecord,
} from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import { egressFetch } from './egress-fetch.js';
import { listenForRedirect } from './oauth-listener.js';
import type { OAuthServer } from './oauth-server.js';
import { FileTokenStore } from './token-store.js';

const POLL_MS = 150;

export interface LoginOptions {
  readonly server: OAuthServer;
  readonly environment: Environment;
  /** Shows the page to the user; called once at most, and not where another process shows one already. */
  readonly show: (url: string) => Promise<void>;
  /** Another process shows its page already: the user is to go there. */
  readonly onWaiting?: () => void;
  readonly timeoutMs: number;
  readonly signal?: CancelSignal;
}

/**
 * Logs in to a server with the user's help. Of several processes that want to at once, one shows a page, and all have what
 * comes of it.
 *
 * @returns undefined where the server does not want anybody to log in
 * @throws {DoorError} TIMEOUT where the user did not answer in time; and as `logIn` does
 */
export async function logInTo(options: LoginOptions): Promise<Credential | undefined> {
  const { server, timeoutMs, signal } = options;
  const ending = new CallSignal();
  const onAbort = { handleEvent: () => ending.abort(signal?.reason) };
  if (signal?.aborted) ending.abort(signal.reason);
  signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => ending.abort(tooLate(server, timeoutMs)), timeoutMs);
  try {
    return await takeTurn({ ...options, ending });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

interface Turn extends LoginOptions {
  /** Ends the wait: the user had enough, or the time is over. */
  readonly ending: CallSignal;
}

async function takeTurn(turn: Turn): Promise<Credential | undefined> {
  const { server, environment, ending } = turn;
  const startedMs = Date.now();
  const store = storeOf(server, environment);
  for (let isFirst = true; ; isFirst = false) {
    const release = await store.tryLogin(server.url);
    try {
      // Whoever has, or had, the turn may have done it for all.
      const record = await store.read(server.url);
      if (hasLoggedInSince(record, startedMs)) return currentOf(record);
      if (release) return await attempt(turn, store);
    } finally {
      await release?.();
    }
    if (isFirst) turn.onWaiting?.();
    await orAborted(wait(POLL_MS), ending);
  }
}

async function attempt({ server, environment, show, ending }: Turn, store: FileTokenStore) {
  const { id, url, headers = {}, config } = server;
  const { fetch, stop } = endingFetch(egressFetch({ server: url, environment }), ending);
  const listener = await listenForRedirect(config.redirectPort ?? 0);
  try {
    const { status, challenge } = await orAborted(probeChallenge({ url, headers, fetch }), ending);
    const agent = {
      redirectUri: listener.redirectUri,
      ask: async (page: string, state: string) => {
        // Listening before the page is shown: a browser that is still logged in answers at once.
        const answer = listener.waitFor(state);
        await show(page);
        return orAborted(answer, ending);
      },
    };
    const login = logIn({ server: id, url, config, challenge, store, fetch, clock: systemClock, agent });
    const credential = await orAborted(login, ending);
    if (!credential && status === 401) throw saysNotHow(server);
    return credential;
  } finally {
    stop();
    listener.close();
  }
}

/** A fetch whose requests end with the login: one that hangs would keep the process for as long as it may take. */
function endingFetch(
  fetch: EgressFetch,
  ending: CallSignal,
): { readonly fetch: EgressFetch; readonly stop: () => void } {
  const { signal, abort } = abortOn(ending);
  return {
    fetch: (url, init) =>
      fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
    stop: abort,
  };
}

function abortOn(ending: CallSignal): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(ending.aborted ? ending.reason : undefined);
  ending.addEventListener('abort', { handleEvent: abort });
  if (ending.aborted) abort();
  return { signal: controller.signal, abort };
}

function saysNotHow({ id, url, tokenHint }: OAuthServer): DoorError {
  return new DoorError('AUTH_REQUIRED', `${id} wants a token, but says nowhere where to get one`, {
    data: { server: id, url },
    hint: tokenHint ?? 'Ask those who run it for a token, and set it as Authorization in headers of its entry.',
  });
}

function tooLate({ id }: OAuthServer, timeoutMs: number): DoorError {
  return new DoorError('TIMEOUT', `nobody has logged in to ${id} within ${Math.round(timeoutMs / 1000)} s`, {
    data: { server: id, timeoutMs },
    hint: 'Run the command again, and follow the page to its end. If the page shows an error, its text says what is wrong.',
  });
}

function storeOf({ realm }: OAuthServer, environment: Environment): FileTokenStore {
  return new FileTokenStore({ environment, ...(realm !== undefined && { realm }) });
}

export interface LoggedOut {
  /** Whether there was anything to forget. */
  readonly hadTokens: boolean;
  /** Whether the authorization server took the tokens back as well. */
  readonly isRevoked: boolean;
}

/** Forgets all that is kept of a server; tells its authorization servers so where they want to hear it. */
export async function logOutOf(server: OAuthServer, environment: Environment): Promise<LoggedOut> {
  const { url } = server;
  const store = storeOf(server, environment);
  if ((await store.read(url)) === undefined) return { hadTokens: false, isRevoked: false };
  const credentials = await store.locked(url, async () => {
    const record = await store.read(url);
    await store.write(url, undefined);
    return record?.credentials.filter(({ tokens }) => tokens !== undefined) ?? [];
  });
  const fetch = egressFetch({ server: url, environment });
  const revoked = await Promise.all(credentials.map((credential) => revokeTokens({ credential, fetch })));
  return { hadTokens: credentials.length > 0, isRevoked: revoked.length > 0 && revoked.every((each) => each) };
}

/** How it stands with a server, without asking anybody. Holds no token. */
export interface AuthStatus {
  /**
   * `authorized`: there is a token, or one can be had without the user. `expired`: there is one whose time is over.
   * `needed`: the server has asked for a login. `none`: nothing is known.
   */
  readonly state: 'authorized' | 'expired' | 'needed' | 'none';
  readonly issuer?: string;
  readonly scope?: string;
  /** Epoch milliseconds. */
  readonly expiresAtMs?: number;
  /** Scopes that were wanted and that the token lacks. */
  readonly wantedScope?: string;
}

/** What is known of a server. */
export async function authStatusOf(server: OAuthServer, environment: Environment): Promise<AuthStatus> {
  const record = await storeOf(server, environment).read(server.url);
  const credential = currentOf(record);
  const { issuer, scope, tokens } = credential ?? {};
  const wantedScope = record?.wanted?.reason === 'insufficient-scope' ? record.wanted.scope : undefined;
  return {
    state: stateOf(record, credential),
    ...(issuer !== undefined && { issuer }),
    ...(scope !== undefined && { scope }),
    ...(tokens?.expiresAtMs !== undefined && { expiresAtMs: tokens.expiresAtMs }),
    ...(wantedScope !== undefined && { wantedScope }),
  };
}

function stateOf(record: ServerRecord | undefined, credential: Credential | undefined): AuthStatus['state'] {
  const { tokens, client } = credential ?? {};
  if (record?.wanted?.reason === 'unauthorized' || (credential && !tokens)) return 'needed';
  if (!tokens) return 'none';
  const isOver = tokens.expiresAtMs !== undefined && tokens.expiresAtMs <= Date.now();
  if (!isOver || (tokens.refresh !== undefined && !client?.isUnknown)) return 'authorized';
  return 'expired';
}
