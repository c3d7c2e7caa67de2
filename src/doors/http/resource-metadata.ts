/**
 * Where callers read which authorization server they get a token from: the path of the resource comes behind the well-known
 * one (RFC 9728 section 3.1).
 *
 * @param resource the address of the endpoint as callers know it; from the configuration, never from a Host header
 */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
}

/** The address of the endpoint: what was configured as such; without a path of its own, the endpoint's is added. */
export function resourceUrl(publicUrl: string, path: string): string {
  const url = new URL(publicUrl);
  if (url.pathname === '/') url.pathname = path;
  const text = url.href;
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
