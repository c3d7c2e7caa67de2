import { DoorError, type JsonSlice, type Scheduled } from '../../base/index.js';
import { isEventStream, resumingHeaders, retryWaitMs } from './event-streams.js';
import { type Refusal, refusalError, type Told, tooLarge } from './http-errors.js';
import type { HttpLink } from './http-link.js';
import { HttpRequest, type ResponseTarget } from './http-request.js';
import { type SseHandlers, SseReader } from './sse-reader.js';

/** The request whose stream it is. */
export interface StreamOwner {
  readonly link: HttpLink;
  /** The stream may be taken up again where it breaks off (handshake era). */
  readonly mayResume: boolean;
  readonly isAnswered: boolean;
  deliver(message: JsonSlice): void;
  /** Nothing more comes. @param reason why there is no answer, where there is none */
  streamOver(reason?: DoorError): void;
  /** The server no longer knows the session. */
  sessionLost(): void;
}

/** Attempts in a row that brought nothing new. */
const MAX_ATTEMPTS = 3;
/** A server that keeps the stream open behind the answer is left after this. */
const LINGER_MS = 2_000;

/**
 * The stream of events on which the answer to one request comes (MCP 2025-11-25 basic/transports, Sending Messages and
 * Resumability; 2026-07-28 basic/transports/streamable-http, Receiving Messages). In the handshake era one that breaks off
 * behind an event with an id is taken up again, by GET; the request itself is never sent again.
 */
export class AnswerStream implements SseHandlers, ResponseTarget {
  readonly #owner: StreamOwner;
  readonly #reader: SseReader;
  #attempts = 0;
  #resuming: HttpRequest | undefined;
  #timer: Scheduled | undefined;
  /** Ends the request whose stream this is, while it is not resumed. */
  readonly #abortFirst: () => void;

  constructor(owner: StreamOwner, abortFirst: () => void) {
    this.#owner = owner;
    this.#abortFirst = abortFirst;
    this.#reader = new SseReader(owner.link.maxMessageBytes, this);
  }

  data(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  /** The connection ended or broke. */
  end(cause?: DoorError): void {
    const owner = this.#owner;
    if (owner.isAnswered) return this.#over();
    if (owner.mayResume && this.#reader.lastEventId !== undefined && this.#attempts < MAX_ATTEMPTS) {
      this.#attempts++;
      this.#timer = owner.link.clock.schedule(retryWaitMs(this.#reader.retryMs), () => this.#resume());
      return;
    }
    const how = cause === undefined ? 'the stream ended' : `the stream broke off (${cause.message})`;
    this.#over(
      new DoorError('UPSTREAM_LOST', `${how} before the answer came`, { data: { outcome: 'unknown' }, cause }),
    );
  }

  failed(reason: DoorError): void {
    this.end(reason);
  }

  event(type: string, data: JsonSlice): void {
    this.#attempts = 0;
    // An event without data is there for its id alone.
    if (type !== 'message' || data.start === data.end) return;
    const { isAnswered } = this.#owner;
    this.#owner.deliver(data);
    if (isAnswered || !this.#owner.isAnswered) return;
    this.#timer = this.#owner.link.clock.schedule(LINGER_MS, () => {
      this.abort();
      this.#over();
    });
  }

  tooLarge(): void {
    this.abort();
    const { maxMessageBytes } = this.#owner.link;
    this.#over(tooLarge(maxMessageBytes + 1, maxMessageBytes));
  }

  accepted(status: number, header: Refusal['header']): void {
    this.#reader.restart();
    if (isEventStream(header('content-type'))) return;
    this.abort();
    this.#over(
      new DoorError('UPSTREAM_LOST', `the stream broke off, and taking it up again gave no stream (HTTP ${status})`, {
        data: { outcome: 'unknown' },
      }),
    );
  }

  refused(refusal: Refusal, told: Told): void {
    const { link } = this.#owner;
    const cause = refusalError(refusal, told);
    const message = `the stream broke off and could not be taken up again: ${cause.message}`;
    const isSessionLost = refusal.status === 404 && link.sessionId !== undefined;
    this.#over(
      new DoorError('UPSTREAM_LOST', message, { data: { httpStatus: refusal.status, outcome: 'unknown' }, cause }),
    );
    if (isSessionLost) this.#owner.sessionLost();
  }

  /** Ends it without a word. */
  abort(): void {
    this.#reader.stop();
    this.#timer?.cancel();
    this.#abortFirst();
    this.#resuming?.abort();
  }

  #resume(): void {
    const { link } = this.#owner;
    const headers = resumingHeaders(link, this.#reader.lastEventId);
    this.#resuming = new HttpRequest(link, { method: 'GET', url: link.url, headers }, this);
  }

  #over(reason?: DoorError): void {
    this.#timer?.cancel();
    this.#owner.streamOver(reason);
  }
}
