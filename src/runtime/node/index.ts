export { cachedInstructions } from './cached-instructions.js';
export { type CatalogStoreOptions, FileCatalogCache } from './catalog-store.js';
export { type CodeCacheOptions, useCodeCache } from './code-cache.js';
export {
  type ConfigSearch,
  type ConfigSearchOptions,
  type FoundConfig,
  findConfig,
  type LookedAt,
  readConfigFile,
} from './config-files.js';
export { childEnvironment } from './environment.js';
export { type EventLogOptions, jsonLogLine, type LogLevel, logEvents } from './event-log.js';
export { LogStream } from './log-stream.js';
export { gatewayLimitsOf, mountsOf, validationOf } from './mounts.js';
export { killGroups } from './process-group.js';
export { type SpawnOptions, spawnTransport } from './spawn-transport.js';
export { type StdioEnd, type StdioOptions, serveStdio } from './stdio.js';
export { readTrust, removeTrust, sha256Of, writeTrust } from './trust-store.js';
