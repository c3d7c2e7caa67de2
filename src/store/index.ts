export { MemoryStore, type MemoryStoreOptions } from './memory-store.js';
export type { StateStore } from './types.js';
