import { DoorError } from '../base/index.js';
import type { Contract, PackageDefinition } from '../contract/index.js';
import { type GeneratedFile, jsonFile, textFile } from './generated-file.js';
import { checkManifest, isError } from './manifest-rules/check-manifest.js';
import type { ManifestFinding } from './manifest-rules/finding.js';
import { hasOwnVersion } from './manifest-rules/package-rules.js';
import { CURRENT_SCHEMA_DATE, schemaUrlOf } from './manifest-rules/schema-date.js';

export const MANIFEST_PATH = 'server.json';

export interface ManifestFacts {
  /** Where the manifest goes. Default: `server.json`. */
  readonly path?: string;
  /** package.json as it is, for what the Registry looks for in it on npm. */
  readonly packageText?: string;
}

/**
 * The files that make a contract publishable: its manifest for the MCP Registry and, where package.json is handed in, that
 * with the `mcpName` by which the Registry knows whose package it is.
 *
 * @throws {DoorError} CONTRACT_INVALID where the Registry would refuse the manifest; `data.issues` has all faults
 */
export function manifestFiles(contract: Contract, facts: ManifestFacts = {}): readonly GeneratedFile[] {
  const manifest = manifestOf(contract);
  const errors = checkManifest(manifest).filter(isError);
  if (errors.length > 0) throw refused(errors);
  const { path = MANIFEST_PATH, packageText } = facts;
  const file = jsonFile(path, manifest);
  if (packageText === undefined || !contract.packages.some(isOnNpm)) return [file];
  return [file, textFile('package.json', packageTextWith(packageText, contract.server.name))];
}

/** A contract as server.json, version 2025-12-11. No version in it was written twice: all are the server's. */
export function manifestOf({ server, packages, remotes }: Contract): Readonly<Record<string, unknown>> {
  const { name, title, description, version, websiteUrl, repository, icons = [] } = server;
  return {
    $schema: schemaUrlOf(CURRENT_SCHEMA_DATE),
    name,
    ...(title !== undefined && { title }),
    description,
    version,
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(repository !== undefined && { repository }),
    ...(icons.length > 0 && { icons }),
    ...(packages.length > 0 && { packages: packages.map((one) => packageOf(one, version)) }),
    ...(remotes.length > 0 && { remotes }),
  };
}

function packageOf(one: PackageDefinition, serverVersion: string): Readonly<Record<string, unknown>> {
  const { registryType, identifier, version = hasOwnVersion(registryType) ? serverVersion : undefined, ...rest } = one;
  return { registryType, identifier, ...(version !== undefined && { version }), ...rest };
}

export function isOnNpm({ registryType }: Pick<PackageDefinition, 'registryType'>): boolean {
  return registryType === 'npm';
}

function refused(errors: readonly ManifestFinding[]): DoorError {
  const [first] = errors;
  const issues = errors.map(({ pointer, message }) => ({ path: pointer, message }));
  return new DoorError(
    'CONTRACT_INVALID',
    `the MCP Registry would refuse the manifest: ${first!.pointer} ${first!.message}`,
    {
      data: { issues },
      hint: first!.hint,
    },
  );
}

/** One thing that package.json says otherwise than the contract. */
export interface PackageFault {
  /** The field of package.json. */
  readonly field: 'name' | 'version' | 'mcpName';
  readonly message: string;
  readonly hint: string;
}

/** What package.json must say for the contract to be published: its name and version, and whose it is. */
export function packageFaults(
  contract: Contract,
  packageJson: Readonly<Record<string, unknown>>,
): readonly PackageFault[] {
  const { server, packages } = contract;
  const faults: PackageFault[] = [];
  if (packageJson.version !== server.version) {
    const message = `is ${show(packageJson.version)}, and the contract's version is ${show(server.version)}`;
    const hint = 'Import the version of the contract from package.json, so that it stands in one place.';
    faults.push({ field: 'version', message, hint });
  }
  const onNpm = packages.filter(isOnNpm);
  if (onNpm.length === 0) return faults;
  if (!onNpm.some(({ identifier }) => identifier === packageJson.name)) {
    const message = `is ${show(packageJson.name)}, and the contract's npm package is ${show(onNpm[0]!.identifier)}`;
    faults.push({ field: 'name', message, hint: 'Let the identifier of the package be the name in package.json.' });
  }
  if (packageJson.mcpName !== server.name) {
    const message = `is ${show(packageJson.mcpName)}, and must be ${show(server.name)}: the Registry looks for it on npm`;
    faults.push({ field: 'mcpName', message, hint: 'Run doorward manifest.' });
  }
  return faults;
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

/** package.json with the right `mcpName`, laid out as it was. Untouched where it is right already. */
function packageTextWith(text: string, mcpName: string): string {
  const plain = text.replace(/^\ufeff/, '');
  const fields = JSON.parse(plain) as Readonly<Record<string, unknown>>;
  if (fields.mcpName === mcpName) return text;
  const members = Object.entries(fields).filter(([name]) => name !== 'mcpName');
  const at = members.findIndex(([name]) => name === 'version') + 1;
  const wanted = Object.fromEntries([...members.slice(0, at), ['mcpName', mcpName], ...members.slice(at)]);
  const indent = /^[{]\r?\n([ \t]+)/.exec(plain)?.[1] ?? '  ';
  const lines = JSON.stringify(wanted, null, indent);
  return `${plain.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines}${/\r?\n$/.exec(plain)?.[0] ?? ''}`;
}
