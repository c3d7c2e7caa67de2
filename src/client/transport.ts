import type { CallSignal, DoorError, Piece, Principal } from '../base/index.js';
import type { Codec } from '../protocol/index.js';

/**
 * One connection to one upstream. The runtime supplies it; the client owns it. Two kinds exist: a stream of lines (child
 * processes, sockets), which delivers bytes as they come, and HTTP, which delivers whole messages, each on the stream of
 * the request it belongs to.
 */
export interface Transport {
  /** For error messages and events: `stdio`, `http`. */
  readonly kind: string;
  /**
   * Every request has a stream of its own (MCP basic/transports, Streamable HTTP): messages say which one they came on, and
   * a request is cancelled by `abandon`.
   */
  readonly hasStreams: boolean;

  /**
   * Opens the connection and starts delivering.
   *
   * @throws {DoorError} `UPSTREAM_UNREACHABLE` when it cannot be opened; the hint says what to do
   */
  open(handlers: TransportHandlers): Promise<void>;

  /**
   * Hands over one whole message in pieces, in order, without a line end. The pieces' memory belongs to the
   * transport from then on; callers do not write into it again. Never waits: what the other side has not read yet
   * is kept, and `backlogBytes` tells how much that is.
   *
   * @param about what a transport with headers needs to know of the message; others ignore it
   */
  send(pieces: readonly Piece[], about: Outgoing): void;

  /** Closes the stream of a request whose answer nobody wants any more. Only where `hasStreams`. */
  abandon?(id: number): void;

  /** Both sides have agreed on a revision: what is sent from now on is of it. */
  agreed?(codec: Codec): void;

  /**
   * Opens the stream on which a handshake-era upstream sends what belongs to no request (HTTP GET), where it offers one;
   * called once, after `notifications/initialized`.
   */
  listen?(): void;

  /**
   * Goes over to HTTP+SSE (MCP 2024-11-05 basic/transports): for a server that refused both a modern request and
   * `initialize` with 400, 404 or 405. Absent where there is no older way, or it is not wanted.
   *
   * @throws {DoorError} where that is not offered either; `data.httpStatus` says how it was refused
   */
  readonly fallBack?: (() => Promise<void>) | undefined;

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

/** What is said of a message beside its text. */
export interface Outgoing {
  /** The id, where it is a request of ours. */
  readonly id?: number;
  /** The method; absent where it is an answer. */
  readonly method?: string;
  /** What `Mcp-Name` is to say, not encoded yet: `params.name` or `params.uri` as the upstream knows it. */
  readonly name?: string;
  /** `Mcp-Param-*` headers, encoded, by their whole names. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** On whose behalf it is sent, for a transport that ends in this process. */
  readonly principal?: Principal | undefined;
  /** The revision of this message, where it is not the agreed one: of probes and of the handshake. */
  readonly codec?: Codec;
}

/** What a stream of lines delivers. */
export interface LineHandlers {
  /** A chunk of lines as it was read; the memory is the receiver's. */
  data(chunk: Uint8Array): void;
  /** The connection ended, by itself or through `close`. Called once. */
  closed(reason: DoorError): void;
  /** A sign of life beside the protocol (a line on stderr): extends the start time of slow starters. */
  activity(): void;
}

/** A transport that is a stream of lines: it needs to know nothing of what it carries. */
export interface LineTransport extends Transport {
  open(handlers: LineHandlers): Promise<void>;
  send(pieces: readonly Piece[], about?: Outgoing): void;
}

export interface TransportHandlers extends LineHandlers {
  /**
   * One whole message; the memory is the receiver's. Of transports with streams.
   *
   * @param stream the id of our request on whose stream it came; undefined where it came on none
   */
  message(bytes: Uint8Array, start: number, end: number, stream: number | undefined): void;
  /**
   * A request of ours gets no answer: it was refused without one, its stream broke off or its answer was too large.
   * `data.outcome` is `unknown` where it may have run, `not-executed` where it surely did not.
   */
  failed(id: number, reason: DoorError): void;
  /** A request of ours was refused as if the server knew neither us nor what we speak; it has heard of its own fate. */
  doubted?(): void;
  /** The stream on which it speaks unasked has ended, or cannot be opened; it is tried again by itself. */
  silenced?(): void;
}

/** How a transport gets leave to be where it is (OAuth, static headers). The runtime supplies it. */
export interface Authorizer {
  /** Headers that go with every request; may refresh a token first. */
  headers(signal?: CallSignal): Promise<Readonly<Record<string, string>>>;
  /**
   * A request was refused with 401, or with 403 and `insufficient_scope`.
   *
   * @param challenge the `WWW-Authenticate` header, '' where there was none
   * @param used the `Authorization` header that was refused, undefined where none was sent
   * @returns true when there are new credentials to try once more with
   * @throws {DoorError} AUTH_REQUIRED or FORBIDDEN, with a hint that names the command to run
   */
  refused(status: 401 | 403, challenge: string, used: string | undefined): Promise<boolean>;
}
