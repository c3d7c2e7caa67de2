import { DoorError, type Piece } from '../../base/index.js';
import type { Outgoing, Transport, TransportHandlers } from '../../client/index.js';
import type { Codec } from '../../protocol/index.js';

export interface DeferredOptions {
  /** Of the transport that will be made. */
  readonly kind: string;
  readonly hasStreams: boolean;
  /** Finds out what is needed for it, and makes it; not opened yet. */
  readonly make: () => Promise<Transport>;
  /** It is closed before it was made: whatever `make` waits for is wanted no longer. */
  readonly giveUp?: () => void;
}

/** A transport that is made when it is opened, since something has to be loaded or asked for first. */
export class DeferredTransport implements Transport {
  readonly kind: string;
  readonly hasStreams: boolean;
  readonly #options: DeferredOptions;
  #inner: Transport | undefined;
  #isPaused = false;
  #isClosed = false;

  constructor(options: DeferredOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.hasStreams = options.hasStreams;
  }

  async open(handlers: TransportHandlers): Promise<void> {
    const inner = await this.#options.make();
    if (this.#isClosed) throw new DoorError('UPSTREAM_UNREACHABLE', 'closed while it was being opened');
    this.#inner = inner;
    await inner.open(handlers);
    if (this.#isPaused) inner.pause();
  }

  send(pieces: readonly Piece[], about: Outgoing): void {
    this.#inner?.send(pieces, about);
  }

  abandon(id: number): void {
    this.#inner?.abandon?.(id);
  }

  agreed(codec: Codec): void {
    this.#inner?.agreed?.(codec);
  }

  listen(): void {
    this.#inner?.listen?.();
  }

  /** Absent before it is made, and where there is no older way. */
  get fallBack(): (() => Promise<void>) | undefined {
    const inner = this.#inner;
    return inner?.fallBack && (() => inner.fallBack!());
  }

  get backlogBytes(): number {
    return this.#inner?.backlogBytes ?? 0;
  }

  pause(): void {
    this.#isPaused = true;
    this.#inner?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#inner?.resume();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.giveUp?.();
    await this.#inner?.close();
  }

  tail(): string {
    return this.#inner?.tail() ?? '';
  }
}
