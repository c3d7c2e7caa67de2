export type { Body, HeaderList, HttpExchange } from './exchange.js';
export { FetchExchange } from './fetch-exchange.js';
export { createHttpApp, type HttpAppOptions, type HttpEnvironment, type RoutedExchange } from './http-app.js';
export { HttpDoor, type HttpDoorOptions } from './http-door.js';
export { anyone, type Identifier, type Identity } from './identity.js';
export { type IssuerOptions, issuerIdentifier } from './issuer-identifier.js';
export type { Phase, Readiness } from './readiness.js';
export { type ResourceMetadata, resourceMetadata, resourceUrl } from './resource-metadata.js';
export { type NamedToken, tokenIdentifier } from './token-identifier.js';
