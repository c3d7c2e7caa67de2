/**
 * The two ways in which MCP has been spoken: with a handshake that opens a session (2025-11-25 and before), and with each
 * request on its own (2026-07-28).
 */
export type Era = 'handshake' | 'modern';

/** What a protocol revision changes on the wire. What differs is asked of the codec of a connection or of a message. */
export interface Codec {
  readonly revision: string;
  readonly era: Era;
  /** Whether a message may be an array of messages. */
  readonly allowsBatches: boolean;
}

/** The newest revision with a handshake: what we offer to such upstreams, and to callers who ask for one we do not know. */
export const NEWEST: Codec = { revision: '2025-11-25', era: 'handshake', allowsBatches: false };

/** The newest revision without one. */
export const MODERN: Codec = { revision: '2026-07-28', era: 'modern', allowsBatches: false };

const CODECS: readonly Codec[] = [
  NEWEST,
  { revision: '2025-06-18', era: 'handshake', allowsBatches: false },
  { revision: '2025-03-26', era: 'handshake', allowsBatches: true },
  { revision: '2024-11-05', era: 'handshake', allowsBatches: false },
];

/** Every revision we speak, the newest first. */
export const REVISIONS: readonly string[] = [MODERN, ...CODECS].map((codec) => codec.revision);

/** A revision with a handshake, by its name. */
export function findCodec(revision: string): Codec | undefined {
  return CODECS.find((codec) => codec.revision === revision);
}

/** A revision without a handshake, by its name. */
export function findModernCodec(revision: string): Codec | undefined {
  return revision === MODERN.revision ? MODERN : undefined;
}
