export { Client, type ClientOptions, type ClientState, type ClientValidation, type JudgedAnswer } from './client.js';
export type { ToolList } from './listing.js';
export type { RawAnswer } from './pending.js';
export type { Transport, TransportHandlers } from './transport.js';
