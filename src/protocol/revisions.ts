/**
 * What a protocol revision changes on the wire. What differs is asked of the codec of a connection; between the
 * revisions of 2025 and before, that is batches alone. The era of 2026-07-28 joins here.
 */
export interface Codec {
  readonly revision: string;
  /** Whether a message may be an array of messages. */
  readonly allowsBatches: boolean;
}

/** The newest revision we speak: what we offer to upstreams, and to callers who ask for one we do not know. */
export const NEWEST: Codec = { revision: '2025-11-25', allowsBatches: false };

const CODECS: readonly Codec[] = [
  NEWEST,
  { revision: '2025-06-18', allowsBatches: false },
  { revision: '2025-03-26', allowsBatches: true },
  { revision: '2024-11-05', allowsBatches: false },
];

export function findCodec(revision: string): Codec | undefined {
  return CODECS.find((codec) => codec.revision === revision);
}
