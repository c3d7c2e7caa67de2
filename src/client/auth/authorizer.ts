import { type CallSignal, type Clock, DoorError, type EventBus, orAborted } from '../../base/index.js';
import type { Authorizer } from '../transport.js';
import { type Challenge, readChallenge } from './challenge.js';
import { loginCommand } from './hints.js';
import type { Refreshed } from './refresh.js';
import { isCovered, unionOf } from './scopes.js';
import { type TemporaryTrouble, troubleError } from './trouble.js';
import {
  type Credential,
  changeRecord,
  currentOf,
  type EgressFetch,
  type OAuthConfig,
  type ServerRecord,
  type TokenStore,
  type Tokens,
  withCredential,
} from './types.js';

export interface AuthorizerOptions {
  /** The server's id in the configuration: hints name it. */
  readonly server: string;
  readonly url: string;
  readonly config: OAuthConfig;
  readonly store: TokenStore;
  readonly fetch: EgressFetch;
  readonly clock: Clock;
  readonly events?: EventBus;
  /** The command that logs in. Default: `doorward login` with the server's id. */
  readonly command?: string;
  /**
   * Puts a login before the user, and returns once the store holds what came of it. Absent where nobody sits there, which is
   * so for everything that serves.
   */
  readonly interactive?: (challenge: string) => Promise<void>;
}

/** A token that ends within this is renewed before it is used, unless it lives no longer. */
const EARLY_MS = 30_000;
/** One that is refused although it is younger than this is not renewed again: the next one would be refused as well. */
const FRESH_MS = 30_000;
/** How long the file is taken for unchanged: looking at its date before each request costs more than all else here. */
const LOOK_MS = 100;
/** After trouble, the authorization server is left alone for this long, where it says nothing else. */
const LEAVE_MS = 5_000;

/**
 * Leave to be at one server, by OAuth. Costs a look at a file's date now and then; what speaks OAuth is loaded once there is
 * something to say.
 */
export function oauthAuthorizer(options: AuthorizerOptions): Authorizer {
  return new OAuthAuthorizer(options);
}

type Headers = Readonly<Record<string, string>>;

class OAuthAuthorizer implements Authorizer {
  readonly #options: AuthorizerOptions;
  #known: { readonly headers: Headers; readonly untilMs: number } | undefined = undefined;
  /** Counts refusals: what was read before one is not remembered after it. */
  #refusals = 0;
  /** The refresh under way: whoever needs a token meanwhile waits for the same one. */
  #refreshing: Promise<Refreshed | undefined> | undefined = undefined;
  #trouble: { readonly trouble: TemporaryTrouble; readonly untilMs: number } | undefined = undefined;
  /** Scopes that the user was asked for and did not give: they are not asked for twice. */
  readonly #denied = new Set<string>();

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  get #command(): string {
    return this.#options.command ?? loginCommand(this.#options.server);
  }

  get #hint(): string {
    return `Run: ${this.#command}`;
  }

  async headers(signal?: CallSignal): Promise<Headers> {
    const { clock } = this.#options;
    const known = this.#known;
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.headers;
    const refusals = this.#refusals;
    const headers = await this.#headersNow(signal);
    if (refusals === this.#refusals) this.#known = { headers, untilMs: clock.monotonicMs() + LOOK_MS };
    return headers;
  }

  async #headersNow(signal: CallSignal | undefined): Promise<Headers> {
    const { store, url, clock } = this.#options;
    const credential = currentOf(await store.read(url));
    const { tokens } = credential ?? {};
    if (!credential || !tokens) return {};
    const leftMs = (tokens.expiresAtMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
    if (leftMs > this.#earlyMs(tokens) || !canRefresh(credential)) return headersOf(tokens.access);
    const outcome = await orAborted(this.#refresh(tokens.access), signal);
    if (outcome?.kind === 'trouble' && leftMs <= 0) throw this.#unreachable(outcome.trouble);
    // What is there now: the new token, one that somebody else got, or the old one, of which the server may think better.
    const now = currentOf(await store.read(url))?.tokens;
    return now ? headersOf(now.access) : {};
  }

  async refused(status: 401 | 403, challenge: string, used: string | undefined): Promise<boolean> {
    const { store, url } = this.#options;
    this.#known = undefined;
    this.#refusals++;
    const said = readChallenge(challenge);
    const record = await store.read(url);
    const current = currentOf(record);
    // Somebody has logged in, or renewed it, since this request was sent.
    if (current?.tokens && bearer(current.tokens.access) !== used) return true;
    if (status === 403) return this.#widen(challenge, said, current);
    return this.#renew(challenge, said, record);
  }

  /** After a 401: a new token by refresh, else by a login. */
  async #renew(challenge: string, said: Challenge, record: ServerRecord | undefined): Promise<boolean> {
    const current = currentOf(record);
    const { tokens } = current ?? {};
    if (current && tokens && canRefresh(current) && !this.#isFresh(tokens)) {
      const moved = await this.#movedTo(said, record);
      if (moved === undefined) {
        const outcome = await this.#refresh(tokens.access);
        if (outcome === undefined || outcome.kind === 'refreshed') return true;
        if (outcome.kind === 'trouble') throw this.#unreachable(outcome.trouble);
      } else if (moved) {
        return true;
      }
    }
    if (this.#mayAsk('')) return this.#ask(challenge, '');
    await this.#note({ reason: 'unauthorized' }, said);
    throw this.#required(current);
  }

  /**
   * Asks the server anew who its authorization server is.
   *
   * @returns undefined where it is still the same (or cannot be told now); true where we have a token of the other one
   */
  async #movedTo(said: Challenge, record: ServerRecord | undefined): Promise<boolean | undefined> {
    const { url, fetch, clock, store } = this.#options;
    const { discover } = await import('./discovery.js');
    let issuer: string | undefined;
    try {
      const { resourceMetadata } = said;
      const found = await discover({ url, resourceMetadata, preferred: record?.current, fetch, nowMs: clock.nowMs() });
      issuer = found?.issuer;
    } catch (thrown) {
      if (thrown instanceof DoorError && thrown.code === 'FORBIDDEN') throw thrown;
    }
    if (issuer === undefined || issuer === record?.current) return undefined;
    const other = record?.credentials.find((credential) => credential.issuer === issuer);
    if (!other?.tokens) return false;
    await changeRecord(store, url, (now) => ({ ...now, current: other.issuer }));
    return true;
  }

  /** After a 403 that names scopes: a refresh cannot widen a token (RFC 6749 section 6), only a login can. */
  async #widen(challenge: string, said: Challenge, current: Credential | undefined): Promise<boolean> {
    const { server, interactive } = this.#options;
    const scope = unionOf(current?.asked, current?.scope, said.scope);
    // What a login asked for in vain, the next one would ask for in vain as well.
    const isMore = said.scope !== undefined && !isCovered(said.scope, unionOf(current?.asked, current?.scope));
    const key = scope ?? '';
    if (isMore && this.#mayAsk(key)) {
      await this.#note({ reason: 'insufficient-scope', ...(scope && { scope }) }, said);
      return this.#ask(challenge, key);
    }
    if (isMore && !interactive) await this.#note({ reason: 'insufficient-scope', ...(scope && { scope }) }, said);
    const lacks = said.scope === undefined ? 'something that its token does not allow' : `the scopes ${said.scope}`;
    throw new DoorError('FORBIDDEN', `${server} wants ${lacks}`, {
      data: { server, ...(said.scope !== undefined && { scope: said.scope }) },
      hint:
        isMore && !this.#denied.has(key)
          ? this.#hint
          : `Ask those who run the server for the right to do this, then run: ${this.#command}`,
    });
  }

  /** Whether somebody sits there who has not said no to this set of scopes. */
  #mayAsk(scopes: string): boolean {
    return this.#options.interactive !== undefined && !this.#denied.has(scopes);
  }

  /** Puts a login before the user. */
  async #ask(challenge: string, scopes: string): Promise<boolean> {
    try {
      await this.#options.interactive?.(challenge);
    } catch (thrown) {
      this.#denied.add(scopes);
      throw thrown;
    }
    return true;
  }

  /** Remembers what a login is needed for; nothing hangs on it, so a full disk is no reason to fail otherwise. */
  async #note(wanted: NonNullable<ServerRecord['wanted']>, said: Challenge): Promise<void> {
    const { store, url, events, server } = this.#options;
    events?.emit('auth.required', { upstream: server, hint: this.#hint });
    const { scope: challenged, resourceMetadata } = said;
    const scope = wanted.scope ?? challenged;
    const noted = { reason: wanted.reason, ...(scope && { scope }), ...(resourceMetadata && { resourceMetadata }) };
    const before = (await store.read(url))?.wanted;
    // Scopes that are lacking are not forgotten over a token that has run out meanwhile.
    if (before?.reason === 'insufficient-scope' && wanted.reason === 'unauthorized') return;
    if (before && JSON.stringify(before) === JSON.stringify(noted)) return;
    await changeRecord(store, url, (record) => ({ ...record, wanted: noted })).catch(() => {});
  }

  /** @returns undefined where another process has done it meanwhile */
  #refresh(access: string): Promise<Refreshed | undefined> {
    const { clock } = this.#options;
    const known = this.#trouble;
    if (known && clock.monotonicMs() < known.untilMs) {
      return Promise.resolve({ kind: 'trouble', trouble: known.trouble });
    }
    this.#refreshing ??= this.#refreshAlone(access).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The lock is held while the server is asked: a refresh token that is used twice may end the whole login. */
  #refreshAlone(access: string): Promise<Refreshed | undefined> {
    const { store, url, fetch, clock } = this.#options;
    return store.locked(url, async () => {
      const record = await store.read(url);
      const credential = currentOf(record);
      if (!record || !credential?.tokens) return { kind: 'dead' };
      if (credential.tokens.access !== access) return undefined;
      const { refreshCredential } = await import('./refresh.js');
      const outcome = await refreshCredential({ credential, fetch, clock });
      if (outcome.kind === 'trouble') {
        const untilMs = clock.monotonicMs() + (outcome.trouble.retryAfterMs ?? LEAVE_MS);
        this.#trouble = { trouble: outcome.trouble, untilMs };
        return outcome;
      }
      this.#trouble = undefined;
      await store.write(url, withCredential(stillWanted(record, outcome), afterRefresh(credential, outcome)));
      return outcome;
    });
  }

  /** One that lives shorter than that is used for a while all the same, or each request would ask for another one. */
  #earlyMs({ givenAtMs, expiresAtMs = 0 }: Tokens): number {
    const ageMs = this.#options.clock.nowMs() - givenAtMs;
    if (expiresAtMs >= givenAtMs && ageMs >= 0 && ageMs < LEAVE_MS) return Number.NEGATIVE_INFINITY;
    return Math.min(EARLY_MS, (expiresAtMs - givenAtMs) / 2);
  }

  #isFresh({ givenAtMs }: Tokens): boolean {
    const ageMs = this.#options.clock.nowMs() - givenAtMs;
    return ageMs >= 0 && ageMs < FRESH_MS;
  }

  #required(current: Credential | undefined): DoorError {
    const { server, config } = this.#options;
    const isUnknown = current?.client.isUnknown && current.client.origin === 'configured';
    const message = current?.tokens ? `${server} refuses the token it was given` : `${server} wants you to log in`;
    return new DoorError('AUTH_REQUIRED', message, {
      data: { server },
      hint:
        isUnknown && config.clientId === current.client.id
          ? `Check oauth.clientId and oauth.clientSecret in the entry of ${server}, then run: ${this.#command}`
          : this.#hint,
    });
  }

  #unreachable(trouble: TemporaryTrouble): DoorError {
    return troubleError(trouble, `the token for ${this.#options.server} cannot be renewed`);
  }
}

/** A client that the server does not know gets nothing; asking again would not change that. */
function canRefresh({ tokens, client }: Credential): boolean {
  return tokens?.refresh !== undefined && client.isUnknown !== true;
}

function headersOf(access: string): Headers {
  return { authorization: bearer(access) };
}

function bearer(access: string): string {
  return `Bearer ${access}`;
}

/** A token that could be renewed after all is no reason to ask for a login. */
function stillWanted(record: ServerRecord, outcome: Refreshed): ServerRecord {
  if (outcome.kind !== 'refreshed' || record.wanted?.reason !== 'unauthorized') return record;
  const { wanted: _, ...rest } = record;
  return rest;
}

/** Tokens die of `invalid_grant` alone; a client that is not known any more is only marked, its tokens may still work. */
function afterRefresh(credential: Credential, outcome: Exclude<Refreshed, { kind: 'trouble' }>): Credential {
  if (outcome.kind === 'refreshed') return outcome.credential;
  if (outcome.kind === 'client-unknown') return { ...credential, client: { ...credential.client, isUnknown: true } };
  const { tokens: _, ...rest } = credential;
  return rest;
}
