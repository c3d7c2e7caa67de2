import type { EgressFetch } from '../../client/index.js';
import type { EgressOptions } from './egress.js';

/** The guarded fetch of egress.ts, loaded with the first request: most runs make none. */
export function egressFetch(options: EgressOptions): EgressFetch {
  let fetch: EgressFetch | undefined;
  return async (url, init) => {
    fetch ??= (await import('./egress.js')).guardedFetch(options);
    return fetch(url, init);
  };
}
