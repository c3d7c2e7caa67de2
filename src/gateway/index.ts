export type { CatalogEntry, CatalogSnapshot, Exclusion, PrefixRule, ToolFilter } from '../catalog/index.js';
export { createGateway } from './gateway.js';
export type {
  BrokenMount,
  Gateway,
  GatewayLimits,
  GatewayOptions,
  Mount,
  ToolAnswer,
  ToolCall,
  UpstreamState,
  UpstreamStatus,
  Validation,
} from './types.js';
