import { JsonScanner } from '../../base/index.js';
import { type BadMessage, type Era, findCodec, META, type Message } from '../../protocol/index.js';

/** `_meta` is small; its own scanner keeps the message's index untouched. */
const metaScanner = new JsonScanner();

/**
 * Which era a message that came over HTTP is of (MCP 2026-07-28 basic/versioning, Backward Compatibility). One that names
 * its own version is modern, and an `initialize` opens a session; else the header tells. A version that nobody knows is
 * for the modern door to refuse, since that says which ones there are.
 */
export function eraOf(scanner: JsonScanner, message: Message | BadMessage, versionHeader: string | undefined): Era {
  if (message.kind === 'request' || message.kind === 'notification') {
    if (namesVersion(scanner, message)) return 'modern';
    if (message.method === 'initialize') return 'handshake';
  }
  return versionHeader === undefined || findCodec(versionHeader) !== undefined ? 'handshake' : 'modern';
}

function namesVersion(scanner: JsonScanner, { bytes, body }: Message): boolean {
  const at = body < 0 ? -1 : scanner.find('_meta', bytes, body);
  if (at < 0) return false;
  const isJson = metaScanner.scan(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  return isJson && metaScanner.find(META.protocolVersion, bytes) >= 0;
}
