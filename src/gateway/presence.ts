/** How it stands with an upstream that comes and goes. */
export type Attendance =
  /**
   * Somebody is signed in: it is started, listed and called. Another `session` is another login: it is connected to anew,
   * and nothing of the one before is shown.
   */
  | { readonly kind: 'here'; readonly session: string; readonly cacheKey?: string }
  /** It is known by name, and nobody is signed in. `sinceMs` is epoch milliseconds. */
  | { readonly kind: 'signed-out'; readonly reason: string; readonly sinceMs?: number }
  /** Nobody ever named one: all is as if there were no such mount. */
  | { readonly kind: 'none' };

/**
 * Whether an upstream is there at all: a remote is, while somebody is signed in. What such a mount lists is shown only while
 * it can be used; a call that it cannot take says why.
 */
export interface Presence {
  /** How it stands now; cheap. `Mount.connect` and this speak of the same login. */
  readonly now: Attendance;
  /** Hears of every change of `now`. @returns a function that ends it; after the last one nothing is watched any more */
  onChange(listener: () => void): () => void;
  /** One sentence: how to sign in. */
  readonly login: string;
  /** Of our own contract: an upstream that serves the same one is mounted without a prefix. */
  readonly fingerprint?: string;
}

/** Where nothing is said of presence: it is always there. */
export const ALWAYS: Attendance = { kind: 'here', session: '' };
