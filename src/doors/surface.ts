import { isObject } from '../base/index.js';
import { listedDefinition, type ServerIdentity, type Slice } from '../contract/index.js';
import type { AuthFacts, MountedServer, PublicTool, Surface } from '../discovery/index.js';
import { type CatalogEntry, type Gateway, isNamedBy } from '../gateway/index.js';
import { REVISIONS } from '../protocol/index.js';
import { CAPABILITIES } from './capabilities.js';
import type { Identifier } from './http/identity.js';

/** What the operator wants to be public, beside the contract's own tools. */
export interface PublicOptions {
  /** Patterns of names, as lists show them, of tools of mounted upstreams. Default: none. */
  readonly publicTools?: readonly string[];
  /** Mounts that are listed as servers of their own. Default: none. */
  readonly publicServers?: readonly string[];
  /** Whom to write to: a URL, or an address of mail. */
  readonly contact?: string;
  /** The text of `/.well-known/mcp-registry-auth`. */
  readonly registryAuth?: string;
  /** When what is served was made, RFC 3339. Never the clock. */
  readonly generatedAt?: string;
}

export interface SurfaceBoardOptions {
  readonly gateway: Gateway;
  readonly server: ServerIdentity;
  /** What of a contract everybody may know of here; undefined where no contract is served. */
  readonly slice: () => Slice | undefined;
  readonly identifier: Identifier;
  readonly path: string;
  /** The address of the endpoint, from the configuration. */
  readonly resource?: string;
  readonly documents: PublicOptions;
}

/** What a running server shows to everybody: one object as long as nothing has changed, so that documents are made once. */
export class SurfaceBoard {
  readonly #options: SurfaceBoardOptions;
  #entries: readonly CatalogEntry[] | undefined;
  #surface: Surface | undefined;

  constructor(options: SurfaceBoardOptions) {
    this.#options = options;
  }

  get surface(): Surface {
    const { entries } = this.#options.gateway.snapshot();
    if (this.#surface === undefined || this.#entries !== entries) {
      this.#entries = entries;
      this.#surface = this.#make(entries);
    }
    return this.#surface;
  }

  #make(entries: readonly CatalogEntry[]): Surface {
    const { server, slice, identifier, path, resource, documents } = this.#options;
    const { contact, registryAuth, generatedAt } = documents;
    const own = slice();
    const auth = authOf(identifier);
    return {
      server,
      ...(own && { fingerprint: own.contract.fingerprint, remotes: own.contract.remotes }),
      tools: [...(own?.tools.map(listedDefinition) ?? []), ...this.#mountedTools(entries, own)],
      capabilities: CAPABILITIES,
      supportedVersions: REVISIONS,
      path,
      ...(resource !== undefined && { publicUrl: resource }),
      ...(auth && { auth }),
      servers: this.#mountedServers(),
      ...(generatedAt !== undefined && { generatedAt }),
      ...(contact !== undefined && { contact }),
      ...(registryAuth !== undefined && { registryAuth }),
    };
  }

  #mountedTools(entries: readonly CatalogEntry[], own: Slice | undefined): readonly PublicTool[] {
    const patterns = this.#options.documents.publicTools ?? [];
    // All of the contract's: a private one is nothing that an operator could make public.
    const names = new Set(own?.contract.tools.map(({ name }) => name));
    return entries
      .filter(({ name }) => !names.has(name) && isNamedBy(patterns, name))
      .map(({ name, advertised }) => publicTool(name, JSON.parse(advertised)));
  }

  #mountedServers(): readonly MountedServer[] {
    const wanted = this.#options.documents.publicServers ?? [];
    return this.#options.gateway
      .upstreams()
      .filter(({ id }) => wanted.includes(id))
      .map(({ id, state }) => ({ id, ...(state.kind === 'ready' && { title: state.serverName }) }));
  }
}

/** What documents have room for, where it is what MCP has there: somebody else wrote it. */
function publicTool(name: string, definition: Readonly<Record<string, unknown>>): PublicTool {
  const { title, description, inputSchema, outputSchema, annotations, _meta } = definition;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    // No tool is in the catalog whose inputSchema is not one.
    inputSchema: inputSchema as PublicTool['inputSchema'],
    ...(isObject(outputSchema) && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
    ...(isObject(_meta) && { _meta }),
  };
}

function authOf({ issuers, requiredScopes: scopes, identify }: Identifier): AuthFacts | undefined {
  if (issuers.length > 0) return { kind: 'issuer', issuers, scopes };
  const stranger = identify(undefined);
  return stranger instanceof Promise || stranger.kind !== 'known' ? { kind: 'tokens', scopes } : undefined;
}
