import type { ListedDefinition, RemoteDefinition, ServerIdentity } from '../contract/index.js';

/** How callers of the endpoint show who they are; absent from a surface where nobody has to. */
export type AuthFacts =
  /** Tokens that the operator hands out. */
  | { readonly kind: 'tokens'; readonly scopes: readonly string[] }
  /** Tokens of an authorization server. */
  | { readonly kind: 'issuer'; readonly issuers: readonly string[]; readonly scopes: readonly string[] };

/** A server behind this one that the operator wants to be found by itself. */
export interface MountedServer {
  /** The id of its mount. */
  readonly id: string;
  readonly title?: string;
  /** At most 100 characters. */
  readonly description?: string;
  /** As it introduces itself. */
  readonly version?: string;
}

/** A tool that documents show. One of a mounted server need not have a description. */
export interface PublicTool extends Omit<ListedDefinition, 'description'> {
  readonly description?: string;
}

/** JSON that somebody handed in as text, and that goes out as it is. */
export type Capabilities = Readonly<Record<string, unknown>>;

/**
 * What a running server shows to everybody: all that discovery documents are made from. Whoever runs the server makes it
 * anew for each request, or hands the same object out for as long as nothing changed, which is faster. It holds nothing
 * that is for some callers only.
 */
export interface Surface {
  readonly server: ServerIdentity;
  /** Of the contract that is served, as `initialize` says it (not of what of it is public); absent where none is. */
  readonly fingerprint?: string;
  /** As tools/list shows them to the anonymous, in its order. */
  readonly tools: readonly PublicTool[];
  /** As `initialize` and `server/discover` show them. */
  readonly capabilities: Capabilities;
  /** The revisions of MCP that the endpoint speaks, newest first. */
  readonly supportedVersions: readonly string[];
  /** The path of the endpoint, here: `/mcp`. */
  readonly path: string;
  /**
   * The whole address of the endpoint as callers know it, from the configuration, never from a Host header. Absent where
   * nobody said it: documents then name paths, and no remotes.
   */
  readonly publicUrl?: string;
  /** What the contract says of its remotes: headers and variables of the one that is `publicUrl`. */
  readonly remotes?: readonly RemoteDefinition[];
  readonly auth?: AuthFacts;
  /** Servers behind this one that are listed by themselves. Default: none. */
  readonly servers?: readonly MountedServer[];
  /** When what is served was made, RFC 3339: from SOURCE_DATE_EPOCH or the commit. Absent where unknown: never the clock. */
  readonly generatedAt?: string;
  /** Whom to write to: a URL, or an address of mail. */
  readonly contact?: string;
  /** The text of `/.well-known/mcp-registry-auth`: `v=MCPv1; k=ed25519; p=…`. */
  readonly registryAuth?: string;
}
