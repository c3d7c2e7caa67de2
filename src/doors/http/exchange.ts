import type { Piece } from '../../base/index.js';

/** Names and values in turn, as they are to be written: no object is made for each answer. */
export type HeaderList = readonly string[];

/** The body of a request: all of it, or that it is more than may be. */
export type Body = Uint8Array | 'too-large';

/**
 * One HTTP request and its answer, as the door sees them. The runtime supplies it (Node's own messages, or a `Request`),
 * so that the door knows neither, and the path of a call is free of streams that it does not need.
 */
export interface HttpExchange {
  readonly method: string;
  /** A header by its lower-case name; several of one name come joined with `, `. */
  header(name: string): string | undefined;
  /** Whether a header stood there more than once, where the runtime can tell. */
  isRepeated(name: string): boolean;
  /**
   * Reads the body. `take` is called once, perhaps before this returns, or never where the caller hangs up before it has
   * sent all of it; the bytes are the receiver's to keep.
   */
  readBody(maxBytes: number, take: (body: Body) => void): void;
  /** The whole answer at once. */
  answer(status: number, headers: HeaderList, body: readonly Piece[]): void;
  /** The head of an answer whose body comes in pieces. */
  begin(status: number, headers: HeaderList): void;
  /** A part of that body. False: the caller does not take it at once. */
  write(pieces: readonly Piece[]): boolean;
  end(): void;
  /** Bytes of the answer that the caller has not taken yet. */
  readonly unreadBytes: number;
  /** Resolves when it has taken them, or is gone. */
  whenWritable(): Promise<void>;
  /** Breaks the connection off. */
  destroy(): void;
  /** Called once if the caller hangs up before its answer is complete; at once if it already has. */
  onGone(listener: () => void): void;
}
