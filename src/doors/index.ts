export type * from './http/index.js';
export { loadHttpDoor } from './http-load.js';
export { StreamDoor, type StreamDoorOptions } from './stream-door.js';
