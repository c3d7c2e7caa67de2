import type { Piece } from '../../base/index.js';
import type { Beating, Beats } from './beats.js';
import { EventStream, SILENCE_MS } from './event-stream.js';
import type { HeaderList, HttpExchange } from './exchange.js';
import type { Accepts } from './negotiation.js';
import { JSON_HEADERS } from './refusal.js';
import type { UnreadWatch } from './unread-watch.js';

export interface RequestAnswerOptions {
  readonly exchange: HttpExchange;
  readonly accepts: Accepts;
  readonly beats: Beats;
  readonly unread: UnreadWatch;
  /** Headers beside those of the content; asked for when the head is written. */
  readonly headers: () => HeaderList;
  /** The status where the answer does not come with one. */
  readonly status: () => number;
  /** The caller hung up before it had its answer. */
  readonly gone: () => void;
  /** Where what belongs to the request goes once its caller has hung up; it may still read another stream. */
  readonly elsewhere?: ((pieces: readonly Piece[]) => void) | undefined;
  /** It is over, in whatever way. */
  readonly over: () => void;
}

type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'streaming'; readonly stream: EventStream }
  | { readonly kind: 'over' };

const NOTHING: HeaderList = ['Content-Length', '0', 'Cache-Control', 'no-store'];

/**
 * The answer to one POST: JSON if nothing comes before it, and a stream of events from the first message that does, or
 * from the moment that the caller might think it forgotten.
 */
export class RequestAnswer implements Beating {
  place = -1;
  readonly #options: RequestAnswerOptions;
  readonly #sinceMs: number;
  #state: State = { kind: 'waiting' };

  constructor(options: RequestAnswerOptions) {
    this.#options = options;
    this.#sinceMs = options.beats.clock.monotonicMs();
    if (options.accepts.stream) options.beats.add(this);
    options.exchange.onGone(() => this.#gone());
  }

  /** The one answer. None at all: it was a notification, or its caller has cancelled it. */
  readonly reply = (pieces: readonly Piece[], status?: number): void => {
    if (this.#state.kind === 'over') return;
    if (this.#state.kind === 'streaming') {
      const { stream } = this.#state;
      if (pieces.length > 0) stream.send(pieces);
      stream.end();
    } else this.#answer(pieces, status ?? this.#options.status());
    this.#over();
  };

  /** Progress, log messages, questions: what belongs to the request and comes before its answer. */
  readonly beside = (pieces: readonly Piece[]): void => {
    if (pieces.length === 0) return;
    if (this.#state.kind === 'over') return this.#options.elsewhere?.(pieces);
    // Nothing waits for a notification: what falls out here is told again, or has passed.
    if (this.#options.unread.isFarBehind && isNotification(pieces)) return;
    this.#stream().send(pieces);
  };

  beat(nowMs: number): void {
    if (this.#state.kind === 'waiting' && nowMs - this.#sinceMs >= SILENCE_MS) this.#stream().comment();
  }

  /** Ends the stream without an answer: nobody will give one. */
  end(): void {
    this.reply([], 503);
  }

  #answer(pieces: readonly Piece[], status: number): void {
    const { exchange, accepts, unread, headers } = this.#options;
    if (pieces.length === 0) exchange.answer(status === 200 ? 202 : status, [...NOTHING, ...headers()], []);
    // An error is never a stream: clients look at the status, then at the text.
    else if (accepts.json || status >= 400) exchange.answer(status, [...JSON_HEADERS, ...headers()], pieces);
    else {
      const stream = this.#stream();
      stream.send(pieces);
      return stream.end();
    }
    unread.ended(exchange);
  }

  #stream(): EventStream {
    if (this.#state.kind === 'streaming') return this.#state.stream;
    const { exchange, beats, unread, headers } = this.#options;
    beats.remove(this);
    const stream = new EventStream({ exchange, beats, unread, headers: headers() });
    this.#state = { kind: 'streaming', stream };
    return stream;
  }

  #gone(): void {
    if (this.#state.kind === 'over') return;
    if (this.#state.kind === 'streaming') this.#state.stream.gone();
    this.#over();
    this.#options.gone();
  }

  #over(): void {
    this.#state = { kind: 'over' };
    this.#options.beats.remove(this);
    this.#options.over();
  }
}

const NOTIFICATION_HEAD = '{"jsonrpc":"2.0","method":';

/** Requests of ours begin with their id (`requestMessage`), notifications with their method. */
export function isNotification([first]: readonly Piece[]): boolean {
  return typeof first === 'string' && first.startsWith(NOTIFICATION_HEAD);
}
