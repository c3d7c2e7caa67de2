/** What is kept of an upstream between processes. */
export interface CachedCatalog {
  /** Epoch milliseconds. */
  readonly savedAtMs: number;
  readonly revision: string;
  readonly serverName: string;
  /** What the server told models about itself at initialize; `` where it said nothing. A store may keep only its beginning. */
  readonly instructions: string;
  /** Of the contract that it serves, where it says one. */
  readonly fingerprint?: string;
  /** Each tool's definition as JSON text on one line: what was mounted last. */
  readonly tools: readonly string[];
}

/** Where catalogs are kept from one process to the next. The runtime supplies it. Losing it costs only time. */
export interface CatalogCache {
  /** What was kept under a key; undefined where there is nothing, or nothing that can be read. Never throws. */
  read(key: string): CachedCatalog | undefined;
  /** Keeps a catalog. Returns at once; a write that fails is lost. */
  write(key: string, catalog: CachedCatalog): void;
  /** Forgets a catalog, for whatever callers it was kept (`cacheKeyFor`). Returns at once. */
  remove?(key: string): void;
}
