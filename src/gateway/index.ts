export type {
  CatalogCache,
  CatalogEntry,
  CatalogSnapshot,
  Exclusion,
  HiddenTool,
  Offer,
  OfferKind,
  PrefixRule,
  ToolFilter,
} from '../catalog/index.js';
export { isNamedBy } from '../catalog/index.js';
export type { Advisory } from './advisory.js';
export { createGateway } from './gateway.js';
export { type LocalMountOptions, localMount } from './local/index.js';
export type { Attendance, Presence } from './presence.js';
export type {
  BrokenMount,
  Gateway,
  GatewayLimits,
  GatewayOptions,
  ListName,
  ListToolsOptions,
  Mount,
  MountAccess,
  RelayedAnswer,
  RelayedMethod,
  TaskMethod,
  ToolAnswer,
  ToolCall,
  UpstreamFailure,
  UpstreamState,
  UpstreamStatus,
  Validation,
  View,
} from './types.js';
