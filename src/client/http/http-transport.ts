import { DoorError, type JsonSlice, type Piece, Roll, type Scheduled } from '../../base/index.js';
import type { Codec, OversizeLine } from '../../protocol/index.js';
import type { Outgoing, Transport, TransportHandlers } from '../transport.js';
import { tooLarge } from './http-errors.js';
import { HttpLink, type HttpLinkOptions } from './http-link.js';
import { HttpPost, type PostOwner } from './http-post.js';
import { HttpRequest } from './http-request.js';
import { ListenStream } from './listen-stream.js';
import { SseChannel } from './sse-channel.js';

export interface HttpTransportOptions extends HttpLinkOptions {
  /**
   * `sse` is the older HTTP+SSE (2024-11-05) from the start, `streamable-http` never; `auto` begins with streamable HTTP
   * and can `fallBack`.
   */
  readonly type?: 'auto' | 'streamable-http' | 'sse';
}

/** An upstream that is reached over HTTP, in both eras and as HTTP+SSE. Opens no connection before there is something to say. */
export function httpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options);
}

/** What is sent later: a message, or the GET of `listen`. */
interface Waiting {
  readonly id?: number | undefined;
  readonly run: () => void;
}

/** Messages behind `notifications/initialized` wait this long at most for it to arrive: POSTs have no order of their own. */
const INITIALIZED_WAIT_MS = 1_000;
/** When a session is lost, requests on their way get this long for their own refusal: it tells that they have not run. */
const LOST_WAIT_MS = 500;
/** Whoever ends us may have waited for a call before, and not wait much longer. */
const GOODBYE_MS = 500;

class HttpTransport implements Transport, PostOwner {
  readonly kind = 'http';
  readonly hasStreams = true;
  readonly link: HttpLink;
  readonly fallBack?: () => Promise<void>;
  readonly #type: 'auto' | 'streamable-http' | 'sse';
  readonly #posts = new Roll<HttpPost>();
  #handlers: TransportHandlers | undefined;
  /** What waits for `notifications/initialized`; undefined where nothing has to. */
  #waiting: Waiting[] | undefined;
  #initialized: HttpPost | undefined;
  #gate: Scheduled | undefined;
  #listening: ListenStream | undefined;
  #channel: SseChannel | undefined;
  /** Set when the session was lost: requests that surely have not run, and the end that is near. */
  #lost: { readonly ids: number[]; readonly timer: Scheduled } | undefined;
  #isOver = false;
  #closing: Promise<void> | undefined;

  constructor({ type = 'auto', ...options }: HttpTransportOptions) {
    this.link = new HttpLink(options);
    this.#type = type;
    if (type === 'auto') this.fallBack = () => this.#openChannel();
  }

  get handlers(): TransportHandlers {
    return this.#handlers!;
  }

  get backlogBytes(): number {
    return this.link.backlogBytes;
  }

  async open(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    if (this.#type === 'sse') await this.#openChannel();
  }

  send(pieces: readonly Piece[], about: Outgoing): void {
    if (this.#isOver) return;
    if (this.#waiting !== undefined) this.#waiting.push({ id: about.id, run: () => this.#post(pieces, about) });
    else this.#post(pieces, about);
  }

  abandon(id: number): void {
    this.#waiting = this.#waiting?.filter((waiting) => waiting.id !== id);
    const post = this.#posts.all().find((each) => each.id === id);
    if (post === undefined) return;
    post.abort();
    this.postOver(post);
  }

  agreed(codec: Codec): void {
    this.link.agree(codec);
  }

  listen(): void {
    if (this.#isOver || this.#channel !== undefined || this.link.codec?.era === 'modern') return;
    if (this.#waiting !== undefined) this.#waiting.push({ run: () => this.#listen() });
    else this.#listen();
  }

  pause(): void {
    this.link.isPaused = true;
    for (const request of this.link.open.all()) request.pause();
  }

  resume(): void {
    this.link.isPaused = false;
    for (const request of this.link.open.all()) request.resume();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  tail(): string {
    return '';
  }

  postOver(post: HttpPost): void {
    this.#posts.remove(post);
    if (post === this.#initialized) this.#openGate();
    this.postHeard();
  }

  postHeard(): void {
    if (this.#initialized?.hasHead) this.#openGate();
    if (this.#lost !== undefined && this.#allHeard()) this.#endLost();
  }

  sessionLost(id?: number): void {
    if (this.#isOver) return;
    this.#lost ??= { ids: [], timer: this.link.clock.schedule(LOST_WAIT_MS, () => this.#endLost()) };
    if (id !== undefined) this.#lost.ids.push(id);
    if (this.#allHeard()) this.#endLost();
  }

  #post(pieces: readonly Piece[], about: Outgoing): void {
    if (this.#isOver) return;
    if (this.#lost !== undefined) {
      if (about.id !== undefined) this.#lost.ids.push(about.id);
      return;
    }
    const post = new HttpPost(this, pieces, about);
    this.#posts.add(post);
    if (about.method === 'notifications/initialized') this.#closeGate(post);
  }

  #closeGate(post: HttpPost): void {
    this.#initialized = post;
    this.#waiting = [];
    this.#gate = this.link.clock.schedule(INITIALIZED_WAIT_MS, () => this.#openGate());
  }

  #openGate(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#initialized = undefined;
    this.#gate?.cancel();
    for (const { run } of waiting) run();
  }

  #listen(): void {
    if (this.#isOver || this.#lost !== undefined || this.#listening !== undefined) return;
    const { link } = this;
    this.#listening = new ListenStream({
      link,
      message: (data) => this.#deliver(data),
      sessionLost: () => this.sessionLost(),
      ended: () => this.handlers.silenced?.(),
    });
  }

  #deliver({ bytes, start, end }: JsonSlice): void {
    if (!this.#isOver) this.handlers.message(bytes, start, end, undefined);
  }

  async #openChannel(): Promise<void> {
    const { link } = this;
    this.#channel = new SseChannel({
      link,
      message: (data) => this.#deliver(data),
      oversize: (message) => this.#oversize(message),
      lost: (reason) => this.#over(reason),
    });
    try {
      await this.#channel.opened;
    } catch (thrown) {
      this.#channel = undefined;
      throw thrown;
    }
  }

  /** On the one stream of all requests, only the one whose answer was too large is failed. */
  #oversize({ id, method, length }: OversizeLine): void {
    if (this.#isOver || id === undefined || method !== undefined || !/^\d+$/.test(id)) return;
    this.handlers.failed(Number(id), tooLarge(length, this.link.maxMessageBytes));
  }

  #allHeard(): boolean {
    return this.#posts.all().every((post) => post.hasHead);
  }

  #endLost(): void {
    if (this.#lost === undefined || this.#isOver) return;
    const { ids, timer } = this.#lost;
    timer.cancel();
    this.link.endSession();
    const lost = (): DoorError =>
      new DoorError('UPSTREAM_LOST', 'the server no longer knows the session (HTTP 404)', {
        data: { httpStatus: 404, outcome: 'not-executed' },
      });
    for (const id of ids) this.handlers.failed(id, lost());
    this.#over(lost());
  }

  #over(reason: DoorError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gate?.cancel();
    this.#lost?.timer.cancel();
    this.#waiting = undefined;
    for (const post of this.#posts.all()) {
      post.abort();
      this.#posts.remove(post);
    }
    this.#listening?.close();
    this.#channel?.close();
    this.#handlers?.closed(reason);
  }

  async #end(): Promise<void> {
    const { sessionId } = this.link;
    this.#over(new DoorError('UPSTREAM_LOST', 'the connection was closed'));
    if (sessionId !== undefined) await this.#sayGoodbye();
    for (const request of this.link.open.all()) request.abort();
  }

  /** Servers need not keep a session that nobody will come back to (MCP 2025-11-25 basic/transports, Session Management). */
  #sayGoodbye(): Promise<void> {
    const { link } = this;
    return new Promise((resolve) => {
      const timer = link.clock.schedule(GOODBYE_MS, resolve);
      const over = (): void => {
        timer.cancel();
        resolve();
      };
      const options = { method: 'DELETE' as const, url: link.url, headers: link.headersWithoutBody() };
      const target = { accepted: () => {}, data: () => {}, end: over, refused: over, failed: over };
      // Whoever waits for us to end need not wait behind a slow reader.
      link.isPaused = false;
      new HttpRequest(link, options, target);
    });
  }
}
