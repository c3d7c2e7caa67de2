export type { CachedCatalog, CatalogCache } from './cache.js';
export { isNameOf, namePrefix } from './names.js';
export {
  buildOffers,
  type MountedOffers,
  OfferBook,
  type OfferSnapshot,
  type OfferWarning,
  STATUS_URI,
} from './offers.js';
export { buildSnapshot, isMounted, isNamedBy, type MountedList, NameBook, type NameCollision } from './snapshot.js';
export type {
  CatalogEntry,
  CatalogSnapshot,
  Exclusion,
  HiddenTool,
  ListedOffer,
  ListedTool,
  Offer,
  OfferKind,
  OfferRoute,
  PrefixRule,
  ToolFilter,
  ToolText,
} from './types.js';
