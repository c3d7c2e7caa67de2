const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const NOT_ONE = 0xff;

const VALUES = new Uint8Array(128).fill(NOT_ONE);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Writes bytes as base64url without padding (RFC 4648, section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = Math.min(bytes.length - i, 3);
    const bits = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let part = 0; part <= left; part++) text += ALPHABET[(bits >> (18 - 6 * part)) & 63];
  }
  return text;
}

/**
 * Reads base64url without padding.
 *
 * @returns undefined for any other text, also for one whose last character has bits that no byte takes: two texts that
 * mean the same bytes would be two spellings of one state
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? NOT_ONE;
    if (value === NOT_ONE) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = (bits >> count) & 0xff;
  }
  return (bits & ((1 << count) - 1)) === 0 ? bytes : undefined;
}
