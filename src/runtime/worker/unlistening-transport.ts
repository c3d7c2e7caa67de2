import { type Clock, encodeText, type Piece } from '../../base/index.js';
import type { Outgoing, Transport, TransportHandlers } from '../../client/index.js';
import { type Codec, META } from '../../protocol/index.js';

export interface UnlisteningOptions {
  readonly inner: Transport;
  readonly clock: Clock;
  /** How long a list is taken to be as it was, in milliseconds. */
  readonly relistAfterMs: number;
}

/**
 * A connection without the stream on which servers tell what nobody asked: it would be open for as long as there is a
 * server, and no request of a Worker's lives that long. In its place the transport itself tells, when a call is made after a
 * while, that the lists have changed. Nothing can be heard of single resources, and none is said to be watched.
 */
export class UnlisteningTransport implements Transport {
  readonly kind: string;
  readonly hasStreams: boolean;
  readonly fallBack: Transport['fallBack'];
  readonly #options: UnlisteningOptions;
  #handlers: TransportHandlers | undefined;
  #listedAtMs = 0;
  #era: Codec['era'] = 'handshake';
  /** The request that stands for the stream, in the modern era. */
  #listening: number | undefined;

  constructor(options: UnlisteningOptions) {
    const { inner } = options;
    this.#options = options;
    this.kind = inner.kind;
    this.hasStreams = inner.hasStreams;
    this.fallBack = inner.fallBack && (() => inner.fallBack!());
  }

  get backlogBytes(): number {
    return this.#options.inner.backlogBytes;
  }

  async open(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    this.#listedAtMs = this.#options.clock.monotonicMs();
    await this.#options.inner.open(handlers);
  }

  send(pieces: readonly Piece[], about: Outgoing): void {
    if (about.method === 'subscriptions/listen') return this.#acknowledge(about.id);
    this.#options.inner.send(pieces, about);
    const { clock, relistAfterMs } = this.#options;
    if (about.method !== 'tools/call' || clock.monotonicMs() - this.#listedAtMs < relistAfterMs) return;
    this.#listedAtMs = clock.monotonicMs();
    this.#tellOfChanges();
  }

  abandon(id: number): void {
    if (id === this.#listening) this.#listening = undefined;
    else this.#options.inner.abandon?.(id);
  }

  agreed(codec: Codec): void {
    this.#era = codec.era;
    this.#options.inner.agreed?.(codec);
  }

  pause(): void {
    this.#options.inner.pause();
  }

  resume(): void {
    this.#options.inner.resume();
  }

  close(): Promise<void> {
    return this.#options.inner.close();
  }

  tail(): string {
    return this.#options.inner.tail();
  }

  #acknowledge(id: number | undefined): void {
    if (id === undefined) return;
    this.#listening = id;
    this.#tell('notifications/subscriptions/acknowledged', { ...subscription(id), notifications: {} });
  }

  #tellOfChanges(): void {
    if (this.#era === 'modern' && this.#listening === undefined) return;
    const params = this.#listening === undefined ? undefined : subscription(this.#listening);
    for (const list of ['tools', 'resources', 'prompts']) this.#tell(`notifications/${list}/list_changed`, params);
  }

  #tell(method: string, params: object | undefined): void {
    const bytes = encodeText(JSON.stringify({ jsonrpc: '2.0', method, params }));
    const stream = this.#listening;
    // Whoever sends is not ready to be told.
    queueMicrotask(() => this.#handlers?.message(bytes, 0, bytes.length, stream));
  }
}

/** Whose notification it is (MCP 2026-07-28 basic/patterns/subscriptions). */
function subscription(id: number): object {
  return { _meta: { [META.subscriptionId]: id } };
}
