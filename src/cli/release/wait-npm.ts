import { DoorError, systemClock } from '../../base/index.js';
import { lookUp } from './npm-package.js';
import type { NpmPackage, Release } from './release.js';
import { type Outcome, pause, type World } from './world.js';

/** New scoped packages took more than five minutes to be seen. */
const PATIENCE_MS = 15 * 60_000;
const MAX_PAUSE_MS = 30_000;

/**
 * `release wait-npm`: waits until npm shows exactly this version, with the `mcpName` that the Registry will look for.
 *
 * @throws {DoorError} TIMEOUT after 15 minutes, DRIFT where the version is there with another mcpName: it stays so
 */
export async function waitForNpm(release: Release, world: World): Promise<Outcome> {
  const { npmPackages } = release;
  if (npmPackages.length === 0)
    return { message: 'the manifest has no npm package: nothing to wait for', facts: { waitedMs: 0 } };
  const started = systemClock.monotonicMs();
  for (const one of npmPackages)
    await waitFor(one, { release, world, endsAt: started + (world.patienceMs ?? PATIENCE_MS) });
  const names = npmPackages.map(({ identifier, version }) => `${identifier}@${version}`).join(', ');
  const waitedMs = Math.round(systemClock.monotonicMs() - started);
  return { message: `npm shows ${names} as ${release.name}`, facts: { waitedMs } };
}

interface Waiting {
  readonly release: Release;
  readonly world: World;
  readonly endsAt: number;
}

async function waitFor(one: NpmPackage, { release, world, endsAt }: Waiting): Promise<void> {
  const id = `${one.identifier}@${one.version}`;
  for (let pauseMs = Math.min(world.pauseMs, MAX_PAUSE_MS); ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const found = await lookUp(one, world);
    if (found.kind === 'found') return expectName(found.published.mcpName, id, release);
    const state = found.kind === 'absent' ? `npm does not show ${id} yet` : found.reason;
    const left = endsAt - systemClock.monotonicMs();
    if (left <= 0) {
      throw new DoorError('TIMEOUT', `${state}, after ${Math.round((world.patienceMs ?? PATIENCE_MS) / 1000)} s`, {
        data: { package: one.identifier, version: one.version },
        hint: 'Once npm shows it, start the workflow again with registry_only.',
      });
    }
    world.say(`${state}; asking again`);
    await pause(Math.min(pauseMs, left), world.signal);
  }
}

function expectName(mcpName: unknown, id: string, { name }: Release): void {
  if (mcpName === name) return;
  throw new DoorError(
    'DRIFT',
    `${id} on npm has the mcpName ${JSON.stringify(mcpName ?? null)}, and must have ${JSON.stringify(name)}`,
    {
      hint: 'npm never changes a version: run doorward manifest, then npm version, and publish that one.',
    },
  );
}
