import { DoorError } from '../base/index.js';
import type { Config } from '../config/index.js';
import { hasOwnToken, type OAuthServer, oauthServerOf } from '../runtime/node/index.js';
import { unknownServer } from './unknown-server.js';

/**
 * The server that somebody wants to log in to, or out of.
 *
 * @throws {DoorError} `CONFIG_INVALID` where there is none of this id, or none that is reached over HTTP
 */
export function getOAuthServer({ servers }: Config, id: string): OAuthServer {
  const entry = servers.find((server) => server.id === id);
  if (!entry) {
    const ids = servers.flatMap((server) => (oauthServerOf(server) ? [server.id] : []));
    throw unknownServer(id, ids);
  }
  if (entry.kind === 'broken') throw entry.error;
  const server = oauthServerOf(entry);
  if (server && !hasOwnToken(server)) return server;
  const why = server ? 'its entry names an Authorization header' : whyNone(entry.kind);
  throw new DoorError('CONFIG_INVALID', `there is nothing to log in to at ${id}: ${why}`, {
    data: { server: id },
    hint: server ? 'Take the header out of the entry to log in instead.' : 'Only servers with a url take a login.',
  });
}

function whyNone(kind: 'ready' | 'disabled'): string {
  return kind === 'disabled' ? 'it is switched off' : 'it is a program on this machine';
}
