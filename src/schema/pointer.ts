const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** One more segment on a JSON pointer (RFC 6901). */
export function joinPointer(pointer: string, segment: string | number): string {
  return `${pointer}/${typeof segment === 'number' ? segment : escapeSegment(segment)}`;
}

function escapeSegment(segment: string): string {
  return segment.includes('~') || segment.includes('/') ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment;
}

/** The segments of a JSON pointer, unescaped. The empty pointer has none. */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Writes a place in a value for people: `$`, `$.days`, `$["a.b"]`, `$.a[0]`. */
export function pathOf(segments: readonly (string | number)[]): string {
  let path = '$';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else path += PLAIN_KEY.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  }
  return path;
}

/** The same place as a JSON pointer. */
export function pointerOf(segments: readonly (string | number)[]): string {
  return segments.reduce<string>(joinPointer, '');
}
