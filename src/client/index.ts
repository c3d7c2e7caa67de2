export { askingOf, ParkedRequests } from './asking.js';
export { definitionsOf, readCachedTools } from './cached-tools.js';
export { Client, type ClientOptions, type ClientValidation, type JudgedAnswer } from './client.js';
export type { ClientState, Connecting, Failed, Ready } from './lifecycle.js';
export type { ToolList } from './listing.js';
export type { RawAnswer } from './raw-answer.js';
export type {
  Authorizer,
  LineHandlers,
  LineTransport,
  Outgoing,
  Transport,
  TransportHandlers,
} from './transport.js';
