import { BACKSLASH, CLOSE_BRACE, COLON, decodeText, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './bytes.js';

/**
 * Finds the first name that occurs twice in one object, anywhere in a JSON text whose grammar is known to be good.
 * Names count as equal when they mean the same text, however they are spelled. Linear in the length of the text.
 *
 * @returns the name, or undefined
 */
export function findDuplicateName(bytes: Uint8Array, start: number, end: number): string | undefined {
  /** Per open container: the names seen, or undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let i = start;
  while (i < end) {
    const c = bytes[i]!;
    if (c === QUOTE) {
      const behind = endOfString(bytes, i + 1);
      const names = open.at(-1);
      if (names !== undefined && isName(bytes, behind, end)) {
        const name = nameAt(bytes, i, behind);
        if (names.has(name)) return name;
        names.add(name);
      }
      i = behind;
      continue;
    }
    if (c === OPEN_BRACE) open.push(new Set());
    else if (c === OPEN_BRACKET) open.push(undefined);
    else if (c === CLOSE_BRACE || c === OPEN_BRACKET + 2) open.pop();
    i++;
  }
  return undefined;
}

/** @returns the index behind the closing quote of a string that is known to close; `at` is behind its opening one */
export function endOfString(bytes: Uint8Array, at: number): number {
  let i = at;
  for (let walked = 0; walked < 64; walked++, i++) {
    const c = bytes[i]!;
    if (c === QUOTE) return i + 1;
    if (c === BACKSLASH) i++;
  }
  // A long one: let the platform look for the quote, then see whether an odd run of backslashes escapes it.
  for (;;) {
    const quote = bytes.indexOf(QUOTE, i);
    let slashes = 0;
    while (quote - 1 - slashes >= i && bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    i = quote + 1;
    if (slashes % 2 === 0) return i;
  }
}

/** A string is a name when a colon follows it; in good grammar nothing else puts one there. */
function isName(bytes: Uint8Array, at: number, end: number): boolean {
  let i = at;
  while (i < end && bytes[i]! <= 0x20) i++;
  return bytes[i] === COLON;
}

function nameAt(bytes: Uint8Array, start: number, end: number): string {
  const text = decodeText(bytes, start, end);
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}
