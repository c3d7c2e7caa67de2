import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DoorError } from '../../base/index.js';
import { type Environment, type TrustRecord, userFolder } from '../../config/index.js';
import { makeFolder } from './make-folder.js';

/**
 * What the user has agreed to run, one small file a configuration: two `doorward config trust` at once cannot lose
 * each other's word.
 */
function trustFolder(environment: Environment): string | undefined {
  const folder = userFolder(environment, 'XDG_STATE_HOME', '.local/state');
  return folder === undefined ? undefined : join(folder, 'trust');
}

/** SHA-256 of a file's bytes, hex. */
export async function sha256Of(bytes: Uint8Array | string): Promise<string> {
  // Loaded at use: only a file in the current folder needs it.
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(bytes).digest('hex');
}

/** What was agreed to for the file at `path` (a real path); undefined where nothing was, or it cannot be read. */
export async function readTrust(environment: Environment, path: string): Promise<TrustRecord | undefined> {
  const folder = trustFolder(environment);
  if (folder === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(readFileSync(await recordPath(folder, path), 'utf8'));
    return isRecord(record) ? record : undefined;
  } catch {
    // Absent or damaged: either way nobody has agreed.
    return undefined;
  }
}

/** @throws {DoorError} `CONFIG_INVALID` where there is no place to keep it, or it cannot be kept there */
export async function writeTrust(environment: Environment, { path, sha256 }: TrustRecord): Promise<void> {
  const folder = getTrustFolder(environment);
  const { writeWhole } = await import('./write-whole.js');
  const text = `${JSON.stringify({ path, sha256 }, null, 2)}\n`;
  try {
    makeFolder(folder);
    await writeWhole(await recordPath(folder, path), text, { mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DoorError('CONFIG_INVALID', `what you trust cannot be kept in ${folder}: ${code}`, {
      hint: 'Set XDG_STATE_HOME to a folder that you may write to, or name the file with --config each time.',
      cause,
    });
  }
}

/** Takes an agreement back; nothing happens where there is none. */
export async function removeTrust(environment: Environment, path: string): Promise<void> {
  rmSync(await recordPath(getTrustFolder(environment), path), { force: true });
}

function getTrustFolder(environment: Environment): string {
  const folder = trustFolder(environment);
  if (folder !== undefined) return folder;
  throw new DoorError('CONFIG_INVALID', 'there is no place to keep what you trust', {
    hint: 'Set HOME or XDG_STATE_HOME, or name the file with --config each time.',
  });
}

async function recordPath(folder: string, path: string): Promise<string> {
  return join(folder, `${await sha256Of(path)}.json`);
}

function isRecord(value: unknown): value is TrustRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { path, sha256 } = value as Partial<TrustRecord>;
  return typeof path === 'string' && typeof sha256 === 'string';
}
