export { isNameOf, namePrefix } from './names.js';
export { buildSnapshot, isMounted, type MountedList, NameBook, type NameCollision } from './snapshot.js';
export type { CatalogEntry, CatalogSnapshot, Exclusion, ListedTool, PrefixRule, ToolFilter } from './types.js';
