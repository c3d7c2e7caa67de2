export { createServer, type OpenServer, openServer, type Server, type ServerOptions } from './create-server.js';
export { fingerprintMeta } from './fingerprint-meta.js';
export { anyone } from './http/identity.js';
export type * from './http/index.js';
export { tokenIdentifier } from './http/token-identifier.js';
export { loadHttpDoor } from './http-load.js';
export { StreamDoor, type StreamDoorOptions } from './stream-door.js';
