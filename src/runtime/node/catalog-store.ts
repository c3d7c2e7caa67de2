import { readdirSync, rmSync } from 'node:fs';
import type { CachedCatalog, CatalogCache } from '../../catalog/index.js';
import { type Environment, userFolder } from '../../config/index.js';
import { decodeCatalog, MAX_CATALOG_BYTES } from './catalog-file.js';
import { readOwnFile } from './own-file.js';

export interface CatalogStoreOptions {
  /** Names the folder: `$XDG_CACHE_HOME/doorward/catalog`, else below `$HOME/.cache`. */
  readonly environment: Environment;
  /** Hears why something could not be kept or read. Nothing fails but the cache. */
  readonly onError?: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly nowMs?: () => number;
}

const DAY_MS = 86_400_000;
/** After this a catalog says too little about its upstream. */
const KEEP_MS = 30 * DAY_MS;
/** The same catalog is written anew after this, so that it does not age while its upstream stays the same. */
const REWRITE_AFTER_MS = DAY_MS;
const SWEEP_EVERY_MS = DAY_MS;

/** Keys become file names. */
const KEY = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Catalogs in one file each. They are read at once, since a start is waiting, and written behind whatever is going on.
 * Only files are believed that are ours and that nobody else can write.
 */
export class FileCatalogCache implements CatalogCache {
  readonly #folder: string | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #nowMs: () => number;
  /** By key: the last catalog that was handed in while another one is being written. */
  readonly #waiting = new Map<string, CachedCatalog>();
  readonly #writing = new Map<string, Promise<void>>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor({ environment, onError = () => {}, nowMs = Date.now }: CatalogStoreOptions) {
    const folder = userFolder(environment, 'XDG_CACHE_HOME', '.cache');
    this.#folder = folder === undefined ? undefined : `${folder}/catalog`;
    this.#onError = onError;
    this.#nowMs = nowMs;
  }

  read(key: string): CachedCatalog | undefined {
    if (this.#folder === undefined || !KEY.test(key)) return undefined;
    const path = pathOf(this.#folder, key);
    try {
      const catalog = decodeCatalog(key, readOwnFile(path, MAX_CATALOG_BYTES));
      if (catalog === undefined) throw new Error(`${path} holds no catalog that can be read`);
      // One from tomorrow was written under a wrong clock, and would never grow old.
      const ageMs = this.#nowMs() - catalog.savedAtMs;
      if (ageMs >= -DAY_MS && ageMs <= KEEP_MS) return catalog;
      rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onError(error);
    }
    return undefined;
  }

  write(key: string, catalog: CachedCatalog): void {
    const folder = this.#folder;
    if (folder === undefined || !KEY.test(key)) return this.#onError(new Error(`there is no place to keep ${key}`));
    this.#waiting.set(key, catalog);
    if (this.#writing.has(key)) return;
    const done = this.#writeWaiting(folder, key).finally(() => this.#writing.delete(key));
    this.#writing.set(key, done);
  }

  remove(key: string): void {
    const folder = this.#folder;
    if (folder === undefined || !KEY.test(key)) return;
    const isOf = (name: string): boolean => name === key || name.startsWith(`${key}-`);
    for (const name of this.#waiting.keys()) if (isOf(name)) this.#waiting.delete(name);
    const writing = [...this.#writing].flatMap(([name, done]) => (isOf(name) ? [done] : []));
    this.#removeNow(folder, isOf);
    // What is being written just now is there a moment later.
    if (writing.length > 0) void Promise.allSettled(writing).then(() => this.#removeNow(folder, isOf));
  }

  #removeNow(folder: string, isOf: (name: string) => boolean): void {
    try {
      for (const name of readdirSync(folder))
        if (isOf(name.replace(/\.json$/, ''))) rmSync(`${folder}/${name}`, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onError(error);
    }
  }

  /** Waits until all that was handed in is written or lost. */
  async whenIdle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  async #writeWaiting(folder: string, key: string): Promise<void> {
    for (let catalog = this.#waiting.get(key); catalog !== undefined; catalog = this.#waiting.get(key)) {
      this.#waiting.delete(key);
      try {
        await this.#writeOne(folder, key, catalog);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  async #writeOne(folder: string, key: string, catalog: CachedCatalog): Promise<void> {
    // Loaded at use: it costs more than reading does, and the start is over by now.
    const { sweepCatalogs, writeCatalogFile } = await import('./catalog-writer.js');
    const kept = this.read(key);
    if (kept !== undefined && isSame(kept, catalog) && catalog.savedAtMs - kept.savedAtMs < REWRITE_AFTER_MS) return;
    await writeCatalogFile({ folder, path: pathOf(folder, key), key, catalog });
    const nowMs = this.#nowMs();
    if (nowMs - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = nowMs;
    await sweepCatalogs(folder, { nowMs, keepMs: KEEP_MS });
  }
}

function pathOf(folder: string, key: string): string {
  return `${folder}/${key}.json`;
}

function isSame(a: CachedCatalog, b: CachedCatalog): boolean {
  if (a.revision !== b.revision || a.serverName !== b.serverName || a.instructions !== b.instructions) return false;
  if (a.fingerprint !== b.fingerprint) return false;
  return a.tools.length === b.tools.length && a.tools.every((definition, i) => definition === b.tools[i]);
}
