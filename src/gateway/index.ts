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
export type { Advisory } from './advisory.js';
export { createGateway } from './gateway.js';
export type {
  BrokenMount,
  Gateway,
  GatewayLimits,
  GatewayOptions,
  ListName,
  Mount,
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
