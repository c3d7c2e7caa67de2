export { childEnvironment } from './environment.js';
export { type EventLogOptions, type LogLevel, logEvents } from './event-log.js';
export { type SpawnOptions, spawnTransport } from './spawn-transport.js';
export { type StdioEnd, type StdioOptions, serveStdio } from './stdio.js';
