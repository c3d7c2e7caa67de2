import type { OAuthConfig } from '../../client/index.js';
import type { ServerEntry } from '../../config/index.js';

/** A server that is reached over HTTP, as far as logging in there is concerned. */
export interface OAuthServer {
  /** Its id in the configuration. */
  readonly id: string;
  readonly url: string;
  /** Headers of its entry, in lower case or not. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly config: OAuthConfig;
  /** Keeps its tokens apart from those of others for the same server. */
  readonly realm?: string;
  /** The command that logs in, where it is not `doorward login` with the id. */
  readonly command?: string;
  /** What to do where it wants a token and says nowhere how to get one. */
  readonly tokenHint?: string;
}

/** @returns undefined for what is no HTTP server that can be used */
export function oauthServerOf(entry: ServerEntry): OAuthServer | undefined {
  if (entry.kind !== 'ready' || entry.target.kind !== 'http') return undefined;
  const { url, headers } = entry.target;
  return { id: entry.id, url, headers: Object.fromEntries(headers), config: entry.options.oauth ?? {} };
}

/** Whether its entry brings a token of its own: then there is nothing to log in to. */
export function hasOwnToken({ headers = {} }: OAuthServer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
