import type { Surface } from './types.js';

/** Where the same document is to be had, beside the endpoint and under the well-known places that clients have asked at. */
export const WELL_KNOWN = '/.well-known';
export const TOOLS_FOLDER = `${WELL_KNOWN}/agent-tools`;
export const PROTECTED_RESOURCE = `${WELL_KNOWN}/oauth-protected-resource`;

/** Where documents are that others lead to. */
export const PLACES = {
  mcp: `${WELL_KNOWN}/mcp.json`,
  aiCatalog: `${WELL_KNOWN}/ai-catalog.json`,
  apiCatalog: `${WELL_KNOWN}/api-catalog`,
  index: `${TOOLS_FOLDER}/index.json`,
  registryAuth: `${WELL_KNOWN}/mcp-registry-auth`,
  openapi: '/openapi.json',
  llms: '/llms.txt',
} as const;

/** A path as others are to be led to it: whole, where it is known what the server is reached by. */
export function addressOf({ publicUrl }: Surface, path: string): string {
  return publicUrl === undefined ? path : new URL(path, publicUrl).href;
}

/** The endpoint, as callers are to be led to it. */
export function endpointOf({ publicUrl, path }: Surface): string {
  return publicUrl ?? path;
}

/** The path of the card beside the endpoint (SEP-2127, Location). */
export function cardPathOf(path: string): string {
  return `${path.replace(/\/$/, '')}/server-card`;
}

/** The places of the protected resource metadata: with the endpoint's path behind it, and alone (RFC 9728 section 3.1). */
export function resourcePathsOf(path: string, resourcePath = path): readonly string[] {
  return [...new Set([path, resourcePath, '/'].map((each) => `${PROTECTED_RESOURCE}${each === '/' ? '' : each}`))];
}
