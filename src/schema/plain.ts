import { GRAMMARS } from './keywords.js';
import { DEFAULT_LIMITS } from './limits.js';
import { preflight } from './preflight.js';
import { isSchema } from './shapes.js';

/**
 * Whether `compileSchema` is sure to take a schema of 2020-12: for those who define hundreds, and judge by few. `false` says
 * nothing; compiling tells.
 *
 * @param schema a value as JSON.parse makes it, without `$schema`
 */
export function isPlainlyFit(schema: unknown): boolean {
  if (!isSchema(schema)) return false;
  // A character takes at most three bytes.
  if (JSON.stringify(schema).length * 3 > DEFAULT_LIMITS.maxBytes) return false;
  return preflight(schema, { grammar: GRAMMARS['2020-12'], limits: DEFAULT_LIMITS, readsFormats: false }) !== undefined;
}
