import { DoorError, decodeText, type JsonSlice, type Scheduled } from '../../base/index.js';
import type { OversizeLine } from '../../protocol/index.js';
import { isEventStream, resumingHeaders } from './event-streams.js';
import { brokenAnswer, placeOf, type Refusal, refusalError, type Told } from './http-errors.js';
import type { HttpLink } from './http-link.js';
import { HttpRequest, type ResponseTarget } from './http-request.js';
import { type SseHandlers, SseReader } from './sse-reader.js';

export interface SseChannelOptions {
  readonly link: HttpLink;
  readonly message: (data: JsonSlice) => void;
  readonly oversize: (message: OversizeLine) => void;
  /** It ended after it had been open. */
  readonly lost: (reason: DoorError) => void;
}

/** How long the server may take to say where messages go. */
const ENDPOINT_WAIT_MS = 15_000;

/**
 * The one stream of the older HTTP+SSE transport (MCP 2024-11-05 basic/transports): its first event names the place that
 * messages are posted to, and all answers come on it.
 */
export class SseChannel implements SseHandlers, ResponseTarget {
  readonly #options: SseChannelOptions;
  readonly #reader: SseReader;
  readonly #url: URL;
  readonly #opened: { resolve(): void; reject(reason: DoorError): void };
  readonly #timer: Scheduled;
  readonly #request: HttpRequest;
  /** Resolves when the server has said where messages go; from then on the link posts there. */
  readonly opened: Promise<void>;
  #isOpen = false;
  #isOver = false;

  constructor(options: SseChannelOptions) {
    const { link } = options;
    this.#options = options;
    this.#url = link.url;
    this.#reader = new SseReader(link.maxMessageBytes, this);
    let opened: { resolve(): void; reject(reason: DoorError): void } | undefined;
    this.opened = new Promise((resolve, reject) => {
      opened = { resolve, reject };
    });
    this.#opened = opened!;
    this.#timer = link.clock.schedule(ENDPOINT_WAIT_MS, () => {
      const message = `${this.#place} named no endpoint for messages within ${ENDPOINT_WAIT_MS} ms`;
      this.#fail(new DoorError('UPSTREAM_UNREACHABLE', message, { data: { outcome: 'not-executed' } }));
    });
    const headers = resumingHeaders(link, undefined);
    this.#request = new HttpRequest(link, { method: 'GET', url: link.url, headers }, this);
  }

  close(): void {
    this.#fail(new DoorError('UPSTREAM_LOST', 'the connection was closed'));
  }

  accepted(status: number, header: Refusal['header']): void {
    const kind = header('content-type');
    if (isEventStream(kind)) return;
    this.#fail(
      brokenAnswer(`${this.#place} answered a GET with ${kind?.slice(0, 80) ?? 'something'}, no stream`, status),
    );
  }

  data(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  end(): void {
    this.#fail(new DoorError('UPSTREAM_LOST', `${this.#place} ended the stream of events`));
  }

  refused(refusal: Refusal, told: Told): void {
    this.#fail(refusalError(refusal, told));
  }

  failed(reason: DoorError): void {
    this.#fail(reason);
  }

  event(type: string, data: JsonSlice): void {
    if (type === 'endpoint') return this.#endpoint(decodeText(data.bytes, data.start, data.end).trim());
    if (type === 'message' && this.#isOpen && data.end > data.start) this.#options.message(data);
  }

  oversize(message: OversizeLine): void {
    this.#options.oversize(message);
  }

  get #place(): string {
    return placeOf(this.#url);
  }

  #endpoint(place: string): void {
    const url = URL.canParse(place, this.#url.href) ? new URL(place, this.#url.href) : undefined;
    // Our credentials go along with every message.
    if (url === undefined || url.origin !== this.#url.origin) {
      const named = url === undefined ? 'something that is no URL' : placeOf(url);
      return this.#fail(
        new DoorError('UPSTREAM_BROKE_PROTOCOL', `${this.#place} wants messages sent to ${named}, of another origin`, {
          data: { outcome: 'not-executed' },
        }),
      );
    }
    this.#options.link.url = url;
    this.#options.link.answersElsewhere = true;
    this.#isOpen = true;
    this.#timer.cancel();
    this.#opened.resolve();
  }

  #fail(reason: DoorError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.cancel();
    this.#reader.stop();
    this.#request?.abort();
    if (this.#isOpen) this.#options.lost(reason);
    else this.#opened.reject(reason);
  }
}
