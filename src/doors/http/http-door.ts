import {
  type Clock,
  DoorError,
  type Enrolled,
  JsonScanner,
  type Principal,
  Roll,
  toDoorError,
} from '../../base/index.js';
import type { Gateway, GatewayLimits } from '../../gateway/index.js';
import { type BadMessage, decodeMessage, findCodec, type Message } from '../../protocol/index.js';
import { ModernDoor } from '../modern-door.js';
import { RequestReader } from '../requests.js';
import { Session, type SessionOptions } from '../session.js';
import type { Underway } from '../types.js';
import { Admission, type AdmissionOptions, answerPreflight, type CorsHeaders } from './admission.js';
import { Beats } from './beats.js';
import { EventStream } from './event-stream.js';
import type { HeaderList, HttpExchange } from './exchange.js';
import type { HttpSession, SessionParts } from './http-session.js';
import { challengeOf, type Identifier, type Identity } from './identity.js';
import { type Accepts, acceptsOf, isEncoded, isJson } from './negotiation.js';
import { eraOf } from './opening.js';
import { type Refusal, refusal, refusalOf, refuse } from './refusal.js';
import { RequestAnswer } from './request-answer.js';
import { Sessions } from './sessions.js';
import { UnreadWatch } from './unread-watch.js';

export interface HttpDoorOptions {
  readonly gateway: Gateway;
  readonly limits: Pick<GatewayLimits, 'maxMessageBytes' | 'maxDepth' | 'pageSize'>;
  /** How we introduce ourselves to callers. */
  readonly info: SessionOptions['info'];
  /** What models are told about the servers behind the door, given what the caller declares; '' for nothing. */
  readonly instructions?: SessionOptions['instructions'];
  readonly meta?: SessionOptions['meta'];
  readonly admission: AdmissionOptions;
  readonly identifier: Identifier;
  /** Where callers read how to get a token (RFC 9728); absent where they get none by themselves. */
  readonly metadataUrl?: string;
  readonly maxSessions: number;
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
}

/** One request at the endpoint that was let in. */
interface Visit {
  readonly exchange: HttpExchange;
  readonly principal: Principal;
  readonly cors: CorsHeaders;
}

/** A visit that brought a message. */
interface Posted extends Visit {
  readonly accepts: Accepts;
  readonly body: Uint8Array;
  /** Read by the scanner of the door: it holds until the next one is. */
  readonly message: Message | BadMessage;
}

/** A POST that is not answered yet, as the end of the door has to deal with it. */
interface OpenPost extends Enrolled {
  readonly answer: RequestAnswer;
  readonly cancel: () => void;
}

const ALLOWED = 'GET, POST, DELETE, OPTIONS';
const CLOSE: HeaderList = ['Connection', 'close'];
const NOTHING = (): void => {};
const OK = (): number => 200;
/** Stands for a header that came twice: no value that is compared with it is equal. */
const REPEATED = '\n';

/**
 * The MCP endpoint of both eras (MCP 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports): which era,
 * is decided by each message. Whoever may not come in is told so before anything is read.
 */
export class HttpDoor {
  readonly #options: HttpDoorOptions;
  readonly #admission: Admission;
  readonly #sessions: Sessions;
  readonly #beats: Beats;
  readonly #modernDoor: ModernDoor;
  /** Every message is read whole before the next one is: one index serves all callers. */
  readonly #scanner: JsonScanner;
  readonly #open = new Roll<OpenPost>();
  #idle: (() => void) | undefined;
  #refusal: DoorError | undefined;

  constructor(options: HttpDoorOptions) {
    this.#options = options;
    const { clock, maxSessions, idleTimeoutMs, limits, gateway, info, instructions, meta } = options;
    this.#admission = new Admission(options.admission);
    this.#beats = new Beats(clock);
    this.#scanner = new JsonScanner({ nestingLimit: limits.maxDepth + 2 });
    const scanner = this.#scanner;
    const reader = new RequestReader(scanner, limits.pageSize, 'handshake');
    const shared = {
      limits,
      door: 'http',
      info,
      scanner,
      ...(instructions && { instructions }),
      ...(meta && { meta }),
    };
    this.#modernDoor = new ModernDoor(shared);
    this.#modernDoor.attach(gateway);
    const open = (parts: SessionParts): Session => {
      const session = new Session({ ...shared, reader, startsAtOnce: false, ...parts });
      session.attach(gateway);
      return session;
    };
    this.#sessions = new Sessions({ clock, maxSessions, idleTimeoutMs, open });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Answers one request at the endpoint. */
  handle(exchange: HttpExchange): void {
    try {
      this.admit(exchange, (visit) => this.#enter(visit));
    } catch (thrown) {
      refuse(exchange, refusalOf(500, toDoorError(thrown)));
    }
  }

  /** Lets in whoever may come in; everyone else is answered here. */
  admit(exchange: HttpExchange, enter: (visit: Visit) => void): void {
    const cors = this.#admission.admit(exchange);
    if (isRefusal(cors)) return refuse(exchange, cors);
    if (exchange.method === 'OPTIONS') return answerPreflight(exchange, cors);
    const { identifier, metadataUrl } = this.#options;
    const decide = (identity: Identity): void => {
      const challenge = challengeOf(identity, identifier, metadataUrl);
      if (challenge !== undefined) return refuse(exchange, challenge, cors);
      if (identity.kind === 'known') enter({ exchange, principal: identity.principal, cors });
    };
    const identity = identifier.identify(exchange.header('authorization'));
    if (identity instanceof Promise) identity.then(decide).catch(() => exchange.destroy());
    else decide(identity);
  }

  /** Whether someone is let in, for answers that say more to those who are. */
  async isWelcome(exchange: HttpExchange): Promise<boolean> {
    const { identifier, metadataUrl } = this.#options;
    if (isRefusal(this.#admission.admit(exchange))) return false;
    const identity = await identifier.identify(exchange.header('authorization'));
    return challengeOf(identity, identifier, metadataUrl) === undefined;
  }

  /** Whether a request may be answered with what is for everyone: it came to us, and from no foreign page. */
  admitPublic(exchange: HttpExchange): CorsHeaders | undefined {
    const cors = this.#admission.admit(exchange);
    if (!isRefusal(cors)) return cors;
    refuse(exchange, cors);
    return undefined;
  }

  /** The end is near: what comes now is refused, and streams that would last for ever end. */
  refuse(reason: DoorError): void {
    this.#refusal = reason;
    this.#modernDoor.refuse(reason);
    for (const { session } of this.#sessions.all()) session.refuse(reason);
  }

  /** Resolves when every request has been answered. */
  async whenIdle(): Promise<void> {
    await this.#modernDoor.whenIdle();
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  /** There is no more time: what is still open is answered with `reason`. */
  abandon(reason: DoorError): void {
    this.#modernDoor.abandon(reason);
    for (const { session } of this.#sessions.all()) session.abandon(reason);
  }

  async close(): Promise<void> {
    for (const post of this.#open.all()) {
      post.cancel();
      post.answer.end();
    }
    await Promise.all([this.#sessions.close(), this.#modernDoor.close()]);
  }

  #enter(visit: Visit): void {
    switch (visit.exchange.method) {
      case 'POST':
        return this.#post(visit);
      case 'GET':
        return this.#listen(visit);
      case 'DELETE':
        return this.#end(visit);
      default:
        return refuse(visit.exchange, refusal(405, 'only POST, GET and DELETE', ['Allow', ALLOWED]), visit.cors);
    }
  }

  #post(visit: Visit): void {
    const { exchange, principal, cors } = visit;
    if (this.#refusal !== undefined) return refuse(exchange, ending(this.#refusal), cors);
    if (!isJson(exchange.header('content-type'))) {
      return refuse(exchange, refusal(415, 'the Content-Type is not application/json in UTF-8'), cors);
    }
    if (isEncoded(exchange.header('content-encoding'))) {
      return refuse(exchange, refusal(415, 'the body must not be encoded', ['Accept-Encoding', 'identity']), cors);
    }
    const accepts = acceptsOf(exchange.header('accept'));
    if (!accepts.json && !accepts.stream) return refuse(exchange, notAcceptable(), cors);
    const { maxMessageBytes } = this.#options.limits;
    exchange.readBody(maxMessageBytes, (body) => {
      if (body === 'too-large') return refuse(exchange, tooLarge(maxMessageBytes), cors);
      // It may have been long in coming: a session that begins now would know nothing of the end.
      if (this.#refusal !== undefined) return refuse(exchange, ending(this.#refusal), cors);
      try {
        this.#take({ exchange, principal, cors, accepts, body });
      } catch (thrown) {
        // Whatever is wrong with this one, it is nobody else's: thrown on, it would end the process.
        refuse(exchange, refusalOf(500, toDoorError(thrown)), cors);
      }
    });
  }

  #take(unread: Omit<Posted, 'message'>): void {
    const { body, exchange } = unread;
    const message = decodeMessage(this.#scanner, body, 0, body.length);
    const { principal, cors, accepts } = unread;
    const posted = { exchange, principal, cors, accepts, body, message };
    if (eraOf(this.#scanner, message, exchange.header('mcp-protocol-version')) === 'modern')
      return this.#modern(posted);
    if (message.kind === 'request' && message.method === 'initialize') return this.#initialize(posted);
    this.#inSession(posted);
  }

  /** A message of the 2026 era stands for itself: a session id is not looked at, and hanging up cancels. */
  #modern(posted: Posted): void {
    const { exchange, principal, accepts, message } = posted;
    const needsStream = message.kind === 'request' && message.method === 'subscriptions/listen';
    if (needsStream && !accepts.stream) return refuse(exchange, notAcceptable(), posted.cors);
    const unread = new UnreadWatch(this.#options.clock);
    let underway: Underway | undefined;
    let isGone = false;
    const cancel = (): void => {
      isGone = true;
      underway?.cancel();
    };
    const answer = this.#answer(posted, {
      unread,
      cancel,
      gone: cancel,
      status: OK,
    });
    const by = {
      principal,
      headers: (name: string) => (exchange.isRepeated(name) ? REPEATED : exchange.header(name)),
    };
    underway = this.#modernDoor.message(message, this.#incoming(posted, answer), by);
    if (isGone) underway.cancel();
  }

  /** A session begins where `initialize` is answered well; which one a caller had before makes no difference. */
  #initialize(posted: Posted): void {
    const made = this.#sessions.make(posted.principal);
    const { session } = made;
    let headers: HeaderList = posted.cors;
    const answer = this.#answer(posted, {
      unread: made.unread,
      gone: NOTHING,
      status: OK,
      headers: () => headers,
    });
    const reply: RequestAnswer['reply'] = (pieces) => {
      // Who could not be agreed with is not let in.
      const isAgreed = session.view !== undefined;
      try {
        if (isAgreed) this.#sessions.admit(made);
      } catch (thrown) {
        this.#sessions.end(made);
        return answer.reply([refusalOf(503, thrown as DoorError).body], 503);
      }
      if (isAgreed) headers = ['Mcp-Session-Id', made.id, ...posted.cors];
      else this.#sessions.end(made);
      answer.reply(pieces, isAgreed ? 200 : 400);
    };
    const { body, message } = posted;
    session.message(message, { bytes: body, start: 0, end: body.length, reply });
  }

  #inSession(posted: Posted): void {
    const { exchange, message, cors } = posted;
    const found = this.#session(posted, message.kind === 'bad' ? message.reason : undefined);
    if (isRefusal(found)) return refuse(exchange, found, cors);
    const session = found;
    if (session.unread.isFarBehind) return refuse(exchange, tooSlow(), cors);
    session.posts++;
    const answer = this.#answer(posted, {
      unread: session.unread,
      // Hanging up is no cancelling in this era: what came of it is lost, what is asked meanwhile goes to the other stream.
      gone: NOTHING,
      elsewhere: (pieces) => session.push(pieces),
      status: () => statusOf(message, session),
      over: () => {
        session.posts--;
        session.usedAtMs = this.#options.clock.monotonicMs();
      },
    });
    session.session.message(message, this.#incoming(posted, answer));
  }

  #session({ exchange, principal }: Visit, fault?: string): HttpSession | Refusal {
    const id = exchange.header('mcp-session-id');
    if (id === undefined) return refusal(400, fault ?? 'an Mcp-Session-Id is needed: send initialize first');
    return this.#sessions.find(id, principal) ?? refusal(404, 'there is no such session: send initialize anew');
  }

  #incoming({ body, accepts }: Posted, { reply, beside }: RequestAnswer) {
    return { bytes: body, start: 0, end: body.length, reply, ...(accepts.stream && { beside }) };
  }

  #answer({ exchange, accepts, cors }: Posted, options: AnswerOptions): RequestAnswer {
    const { cancel = NOTHING, headers = () => cors, over = NOTHING, unread, gone, elsewhere, status } = options;
    const answer = new RequestAnswer({
      exchange,
      accepts,
      beats: this.#beats,
      unread,
      gone,
      elsewhere,
      status,
      headers,
      over: () => {
        this.#open.remove(post);
        over();
        if (this.#open.size === 0) this.#idle?.();
      },
    });
    const post: OpenPost = { answer, cancel, place: -1 };
    this.#open.add(post);
    return answer;
  }

  /** The stream for what belongs to no request. */
  #listen(visit: Visit): void {
    const { exchange, cors } = visit;
    if (this.#isModernOnly(exchange)) return refuse(exchange, onlyPost(), cors);
    if (!acceptsOf(exchange.header('accept')).stream) return refuse(exchange, notAcceptable(), cors);
    const session = this.#session(visit);
    if (isRefusal(session)) return refuse(exchange, session, cors);
    if (this.#refusal !== undefined) return refuse(exchange, refusalOf(503, this.#refusal, CLOSE), cors);
    const stream = new EventStream({ exchange, beats: this.#beats, unread: session.unread, headers: cors });
    exchange.onGone(() => {
      stream.gone();
      session.unlisten(stream);
    });
    // So that the caller has the head at once.
    stream.comment();
    session.listen(stream);
  }

  #end(visit: Visit): void {
    const { exchange, cors } = visit;
    if (this.#isModernOnly(exchange)) return refuse(exchange, onlyPost(), cors);
    const session = this.#session(visit);
    if (isRefusal(session)) return refuse(exchange, session, cors);
    this.#sessions.end(session);
    exchange.answer(204, cors, []);
  }

  /** Callers of the 2026 era have neither sessions nor this stream. */
  #isModernOnly(exchange: HttpExchange): boolean {
    const version = exchange.header('mcp-protocol-version');
    return version !== undefined && findCodec(version) === undefined;
  }
}

interface AnswerOptions {
  readonly unread: UnreadWatch;
  readonly cancel?: () => void;
  readonly gone: () => void;
  readonly elsewhere?: RequestAnswer['reply'];
  readonly status: () => number;
  readonly headers?: () => HeaderList;
  readonly over?: () => void;
}

/** What a session does not take is 400; whatever it takes is 200, be it an error. */
function statusOf(message: Message | BadMessage, { session }: HttpSession): number {
  if (message.kind !== 'bad') return 200;
  return message.isBatch && findCodec(session.revision)?.allowsBatches ? 200 : 400;
}

function isRefusal(value: object): value is Refusal {
  return 'status' in value;
}

function notAcceptable(): Refusal {
  return refusal(406, 'the Accept header takes neither application/json nor text/event-stream');
}

function ending(reason: DoorError): Refusal {
  return refusalOf(503, reason, ['Retry-After', '1', ...CLOSE]);
}

function onlyPost(): Refusal {
  return refusal(405, 'this protocol version has POST only', ['Allow', 'POST, OPTIONS']);
}

function tooLarge(limit: number): Refusal {
  const error = new DoorError('MESSAGE_TOO_LARGE', `The message is over the limit of ${limit} bytes`, {
    data: { limit },
    hint: 'Send less at once, or raise limits.maxMessageBytes.',
  });
  // The connection stays: closed at once, it would be reset while the caller still writes, and the refusal be lost.
  return refusalOf(413, error);
}

function tooSlow(): Refusal {
  const error = new DoorError('BUSY', 'too much of what this session asked for lies unread', {
    hint: 'The client must read what it asked for.',
  });
  return refusalOf(503, error, ['Retry-After', '5']);
}
