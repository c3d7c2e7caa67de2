export { StreamDoor, type StreamDoorOptions } from './stream-door.js';
