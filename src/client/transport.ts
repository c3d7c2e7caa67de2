import type { DoorError, Piece } from '../base/index.js';

/**
 * One connection to one upstream, as bytes. The runtime supplies it (child processes, sockets); the client owns it.
 * Nothing here knows JSON: framing and meaning are the protocol's.
 */
export interface Transport {
  /**
   * Opens the connection and starts delivering.
   *
   * @throws {DoorError} `UPSTREAM_UNREACHABLE` when it cannot be opened; the hint says what to do
   */
  open(handlers: TransportHandlers): Promise<void>;

  /**
   * Hands over one whole message in pieces, in order, without its line end. The pieces' memory belongs to the
   * transport from then on; callers do not write into it again. Never waits: what the other side has not read yet
   * is kept, and `backlogBytes` tells how much that is.
   */
  send(pieces: readonly Piece[]): void;

  /** Bytes handed over that the other side has not taken yet. */
  readonly backlogBytes: number;

  /** Stops and resumes reading, so that nothing piles up before a caller that reads slowly. */
  pause(): void;
  resume(): void;

  /** Ends the connection and everything started for it. Safe to call twice. */
  close(): Promise<void>;

  /** The last lines the other side wrote beside the protocol (stderr), for error messages; '' where there are none. */
  tail(): string;
}

export interface TransportHandlers {
  /** A chunk as it was read; the memory is the receiver's. */
  data(chunk: Uint8Array): void;
  /** The connection ended, by itself or through `close`. Called once. */
  closed(reason: DoorError): void;
  /** A sign of life beside the protocol (a line on stderr): extends the start time of slow starters. */
  activity(): void;
}
