import type { JsonScanner } from '../../base/index.js';
import { type BadMessage, type Era, findCodec, type Message } from '../../protocol/index.js';
import { namesRevision } from '../modern-request.js';

/**
 * Which era a message that came over HTTP is of (MCP 2026-07-28 basic/versioning, Backward Compatibility). One that names
 * its own version is modern, and an `initialize` opens a session; else the header tells. A version that nobody knows is
 * for the modern door to refuse, since that says which ones there are.
 */
export function eraOf(scanner: JsonScanner, message: Message | BadMessage, versionHeader: string | undefined): Era {
  if (message.kind === 'request' || message.kind === 'notification') {
    if (namesRevision(scanner, message)) return 'modern';
    if (message.method === 'initialize') return 'handshake';
  }
  return versionHeader === undefined || findCodec(versionHeader) !== undefined ? 'handshake' : 'modern';
}
