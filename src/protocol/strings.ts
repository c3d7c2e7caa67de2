import { decodeText, spells } from '../base/index.js';

/** Names come again and again: this many are remembered, so that reading one makes no string. */
const SLOTS = 256;
const MAX_LENGTH = 64;

const known: (string | undefined)[] = new Array<string | undefined>(SLOTS).fill(undefined);

/** Reads a string value, quotes included, whose grammar is known to be good. */
export function readString(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start - 2;
  if (length > MAX_LENGTH || length < 1) return JSON.parse(decodeText(bytes, start, end)) as string;
  const slot =
    (length * 31 + bytes[start + 1]! * 7 + bytes[end - 2]! * 3 + bytes[start + 1 + (length >> 1)]!) & (SLOTS - 1);
  const candidate = known[slot];
  if (candidate !== undefined && spells(bytes, start + 1, end - 1, candidate)) return candidate;
  const text = JSON.parse(decodeText(bytes, start, end)) as string;
  // Only where every byte is a character of its own does a comparison of bytes tell the text.
  if (isPlainAscii(text) && text.length === length) known[slot] = text;
  return text;
}

function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c > 0x7e || c === 0x5c || c === 0x22) return false;
  }
  return true;
}
