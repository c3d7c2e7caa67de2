import type { Piece } from '../base/index.js';

/**
 * Takes one whole message, without a line end.
 *
 * @param pieces none at all: there is nothing to be said, and never will be
 * @param status the HTTP status that goes with an answer, for doors that have one; 200 where it is not said
 */
export type Reply = (pieces: readonly Piece[], status?: number) => void;

/** One message as it came in, and where what is said about it goes. The bytes are the receiver's to keep. */
export interface Incoming {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Takes the one answer, if it is a request. */
  readonly reply: Reply;
  /**
   * Takes what belongs to the request while it runs: progress, log messages, what an upstream asks. Absent where there is
   * no stream for it: then it goes where everything else goes.
   */
  readonly beside?: Reply;
}

/** What becomes of a message that was handed in: for doors whose callers may hang up. */
export interface Underway {
  /** The caller hung up before the answer (MCP 2026-07-28 basic/patterns/cancellation): its request is cancelled. */
  cancel(): void;
}
