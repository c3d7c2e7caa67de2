import {
  type CallerCapabilities,
  type Clock,
  DoorError,
  type Implementation,
  JsonScanner,
  type Piece,
  type Principal,
  systemClock,
} from '../base/index.js';
import type { Gateway, GatewayLimits } from '../gateway/index.js';
import { decodeMessage, doorErrorMessage, LineFramer, type OversizeLine } from '../protocol/index.js';
import { ModernDoor } from './modern-door.js';
import { isModernMessage } from './modern-request.js';
import { RequestReader } from './requests.js';
import { Session, type SessionOptions } from './session.js';
import { SlowReader } from './slow-reader.js';
import type { Incoming, Reply } from './types.js';

export interface StreamDoorOptions {
  /** What the gateway behind the door is bounded by; known before the gateway is there. */
  readonly limits: Pick<GatewayLimits, 'maxDepth' | 'maxMessageBytes' | 'pageSize'>;
  readonly principal: Principal;
  /** What events call this way in: `stdio`. */
  readonly door: string;
  /** How we introduce ourselves to callers. */
  readonly info: Implementation;
  /** What models are told about the servers behind the door, given what the caller declares; '' for nothing. */
  readonly instructions?: (declared: CallerCapabilities) => string;
  /** What `initialize` and `server/discover` say in `_meta`. */
  readonly meta?: SessionOptions['meta'];
  /** Hands over one whole message, without its line end. False: the caller reads too slowly. */
  readonly write: (pieces: readonly Piece[]) => boolean;
  /** Resolves when the caller has read what was written. */
  readonly whenWritable: () => Promise<void>;
  /** Bytes written that the caller has not read yet. */
  readonly unreadBytes?: () => number;
  /** Stops and resumes reading from the caller, when too much lies unread before it. */
  readonly pauseInput?: (isPaused: boolean) => void;
  /** The caller broke the limits for good; nothing more is to be read from it. */
  readonly broken: (reason: DoorError) => void;
  readonly clock?: Clock;
}

/**
 * One caller on one message stream (stdio, a socket): JSON-RPC in, JSON-RPC out, every request answered once. It may speak
 * both eras, message by message: what names its revision is a request on its own, the rest belongs to the stream's session.
 */
export class StreamDoor {
  readonly #options: StreamDoorOptions;
  readonly #scanner: JsonScanner;
  readonly #framer: LineFramer;
  readonly #session: Session;
  readonly #modern: ModernDoor;
  readonly #write: Reply;
  readonly #slowness: SlowReader;
  #isClosed = false;

  constructor(options: StreamDoorOptions) {
    const { limits, principal, door, info, instructions, meta } = options;
    this.#options = options;
    const scanner = new JsonScanner({ nestingLimit: limits.maxDepth + 2 });
    this.#scanner = scanner;
    this.#write = (pieces) => {
      if (pieces.length === 0 || this.#isClosed) return;
      if (!options.write(pieces)) this.#slowness.wrote();
    };
    this.#session = new Session({
      limits,
      principal,
      door,
      info,
      ...(instructions !== undefined && { instructions }),
      ...(meta !== undefined && { meta }),
      scanner,
      reader: new RequestReader(scanner, limits.pageSize, 'handshake'),
      write: this.#write,
      isBehind: () => this.#slowness.isBehind,
      isFarBehind: () => this.#slowness.isFarBehind,
      admitted: (view) => {
        if (this.#slowness.isBehind) view.pause();
      },
    });
    this.#modern = new ModernDoor({
      limits,
      door,
      info,
      ...(instructions !== undefined && { instructions }),
      ...(meta !== undefined && { meta }),
      scanner,
      isFarBehind: () => this.#slowness.isFarBehind,
    });
    this.#framer = new LineFramer(limits.maxMessageBytes, {
      line: (bytes, start, end) => this.#line({ bytes, start, end, reply: this.#write }),
      oversize: (line) => this.#oversize(line),
      flood: (bytes) => this.#flood(bytes),
    });
    this.#slowness = new SlowReader({
      clock: options.clock ?? systemClock,
      unreadBytes: options.unreadBytes ?? (() => 0),
      whenWritable: options.whenWritable,
      pauseAnswers: (isPaused) => this.#flow(isPaused),
      pauseRequests: (isPaused) => options.pauseInput?.(isPaused),
      givenUp: options.broken,
    });
  }

  #flow(isPaused: boolean): void {
    for (const view of [this.#session.view, ...this.#modern.views]) isPaused ? view?.pause() : view?.resume();
  }

  /** Puts the gateway behind the door; what has waited for it goes in, in the order it came. */
  attach(gateway: Gateway): void {
    this.#session.attach(gateway);
    this.#modern.attach(gateway);
  }

  push(chunk: Uint8Array): void {
    if (!this.#isClosed) this.#framer.push(chunk);
  }

  /** The caller's stream ended: a last line without its line feed still counts. */
  end(): void {
    if (!this.#isClosed) this.#framer.end();
  }

  /** Resolves when every request has been answered. */
  async whenIdle(): Promise<void> {
    await Promise.all([this.#session.whenIdle(), this.#modern.whenIdle()]);
  }

  /** The end is near: requests that come now are answered with `reason`; answers and notifications are still read. */
  refuse(reason: DoorError): void {
    this.#session.refuse(reason);
    this.#modern.refuse(reason);
  }

  /** There is no more time: what is still open is answered with `reason`, and its calls are cancelled upstream. */
  abandon(reason: DoorError): void {
    this.#session.abandon(reason);
    this.#modern.abandon(reason);
  }

  /** The caller is gone: its calls are cancelled upstream, what was started for it alone ends, nothing more is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#slowness.close();
    await Promise.all([this.#session.close(), this.#modern.close()]);
  }

  #line(incoming: Incoming): void {
    const { bytes, start, end } = incoming;
    const message = decodeMessage(this.#scanner, bytes, start, end);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      // Which of both eras it is about only its id tells.
      this.#modern.cancelled(message);
    } else if (message.kind === 'request' && isModernMessage(this.#scanner, message)) {
      const { principal } = this.#options;
      this.#modern.message(message, { ...incoming, beside: this.#write }, { principal });
      return;
    }
    this.#session.message(message, incoming);
  }

  #oversize(line: OversizeLine): void {
    const said = this.#session.oversize(line);
    if (said !== undefined) this.#write([said]);
  }

  #flood(bytes: number): void {
    const limit = this.#options.limits.maxMessageBytes;
    const error = new DoorError(
      'MESSAGE_TOO_LARGE',
      `A line went on past ${bytes} bytes without an end (limit ${limit})`,
    );
    this.#write([doorErrorMessage('null', error)]);
    this.#options.broken(error);
  }
}
