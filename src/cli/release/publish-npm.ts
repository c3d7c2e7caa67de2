import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DoorError } from '../../base/index.js';
import { isSamePackage, lookUp, type PublishedPackage } from './npm-package.js';
import type { NpmPackage, Release } from './release.js';
import { runProgram } from './run-program.js';
import { type Outcome, pause, type World } from './world.js';

/** The first npm that publishes without a token, by who runs it (npm trusted publishing). */
const OLDEST_NPM: readonly [number, number, number] = [11, 5, 1];

/**
 * `release npm`: publishes the package of this folder, unless this very version is on npm with the same files.
 *
 * @throws {DoorError} DRIFT where files do not agree, or npm has the version with other files
 */
export async function publishNpm(release: Release, world: World): Promise<Outcome> {
  const one = ownPackage(release);
  const before = await lookUpSurely(one, world);
  const folder = mkdtempSync(join(tmpdir(), 'doorward-release-'));
  try {
    const archive = await pack(release, folder, world);
    const facts = { package: one.identifier, version: one.version };
    if (before !== undefined) {
      await expectSame({ archive, one, published: before }, release, world);
      return {
        message: `${idOf(one)} is on npm with the same files: nothing to do`,
        facts: { ...facts, published: false },
      };
    }
    await publish({ archive, one }, release, world);
    return { message: `${idOf(one)} is published on npm`, facts: { ...facts, published: true } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The npm package of the manifest that package.json is of. */
function ownPackage({ name, npmPackages, packageJson }: Release): NpmPackage {
  const one = npmPackages.find(({ identifier }) => identifier === packageJson.name);
  if (one === undefined) {
    const known = npmPackages.map(({ identifier }) => identifier).join(', ') || 'none';
    throw drift(
      `package.json is of ${JSON.stringify(packageJson.name)}, and the npm packages of the manifest are: ${known}`,
    );
  }
  if (packageJson.version !== one.version) {
    throw drift(
      `package.json is of version ${JSON.stringify(packageJson.version)}, and the manifest of ${one.version}`,
    );
  }
  if (packageJson.mcpName !== name) {
    throw drift(
      `mcpName in package.json is ${JSON.stringify(packageJson.mcpName ?? null)}, and must be ${JSON.stringify(name)}`,
    );
  }
  return one;
}

function drift(message: string): DoorError {
  return new DoorError('DRIFT', message, { hint: 'Run doorward manifest, and commit what it writes.' });
}

function idOf({ identifier, version }: NpmPackage): string {
  return `${identifier}@${version}`;
}

const LOOKUPS = 4;

/** Publishing a version that is there already is refused for good, so it has to be known. */
async function lookUpSurely(one: NpmPackage, world: World): Promise<PublishedPackage | undefined> {
  for (let tries = 1; ; tries++) {
    const found = await lookUp(one, world);
    if (found.kind === 'found') return found.published;
    if (found.kind === 'absent') return undefined;
    if (tries === LOOKUPS) {
      throw new DoorError('UPSTREAM_UNREACHABLE', `npm does not tell whether it has ${idOf(one)}: ${found.reason}`, {
        hint: 'Look at status.npmjs.org, then run this job again.',
      });
    }
    world.say(`${found.reason}; asking again`);
    await pause(world.pauseMs, world.signal);
  }
}

/** Packs into a folder of its own, and takes what is there: scripts of the package may write to stdout as well. */
async function pack(release: Release, folder: string, world: World): Promise<string> {
  const args = ['pack', '--pack-destination', folder];
  const { code } = await runProgram({ command: 'npm', args, cwd: release.folder }, world);
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (code === 0 && file !== undefined) return join(folder, file);
  throw new DoorError('INTERNAL', `npm pack failed with ${code}`, { hint: 'Its own words are above.' });
}

interface Packed {
  readonly archive: string;
  readonly one: NpmPackage;
}

async function expectSame(
  { archive, one, published }: Packed & { readonly published: PublishedPackage },
  release: Release,
  world: World,
) {
  if (published.mcpName === release.name && (await isSamePackage(readFileSync(archive), published, world))) return;
  const other =
    published.mcpName === release.name ? 'other files' : `mcpName ${JSON.stringify(published.mcpName ?? null)}`;
  throw new DoorError('DRIFT', `${idOf(one)} is on npm already, with ${other}, and npm never changes a version`, {
    data: { package: one.identifier, version: one.version },
    hint: 'Run npm version to make a new one. If only the manifest is missing in the Registry, start the workflow with registry_only.',
  });
}

async function publish({ archive, one }: Packed, release: Release, world: World): Promise<void> {
  await expectNpmVersion(release, world);
  const args = [
    ...['publish', archive, '--access', 'public'],
    ...(world.hasProvenance ? ['--provenance'] : []),
    ...(world.isOtherNpm ? ['--registry', world.npmRegistry] : []),
  ];
  const { code, output } = await runProgram({ command: 'npm', args, cwd: release.folder }, world);
  if (code === 0) return;
  // A connection may break after npm has taken it.
  const after = await lookUp(one, world);
  if (after.kind === 'found') return expectSame({ archive, one, published: after.published }, release, world);
  throw new DoorError('INTERNAL', `npm publish failed with ${code}`, { hint: hintOf(output, one) });
}

function hintOf(output: string, { identifier }: NpmPackage): string {
  if (/\b(?:E404|404 Not Found)\b/.test(output)) {
    return `npm says so where its trusted publisher of ${identifier} is not this repository, workflow file and environment, to the letter.`;
  }
  if (/\b(?:ENEEDAUTH|E401)\b/.test(output))
    return 'Give the job id-token: write, and set up the trusted publisher on npm.';
  return 'Its own words are above; this job can be run again.';
}

async function expectNpmVersion({ folder }: Release, world: World): Promise<void> {
  const { output } = await runProgram({ command: 'npm', args: ['--version'], cwd: folder }, world);
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(output)?.slice(1).map(Number) ?? [0, 0, 0];
  const at = OLDEST_NPM.findIndex((part, index) => part !== version[index]);
  if (!world.hasProvenance || at < 0 || version[at]! > OLDEST_NPM[at]!) return;
  throw new DoorError('CONFIG_INVALID', `npm ${version.join('.')} knows no trusted publishing`, {
    hint: `Use npm ${OLDEST_NPM.join('.')} or newer: Node 24 comes with one.`,
  });
}
