export { namePrefix } from './names.js';
export { buildSnapshot, type MountedList, NameBook, type NameCollision } from './snapshot.js';
export type { CatalogEntry, CatalogSnapshot, Exclusion, ListedTool, PrefixRule, ToolFilter } from './types.js';
