export { anyone, type Identifier, type NamedToken, tokenIdentifier } from '../../doors/index.js';
export { createWorker, type DoorWorker, type WorkerOptions } from './create-worker.js';
export { type FetchWireOptions, fetchWire } from './fetch-wire.js';
export type { RequestContext } from './request-holds.js';
export type { WorkerUpstream } from './worker-upstream.js';
