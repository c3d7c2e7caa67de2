/**
 * As much of a text as `maxBytes` of UTF-8 hold, with an ellipsis where something was cut. Characters stay whole.
 *
 * @param maxBytes at least 3, the ellipsis' own length
 */
export function beginningOf(text: string, maxBytes: number): string {
  // A UTF-16 unit takes one byte at least: what is longer than this need not be encoded to be found too long.
  const start = text.slice(0, maxBytes + 1);
  const bytes = Buffer.from(start);
  if (start.length === text.length && bytes.length <= maxBytes) return text;
  let end = maxBytes - ELLIPSIS_BYTES;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

const ELLIPSIS_BYTES = 3;
