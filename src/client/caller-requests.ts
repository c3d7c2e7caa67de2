import {
  type CallerAnswer,
  type CallerMethod,
  CallSignal,
  type DoorError,
  type JsonSlice,
  type Piece,
  toDoorError,
} from '../base/index.js';
import { doorErrorMessage, errorHead, resultHead } from '../protocol/index.js';

/** Puts a server's request to a caller. @returns undefined where there is nobody who could be asked */
export type AskCaller = (
  method: CallerMethod,
  params: JsonSlice | undefined,
  signal: CallSignal,
) => Promise<CallerAnswer> | undefined;

export interface CallerRequestsOptions {
  readonly ask: AskCaller;
  readonly reply: (pieces: readonly Piece[]) => void;
  /** A caller is being asked, or the last one has answered: the upstream's calls wait for it, so their clock stands still. */
  readonly waiting: (isWaiting: boolean) => void;
}

/** What one upstream has asked of its caller and has not been told yet. */
export class CallerRequests {
  readonly #options: CallerRequestsOptions;
  /** By the id as the upstream wrote it. */
  readonly #open = new Map<string, CallSignal>();

  constructor(options: CallerRequestsOptions) {
    this.#options = options;
  }

  /** @returns false where nobody could be asked, or the id is in use: the request is then to be refused */
  ask(id: string, method: CallerMethod, params: JsonSlice | undefined): boolean {
    if (this.#open.has(id)) return false;
    const signal = new CallSignal();
    const asked = this.#options.ask(method, params, signal);
    if (asked === undefined) return false;
    this.#open.set(id, signal);
    if (this.#open.size === 1) this.#options.waiting(true);
    asked.then(
      ({ kind, json }) => this.#answer(id, signal, [kind === 'result' ? resultHead(id) : errorHead(id), json, '}']),
      (thrown: unknown) => this.#answer(id, signal, [doorErrorMessage(id, toDoorError(thrown))]),
    );
    return true;
  }

  /** The upstream no longer wants an answer (MCP basic/utilities/cancellation): it gets none. */
  cancel(id: string, reason: DoorError): void {
    const signal = this.#open.get(id);
    if (signal === undefined) return;
    this.#close(id);
    signal.abort(reason);
  }

  /** The upstream is gone: whoever was asked need not answer. */
  endAll(reason: DoorError): void {
    for (const id of [...this.#open.keys()]) this.cancel(id, reason);
  }

  #answer(id: string, signal: CallSignal, pieces: readonly Piece[]): void {
    if (this.#open.get(id) !== signal) return;
    this.#close(id);
    this.#options.reply(pieces);
  }

  #close(id: string): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#options.waiting(false);
  }
}
