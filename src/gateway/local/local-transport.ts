import { DoorError, encodeText, JsonScanner, joinPieces, type Piece } from '../../base/index.js';
import type { Outgoing, Transport, TransportHandlers } from '../../client/index.js';
import { decodeMessage } from '../../protocol/index.js';
import { LocalServer, type LocalServerOptions } from './local-server.js';

/**
 * The way to a contract's handlers, in this very process. It is a transport like any other, so that calls of our own tools
 * are judged, bounded, cancelled and told of as all calls are. It speaks 2025-11-25, in which a handler can ask while it
 * runs; callers of the other era are bridged to it as to any such server.
 */
export class LocalTransport implements Transport {
  readonly kind = 'local';
  readonly hasStreams = true;
  readonly backlogBytes = 0;
  readonly #options: LocalServerOptions;
  readonly #scanner = new JsonScanner();
  #server: LocalServer | undefined;
  #handlers: TransportHandlers | undefined;

  constructor(options: LocalServerOptions) {
    this.#options = options;
  }

  async open(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    this.#server = new LocalServer(this.#options, (pieces, stream) => this.#deliver(encodeText(pieces), stream));
  }

  send(pieces: readonly Piece[], about: Outgoing): void {
    const bytes = joinPieces(pieces);
    const message = decodeMessage(this.#scanner, bytes, 0, bytes.length);
    if (message.kind === 'bad') throw new DoorError('INTERNAL', `a message of our own is malformed: ${message.reason}`);
    const body = message.body < 0 ? undefined : this.#bodyOf(bytes, message.body);
    this.#server?.receive({ ...message, body }, about);
  }

  #bodyOf(bytes: Uint8Array, at: number): Uint8Array {
    return bytes.subarray(this.#scanner.valueStart[at]!, this.#scanner.valueEnd[at]!);
  }

  abandon(id: number): void {
    this.#server?.cancel(String(id));
  }

  /** Never in the middle of what the client is doing: it hears of answers later, as from any upstream. */
  #deliver(bytes: Uint8Array, stream: number | undefined): void {
    queueMicrotask(() => this.#handlers?.message(bytes, 0, bytes.length, stream));
  }

  /** What is under way in this process goes on; whoever reads slowly is its door's to bound. */
  pause(): void {}
  resume(): void {}

  async close(): Promise<void> {
    const handlers = this.#handlers;
    this.#handlers = undefined;
    this.#server?.close();
    handlers?.closed(new DoorError('UPSTREAM_LOST', 'the tools of this process were closed'));
  }

  tail(): string {
    return '';
  }
}
