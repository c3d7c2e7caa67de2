import { decodeText, encodeText } from '../base/index.js';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TAB = 0x09;
const SPACE = 0x20;
const TILDE = 0x7e;

/**
 * What a text is as the value of an `Mcp-Name` or `Mcp-Param-` header (MCP 2026-07-28 basic/transports/streamable-http,
 * Value Encoding): itself where a header can carry it as it is, else the Base64 of its UTF-8 between the markers.
 */
export function encodeHeaderValue(text: string): string {
  // An empty value is lawful, but what is between us and the server may take it for no header at all.
  if (text !== '' && isPlain(text) && !isMarked(text)) return text;
  let binary = '';
  for (const byte of encodeText(text)) binary += String.fromCharCode(byte);
  return PREFIX + btoa(binary) + SUFFIX;
}

/**
 * The text that such a header's value stands for.
 *
 * @returns undefined where the value has characters that no value may have, or marks that hold no good Base64 of UTF-8
 */
export function decodeHeaderValue(value: string): string | undefined {
  const trimmed = trim(value);
  if (!isPlain(trimmed)) return undefined;
  if (!isMarked(trimmed)) return trimmed;
  const base64 = trimmed.slice(PREFIX.length, -SUFFIX.length);
  // `=?base64?=` begins and ends with the marks, but they share a character: nothing lies between them.
  if (trimmed.length < PREFIX.length + SUFFIX.length || base64.length % 4 !== 0 || !BASE64.test(base64))
    return undefined;
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const text = decodeText(bytes);
  // Decoding puts a replacement where the bytes are no UTF-8, and drops nothing else: only good bytes come back the same.
  return isSame(encodeText(text), bytes) ? text : undefined;
}

/** Whether a header's value, decoded, is the text of the body. Half a surrogate pair has no UTF-8: a replacement stands for it. */
export function isHeaderValueOf(value: string, text: string): boolean {
  const decoded = decodeHeaderValue(value);
  return decoded !== undefined && (decoded === text || decoded === decodeText(encodeText(text)));
}

/** Visible ASCII, space and tab, neither of the two at an end: what reads a header takes white space there away. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c > TILDE || (c < SPACE && c !== TAB)) return false;
  }
  return !isBlank(text.charCodeAt(0)) && !isBlank(text.charCodeAt(text.length - 1));
}

function isBlank(c: number): boolean {
  return c === SPACE || c === TAB;
}

function isMarked(text: string): boolean {
  return text.startsWith(PREFIX) && text.endsWith(SUFFIX);
}

/** White space around a value is not part of it (RFC 9110, 5.5). */
function trim(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
