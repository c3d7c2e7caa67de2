import { copyJson } from './copy.js';
import { isRecord } from './shapes.js';

/**
 * Fills in the defaults of a flat form: into members that are absent, never into one that was sent, not even as null, for
 * a user may clear a field on purpose. Neither argument is changed.
 *
 * @param value the answer so far; absent where nothing was filled in
 * @returns the answer with its defaults; what is no object comes back as it is
 */
export function applyDefaults(schema: unknown, value: unknown): unknown {
  const given = value === undefined ? {} : value;
  const properties = isRecord(schema) && Object.hasOwn(schema, 'properties') ? schema.properties : undefined;
  if (!isRecord(given) || !isRecord(properties)) return given;
  const missing = Object.entries(properties).filter(([name, property]) => {
    return !Object.hasOwn(given, name) && isRecord(property) && Object.hasOwn(property, 'default');
  });
  if (missing.length === 0) return given;
  const defaults = missing.map(([name, property]): [string, unknown] => {
    return [name, copyJson((property as { readonly default: unknown }).default)];
  });
  // Entries make own members of every name, also of `__proto__`.
  return Object.fromEntries([...Object.entries(given), ...defaults]);
}
