import type { Environment } from '../../config/index.js';

/**
 * When what is served was made, from SOURCE_DATE_EPOCH (reproducible-builds.org, seconds since 1970).
 *
 * @returns RFC 3339; undefined where it is not set or no number
 */
export function buildStamp(environment: Environment): string | undefined {
  const seconds = Number(environment.SOURCE_DATE_EPOCH ?? Number.NaN);
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > 253_402_300_799) return undefined;
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
