import { type EventBus, type Piece, systemClock } from '../../base/index.js';
import type { Outgoing, Transport, TransportHandlers } from '../../client/index.js';
import type { Environment, ServerEntry } from '../../config/index.js';
import type { Codec } from '../../protocol/index.js';

type HttpEntry = Extract<ServerEntry, { readonly kind: 'ready' }>;

export interface HttpUpstreamOptions {
  readonly entry: HttpEntry;
  readonly url: string;
  readonly type: 'http' | 'sse' | 'streamable-http';
  readonly headers: ReadonlyMap<string, string>;
  readonly maxMessageBytes: number;
  readonly environment: Environment;
  readonly events?: EventBus;
}

/** A remote server. What HTTP needs is loaded when the first one is connected to. */
export function httpUpstream(options: HttpUpstreamOptions): Transport {
  return new HttpUpstream(options);
}

class HttpUpstream implements Transport {
  readonly kind = 'http';
  readonly hasStreams = true;
  readonly #options: HttpUpstreamOptions;
  #inner: Transport | undefined;
  #isClosed = false;

  constructor(options: HttpUpstreamOptions) {
    this.#options = options;
  }

  async open(handlers: TransportHandlers): Promise<void> {
    const { authorizerFor, makeHttpTransport } = await import('./http-loaded.js');
    if (this.#isClosed) return;
    const { entry, url, type, headers, maxMessageBytes, environment, events } = this.#options;
    const authorizer = authorizerFor(entry, { environment, ...(events && { events }) });
    this.#inner = makeHttpTransport(environment, {
      url,
      type: type === 'http' ? 'auto' : type,
      headers: Object.fromEntries(headers),
      ...(authorizer && { authorizer }),
      clock: systemClock,
      maxMessageBytes,
      server: entry.id,
    });
    await this.#inner.open(handlers);
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

  /** Absent before it is connected, and where there is no older way. */
  get fallBack(): (() => Promise<void>) | undefined {
    const inner = this.#inner;
    return inner?.fallBack && (() => inner.fallBack!());
  }

  get backlogBytes(): number {
    return this.#inner?.backlogBytes ?? 0;
  }

  pause(): void {
    this.#inner?.pause();
  }

  resume(): void {
    this.#inner?.resume();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#inner?.close();
  }

  tail(): string {
    return '';
  }
}
