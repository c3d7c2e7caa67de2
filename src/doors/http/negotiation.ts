/** What a caller can read. */
export interface Accepts {
  readonly json: boolean;
  readonly stream: boolean;
}

const BOTH: Accepts = { json: true, stream: true };
/** What the specification has clients send, in the two spellings that nearly all of them do. */
const USUAL: ReadonlySet<string> = new Set([
  'application/json, text/event-stream',
  'text/event-stream, application/json',
]);

/**
 * Reads an `Accept` header (RFC 9110 section 12.5.1). MCP wants both types there, many clients send one, a wildcard or
 * none: they get what they can read, and nobody gains from a refusal.
 */
export function acceptsOf(accept: string | undefined): Accepts {
  if (accept === undefined || accept.trim() === '' || USUAL.has(accept)) return BOTH;
  const weights = { json: -1, stream: -1 };
  const precision = { json: -1, stream: -1 };
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = weightOf(parameters);
    // The most precise range that fits decides, whatever the order.
    for (const [kind, ranges] of RANGES) {
      const at = ranges.indexOf(type);
      if (at < 0 || at < precision[kind]) continue;
      precision[kind] = at;
      weights[kind] = weight;
    }
  }
  return { json: weights.json > 0, stream: weights.stream > 0 };
}

/** From the widest to the most precise. */
const RANGES: readonly (readonly ['json' | 'stream', readonly string[]])[] = [
  ['json', ['*/*', 'application/*', 'application/json']],
  ['stream', ['*/*', 'text/*', 'text/event-stream']],
];

function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return Number.isNaN(weight) ? 1 : weight;
}

/** Whether a body is what we read: JSON, in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return false;
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

/** Whether a body is not what it says, but compressed (RFC 9110 section 8.4): its size would be nobody's to bound. */
export function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && !/^(?:identity)?$/i.test(contentEncoding.trim());
}
