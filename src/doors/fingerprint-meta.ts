import { FINGERPRINT_KEY } from '../base/index.js';
import type { Contract } from '../contract/index.js';

/** What `initialize` and `server/discover` say of a contract. */
export function fingerprintMeta({ fingerprint }: Contract): Readonly<Record<string, unknown>> {
  return { [FINGERPRINT_KEY]: fingerprint };
}
