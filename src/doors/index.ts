export { createServer, type OpenServer, openServer, type Server, type ServerOptions } from './create-server.js';
export { FINGERPRINT_KEY, fingerprintMeta } from './fingerprint-meta.js';
export type * from './http/index.js';
export { loadHttpDoor } from './http-load.js';
export { StreamDoor, type StreamDoorOptions } from './stream-door.js';
