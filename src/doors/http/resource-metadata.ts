import { DoorError } from '../../base/index.js';

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

/**
 * The address of the endpoint: what was configured as such; without a path of its own, the endpoint's is added.
 *
 * @throws {DoorError} CONFIG_INVALID for what cannot be it, or holds what is not for everybody: it stands in public documents
 */
export function resourceUrl(publicUrl: string, path: string): string {
  const url = parsed(publicUrl);
  const fault = url === undefined ? 'it is no address' : faultOf(url);
  if (url === undefined || fault !== undefined) {
    throw new DoorError('CONFIG_INVALID', `the public URL cannot be what callers reach the endpoint by: ${fault}`, {
      data: { option: 'publicUrl' },
      hint: 'Give the whole address, as https://gateway.example or https://gateway.example/mcp.',
    });
  }
  if (url.pathname === '/') url.pathname = path;
  const text = url.href;
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function faultOf({ protocol, username, password, search, hash }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'it is neither https nor http';
  if (username !== '' || password !== '') return 'it has a user or a password in it, and everybody reads it';
  if (search !== '' || hash !== '') return 'it has a query or a fragment';
  return undefined;
}
