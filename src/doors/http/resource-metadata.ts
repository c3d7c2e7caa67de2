/** The protected resource metadata of the door (RFC 9728), made once. */
export interface ResourceMetadata {
  /** Where a caller reads it: the path of the resource comes behind the well-known one (RFC 9728 section 3.1). */
  readonly url: string;
  readonly resourcePath: string;
  readonly body: string;
}

export interface ResourceMetadataOptions {
  /** The address of the endpoint as callers know it; from the configuration, never from a Host header. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** Says where tokens for the door are to be had (MCP basic/authorization, Protected Resource Metadata). */
export function resourceMetadata({ resource, issuers, scopes }: ResourceMetadataOptions): ResourceMetadata {
  const { origin, pathname } = new URL(resource);
  const inserted = pathname === '/' ? '' : pathname;
  return {
    url: `${origin}/.well-known/oauth-protected-resource${inserted}`,
    resourcePath: pathname,
    body: JSON.stringify({
      resource,
      authorization_servers: issuers,
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
      resource_name: 'doorward',
    }),
  };
}

/** The address of the endpoint: what was configured as such; without a path of its own, the endpoint's is added. */
export function resourceUrl(publicUrl: string, path: string): string {
  const url = new URL(publicUrl);
  if (url.pathname === '/') url.pathname = path;
  const text = url.href;
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
