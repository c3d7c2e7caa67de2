// The package's `.` export. It shows what the rooms hold and holds nothing of its own.

export {
  type AnyEventListener,
  type CallEvent,
  type CallObserver,
  type CallOptions,
  type CancelSignal,
  DoorError,
  type DoorErrorOptions,
  type DoorEvents,
  ERROR_TABLE,
  type ErrorCode,
  type EventBus,
  type EventListener,
  type EventName,
  type IssueSummary,
  type JsonSlice,
  type Principal,
} from './base/index.js';
export type { Transport, TransportHandlers } from './client/index.js';
export * from './contract/index.js';
export { createServer, type Server, type ServerOptions } from './doors/index.js';
export {
  type BrokenMount,
  type CatalogEntry,
  type CatalogSnapshot,
  createGateway,
  type Exclusion,
  type Gateway,
  type GatewayLimits,
  type GatewayOptions,
  type Mount,
  type PrefixRule,
  type ToolAnswer,
  type ToolCall,
  type ToolFilter,
  type UpstreamState,
  type UpstreamStatus,
  type Validation,
} from './gateway/index.js';
export type { Issue } from './schema/index.js';
