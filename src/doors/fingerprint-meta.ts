import type { Contract } from '../contract/index.js';

/** The key in `_meta` by which a server says which contract it serves: who mounts it can tell whether it is their own. */
export const FINGERPRINT_KEY = 'doorward/fingerprint';

/** What `initialize` and `server/discover` say of a contract. */
export function fingerprintMeta({ fingerprint }: Contract): Readonly<Record<string, unknown>> {
  return { [FINGERPRINT_KEY]: fingerprint };
}
