import { isObject } from '../base/index.js';
import { findMember, findText } from './manifest-rules/finding.js';
import { PUBLISHER_META } from './manifest-rules/manifest-shape.js';
import { publicBaseUrlOf } from './manifest-rules/package-rules.js';

/**
 * Whether two manifests say the same. The Registry gives back what it was given without members that are empty or false, in an
 * order of its own, with `_meta` of its own.
 */
export function isSameManifest(one: unknown, other: unknown): boolean {
  return JSON.stringify(plainOf(withOwnMeta(one))) === JSON.stringify(plainOf(withOwnMeta(other)));
}

function withOwnMeta(manifest: unknown): unknown {
  if (!isObject(manifest)) return manifest;
  const own = findMember(findMember(manifest, '_meta'), PUBLISHER_META);
  return { ...manifest, _meta: { [PUBLISHER_META]: own } };
}

function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(plainOf);
  if (!isObject(value)) return value === false || value === '' || value === null ? undefined : value;
  const members = Object.entries(value)
    .filter(
      ([name, member]) => !(name === 'registryBaseUrl' && member === publicBaseUrlOf(findText(value, 'registryType'))),
    )
    .map(([name, member]) => [name, plainOf(member)] as const)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
