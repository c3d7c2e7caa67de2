import type { Environment } from '../../config/index.js';
import type { Attendance, Presence } from '../../gateway/index.js';
import { cacheKeyOf } from './cache-key.js';
import { fileStamp } from './file-stamp.js';
import {
  type ReadRemote,
  type RemoteRecord,
  readRemote,
  realmOf,
  remoteLoginCommand,
  remotePath,
  shownUrl,
} from './remote-record.js';
import { tokenPath } from './token-path.js';

export interface RemotePresenceOptions {
  readonly environment: Environment;
  readonly program: string;
  /** The remote that the program is made for; without it the one that somebody signed in at. */
  readonly url?: string;
  readonly fingerprint?: string;
}

/** How often it is looked whether somebody has signed in or out: a look at a file's date. */
const LOOK_EVERY_MS = 1_000;

const NONE: ReadRemote = { kind: 'none' };

/**
 * Whether somebody is signed in at the remote of a program, as the file of its login says. Any number of processes follow
 * it. Where there is no file, a look is one `stat`, and nothing else is done.
 */
export class RemotePresence implements Presence {
  readonly fingerprint?: string;
  readonly #options: RemotePresenceOptions;
  readonly #path: string | undefined;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #stamp: string | undefined;
  #found: ReadRemote = NONE;
  #tokenPath: string | undefined;
  #now: Attendance = NONE as Attendance;

  constructor(options: RemotePresenceOptions) {
    this.#options = options;
    this.#path = remotePath(options.environment, options.program);
    if (options.fingerprint !== undefined) this.fingerprint = options.fingerprint;
  }

  get now(): Attendance {
    // Followed, it is kept up to date; else it is looked up for whoever asks.
    if (this.#timer === undefined) this.#look();
    return this.#now;
  }

  /** Of the remote; undefined where nobody has named one. */
  get url(): string | undefined {
    return this.#options.url ?? this.#record?.url;
  }

  get #record(): RemoteRecord | undefined {
    return this.#found.kind === 'record' ? this.#found.record : undefined;
  }

  get login(): string {
    return `Run: ${remoteLoginCommand(this.url, this.#options.program)}`;
  }

  onChange(listener: () => void): () => void {
    if (this.#timer === undefined) {
      this.#look();
      this.#timer = setInterval(() => this.#tellIfChanged(), LOOK_EVERY_MS);
      this.#timer.unref();
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #tellIfChanged(): void {
    const before = JSON.stringify(this.#now);
    this.#look();
    if (JSON.stringify(this.#now) === before) return;
    for (const listener of [...this.#listeners]) listener();
  }

  #look(): void {
    const stamp = this.#path === undefined ? '' : fileStamp(this.#path);
    if (stamp !== this.#stamp) {
      this.#found = stamp === '' || this.#path === undefined ? NONE : readRemote(this.#path);
      this.#stamp = stamp;
      const { environment, program } = this.#options;
      const { url, session } = this.#record ?? {};
      this.#tokenPath = url && session?.hasTokens ? tokenPath(environment, url, realmOf(program)) : undefined;
    }
    this.#now = this.#attendance();
  }

  #attendance(): Attendance {
    const { url: own } = this.#options;
    const found = this.#found;
    // Who made the program has named its remote; whether it wants to know who comes, it says by itself.
    const isElsewhere = found.kind === 'none' || (found.kind === 'record' && found.record.url !== own);
    if (own !== undefined && isElsewhere) return this.#here(own, { id: 'nobody', principal: 'nobody' });
    if (found.kind === 'none') return found;
    if (found.kind === 'unusable') return { kind: 'signed-out', reason: `the login cannot be read: ${found.reason}` };
    const { url, changedAtMs: sinceMs, session } = found.record;
    if (session === undefined)
      return { kind: 'signed-out', reason: `nobody is signed in at ${shownUrl(url)}`, sinceMs };
    if (this.#tokenPath !== undefined && fileStamp(this.#tokenPath) === '') {
      return { kind: 'signed-out', reason: `the tokens for ${shownUrl(url)} are gone`, sinceMs };
    }
    return this.#here(url, session);
  }

  #here(url: string, { id, principal }: { readonly id: string; readonly principal: string }): Attendance {
    return { kind: 'here', session: id, cacheKey: remoteCacheKey({ url, principal, program: this.#options.program }) };
  }
}

/** Names what is kept on disk of a remote's tools: of this program, and for this principal alone. */
export function remoteCacheKey(of: {
  readonly url: string;
  readonly program: string;
  readonly principal: string;
}): string {
  const credential = JSON.stringify([of.program, of.principal]);
  return cacheKeyOf({ kind: 'http', url: of.url, headers: new Map(), credential });
}
