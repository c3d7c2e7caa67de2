/**
 * What a protocol revision changes on the wire. Everything that differs between revisions is asked of a codec, so that
 * the era of 2026-07-28 can join without a word changed elsewhere.
 */
export interface Codec {
  readonly revision: string;
  /** How a connection is opened: the 2025 era shakes hands, the 2026 era describes itself in each request. */
  readonly opening: 'initialize';
  /** Whether a message may be an array of messages (2025-03-26 only). */
  readonly allowsBatches: boolean;
  /** Whether results may carry structuredContent and tools an outputSchema. */
  readonly hasStructuredContent: boolean;
}

const CODECS: readonly Codec[] = [
  { revision: '2025-11-25', opening: 'initialize', allowsBatches: false, hasStructuredContent: true },
  { revision: '2025-06-18', opening: 'initialize', allowsBatches: false, hasStructuredContent: true },
  { revision: '2025-03-26', opening: 'initialize', allowsBatches: true, hasStructuredContent: false },
  { revision: '2024-11-05', opening: 'initialize', allowsBatches: false, hasStructuredContent: false },
];

/** The newest revision we speak: what we offer to upstreams, and to callers who ask for one we do not know. */
export const NEWEST: Codec = CODECS[0]!;

export function findCodec(revision: string): Codec | undefined {
  return CODECS.find((codec) => codec.revision === revision);
}
