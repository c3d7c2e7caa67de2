import { lstat, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachedCatalog } from '../../catalog/index.js';
import { encodeCatalog } from './catalog-file.js';
import { makeFolder } from './make-folder.js';
import { isOursAlone } from './own-file.js';
import { writeWhole } from './write-whole.js';

/** A catalog and the drafts of one that a kill left behind. */
const OURS = /^[A-Za-z0-9_-]{1,128}\.json(?<draft>\.\d+)?$/;
/** A variable with a new value at each start makes a new key at each start. */
const MAX_FILES = 500;
/** No write takes this long. */
const DRAFT_KEEP_MS = 86_400_000;

/** @throws {Error} when it cannot be kept, for whatever reason */
export async function writeCatalogFile(options: {
  readonly folder: string;
  readonly path: string;
  readonly key: string;
  readonly catalog: CachedCatalog;
}): Promise<void> {
  const { folder, path, key, catalog } = options;
  const bytes = encodeCatalog(key, catalog);
  makeFolder(folder);
  // Who else can write the folder could lay a link where a draft will be written.
  if (!isOursAlone(await stat(folder))) throw new Error(`others than us can write ${folder}`);
  const found = await lstat(path).catch(() => undefined);
  // A write would go through a link to wherever it leads; a link is nothing of ours, so it goes.
  if (found?.isSymbolicLink()) await rm(path);
  await writeWhole(path, bytes, { mode: 0o600 });
  // So that a sweep need not read it.
  await utimes(path, catalog.savedAtMs / 1000, catalog.savedAtMs / 1000);
}

/** Removes catalogs that are older than `keepMs`, the oldest beyond the first 500, and drafts that were left behind. */
export async function sweepCatalogs(
  folder: string,
  { nowMs, keepMs }: { readonly nowMs: number; readonly keepMs: number },
): Promise<void> {
  const catalogs: { readonly path: string; readonly savedAtMs: number }[] = [];
  for (const name of await readdir(folder)) {
    const match = OURS.exec(name);
    if (match === null) continue;
    const path = join(folder, name);
    // Another doorward may sweep at the same time.
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile()) continue;
    const isDraft = match.groups?.draft !== undefined;
    if (nowMs - found.mtimeMs > (isDraft ? DRAFT_KEEP_MS : keepMs)) await rm(path, { force: true });
    else if (!isDraft) catalogs.push({ path, savedAtMs: found.mtimeMs });
  }
  catalogs.sort((a, b) => b.savedAtMs - a.savedAtMs);
  for (const { path } of catalogs.slice(MAX_FILES)) await rm(path, { force: true });
}
