import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DoorError, toDoorError } from '../../base/index.js';
import { type Candidate, candidatesOf, type Environment, judgeTrust, untrustedError } from '../../config/index.js';
import { readTrust, sha256Of } from './trust-store.js';

/** A configuration file that may be used. */
export interface FoundConfig {
  readonly source: Candidate['source'];
  /** As it was named or found: what messages call it. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A place that was looked at, and what came of it. */
export interface LookedAt {
  readonly source: Candidate['source'];
  readonly path: string;
  readonly outcome: 'used' | 'absent' | 'refused' | 'not reached';
  /** Why it was refused. */
  readonly error?: DoorError;
}

export interface ConfigSearch {
  readonly found: FoundConfig | undefined;
  readonly looked: readonly LookedAt[];
}

export interface ConfigSearchOptions {
  readonly environment: Environment;
  readonly cwd: string;
  /** The value of `--config`. */
  readonly flag?: string | undefined;
}

/** Larger than any configuration may be: nothing beyond it is even digested. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Finds the configuration: the first place that holds one. A file that merely lies in the current folder is passed
 * over unless it was trusted as it is now; `looked` says so.
 *
 * @throws {DoorError} `CONFIG_INVALID` for a file that was named, or is the user's own, and cannot be read
 */
export async function findConfig({ environment, cwd, flag }: ConfigSearchOptions): Promise<ConfigSearch> {
  const looked: LookedAt[] = [];
  let found: FoundConfig | undefined;
  const candidates = candidatesOf({ environment, flag });
  for (const candidate of candidates) {
    const { source, path: name } = candidate;
    const path = resolve(cwd, name);
    if (found) {
      looked.push({ source, path, outcome: 'not reached' });
      continue;
    }
    const outcome = await look(candidate, path, { environment, candidates, cwd });
    if (outcome instanceof Uint8Array) found = { source, name, path, bytes: outcome };
    if (outcome instanceof DoorError) looked.push({ source, path, outcome: 'refused', error: outcome });
    else looked.push({ source, path, outcome: found ? 'used' : 'absent' });
  }
  return { found, looked };
}

interface Surroundings {
  readonly environment: Environment;
  readonly cwd: string;
  readonly candidates: readonly Candidate[];
}

/** @returns the bytes, why the file is not to be used, or undefined where there is none */
async function look(
  candidate: Candidate,
  path: string,
  { environment, cwd, candidates }: Surroundings,
): Promise<Uint8Array | DoorError | undefined> {
  const { source, path: name, isNamed } = candidate;
  if (!isNamed && isAbsent(path)) return undefined;
  if (source !== 'folder') return readConfigFile(path, name, { isNamed });
  // In the user's own folder the two ways of finding meet: there the file is the user's own.
  const own = candidates.some((other) => other.source === 'user' && isSameFile(resolve(cwd, other.path), path));
  if (own) return readConfigFile(path, name);
  try {
    return await readTrusted(path, name, environment);
  } catch (thrown) {
    return toDoorError(thrown);
  }
}

/** Whether nothing is there. What cannot be looked at may be: reading it says what is wrong. */
function isAbsent(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}

async function readTrusted(path: string, name: string, environment: Environment): Promise<Uint8Array> {
  const bytes = readConfigFile(path, name);
  const real = realpathSync(path);
  const verdict = judgeTrust({ path: real, sha256: await sha256Of(bytes) }, await readTrust(environment, real));
  if (verdict !== 'trusted') throw untrustedError(name, verdict);
  return bytes;
}

/**
 * Reads a configuration file. One that was not asked for by name must be a regular file: a pipe that lies in a folder
 * would hold up whoever looks at it. One that was named may be a pipe, as `--config <(…)` makes.
 *
 * @throws {DoorError} `CONFIG_INVALID`
 */
export function readConfigFile(path: string, name = path, { isNamed = false } = {}): Uint8Array {
  try {
    const stat = statSync(path);
    if (stat.isDirectory() || !(stat.isFile() || isNamed)) throw unreadable(name, 'it is not a file');
    if (stat.size > MAX_BYTES) throw unreadable(name, `it has ${stat.size} bytes, more than any configuration`);
    return stat.isFile() ? readFileSync(path) : readBounded(path, name);
  } catch (thrown) {
    if (thrown instanceof DoorError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'no permission' : String(code);
    throw unreadable(name, why, thrown);
  }
}

/** Reads what is no file (a pipe, a device) up to the bound: it may never end. */
function readBounded(path: string, name: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = 1; read > 0 && length <= MAX_BYTES; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > MAX_BYTES) throw unreadable(name, `it goes on past ${MAX_BYTES} bytes, more than any configuration`);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function unreadable(name: string, why: string, cause?: unknown): DoorError {
  return new DoorError('CONFIG_INVALID', `cannot read ${name}: ${why}`, {
    data: { file: name },
    hint: 'Name a configuration file with --config.',
    cause,
  });
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
