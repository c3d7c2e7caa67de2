import type { Piece } from '../../base/index.js';
import type { Beating, Beats } from './beats.js';
import type { HeaderList, HttpExchange } from './exchange.js';
import type { UnreadWatch } from './unread-watch.js';

/** How long nothing may be written before a comment is: proxies close what is silent for long. */
export const SILENCE_MS = 15_000;

const STREAM_HEADERS: HeaderList = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-store',
  // nginx and others would hold events back until a buffer is full (MCP 2026-07-28 basic/transports/streamable-http).
  'X-Accel-Buffering',
  'no',
  'X-Content-Type-Options',
  'nosniff',
];
const BEFORE: Piece = 'event: message\ndata: ';
const BEHIND: Piece = '\n\n';
const COMMENT: readonly Piece[] = [': still here\n\n'];

export interface EventStreamOptions {
  readonly exchange: HttpExchange;
  readonly beats: Beats;
  readonly unread: UnreadWatch;
  readonly headers: HeaderList;
}

/**
 * Server-sent events (HTML Living Standard, section 9.2), each a message on one line, its bytes as they are. No event
 * ids: what was lost with a broken stream is not sent again.
 */
export class EventStream implements Beating {
  place = -1;
  readonly #exchange: HttpExchange;
  readonly #beats: Beats;
  readonly #unread: UnreadWatch;
  #writtenAtMs: number;
  #isOpen = true;

  constructor({ exchange, beats, unread, headers }: EventStreamOptions) {
    this.#exchange = exchange;
    this.#beats = beats;
    this.#unread = unread;
    this.#writtenAtMs = beats.clock.monotonicMs();
    exchange.begin(200, [...STREAM_HEADERS, ...headers]);
    beats.add(this);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(message: readonly Piece[]): void {
    this.#write([BEFORE, ...message, BEHIND]);
  }

  comment(): void {
    this.#write(COMMENT);
  }

  beat(nowMs: number): void {
    if (nowMs - this.#writtenAtMs >= SILENCE_MS) this.comment();
  }

  end(): void {
    if (!this.#isOpen) return;
    this.gone();
    this.#exchange.end();
    this.#unread.ended(this.#exchange);
  }

  /** The caller has hung up: nothing more can be written. */
  gone(): void {
    this.#isOpen = false;
    this.#beats.remove(this);
  }

  #write(pieces: readonly Piece[]): void {
    if (!this.#isOpen) return;
    this.#writtenAtMs = this.#beats.clock.monotonicMs();
    if (!this.#exchange.write(pieces)) this.#unread.wrote(this.#exchange);
  }
}
