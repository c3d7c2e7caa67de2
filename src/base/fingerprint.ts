/**
 * The key in `_meta` under which a server says which contract it serves, at initialize, at server/discover and in its card: who
 * mounts it can tell whether it is their own.
 */
export const FINGERPRINT_KEY = 'doorward/fingerprint';
