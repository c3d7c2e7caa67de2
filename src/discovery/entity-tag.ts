import { sha256 } from '@noble/hashes/sha2.js';

/** Where an If-None-Match is longer it is not read: a hundred tags, as nobody sends them. In characters. */
export const MAX_IF_NONE_MATCH = 8_192;

/**
 * The entity tag of a document: SHA-256 over its bytes. Weak, since whoever compresses on the way keeps a weak one
 * (RFC 9110 section 8.8.1).
 */
export function entityTagOf(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...sha256(bytes)));
  return `W/"${base64.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')}"`;
}

/** One entity tag (RFC 9110 section 8.8.3): what stands in its quotes may be a comma. */
const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\uffff]*")/y;
const BLANKS_AND_COMMAS = /[ \t,]*/y;
const BLANKS = /[ \t]*/y;

/**
 * Whether an If-None-Match names `tag`, or is `*`. Tags are compared weakly (RFC 9110 section 13.1.2). One that breaks the
 * grammar names nothing: the document is sent then, which is never wrong.
 */
export function isNamed(tag: string, ifNoneMatch: string): boolean {
  const text = ifNoneMatch.trim();
  if (text === '*') return true;
  const wanted = opaque(tag);
  let isFound = false;
  for (let at = skip(BLANKS_AND_COMMAS, text, 0); at < text.length; ) {
    TAG.lastIndex = at;
    const match = TAG.exec(text);
    if (match === null) return false;
    isFound ||= match[1] === wanted;
    const end = skip(BLANKS, text, TAG.lastIndex);
    if (end < text.length && text[end] !== ',') return false;
    at = skip(BLANKS_AND_COMMAS, text, end);
  }
  return isFound;
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.exec(text);
  return pattern.lastIndex;
}
