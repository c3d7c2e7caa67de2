import type { DoorError, Piece } from '../../base/index.js';

/** One HTTP request. Header names in lower case. */
export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body in pieces, in order; absent where there is none. */
  readonly body?: readonly Piece[] | undefined;
}

/** What comes back, in this order: a head, then chunks, then an end; or a failure at any moment, and nothing after it. */
export interface WireHandlers {
  /** @param header finds a header by its lower-case name; several of one name come joined with `, ` */
  head(status: number, header: (name: string) => string | undefined): void;
  /** A chunk of the body, content encoding undone; the memory is the receiver's. */
  data(chunk: Uint8Array): void;
  /** The body is whole. */
  end(): void;
  /**
   * UPSTREAM_UNREACHABLE where nothing was sent (no address, connection refused, TLS), UPSTREAM_LOST where the connection
   * broke after. `data.reason` is a class for programs: dns, refused, tls, timeout, reset, proxy, protocol (what came back
   * is no HTTP), unusable (url or headers cannot be sent). `data.outcome` says whether it may have run.
   */
  failed(reason: DoorError): void;
}

/** One request under way. */
export interface WireExchange {
  pause(): void;
  resume(): void;
  /** Ends it at once; no handler is called any more. */
  abort(): void;
}

/** HTTP as the client needs it. The runtime supplies it: keep-alive connections, proxies, certificates are its concern. */
export interface HttpWire {
  send(request: WireRequest, handlers: WireHandlers): WireExchange;
  close(): Promise<void>;
}
