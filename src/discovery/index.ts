export {
  type DocumentedTool,
  type DocumentedVariant,
  type Executor,
  type ToolsDocument,
  toolsArray,
  toolsDocument,
} from './agent-tools.js';
export type { Answer, DocumentRequest } from './answer.js';
export { type ServerCard, serverCard } from './card.js';
export { DOCUMENTS, type DocumentKind, type DocumentName } from './document-table.js';
export { makeText } from './document-texts.js';
export { Documents } from './documents.js';
export { openapi } from './openapi.js';
export { type Fidelity, FORMS, type Form, type Loss, TARGETS, type Target, type Variant } from './projections/index.js';
export {
  type DoorRoute,
  type Route,
  type RouteRequest,
  type RouteResponse,
  type RouteTableOptions,
  routesOf,
  routeTable,
} from './routes.js';
export { type ModelCall, type ToolCallParams, toToolArguments } from './to-tool-arguments.js';
export type * from './types.js';
