import { DoorError, encodeText, joinPieces } from '../../base/index.js';
import type { HttpWire, WireExchange, WireHandlers, WireRequest } from '../../client/index.js';

export interface FetchWireOptions {
  /** Default: the platform's. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Called when a request begins; what it returns, when that is over. `lost` is for a runtime that has dropped it. */
  readonly hold?: (lost: () => void) => () => void;
}

/**
 * HTTP on `fetch`, for runtimes that have nothing closer to the wire. Connections, proxies and certificates are the
 * platform's. What `fetch` does not tell is not guessed: where a request failed before an answer came it may have run, unless
 * the platform says that nobody was there to take it.
 */
export function fetchWire(options: FetchWireOptions = {}): HttpWire {
  const { fetch: ask = (request) => globalThis.fetch(request), hold = () => () => {} } = options;
  return {
    send: (request, handlers) => new Fetching(request, handlers, { ask, hold }),
    // Every request ends with whoever began it.
    close: async () => {},
  };
}

interface Means {
  readonly ask: (request: Request) => Promise<Response>;
  readonly hold: (lost: () => void) => () => void;
}

/** One request on its way. */
class Fetching implements WireExchange {
  readonly #place: string;
  readonly #handlers: WireHandlers;
  readonly #abort = new AbortController();
  readonly #release: () => void;
  #hasHead = false;
  #resumed: Promise<void> | undefined;
  #resume: (() => void) | undefined;
  #isOver = false;

  constructor(request: WireRequest, handlers: WireHandlers, { ask, hold }: Means) {
    const { origin, pathname } = new URL(request.url);
    this.#place = `${origin}${pathname}`;
    this.#handlers = handlers;
    this.#release = hold(() => this.#fail(undefined));
    // Not at once: whoever makes it is not ready to hear of it.
    queueMicrotask(() => void this.#run(request, ask));
  }

  pause(): void {
    this.#resumed ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resumed = undefined;
  }

  abort(): void {
    if (this.#over()) this.#abort.abort();
  }

  async #run(request: WireRequest, ask: Means['ask']): Promise<void> {
    if (this.#isOver) return;
    let made: Request;
    try {
      made = requestOf(request, this.#abort.signal);
    } catch {
      return this.#unusable();
    }
    try {
      const response = await ask(made);
      if (this.#isOver) return;
      this.#hasHead = true;
      this.#handlers.head(response.status, (name) => response.headers.get(name) ?? undefined);
      await this.#read(response.body);
      if (this.#over()) this.#handlers.end();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    if (body === null) return;
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (this.#resumed !== undefined) await this.#resumed;
      if (done || this.#isOver) return;
      this.#handlers.data(value);
    }
  }

  #over(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#release();
    // What waits to be resumed must come to its end.
    this.#resume?.();
    return true;
  }

  #unusable(): void {
    if (!this.#over()) return;
    const error = new DoorError('UPSTREAM_UNREACHABLE', `cannot reach ${this.#place}: the request cannot be sent`, {
      data: { reason: 'unusable', outcome: 'not-executed' },
      hint: 'Check url and headers of this upstream.',
    });
    this.#handlers.failed(error);
  }

  #fail(thrown: unknown): void {
    if (!this.#over()) return;
    const unsent = this.#hasHead ? undefined : NOBODY_THERE.get(codeOf(thrown));
    if (unsent !== undefined) {
      const error = new DoorError('UPSTREAM_UNREACHABLE', `cannot reach ${this.#place}: ${unsent.words}`, {
        data: { reason: unsent.reason, outcome: 'not-executed' },
        hint: 'Start that server, or correct the url of this upstream.',
      });
      return this.#handlers.failed(error);
    }
    const when = this.#hasHead ? 'before the answer was whole' : 'before an answer came';
    const error = new DoorError('UPSTREAM_LOST', `${this.#place}: the connection broke ${when}`, {
      data: { reason: 'reset', outcome: 'unknown' },
      hint: 'Look at the log of that server, and whether it can be reached from here.',
      cause: thrown,
    });
    this.#handlers.failed(error);
  }
}

/** Codes of platforms that say why (Node's are in `cause.code`; Workers say nothing). */
const NOBODY_THERE: ReadonlyMap<unknown, { readonly reason: string; readonly words: string }> = new Map([
  ['ECONNREFUSED', { reason: 'refused', words: 'nobody takes the connection there' }],
  ['ENOTFOUND', { reason: 'dns', words: 'there is no address for this name' }],
  ['EAI_AGAIN', { reason: 'dns', words: 'there is no address for this name' }],
]);

function codeOf(thrown: unknown): unknown {
  return (thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}

/** @throws where url or headers are no good */
function requestOf({ method, url, headers, body }: WireRequest, signal: AbortSignal): Request {
  const target = new URL(url);
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (name !== 'host') sent.set(name, value);
  // `fetch` takes no URL that holds them, and Workers leave them out without a word.
  const credentials = credentialsOf(target);
  if (credentials !== undefined && !sent.has('authorization')) sent.set('authorization', credentials);
  target.username = '';
  target.password = '';
  return new Request(target.href, {
    method,
    headers: sent,
    redirect: 'manual', // where it leads is for the client to judge
    signal,
    ...(body !== undefined && { body: joinPieces(body) as Uint8Array<ArrayBuffer> }),
  });
}

/** The user and password in a URL as a header says them (RFC 7617). */
function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const user = encodeText(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return `Basic ${btoa(String.fromCharCode(...user))}`;
}
