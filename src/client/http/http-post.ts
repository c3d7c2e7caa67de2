import {
  type DoorError,
  decodeText,
  type Enrolled,
  elementsOf,
  encodeText,
  type JsonSlice,
  type Piece,
  sliceOf,
} from '../../base/index.js';
import type { Outgoing, TransportHandlers } from '../transport.js';
import { isForUs, shapeOf, skipBlanks, withOurId } from './answer-shape.js';
import { AnswerStream, type StreamOwner } from './answer-stream.js';
import { isEventStream } from './event-streams.js';
import { GatheredBytes } from './gathered-bytes.js';
import {
  brokenAnswer,
  isNoModernEvidence,
  placeOf,
  type Refusal,
  refusalError,
  snippetOf,
  type Told,
  tooLarge,
} from './http-errors.js';
import type { HttpLink } from './http-link.js';
import { HttpRequest, type ResponseTarget } from './http-request.js';
import { withoutSecrets } from './secrets.js';

/** The transport, as one of its messages sees it. */
export interface PostOwner {
  readonly link: HttpLink;
  readonly handlers: TransportHandlers;
  /** It is through, in whatever way. */
  postOver(post: HttpPost): void;
  /** The server has said something to it, or it is through. */
  postHeard(): void;
  /** The server does not know the session. @param id of the request that was refused for it and has not run */
  sessionLost(id?: number): void;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** One message of ours, and all that comes back for it (MCP basic/transports, Sending Messages). */
export class HttpPost implements ResponseTarget, StreamOwner, Enrolled {
  place = -1;
  /** The server has begun to answer. */
  hasHead = false;
  /** The answer to the request has been delivered. */
  isAnswered = false;
  readonly id: number | undefined;
  readonly link: HttpLink;
  readonly #owner: PostOwner;
  readonly #about: Outgoing;
  readonly #request: HttpRequest;
  #status = 0;
  #contentType = '';
  #announced = 0;
  #body: GatheredBytes | undefined;
  #first: Uint8Array | undefined;
  #stream: AnswerStream | undefined;
  #isOver = false;

  constructor(owner: PostOwner, pieces: readonly Piece[], about: Outgoing) {
    this.#owner = owner;
    this.link = owner.link;
    this.#about = about;
    this.id = about.id;
    const options = { method: 'POST' as const, url: this.link.url, headers: this.link.headersOf(about), body: pieces };
    this.#request = new HttpRequest(this.link, options, this);
  }

  get mayResume(): boolean {
    return !this.link.isModern(this.#about);
  }

  /** Ends it without a word. */
  abort(): void {
    this.#isOver = true;
    this.#request.abort();
    this.#stream?.abort();
  }

  accepted(status: number, header: Refusal['header']): void {
    this.hasHead = true;
    this.#status = status;
    const sessionId = this.#about.method === 'initialize' ? header('mcp-session-id') : undefined;
    if (sessionId && !this.link.openSession(sessionId)) {
      const message = `${placeOf(this.link.url)} gave a session id that no header can carry`;
      return this.#giveUp(brokenAnswer(message, status));
    }
    this.#contentType = header('content-type') ?? '';
    if (isEventStream(this.#contentType)) this.#stream = new AnswerStream(this, () => this.#request.abort());
    else this.#announced = Number(header('content-length') ?? 0);
    this.#owner.postHeard();
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#stream !== undefined) return this.#stream.data(chunk);
    const { maxMessageBytes } = this.link;
    const length = (this.#first?.length ?? 0) + (this.#body?.length ?? 0) + chunk.length;
    if (length > maxMessageBytes || this.#announced > maxMessageBytes) {
      return this.#giveUp(tooLarge(Math.max(length, this.#announced), maxMessageBytes));
    }
    // A small answer is one chunk, and is handed on as it came.
    if (this.#first === undefined) this.#first = chunk;
    else {
      this.#body ??= new GatheredBytes();
      this.#body.push(chunk);
    }
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#stream !== undefined) return this.#stream.end();
    const { id } = this;
    this.#over(() => {
      if (id !== undefined && !this.link.answersElsewhere) this.#readBody(id, this.#takeBody());
    });
  }

  refused(refusal: Refusal, told: Told): void {
    if (this.#isOver) return;
    this.hasHead = true;
    this.#over(() => this.#readRefusal(refusal, told));
  }

  failed(reason: DoorError): void {
    if (this.#isOver) return;
    if (this.#stream !== undefined) return this.#stream.end(reason);
    this.#over(() => this.#fail(reason));
  }

  deliver({ bytes, start, end }: JsonSlice): void {
    const { handlers } = this.#owner;
    if (this.id === undefined || this.isAnswered) return handlers.message(bytes, start, end, this.id);
    const shape = shapeOf(bytes, start, end, this.id);
    this.isAnswered = shape === 'own-answer';
    if (shape === 'other-answer') {
      const adopted = withOurId({ bytes, start, end }, this.id, 'unnamed');
      this.isAnswered = adopted !== undefined;
      if (adopted !== undefined) return handlers.message(adopted.bytes, adopted.start, adopted.end, this.id);
    }
    handlers.message(bytes, start, end, this.id);
  }

  streamOver(reason?: DoorError): void {
    if (this.#isOver) return;
    this.#over(() => {
      if (reason !== undefined) this.#fail(reason);
    });
  }

  sessionLost(): void {
    this.#owner.sessionLost();
  }

  /** Of the message that opens a session none is known yet. */
  get #hasSession(): boolean {
    return this.link.sessionId !== undefined && this.#about.method !== 'initialize';
  }

  #readRefusal(refusal: Refusal, told: Told): void {
    const { body, status } = refusal;
    if (status === 404 && !this.link.isModern(this.#about) && this.#hasSession) return this.#owner.sessionLost(this.id);
    if (this.id === undefined) return;
    // A refused request may be explained in JSON-RPC (Sending Messages); for want of rights there are other ways.
    const error = status === 401 ? undefined : withOurId(withoutOurs(body, told), this.id, 'any');
    const failure = refusalError(refusal, told);
    if (error === undefined) this.#fail(failure);
    else this.deliver(error);
    // What is agreed on, and refused in words for nobody: the server may have been started anew, or be another one.
    const isAgreed = this.#about.codec === undefined && this.link.codec !== undefined;
    if (isAgreed && isNoModernEvidence(failure) && !isForUs(body, this.id)) this.#owner.handlers.doubted?.();
  }

  #takeBody(): Uint8Array {
    if (this.#body === undefined) return this.#first ?? new Uint8Array(0);
    const body = new GatheredBytes();
    body.push(this.#first!);
    for (const piece of this.#body.takePieces()) body.push(piece);
    return body.take();
  }

  #readBody(id: number, bytes: Uint8Array): void {
    const start = skipBlanks(bytes, 0, bytes.length);
    const isJson = bytes[start] === OPEN_BRACE || bytes[start] === OPEN_BRACKET;
    if (!isJson) return this.#owner.handlers.failed(id, this.#noMessage(bytes, bytes.length - start));
    if (bytes[start] === OPEN_BRACKET) this.#readBatch(id, bytes, start);
    else this.deliver({ bytes, start, end: bytes.length });
    if (this.isAnswered) return;
    const message = `${placeOf(this.link.url)} answered with a message that is no answer to the request`;
    this.#owner.handlers.failed(id, brokenAnswer(message, this.#status));
  }

  /** Several messages in one array (MCP 2025-03-26 basic/transports): read by the client, which knows the revision. */
  #readBatch(id: number, bytes: Uint8Array, start: number): void {
    this.isAnswered = elementsOf(bytes, start).some(
      (span) => shapeOf(bytes, span.start, span.end, id) === 'own-answer',
    );
    this.#owner.handlers.message(bytes, start, bytes.length, id);
  }

  #noMessage(bytes: Uint8Array, length: number): DoorError {
    const place = placeOf(this.link.url);
    if (length === 0) return brokenAnswer(`${place} answered HTTP ${this.#status} without an answer`, this.#status);
    const told = this.link.told();
    const kind = withoutSecrets(this.#contentType, told.secrets).slice(0, 80) || 'something';
    const refusal: Refusal = { status: this.#status, header: () => undefined, body: bytes };
    const snippet = snippetOf(refusal, told);
    return brokenAnswer(`${place} answered with ${kind} that is no MCP message${snippet}`, this.#status);
  }

  #giveUp(reason: DoorError): void {
    this.#request.abort();
    this.#over(() => this.#fail(reason));
  }

  #fail(reason: DoorError): void {
    if (this.id !== undefined) this.#owner.handlers.failed(this.id, reason);
  }

  /** Nothing more comes. @param last what is still to be said: before the transport hears, which may be over with us */
  #over(last: () => void): void {
    this.#isOver = true;
    try {
      last();
    } finally {
      this.#owner.postOver(this);
    }
  }
}

/** A server may repeat to us what it refuses. */
function withoutOurs(body: Uint8Array, { secrets }: Told): JsonSlice {
  const text = decodeText(body);
  const bare = withoutSecrets(text, secrets);
  return sliceOf(bare === text ? body : encodeText(bare));
}
