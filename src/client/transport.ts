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
   * transport from then on; callers do not write into it again.
   *
   * @returns false when the other side reads too slowly: hold back until `whenWritable` resolves
   */
  send(pieces: readonly Piece[]): boolean;

  /** Resolves once the sink has drained, or at once if it has. */
  whenWritable(): Promise<void>;

  /** Stops and resumes reading, so that a slow caller slows its own upstream and nobody else. */
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
