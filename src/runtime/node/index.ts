export { cachedInstructions } from './cached-instructions.js';
export { type CatalogStoreOptions, FileCatalogCache } from './catalog-store.js';
export { loadClientFiles } from './client-files-load.js';
export { type CodeCacheOptions, useCodeCache } from './code-cache.js';
export {
  type ConfigSearch,
  type ConfigSearchOptions,
  type FoundConfig,
  findConfig,
  type LookedAt,
  readConfigFile,
} from './config-files.js';
export type { EgressOptions } from './egress.js';
export { egressFetch } from './egress-fetch.js';
export { childEnvironment } from './environment.js';
export { type EventLogOptions, jsonLogLine, type LogLevel, logEvents } from './event-log.js';
export { type ServeHttpOptions, serveHttp } from './http-serving.js';
export { LogStream } from './log-stream.js';
export { gatewayLimitsOf, mountsOf, validationOf } from './mounts.js';
export { refuseNesting } from './nesting.js';
export { authStatusOf, logInTo, logOutOf, openTokenStore, whyNoKeychain } from './oauth-commands.js';
export type { AuthStatus, LoggedOut, LoginOptions } from './oauth-login.js';
export { hasOwnToken, type OAuthServer, oauthServerOf } from './oauth-server.js';
export { openBrowser } from './open-browser.js';
export { expectGroup, keepGroup, killGroup, killGroups } from './process-group.js';
export { loadProject } from './project.js';
export type { ProjectSettings } from './project-fields.js';
export { type FileState, stateOf, writeProjectFile } from './project-files.js';
export type { PackageFacts, Project } from './project-types.js';
export { logInToRemote, logOutOfRemote, remoteStatusOf } from './remote-commands.js';
export type { RemoteLoggedOut, RemoteLoginOptions, RemoteStatus, SignedIn } from './remote-login.js';
export { type RemoteMountOptions, remoteMounts } from './remote-mounts.js';
export { GIVEN, isRemoteNamed, OWN_PROGRAM, remoteLoginCommand, shownUrl } from './remote-record.js';
export { type RemoteOptions, remoteTransport } from './remote-transport.js';
export {
  type RunningServer,
  type ServeOptions,
  type ServeStdioOptions,
  serve,
  serveStdio,
} from './serve-implementation.js';
export { type SpawnOptions, spawnTransport } from './spawn-transport.js';
export { runStdioDoor, type StdioEnd, type StdioOptions } from './stdio.js';
export { readTrust, removeTrust, sha256Of, writeTrust } from './trust-store.js';
