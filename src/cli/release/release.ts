import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DoorError } from '../../base/index.js';
import { checkManifest, isError, MANIFEST_PATH, readManifest } from '../../generate/index.js';

/** What is about to be published: the manifest as it lies in the project, checked. */
export interface Release {
  readonly folder: string;
  /** The server's name in the Registry. */
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly manifestPath: string;
  readonly manifest: unknown;
  readonly npmPackages: readonly NpmPackage[];
  readonly packageJson: Readonly<Record<string, unknown>>;
}

export interface NpmPackage {
  readonly identifier: string;
  readonly version: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly packages?: readonly (NpmPackage & { readonly registryType: string })[];
}

/**
 * Reads what lies in a folder. The contract is not loaded: a release says what was committed, and needs no build for it.
 *
 * @throws {DoorError} CONFIG_INVALID for files that cannot be read, CONTRACT_INVALID for a manifest that the Registry would refuse
 */
export function readRelease(folder: string): Release {
  const packageJson = Object(
    readManifest('package.json', read(resolve(folder, 'package.json'))),
  ) as Release['packageJson'];
  const settings = packageJson.doorward as { readonly manifest?: unknown } | null | undefined;
  const file = typeof settings?.manifest === 'string' ? settings.manifest : MANIFEST_PATH;
  const manifestPath = resolve(folder, file);
  const value = readManifest(file, read(manifestPath));
  const errors = checkManifest(value).filter(isError);
  if (errors.length > 0) {
    const issues = errors.map(({ pointer, message }) => ({ path: `${file} ${pointer}`, message }));
    throw new DoorError(
      'CONTRACT_INVALID',
      `the Registry would refuse ${file}: ${errors[0]!.pointer} ${errors[0]!.message}`,
      {
        data: { file, issues },
        hint: errors[0]!.hint,
      },
    );
  }
  const manifest = value as Manifest;
  const npmPackages = (manifest.packages ?? []).filter(({ registryType }) => registryType === 'npm');
  return { folder, name: manifest.name, version: manifest.version, manifestPath, manifest, npmPackages, packageJson };
}

function read(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw new DoorError(
      'CONFIG_INVALID',
      `cannot read ${path}: ${code === 'ENOENT' ? 'there is no such file' : code}`,
      {
        data: { file: path },
        hint: 'Run it in the folder of the project; doorward manifest writes the manifest.',
        cause: thrown,
      },
    );
  }
}
