export { askingOf, PARKED_MS, ParkedRequests } from './asking.js';
export {
  type AuthorizerOptions,
  type Credential,
  changeRecord,
  currentOf,
  type EgressFetch,
  hasLoggedInSince,
  isBearerToken,
  type LogInOptions,
  logIn,
  type OAuthConfig,
  oauthAuthorizer,
  probeChallenge,
  revokeTokens,
  type ServerRecord,
  type StoredClient,
  type TokenStore,
  type Tokens,
  type UserAgent,
  type Wanted,
} from './auth/index.js';
export { definitionsOf, readCachedTools } from './cached-tools.js';
export type { AskCaller } from './caller-requests.js';
export { Client, type JudgedAnswer } from './client.js';
export type { ClientOptions, ClientValidation } from './client-options.js';
export { type Elicitation, type ElicitationWarning, type FormRules, readElicitation } from './eliciting.js';
export type { Hello } from './handshake.js';
export { isNoModernEvidence } from './http/http-errors.js';
export { type HttpTransportOptions, httpTransport } from './http/http-transport.js';
export type { HttpWire, WireExchange, WireHandlers, WireRequest } from './http/wire.js';
export type { ClientState, Connecting, Failed, Ready } from './lifecycle.js';
export type { ToolList } from './listing.js';
export { RareWarnings } from './rare-warnings.js';
export type { RawAnswer } from './raw-answer.js';
export type {
  Authorizer,
  LineHandlers,
  LineTransport,
  Outgoing,
  Transport,
  TransportHandlers,
} from './transport.js';
