import { CallSignal } from '../base/index.js';

/** What a request ends with that its caller cancelled: it is not answered (MCP basic/utilities/cancellation). */
export const CANCELLED = Symbol('the caller cancelled');

const QUOTE = 0x22;

/** A caller's requests that have not been answered yet: what it can cancel, and what an orderly end waits for. */
export class OpenRequests {
  readonly #byId = new Map<string, CallSignal>();
  /** Ids in use twice at once: against the protocol, but each request still has its own end. */
  #doubled: { readonly id: string; readonly signal: CallSignal }[] = [];
  #count = 0;
  #idle: (() => void) | undefined;

  /** A request that can be cancelled begins; `token` is its id as the caller wrote it. */
  begin(token: string): CallSignal {
    const signal = new CallSignal();
    const id = idOf(token);
    if (this.#byId.has(id)) this.#doubled.push({ id, signal });
    else this.#byId.set(id, signal);
    this.#count++;
    return signal;
  }

  finish(token: string, signal: CallSignal): void {
    const id = idOf(token);
    if (this.#byId.get(id) === signal) this.#byId.delete(id);
    else this.#doubled = this.#doubled.filter((double) => double.signal !== signal);
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
    this.#byId.get(id)?.abort(CANCELLED);
    for (const double of this.#doubled) if (double.id === id) double.signal.abort(CANCELLED);
  }

  /** Ends all of them for one reason: `CANCELLED`, or an error they are answered with. */
  endAll(reason: unknown): void {
    for (const signal of this.#byId.values()) signal.abort(reason);
    for (const { signal } of this.#doubled) signal.abort(reason);
  }

  /** Resolves when every request has been answered. */
  whenIdle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** One spelling for each id: `"x"` may also be written with an escape, `5` as `5.0`. */
export function idOf(token: string): string {
  if (token.charCodeAt(0) === QUOTE) return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
  return token.includes('.') ? token.slice(0, token.indexOf('.')) : token;
}
