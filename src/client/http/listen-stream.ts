import type { DoorError, JsonSlice, Scheduled } from '../../base/index.js';
import { isEventStream, resumingHeaders, retryWaitMs } from './event-streams.js';
import type { Refusal } from './http-errors.js';
import type { HttpLink } from './http-link.js';
import { HttpRequest, type ResponseTarget } from './http-request.js';
import { type SseHandlers, SseReader } from './sse-reader.js';

export interface ListenOptions {
  readonly link: HttpLink;
  readonly message: (data: JsonSlice) => void;
  readonly sessionLost: () => void;
  /** It has ended, or could not be opened, and is opened again after a while. */
  readonly ended?: () => void;
}

const MAX_RETRY_MS = 30_000;
/** Refusals that may pass: asked too soon, too often, or without leave for now. Any other says that there is no stream. */
const PASSING = [401, 403, 408, 425, 429];

/**
 * The stream on which a server of the handshake era says what belongs to no request (MCP 2025-11-25 basic/transports,
 * Listening for Messages from the Server). Quietly opened again whenever it ends, behind the last event that came.
 */
export class ListenStream implements SseHandlers, ResponseTarget {
  readonly #options: ListenOptions;
  readonly #reader: SseReader;
  #request: HttpRequest | undefined;
  #timer: Scheduled | undefined;
  #failures = 0;
  #isOver = false;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#reader = new SseReader(options.link.maxMessageBytes, this);
    this.#open();
  }

  close(): void {
    this.#isOver = true;
    this.#reader.stop();
    this.#timer?.cancel();
    this.#request?.abort();
  }

  accepted(_status: number, header: Refusal['header']): void {
    this.#reader.restart();
    if (!isEventStream(header('content-type'))) this.close();
  }

  data(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  end(): void {
    this.#later();
  }

  refused({ status }: Refusal): void {
    const { link, sessionLost } = this.#options;
    if (status === 404 && link.sessionId !== undefined) {
      this.close();
      return sessionLost();
    }
    if (status >= 500 || PASSING.includes(status)) this.#later();
    else this.close();
  }

  failed(_reason: DoorError): void {
    this.#later();
  }

  event(type: string, data: JsonSlice): void {
    this.#failures = 0;
    if (type === 'message' && data.end > data.start) this.#options.message(data);
  }

  #open(): void {
    const { link } = this.#options;
    const headers = resumingHeaders(link, this.#reader.lastEventId);
    this.#request = new HttpRequest(link, { method: 'GET', url: link.url, headers }, this);
  }

  #later(): void {
    if (this.#isOver) return;
    this.#options.ended?.();
    const leastMs = retryWaitMs(this.#reader.retryMs);
    const waitMs = Math.max(leastMs, Math.min(leastMs * 2 ** this.#failures, MAX_RETRY_MS));
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#timer = this.#options.link.clock.schedule(waitMs, () => this.#open());
  }
}
