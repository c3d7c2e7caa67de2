import { type Clock, DoorError, joinPieces, type Piece, type Principal, sliceOf } from '../../base/index.js';
import type { Session, SessionOptions } from '../session.js';
import type { EventStream } from './event-stream.js';
import { isNotification } from './request-answer.js';
import { UnreadWatch } from './unread-watch.js';

/** What waits for a session's stream while there is none: so much, and so many. */
const MAX_HELD_BYTES = 128 * 1024;
const MAX_HELD = 100;
/** Questions wait beside them, since a call of some upstream waits for each. */
const MAX_HELD_QUESTION_BYTES = 1024 * 1024;

/** What of a session differs from one to the next; the rest is the door's. */
export type SessionParts = Pick<SessionOptions, 'principal' | 'write' | 'isBehind' | 'isFarBehind'>;

export interface HttpSessionOptions {
  readonly id: string;
  readonly principal: Principal;
  readonly clock: Clock;
  readonly open: (parts: SessionParts) => Session;
}

/**
 * One session of a caller of 2025-11-25 or before (MCP 2025-11-25 basic/transports, Session Management): its side of the
 * gateway, and the stream that it may open for what belongs to no request.
 */
export class HttpSession {
  readonly id: string;
  readonly principal: Principal;
  readonly session: Session;
  readonly unread: UnreadWatch;
  /** When it was last used, on the monotonic hand. */
  usedAtMs: number;
  /** POSTs that have not been answered yet. */
  posts = 0;
  #stream: EventStream | undefined;
  #held: Uint8Array[] = [];
  #heldNotifications = 0;
  #heldBytes = 0;
  #heldQuestionBytes = 0;

  constructor({ id, principal, clock, open }: HttpSessionOptions) {
    this.id = id;
    this.principal = principal;
    this.unread = new UnreadWatch(clock);
    this.usedAtMs = clock.monotonicMs();
    this.session = open({
      principal,
      write: (pieces) => this.push(pieces),
      isBehind: () => this.unread.isBehind || this.#heldBytes > MAX_HELD_BYTES / 2,
      isFarBehind: () => this.unread.isFarBehind,
    });
  }

  /** Something of it is under way: it must not be ended to make room. */
  get isBusy(): boolean {
    return this.posts > 0 || this.session.openRequests > 0;
  }

  get hasStream(): boolean {
    return this.#stream?.isOpen ?? false;
  }

  /**
   * Sends what belongs to no request, or keeps it until there is a stream to send it on.
   *
   * @throws {DoorError} BUSY for a question that cannot be kept
   */
  push(pieces: readonly Piece[]): void {
    if (pieces.length === 0) return;
    if (this.#stream?.isOpen) {
      if (this.unread.isFarBehind && isNotification(pieces)) return;
      return this.#stream.send(pieces);
    }
    if (isNotification(pieces)) this.#hold(joinPieces(pieces));
    else this.#holdQuestion(joinPieces(pieces));
  }

  /**
   * The caller opens a stream. Each message goes to one stream only, so the newer one takes the place of the older: that
   * one may be the rest of a connection that broke without a word.
   */
  listen(stream: EventStream): void {
    this.#stream?.end();
    this.#stream = stream;
    const held = this.#held;
    this.#held = [];
    this.#heldNotifications = 0;
    this.#heldBytes = 0;
    this.#heldQuestionBytes = 0;
    for (const message of held) stream.send([sliceOf(message)]);
  }

  /** The stream has ended. */
  unlisten(stream: EventStream): void {
    if (this.#stream === stream) this.#stream = undefined;
  }

  async close(): Promise<void> {
    this.#stream?.end();
    this.#stream = undefined;
    this.#held = [];
    this.unread.close();
    await this.session.close();
  }

  #hold(message: Uint8Array): void {
    // That a list has changed need not be said twice.
    if (this.#held.some((each) => isEqual(each, message))) return;
    if (this.#heldNotifications >= MAX_HELD || this.#heldBytes + message.length > MAX_HELD_BYTES) return;
    this.#held.push(message);
    this.#heldNotifications++;
    this.#heldBytes += message.length;
  }

  /** Dropped like a notification, it would be waited for until nobody could know why. */
  #holdQuestion(message: Uint8Array): void {
    if (this.#heldQuestionBytes + message.length > MAX_HELD_QUESTION_BYTES) {
      throw new DoorError('BUSY', 'the client has no stream open on which it could be asked, and is asked too much', {
        data: { limit: MAX_HELD_QUESTION_BYTES },
        hint: 'A client that can be asked something must take text/event-stream, or keep a GET stream open.',
      });
    }
    this.#held.push(message);
    this.#heldQuestionBytes += message.length;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
