import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { DoorError } from '../../base/index.js';
import { troubleOfAnswer } from './trouble.js';
import type { EgressFetch } from './types.js';

export interface DiscoverOptions {
  /** The server's own URL. */
  readonly url: string;
  /** What its challenge named. */
  readonly resourceMetadata?: string | undefined;
  /** The authorization server to prefer where several are offered. */
  readonly preferred?: string | undefined;
  readonly fetch: EgressFetch;
  readonly nowMs: number;
}

/** How a server wants to be authorized. */
export interface Discovered {
  /** Validated: it is what the authorization server calls itself, and what its metadata was looked up by. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** What tokens are asked for (RFC 8707). */
  readonly resource: string;
  /** `scopes_supported` of the resource's metadata. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * Finds the authorization server of an MCP server (MCP basic/authorization/authorization-server-discovery). The SDK reads
 * and validates each document; which places are tried, and what counts as an absent document, is decided here: any 4xx and
 * any page that is no JSON is a miss, since content networks and single-page applications answer so where nothing is.
 * A 5xx is no answer at all.
 *
 * @returns undefined where nothing says that there is one
 * @throws {DoorError} FORBIDDEN where the documents contradict each other, naming both values
 * @throws {TemporaryTrouble} where a place cannot be asked just now
 */
export async function discover(options: DiscoverOptions): Promise<Discovered | undefined> {
  const { url, preferred } = options;
  const fetch = documentFetch(options.fetch, options.nowMs);
  const resource = await findResource(url, options.resourceMetadata, fetch);
  const offered = resource?.authorization_servers ?? [];
  if (offered.length === 0) return legacyServer(url, resource, fetch);
  const ordered = [...offered].sort((a, b) => Number(b === preferred) - Number(a === preferred));
  for (const issuer of ordered) {
    const metadata = await findServer(issuer, fetch);
    if (metadata) return { issuer: metadata.issuer, metadata, ...resourceFacts(url, resource) };
  }
  throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `${ordered.join(', ')} shows no authorization server's metadata`, {
    hint: `${originOf(url)} names it as its authorization server: ask those who run it.`,
  });
}

async function findResource(url: string, challenged: string | undefined, fetch: EgressFetch) {
  for (const place of resourcePlaces(url, challenged)) {
    const document = await orMiss(discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl: place }, fetch));
    if (!document) continue;
    if (checkResourceAllowed({ requestedResource: url, configuredResource: document.resource })) return document;
    throw new DoorError('FORBIDDEN', `the metadata at ${place} speaks of ${document.resource}, not of ${url}`, {
      data: { expected: url, found: document.resource },
      hint: 'Correct the url in the configuration, or ask those who run the server.',
    });
  }
  return undefined;
}

/** The challenge's, then below the well-known path, then at the root. */
export function resourcePlaces(url: string, challenged: string | undefined): readonly string[] {
  const { origin, pathname, search } = new URL(url);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/$/, '');
  return [...new Set([...(challenged ? [challenged] : []), `${root}${path}${search}`, root])];
}

async function findServer(issuer: string, fetch: EgressFetch): Promise<AuthorizationServerMetadata | undefined> {
  try {
    return await orMiss(discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch }));
  } catch (thrown) {
    if (!(thrown instanceof IssuerMismatchError)) throw thrown;
    const found = String(thrown.received ?? '');
    throw new DoorError('FORBIDDEN', `the authorization server ${issuer} calls itself ${found}`, {
      data: { expected: issuer, found },
      hint: 'Log in nowhere: either its metadata is wrong, or somebody stands in its place.',
      cause: thrown,
    });
  }
}

/**
 * Before there was metadata of resources, the authorization server was found at the server's own origin, and its issuer
 * could be anything. What it gives is kept for this server alone.
 */
async function legacyServer(
  url: string,
  resource: OAuthProtectedResourceMetadata | undefined,
  fetch: EgressFetch,
): Promise<Discovered | undefined> {
  const found = discoverAuthorizationServerMetadata(originOf(url), {
    fetchFn: fetch,
    skipIssuerValidation: true,
  });
  const metadata = await orMiss(found);
  return metadata && { issuer: metadata.issuer, metadata, ...resourceFacts(url, resource) };
}

function resourceFacts(url: string, document: OAuthProtectedResourceMetadata | undefined) {
  return { resource: document?.resource ?? canonicalOf(url), scopes: document?.scopes_supported };
}

/** The server's URL as its resource indicator: no fragment, no slash where there is no path. */
export function canonicalOf(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.pathname === '/' && parsed.search === '' ? parsed.origin : parsed.href;
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** A document the SDK cannot read is none; contradictions, trouble and refusals of the guard are not. */
async function orMiss<Document>(found: Promise<Document>): Promise<Document | undefined> {
  try {
    return await found;
  } catch (thrown) {
    if (isTold(thrown)) throw thrown;
    return undefined;
  }
}

function isTold(thrown: unknown): boolean {
  const { name } = thrown as Error;
  return thrown instanceof DoorError || thrown instanceof IssuerMismatchError || name === 'TemporaryTrouble';
}

/** Makes a 404 of every answer that is no JSON object, and trouble of those that are none. Redirects pass: the SDK looks at them. */
function documentFetch(fetch: EgressFetch, nowMs: number): EgressFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const trouble = troubleOfAnswer(response, nowMs);
    if (trouble) throw trouble;
    if (response.status >= 300 && response.status < 400) return response;
    const text = response.ok ? await response.text() : '';
    return isObjectText(text)
      ? new Response(text, { status: 200, headers: { 'content-type': 'application/json' } })
      : new Response(null, { status: 404 });
  };
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
