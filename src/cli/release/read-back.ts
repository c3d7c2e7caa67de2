import { DoorError, systemClock } from '../../base/index.js';
import { isSameManifest } from '../../generate/index.js';
import { ask, findJson } from './ask.js';
import type { Release } from './release.js';
import { type Outcome, pause, type World } from './world.js';

/** What the Registry shows of a version. */
export type Listing =
  | { readonly kind: 'same' }
  | { readonly kind: 'other' }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'absent'; readonly reason: string };

const MAX_LISTING_BYTES = 8 * 1024 * 1024;
const OFFICIAL_META = 'io.modelcontextprotocol.registry/official';

interface Listed {
  readonly server?: unknown;
  readonly _meta?: { readonly [OFFICIAL_META]?: { readonly status?: unknown } };
}

/** Asks the Registry for one version. Whatever keeps it from answering is `absent`, with the reason. */
export async function findListing({ name, version, manifest }: Release, world: World): Promise<Listing> {
  const url = `${world.registry}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  try {
    const answer = await ask({ url, accept: 'application/json', maxBytes: MAX_LISTING_BYTES }, world);
    const listed = answer.status === 200 ? (findJson(answer) as Listed | undefined) : undefined;
    if (listed?.server === undefined) return { kind: 'absent', reason: `${url} answers ${answer.status}` };
    if (listed._meta?.[OFFICIAL_META]?.status === 'deleted') return { kind: 'deleted' };
    return { kind: isSameManifest(manifest, listed.server) ? 'same' : 'other' };
  } catch (thrown) {
    if (thrown instanceof DoorError) return { kind: 'absent', reason: thrown.message };
    throw thrown;
  }
}

/** @throws {DoorError} DRIFT where the Registry has this version, and something else under it */
export function expectSame(listing: Listing, { name, version }: Release): void {
  if (listing.kind === 'same' || listing.kind === 'absent') return;
  const how = listing.kind === 'deleted' ? 'and it was deleted there' : 'with other content';
  throw new DoorError('DRIFT', `the Registry has ${name} ${version} already, ${how}, and never changes a version`, {
    data: { name, version },
    hint: 'Run npm version to make a new one; for the manifest alone, a new version is needed too.',
  });
}

const PATIENCE_MS = 5 * 60_000;
const MAX_PAUSE_MS = 30_000;

/**
 * `release read-back`: waits until the Registry shows what was published.
 *
 * @throws {DoorError} TIMEOUT after 5 minutes, DRIFT where it shows something else
 */
export async function readBack(release: Release, world: World): Promise<Outcome> {
  const { name, version } = release;
  const patienceMs = world.patienceMs ?? PATIENCE_MS;
  const endsAt = systemClock.monotonicMs() + patienceMs;
  for (let pauseMs = world.pauseMs; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const listing = await findListing(release, world);
    expectSame(listing, release);
    if (listing.kind === 'same')
      return { message: `the Registry lists ${name} ${version}`, facts: { name, version, listed: true } };
    const reason = listing.kind === 'absent' ? listing.reason : listing.kind;
    const left = endsAt - systemClock.monotonicMs();
    if (left <= 0) {
      throw new DoorError(
        'TIMEOUT',
        `the Registry does not list ${name} ${version} after ${Math.round(patienceMs / 1000)} s: ${reason}`,
        {
          hint: 'Run this step again later; publishing again does no harm.',
        },
      );
    }
    world.say(`the Registry does not list it yet: ${reason}; asking again`);
    await pause(Math.min(pauseMs, left), world.signal);
  }
}
