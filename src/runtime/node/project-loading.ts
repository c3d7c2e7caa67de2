import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DoorError, isObject } from '../../base/index.js';
import { parseJsonc } from '../../config/index.js';
import type { Contract, Implementation } from '../../contract/index.js';
import { importModule } from './import-module.js';
import { PACKAGE_FILE, projectError, readSettings } from './project-settings.js';
import type { PackageFacts, Project } from './project-types.js';

/** A module that waits for something at its top would hold up every command. */
const IMPORT_MS = 30_000;

/** See project.ts. */
export async function loadProject(folder: string): Promise<Project> {
  const root = resolve(folder);
  const packageJson = readPackage(root);
  const settings = readSettings(packageJson);
  const contract = await exportOf(root, 'contract', settings.contract, isContract);
  if (settings.implementation === undefined) return { folder: root, packageJson, contract, settings };
  const implementation = await exportOf(root, 'implementation', settings.implementation, isImplementation);
  if (implementation.contract.fingerprint !== contract.fingerprint) {
    throw contractError(
      settings.implementation,
      'implementation',
      `implements another contract than that of ${settings.contract}`,
    );
  }
  return { folder: root, packageJson, contract, implementation, settings };
}

function readPackage(folder: string): PackageFacts {
  const path = join(folder, PACKAGE_FILE);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : String(code);
    throw new DoorError('CONFIG_INVALID', `cannot read ${path}: ${why}`, {
      data: { file: path },
      hint: 'Name the folder of your project, the one with package.json in it.',
      cause: thrown,
    });
  }
  const value = parse(path, bytes);
  if (isObject(value)) return value;
  throw new DoorError('CONFIG_INVALID', `${path} holds no object`, { data: { file: path } });
}

/** @throws {DoorError} CONFIG_INVALID with line and column */
function parse(path: string, bytes: Buffer): unknown {
  try {
    // npm takes a byte order mark as well.
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch (thrown) {
    // Its reader knows the place of a mistake; what it allows beyond JSON is the mistake itself.
    parseJsonc(path, bytes);
    throw new DoorError('CONFIG_INVALID', `${path} is no JSON: it has comments or trailing commas`, {
      data: { file: path },
      hint: 'Take them out: npm refuses them.',
      cause: thrown,
    });
  }
}

type Named = 'contract' | 'implementation';

async function exportOf<Value>(
  folder: string,
  name: Named,
  file: string,
  is: (value: unknown) => value is Value,
): Promise<Value> {
  const module = await importNamed(folder, name, file);
  const exported = [name, 'default'].filter((key) => module[key] !== undefined);
  if (exported.length === 0) {
    const hint = `Export it: export const ${name} = ${MAKERS[name]}(…).`;
    throw contractError(file, name, `exports neither ${name} nor default`, { hint });
  }
  const found = exported.map((key) => module[key]).find((value): value is Value => attempt(() => is(value)) === true);
  if (found !== undefined) return found;
  throw contractError(file, name, `its export ${exported[0]} is not what ${MAKERS[name]} makes`);
}

const MAKERS: Readonly<Record<Named, string>> = { contract: 'defineContract', implementation: 'implement' };

async function importNamed(folder: string, name: Named, file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw projectError(`doorward.${name}`, `there is no file ${file}`, 'Build the project first.');
  }
  const ended = new AbortController();
  try {
    const late = delay(IMPORT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    const module = await Promise.race([importModule(path).catch((thrown) => failedImport(file, name, thrown)), late]);
    if (module !== undefined) return module;
    const hint = 'Wait for nothing at the top of a module.';
    throw contractError(file, name, `is not loaded after ${IMPORT_MS / 1_000} s`, { hint });
  } finally {
    ended.abort();
  }
}

/** What an author's module threw may be a DoorError of another copy of this package. */
function failedImport(file: string, name: Named, thrown: unknown): never {
  const { code, message = attempt(() => String(thrown)), hint } = (thrown ?? {}) as Partial<DoorError>;
  if (code !== 'CONTRACT_INVALID') {
    const problem = `failed while it was loaded: ${message ?? 'it threw something without a text'}`;
    throw contractError(file, name, problem, { cause: thrown });
  }
  throw contractError(file, name, message ?? 'is refused', { hint, cause: thrown });
}

/** What an author's module threw or exports may throw whenever it is looked at. */
function attempt<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

interface Because {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

function contractError(file: string, field: Named, problem: string, { hint, cause }: Because = {}): DoorError {
  return new DoorError('CONTRACT_INVALID', `${file}: ${problem}`, {
    data: { file, field: `doorward.${field}` },
    ...(hint !== undefined && { hint }),
    cause,
  });
}

function isContract(value: unknown): value is Contract {
  if (!isObject(value)) return false;
  const { server, tools, resources, prompts, fingerprint } = value;
  return isObject(server) && [tools, resources, prompts].every(Array.isArray) && typeof fingerprint === 'string';
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && isContract(value.contract) && isObject(value.handlers);
}
