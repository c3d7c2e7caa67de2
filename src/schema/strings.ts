import { numberOf } from './checks-scalar.js';
import { findFormat } from './formats.js';
import type { Site } from './site.js';

/**
 * Whether any of these schemas reads what is inside a string. Where none does, any string judges like any other, so a
 * short one may stand in for a very long one.
 */
export function looksIntoStrings(sites: readonly Site[], readsFormats: boolean): boolean {
  return sites.some((site) => {
    if (site.get('pattern') !== undefined || site.get('uniqueItems') === true) return true;
    if ((numberOf(site.get('minLength')) ?? 0) > 0 || site.get('maxLength') !== undefined) return true;
    if (readsFormats && findFormat(String(site.get('format'))) !== undefined) return true;
    return holdsString(site.get('enum')) || holdsString(site.get('const'));
  });
}

/** No string equals a value without any string in it, whatever it says. */
function holdsString(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsString);
}
