import { CallSignal, type Piece } from '../base/index.js';
import { NO_ANSWER } from './batch.js';
import type { Reply } from './types.js';

/** What a request ends with that its caller cancelled: it is not answered (MCP basic/utilities/cancellation). */
export const CANCELLED = Symbol('the caller cancelled');

const QUOTE = 0x22;

/** A request that can be cancelled: its own signal. */
export class OpenRequest extends CallSignal {
  /** Spelled as `idOf` does. */
  readonly id: string;
  /** Among the open ones. */
  place: number;

  constructor(id: string, place: number) {
    super();
    this.id = id;
    this.place = place;
  }
}

/**
 * A caller's requests that have not been answered yet: what it can cancel, and what an orderly end waits for.
 *
 * A list, of which each request knows its place: ids are looked for only where something is cancelled, and two requests
 * with one id, though against the protocol, each have an end of their own. A Map would moreover keep what was answered
 * long ago (`client/in-flight.ts` says why).
 */
export class OpenRequests {
  readonly #open: OpenRequest[] = [];
  #count = 0;
  #idle: (() => void) | undefined;

  /** A request that can be cancelled begins; `token` is its id as the caller wrote it. */
  begin(token: string): OpenRequest {
    const request = new OpenRequest(idOf(token), this.#open.length);
    this.#open.push(request);
    this.#count++;
    return request;
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** The one place where a request ends: with what came of it, with why it failed, or unanswered where its caller cancelled. */
  settle<Value>(request: OpenRequest, reply: Reply, task: Promise<Value>, answer: (end: End<Value>) => Said): void {
    const end = (how: End<Value>): void => {
      if (request.reason === CANCELLED) reply(NO_ANSWER);
      else {
        const said = answer(how);
        if ('pieces' in said) reply(said.pieces, said.status);
        else reply(said);
      }
      this.finish(request);
    };
    task.then(
      (value) => end({ value }),
      (failure: unknown) => end({ failure: failure ?? new Error('failed without a reason') }),
    );
  }

  finish(request: OpenRequest): void {
    // The last one takes its place.
    const last = this.#open.pop();
    if (last !== undefined && last !== request) {
      last.place = request.place;
      this.#open[request.place] = last;
    }
    this.release();
  }

  /** One more to wait for that has no signal yet. */
  hold(): void {
    this.#count++;
  }

  release(): void {
    this.#count--;
    if (this.#count === 0) this.#idle?.();
  }

  cancel(token: string): void {
    const id = idOf(token);
    for (const request of this.#open.filter((each) => each.id === id)) request.abort(CANCELLED);
  }

  /** Ends all of them for one reason: `CANCELLED`, or an error they are answered with. */
  endAll(reason: unknown): void {
    for (const request of [...this.#open]) request.abort(reason);
  }

  /** Resolves when every request has been answered. */
  whenIdle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** What came of a request. */
export type End<Value> =
  | { readonly value: Value; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: unknown };

/** What is answered, with the HTTP status where that is not 200. */
export type Said = readonly Piece[] | { readonly pieces: readonly Piece[]; readonly status: number };

/** One spelling for each id: `"x"` may also be written with an escape, `5` as `5.0`. */
export function idOf(token: string): string {
  if (token.charCodeAt(0) === QUOTE) return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
  return token.includes('.') ? token.slice(0, token.indexOf('.')) : token;
}
