import { joinPieces, type Piece, sliceOf } from '../../base/index.js';
import type { Body, HeaderList } from './exchange.js';
import type { RoutedExchange } from './http-app.js';

/** An exchange made of a `Request`: for runtimes that have nothing closer to the wire. */
export class FetchExchange implements RoutedExchange {
  readonly method: string;
  readonly response: Promise<Response>;
  readonly #request: Request;
  #respond!: (response: Response) => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOver = false;
  #gone: (() => void)[] = [];
  #drained: (() => void)[] = [];

  constructor(request: Request) {
    this.method = request.method;
    this.#request = request;
    this.response = new Promise((resolve) => {
      this.#respond = resolve;
    });
    request.signal.addEventListener('abort', () => this.#hungUp());
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name) ?? undefined;
    // A request that was made by hand has its host in its address alone.
    return value === undefined && name === 'host' ? new URL(this.#request.url).host : value;
  }

  /** `Headers` joins what came twice, so that it fits nothing it is compared with, short of a comma of its own. */
  isRepeated(): boolean {
    return false;
  }

  readBody(maxBytes: number, take: (body: Body) => void): void {
    this.#read(maxBytes).then(take, () => this.#hungUp());
  }

  answer(status: number, headers: HeaderList, body: readonly Piece[]): void {
    this.#isOver = true;
    const bytes = body.length === 0 ? null : (joinPieces(body) as Uint8Array<ArrayBuffer>);
    this.#respond(new Response(bytes, { status, headers: pairsOf(headers) }));
  }

  begin(status: number, headers: HeaderList): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => this.#release(),
        cancel: () => this.#hungUp(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
    );
    this.#respond(new Response(body, { status, headers: pairsOf(headers) }));
  }

  write(pieces: readonly Piece[]): boolean {
    if (this.#isOver || this.#stream === undefined) return true;
    // A copy: what pieces lie in is written over.
    this.#stream.enqueue(new Uint8Array(joinPieces(pieces)));
    return (this.#stream.desiredSize ?? 0) > 0;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream?.close();
  }

  get unreadBytes(): number {
    const room = this.#stream?.desiredSize ?? HIGH_WATER_BYTES;
    return Math.max(HIGH_WATER_BYTES - room, 0);
  }

  whenWritable(): Promise<void> {
    if (this.#isOver || (this.#stream?.desiredSize ?? 1) > 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#stream?.error(new Error('the caller did not read'));
    this.#hungUp();
  }

  onGone(listener: () => void): void {
    if (this.#request.signal.aborted) listener();
    else this.#gone.push(listener);
  }

  async #read(maxBytes: number): Promise<Body> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const reader = this.#request.body?.getReader();
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return joinPieces(pieces.map(sliceOf));
      length += chunk.value.length;
      if (length > maxBytes) {
        await reader?.cancel();
        return 'too-large';
      }
      pieces.push(chunk.value);
    }
  }

  #hungUp(): void {
    this.#release();
    if (this.#isOver) return;
    this.#isOver = true;
    for (const listener of this.#gone.splice(0)) listener();
  }

  #release(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

const HIGH_WATER_BYTES = 16 * 1024;

function pairsOf(headers: HeaderList): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at]!, headers[at + 1]!]);
  return pairs;
}
