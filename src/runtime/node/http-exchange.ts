import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Piece } from '../../base/index.js';
import type { Body, HeaderList, RoutedExchange } from '../../doors/index.js';
import { whenClosed } from './closed-connections.js';
import { bytesIn, joinBytes } from './joined-bytes.js';

/** Answers up to this size are put together and written at once; of larger ones each piece is written by itself. */
const JOIN_UP_TO = 64 * 1024;
/** A text of Latin-1, byte for byte what it was made of, goes out in one write with the head; a buffer in a second one. */
const TEXT_UP_TO = 8 * 1024;
const COPY_UP_TO = 8 * 1024;
/** How long a caller may take nothing of what is written to it, before its connection is taken for dead. */
const STALLED_MS = 60_000;
const LOW_WATER_BYTES = 16 * 1024;

/**
 * An exchange on Node's own messages. The body is read from the message and the answer written to it: a `Request` and a
 * `Response` in between would cost a third of what the exchange costs.
 */
export class NodeExchange implements RoutedExchange {
  readonly method: string;
  readonly response = RESPONSE_ALREADY_SENT;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #isWatched = false;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? '';
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'string' ? value : value?.join(', ');
  }

  isRepeated(name: string): boolean {
    const value = this.#incoming.headers[name];
    // Node joins what came twice (`joinDuplicateHeaders`): without a comma it came once.
    if (typeof value !== 'string' || !value.includes(',')) return false;
    const { rawHeaders } = this.#incoming;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === name) count++;
    return count > 1;
  }

  readBody(maxBytes: number, take: (body: Body) => void): void {
    const incoming = this.#incoming;
    const chunks: Buffer[] = [];
    let length = 0;
    let isTaken = false;
    const done = (body: Body): void => {
      if (isTaken) return;
      isTaken = true;
      take(body);
    };
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return done('too-large');
    incoming.on('data', (chunk: Buffer) => {
      if (isTaken) return;
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      chunks.length = 0;
      done('too-large');
    });
    // `on`, here and below: what ends does so once, and `once` wraps each listener in two objects more.
    incoming.on('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
  }

  answer(status: number, headers: HeaderList, body: readonly Piece[]): void {
    const outgoing = this.#outgoing;
    if (outgoing.headersSent || outgoing.destroyed) return;
    const length = bytesIn(body);
    const hasLength = status === 204 || status === 304 || headers.includes('Content-Length');
    outgoing.writeHead(status, hasLength ? [...headers] : [...headers, 'Content-Length', String(length)]);
    if (length === 0) outgoing.end();
    else if (length <= TEXT_UP_TO) outgoing.end(joinBytes(body, length).toString('latin1'), 'latin1');
    else if (length <= JOIN_UP_TO) outgoing.end(joinBytes(body, length));
    else {
      outgoing.cork();
      for (const piece of body) outgoing.write(partOf(piece));
      outgoing.uncork();
      outgoing.end();
    }
    this.#watchStall();
  }

  begin(status: number, headers: HeaderList): void {
    if (!this.#outgoing.destroyed) this.#outgoing.writeHead(status, [...headers]);
  }

  write(pieces: readonly Piece[]): boolean {
    const outgoing = this.#outgoing;
    if (outgoing.destroyed || outgoing.writableEnded) return true;
    const isTaken = outgoing.write(joinBytes(pieces, bytesIn(pieces)));
    if (!isTaken) this.#watchStall();
    return isTaken;
  }

  end(): void {
    this.#outgoing.end();
    this.#watchStall();
  }

  get unreadBytes(): number {
    return this.#outgoing.destroyed ? 0 : this.#outgoing.writableLength;
  }

  whenWritable(): Promise<void> {
    const outgoing = this.#outgoing;
    const isGone = outgoing.destroyed || (this.#isInLine && this.#incoming.socket.destroyed);
    if (isGone || outgoing.writableFinished || (!outgoing.writableEnded && !outgoing.writableNeedDrain)) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const done = (): void => {
        forget();
        for (const event of ['drain', 'finish', 'close']) outgoing.off(event, done);
        resolve();
      };
      const forget = this.#isInLine ? whenClosed(this.#incoming.socket, done) : ignore;
      for (const event of ['drain', 'finish', 'close']) outgoing.on(event, done);
    });
  }

  destroy(): void {
    if (this.#isInLine) this.#incoming.socket.destroy();
    this.#outgoing.destroy();
  }

  onGone(listener: () => void): void {
    const outgoing = this.#outgoing;
    if (outgoing.destroyed) return listener();
    if (this.#isInLine) return this.#onGoneInLine(listener);
    outgoing.on('close', () => {
      // Also the end of an answer that was written whole.
      if (!outgoing.writableFinished) listener();
    });
  }

  /**
   * It came on the heels of another request on its connection (RFC 9112 section 9.3.2), and its turn to be answered has not
   * come. Till then Node tells its answer nothing of the connection: it would be waited for, and a stream be filled, for ever.
   */
  get #isInLine(): boolean {
    return this.#outgoing.socket === null;
  }

  #onGoneInLine(listener: () => void): void {
    const { socket } = this.#incoming;
    if (socket.destroyed) return listener();
    const outgoing = this.#outgoing;
    let isTold = false;
    const closed = (): void => {
      forget();
      if (isTold || outgoing.writableFinished) return;
      isTold = true;
      listener();
    };
    const forget = whenClosed(socket, closed);
    outgoing.on('close', closed);
  }

  /** A caller that takes nothing more, without a word: its connection is not kept for ever. */
  #watchStall(): void {
    const outgoing = this.#outgoing;
    const { socket } = outgoing;
    if (this.#isWatched || socket === null || socket.writableLength <= LOW_WATER_BYTES) return;
    this.#isWatched = true;
    // Time without any traffic; once all is written, Node's own time for idle connections takes its place.
    outgoing.setTimeout(STALLED_MS, () => {
      if (socket.writableLength > 0) socket.destroy();
    });
  }
}

function ignore(): void {}

/** What is small may lie in a scratch that is written over; what is large is handed on as it is (as `Sink` does). */
function partOf(piece: Piece): string | Uint8Array {
  if (typeof piece === 'string') return piece;
  const part = piece.bytes.subarray(piece.start, piece.end);
  return part.length <= COPY_UP_TO ? Buffer.from(part) : part;
}
