import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DoorError } from '../../base/index.js';
import { ask, findJson } from './ask.js';
import type { NpmPackage } from './release.js';
import type { World } from './world.js';

/** What npm says of one version. */
export interface PublishedPackage {
  readonly mcpName?: unknown;
  readonly dist?: { readonly integrity?: unknown; readonly tarball?: unknown };
}

export type Lookup =
  | { readonly kind: 'found'; readonly published: PublishedPackage }
  | { readonly kind: 'absent' }
  /** Whether it is there cannot be told now. */
  | { readonly kind: 'unclear'; readonly reason: string };

const MAX_METADATA_BYTES = 8 * 1024 * 1024;
const MAX_PACKAGE_BYTES = 256 * 1024 * 1024;

/** Asks for exactly this version: what lists and tags say lags behind, and what the Registry asks is this. */
export async function lookUp({ identifier, version }: NpmPackage, world: World): Promise<Lookup> {
  const url = `${world.npmRegistry}/${identifier.replace('/', '%2f')}/${encodeURIComponent(version)}`;
  try {
    const answer = await ask({ url, accept: 'application/json', maxBytes: MAX_METADATA_BYTES }, world);
    if (answer.status === 404) return { kind: 'absent' };
    if (answer.status !== 200) return { kind: 'unclear', reason: `${url} answers ${answer.status}` };
    const published = findJson(answer);
    if (typeof published === 'object' && published !== null) return { kind: 'found', published };
    return { kind: 'unclear', reason: `${url} answers with something that is no JSON` };
  } catch (thrown) {
    if (thrown instanceof DoorError) return { kind: 'unclear', reason: thrown.message };
    throw thrown;
  }
}

/**
 * Whether the package on npm holds the files that were packed here. Packing compresses as the zlib at hand does, so that two
 * archives of the same files may differ: then what is in them is compared.
 */
export async function isSamePackage(packed: Uint8Array, { dist }: PublishedPackage, world: World): Promise<boolean> {
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  if (dist?.integrity === integrity) return true;
  const tarball = String(dist?.tarball ?? '');
  // npm names the place, and it is npm's own: nothing else is asked.
  if (!URL.canParse(tarball) || new URL(tarball).origin !== new URL(world.npmRegistry).origin) return false;
  const { status, bytes } = await ask({ url: tarball, accept: '*/*', maxBytes: MAX_PACKAGE_BYTES }, world);
  return status === 200 && unpacked(bytes)?.equals(unpacked(packed)!) === true;
}

function unpacked(archive: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(archive, { maxOutputLength: MAX_PACKAGE_BYTES });
  } catch {
    return undefined;
  }
}
