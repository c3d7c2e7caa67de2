import {
  type Caller,
  type CallerAnswer,
  type CallerMethod,
  CallSignal,
  DoorError,
  type JsonSlice,
  type Piece,
  toDoorError,
} from '../base/index.js';
import { doorErrorMessage, errorHead, resultHead } from '../protocol/index.js';
import type { Pending } from './pending.js';

/**
 * Puts a server's request to a caller.
 *
 * @param tool whose call it is for; '' where that cannot be told
 * @param caller whose call it is for; absent where that cannot be told: then it is for whoever the connection belongs to
 * @returns undefined where there is nobody who could be asked
 */
export type AskCaller = (
  method: CallerMethod,
  params: JsonSlice | undefined,
  signal: CallSignal,
  tool: string,
  caller?: Caller,
) => Promise<CallerAnswer> | undefined;

export interface CallerRequestsOptions {
  readonly ask: AskCaller;
  readonly reply: (pieces: readonly Piece[]) => void;
  /** While a caller is asked, its calls wait for its own answer: their clock is to stand still. */
  readonly isWaiting: (call: Pending, isWaiting: boolean) => void;
}

interface Question {
  readonly signal: CallSignal;
  /** The calls it may be for: over stdio it does not say which. */
  readonly calls: Set<Pending>;
}

/** What one upstream has asked of its caller and has not been told yet. */
export class CallerRequests {
  readonly #options: CallerRequestsOptions;
  /** By the id as the upstream wrote it. */
  readonly #open = new Map<string, Question>();

  constructor(options: CallerRequestsOptions) {
    this.#options = options;
  }

  /**
   * @param calls the calls it may be for: they wait for its answer
   * @param caller whose call it is for, where that is known
   * @returns false where nobody could be asked, or the id is in use: the request is then to be refused
   */
  ask(
    id: string,
    method: CallerMethod,
    params: JsonSlice | undefined,
    calls: readonly Pending[],
    caller: Caller | undefined,
  ): boolean {
    if (this.#open.has(id)) return false;
    const signal = new CallSignal();
    // Over stdio what a server asks names no call; where only one is under way it needs no name.
    const tool = calls.length === 1 ? (calls[0]!.options.tool ?? '') : '';
    const asked = this.#options.ask(method, params, signal, tool, caller);
    if (asked === undefined) return false;
    this.#open.set(id, { signal, calls: new Set(calls) });
    for (const call of calls) this.#options.isWaiting(call, true);
    asked.then(
      ({ kind, json }) => this.#answer(id, signal, [kind === 'result' ? resultHead(id) : errorHead(id), json, '}']),
      (thrown: unknown) => this.#answer(id, signal, [doorErrorMessage(id, toDoorError(thrown))]),
    );
    return true;
  }

  /** The upstream no longer wants an answer (MCP basic/utilities/cancellation): it gets none. */
  cancel(id: string, reason: DoorError): void {
    this.#close(id)?.abort(reason);
  }

  /** A call is over. What was asked while it ran, and for no other that still does, is nobody's concern any more. */
  callEnded(call: Pending): void {
    for (const { signal, calls } of [...this.#open.values()]) {
      // Aborting makes the wait fail, and so answers the upstream.
      if (calls.delete(call) && calls.size === 0) {
        signal.abort(new DoorError('UPSTREAM_LOST', 'the call that this was asked for is over'));
      }
    }
  }

  /** The upstream is gone: whoever was asked need not answer. */
  endAll(reason: DoorError): void {
    for (const id of [...this.#open.keys()]) this.cancel(id, reason);
  }

  #answer(id: string, signal: CallSignal, pieces: readonly Piece[]): void {
    if (this.#open.get(id)?.signal !== signal) return;
    this.#close(id);
    this.#options.reply(pieces);
  }

  #close(id: string): CallSignal | undefined {
    const question = this.#open.get(id);
    this.#open.delete(id);
    for (const call of question?.calls ?? []) this.#options.isWaiting(call, false);
    return question?.signal;
  }
}
