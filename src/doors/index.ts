export type * from './http/index.js';
export { loadHttpDoor } from './http-load.js';
export { ModernDoor, type ModernDoorOptions, type Sender } from './modern-door.js';
export { isModernMessage } from './modern-request.js';
export { RequestReader } from './requests.js';
export { Session, type SessionOptions } from './session.js';
export { StreamDoor, type StreamDoorOptions } from './stream-door.js';
