import { DoorError, type Piece, toDoorError } from '../../base/index.js';
import { GatheredBytes } from './gathered-bytes.js';
import { placeOf, type Refusal, type Told } from './http-errors.js';
import type { Headers, HttpLink, Stoppable } from './http-link.js';
import type { WireExchange, WireHandlers } from './wire.js';

/** Who waits for the response to one request. */
export interface ResponseTarget {
  /** It was taken (HTTP 2xx); `data` and `end` follow. */
  accepted(status: number, header: Refusal['header']): void;
  data(chunk: Uint8Array): void;
  end(): void;
  /** It was answered with anything else. Nothing follows. */
  refused(refusal: Refusal, told: Told): void;
  /** No answer, or the rest of one did not come. Nothing follows. `data.outcome` says whether it may have run. */
  failed(reason: DoorError): void;
}

export interface HttpRequestOptions {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: readonly Piece[];
}

const MAX_REDIRECTS = 3;
/** Of a refusal no more is read than this: it is a JSON-RPC error, or a page for people. */
const MAX_REFUSAL_BYTES = 65_536;
const INSUFFICIENT_SCOPE = /error\s*=\s*"?insufficient_scope/i;

/** One HTTP request until it is taken or refused for good: gets leave once when told to, and follows it where it moved. */
export class HttpRequest implements WireHandlers, Stoppable {
  place = -1;
  readonly #link: HttpLink;
  readonly #target: ResponseTarget;
  readonly #options: HttpRequestOptions;
  #url: URL;
  #sent: Headers = {};
  #exchange: WireExchange | undefined;
  #redirects = 0;
  #hasAskedLeave = false;
  #refusal: { status: number; header: Refusal['header']; body: GatheredBytes } | undefined;
  #untakenBytes = 0;
  #isOver = false;

  constructor(link: HttpLink, options: HttpRequestOptions, target: ResponseTarget) {
    this.#link = link;
    this.#options = options;
    this.#target = target;
    this.#url = options.url;
    this.#untakenBytes = lengthOf(options.body ?? []);
    link.backlogBytes += this.#untakenBytes;
    link.open.add(this);
    this.#start();
  }

  pause(): void {
    this.#exchange?.pause();
  }

  resume(): void {
    this.#exchange?.resume();
  }

  /** Ends it. The target hears nothing more. */
  abort(): void {
    if (!this.#isOver) this.#over();
    this.#exchange?.abort();
  }

  head(status: number, header: Refusal['header']): void {
    this.#taken();
    if (status >= 200 && status < 300) return this.#target.accepted(status, header);
    this.#refusal = { status, header, body: new GatheredBytes() };
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#refusal === undefined) return this.#target.data(chunk);
    this.#refusal.body.push(chunk);
    if (this.#refusal.body.length < MAX_REFUSAL_BYTES) return;
    this.#exchange?.abort();
    this.#decide();
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#refusal !== undefined) return this.#decide();
    this.#over();
    this.#target.end();
  }

  failed(reason: DoorError): void {
    if (this.#isOver) return;
    if (this.#refusal !== undefined) return this.#decide();
    this.#over();
    this.#target.failed(reason);
  }

  #start(): void {
    const { authorizer } = this.#link;
    if (authorizer === undefined) return this.#go(this.#options.headers);
    authorizer.headers().then(
      (headers) => this.#go({ ...this.#options.headers, ...lowered(headers) }),
      (thrown: unknown) => this.failed(notSent(thrown)),
    );
  }

  #go(headers: Headers): void {
    if (this.#isOver) return;
    this.#sent = headers;
    const { method, body } = this.#options;
    this.#exchange = this.#link.wire.send({ method, url: this.#url.href, headers, body }, this);
    if (this.#link.isPaused) this.#exchange.pause();
  }

  #taken(): void {
    this.#link.backlogBytes -= this.#untakenBytes;
    this.#untakenBytes = 0;
  }

  #over(): void {
    this.#isOver = true;
    this.#taken();
    this.#link.open.remove(this);
  }

  #decide(): void {
    const { status, header, body } = this.#refusal!;
    this.#refusal = undefined;
    const refusal: Refusal = { status, header, body: body.take() };
    if (status >= 300 && status < 400) return this.#redirect(refusal);
    if (this.#mayAskLeave(refusal)) return this.#askLeave(refusal);
    this.#over();
    this.#target.refused(refusal, this.#told());
  }

  #told(): Told {
    return this.#link.told(this.#sent);
  }

  #mayAskLeave({ status, header }: Refusal): boolean {
    if (this.#link.authorizer === undefined || this.#hasAskedLeave) return false;
    return status === 401 || (status === 403 && INSUFFICIENT_SCOPE.test(header('www-authenticate') ?? ''));
  }

  /** New credentials, and the very same request once more. Refused requests have not run. */
  #askLeave({ status, header }: Refusal): void {
    this.#hasAskedLeave = true;
    const challenge = header('www-authenticate') ?? '';
    const refused = this.#link.authorizer!.refused(status === 401 ? 401 : 403, challenge, this.#sent.authorization);
    refused.then(
      (hasNew) => {
        if (this.#isOver) return;
        if (hasNew) return this.#start();
        this.#over();
        this.#target.refused({ status, header, body: new Uint8Array(0) }, this.#told());
      },
      (thrown: unknown) => this.failed(notSent(thrown)),
    );
  }

  /** Only where method and body stay what they are, and never to another origin: our credentials are for this one. */
  #redirect({ status, header }: Refusal): void {
    const location = header('location') ?? '';
    const isPlace = location !== '' && URL.canParse(location, this.#url.href);
    const url = isPlace ? new URL(location, this.#url.href) : undefined;
    const keepsMethod = status === 307 || status === 308;
    if (url !== undefined && keepsMethod && url.origin === this.#url.origin && this.#redirects < MAX_REDIRECTS) {
      this.#redirects++;
      if (status === 308 && this.#link.url.href === this.#url.href) this.#link.url = url;
      this.#url = url;
      return this.#start();
    }
    this.failed(this.#cannotFollow(status, url));
  }

  #cannotFollow(status: number, url: URL | undefined): DoorError {
    const to = url === undefined ? 'nowhere' : placeOf(url);
    const why =
      url === undefined
        ? 'it names no place'
        : url.origin !== this.#url.origin
          ? 'that is another origin, which our credentials are not for'
          : status === 307 || status === 308
            ? `that would be more than ${MAX_REDIRECTS} in a row`
            : 'the message would not be sent along';
    return new DoorError(
      'UPSTREAM_UNREACHABLE',
      `${placeOf(this.#url)} redirects to ${to} (HTTP ${status}); not followed: ${why}`,
      {
        data: { httpStatus: status, outcome: 'not-executed' },
        hint: 'If that is where the server is, set it as url in the entry of this server.',
      },
    );
  }
}

function lengthOf(pieces: readonly Piece[]): number {
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'string' ? piece.length : piece.end - piece.start;
  return length;
}

function lowered(headers: Headers): Headers {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  return lower;
}

/** An authorizer's failure: the request had not been sent, or had been refused. */
function notSent(thrown: unknown): DoorError {
  const error = toDoorError(thrown);
  if (error.data.outcome !== undefined) return error;
  return new DoorError(error.code, error.message, {
    data: { ...error.data, outcome: 'not-executed' },
    ...(error.hint !== undefined && { hint: error.hint }),
    cause: error,
  });
}
