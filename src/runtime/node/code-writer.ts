import { readdir, rm, stat } from 'node:fs/promises';
import type { Script } from 'node:vm';
import { encodeCode } from './code-file.js';
import { makeFolder } from './make-folder.js';
import { isOursAlone } from './own-file.js';
import { writeWhole } from './write-whole.js';

/** A file that was compiled, and what it was compiled from. */
export interface Compiled {
  /** Where the code is to be kept. */
  readonly path: string;
  readonly script: Script;
  readonly source: Buffer;
}

/** Versions come and go, and code that is still in use is soon made anew. */
const KEEP_MS = 30 * 86_400_000;

/** Keeps code for the next start, with all functions that were compiled by now. Never rejects. */
export async function writeCode(folder: string, compiled: readonly Compiled[]): Promise<void> {
  try {
    makeFolder(folder);
    if (!isOursAlone(await stat(folder))) return;
    await sweep(folder);
    for (const { path, script, source } of compiled) {
      await writeWhole(path, encodeCode(script.createCachedData(), source), { mode: 0o600 });
    }
  } catch {
    // No home, a full disk, a folder that is somebody else's: the next start costs what this one did.
  }
}

/** Removes all that is old, drafts included that a kill left behind. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = `${folder}/${name}`;
    // Another doorward may sweep at the same time.
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && Date.now() - found.mtimeMs > KEEP_MS) await rm(path, { force: true });
  }
}
