import {
  type Caller,
  type CallerAnswer,
  type CallerCapabilities,
  type CallerMethod,
  type CallerRequest,
  CallSignal,
  type CancelListener,
  type CancelSignal,
  type Clock,
  DoorError,
  type JsonSlice,
  joinPieces,
  onOneLine,
  type Piece,
  type Principal,
  randomId,
  type Scheduled,
  sliceOf,
} from '../../base/index.js';
import { PARKED_MS, type ParkedRequests } from '../../client/index.js';
import type { ToolAnswer } from '../types.js';
import { judgingParams } from './input-requests.js';
import { GATHERING_TICK_MS, MAX_GATHERING_TICKS, QUIET_TICKS } from './limits.js';
import type { SealedRequest } from './sealing.js';

/** A question that an upstream has asked and has not been answered yet. */
interface Question {
  readonly request: SealedRequest;
  /** The request as it is shown to the caller: method and params. */
  readonly text: readonly Piece[];
  answer(answer: CallerAnswer): void;
  refuse(reason: unknown): void;
}

export interface OpenCallOptions {
  readonly caller: Caller;
  readonly parked: ParkedRequests;
  readonly clock: Clock;
}

type Outcome =
  | { readonly kind: 'answered'; readonly answer: ToolAnswer }
  | { readonly kind: 'failed'; readonly reason: unknown };

/**
 * A call under way for a caller of the modern era, who cannot be asked while it waits. To the upstream's client it is the
 * caller: what is asked of it is gathered, for the caller to take along and come back with.
 */
export class OpenCall implements Caller, CancelListener {
  readonly principal: Principal;
  readonly takesRequests = false;
  readonly program: string;
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  /** Ends the call upstream. */
  readonly signal = new CallSignal();
  /** Names the round whose state can continue it; '' while no state does. */
  use = '';
  /** When the present round expires; epoch milliseconds. */
  expiresAtMs = 0;

  readonly #parked: ParkedRequests;
  readonly #clock: Clock;
  #id: string | undefined;
  readonly #questions = new Map<string, Question>();
  #asked = 0;
  #outcome: Outcome | undefined;
  #holdsPlace = false;
  /** The request that waits for it at this moment. */
  #waiting: { readonly caller: Caller; readonly signal: CancelSignal | undefined } | undefined;
  /** Lets that request look at what there is now. */
  #wake: (() => void) | undefined;

  constructor({ caller, parked, clock }: OpenCallOptions) {
    this.principal = caller.principal;
    this.program = caller.program;
    this.door = caller.door;
    this.capabilities = caller.capabilities;
    this.#parked = parked;
    this.#clock = clock;
  }

  /** Made when it is first wanted: few calls are ever parked. */
  get id(): string {
    this.#id ??= randomId();
    return this.#id;
  }

  /** Whether its result is there, though its caller may still be asked something. */
  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** What it is asked and has not answered. */
  get requests(): readonly SealedRequest[] {
    return [...this.#questions.values()].map(({ request }) => request);
  }

  /** The text of the `inputRequests` that show it. */
  get inputRequests(): readonly Piece[] {
    const members = [...this.#questions.values()].map(({ request: { key }, text }, at): readonly Piece[] => {
      return [`${at === 0 ? '' : ','}${JSON.stringify(key)}:`, ...text];
    });
    return ['{', ...members.flat(), '}'];
  }

  /** It has been sent; `answered` is what comes of it. */
  begin(answered: Promise<ToolAnswer>): void {
    answered.then(
      (answer) => this.#settle({ kind: 'answered', answer }),
      (reason: unknown) => this.#settle({ kind: 'failed', reason }),
    );
  }

  /**
   * Waits until there is an answer or something is asked, and then for what is asked in the same go. Its caller's signal
   * ends the call meanwhile.
   *
   * @returns the answer; undefined where something is asked
   */
  async next(caller: Caller, signal: CancelSignal | undefined): Promise<ToolAnswer | undefined> {
    if (signal?.aborted) this.end(signal.reason);
    signal?.addEventListener('abort', this);
    this.#waiting = { caller, signal };
    do {
      while (this.#outcome === undefined && this.#questions.size === 0) await this.#untilWoken();
      await this.#gather();
      // What was asked may have been taken back meanwhile.
    } while (this.#outcome === undefined && this.#questions.size === 0);
    this.#waiting = undefined;
    signal?.removeEventListener('abort', this);
    // Over stdio a question names no call: one that is open though the call is over is another's, who waits for it.
    if (this.#outcome === undefined || (this.#questions.size > 0 && this.#outcome.kind === 'answered'))
      return undefined;
    this.leave();
    if (this.#outcome.kind === 'failed') throw this.#outcome.reason;
    return this.#outcome.answer;
  }

  /**
   * What is asked in one go comes one by one, and a caller should not come back for each. Time is told in ticks: a process
   * that was kept from running looks at what came meanwhile between two of them.
   */
  async #gather(): Promise<void> {
    let quiet = 0;
    for (let tick = 0; tick < MAX_GATHERING_TICKS && quiet < QUIET_TICKS; tick++) {
      if (this.#outcome !== undefined || this.#questions.size === 0) return;
      const asked = this.#asked;
      await this.#untilWoken(GATHERING_TICK_MS);
      quiet = this.#asked === asked ? quiet + 1 : 0;
    }
  }

  async #untilWoken(atMostMs?: number): Promise<void> {
    let timer: Scheduled | undefined;
    await new Promise<void>((wake) => {
      this.#wake = wake;
      if (atMostMs !== undefined) timer = this.#clock.schedule(atMostMs, wake);
    });
    this.#wake = undefined;
    timer?.cancel();
  }

  /** The caller's signal has ended. */
  handleEvent(): void {
    this.end(this.#waiting?.signal?.reason);
  }

  /** Cancels it upstream; whoever waits for it gets the reason. */
  end(reason: unknown): void {
    this.#settle({ kind: 'failed', reason });
    this.#refuse(reason);
    this.signal.abort(reason);
  }

  /** Gives its place among the parked ones back. */
  leave(): void {
    if (!this.#holdsPlace) return;
    this.#holdsPlace = false;
    this.#parked.release(this.principal.id);
  }

  /** Hands answers to the upstream. What it was not asked, or is asked no more, is let pass. */
  answer(answers: ReadonlyMap<string, CallerAnswer>): void {
    for (const [key, answer] of answers) {
      const question = this.#questions.get(key);
      this.#questions.delete(key);
      question?.answer(answer);
    }
    // It was shown them all and came back: nobody else will answer the rest.
    if (this.isOver) this.#refuse(overAlready());
    if (this.#questions.size === 0) this.leave();
  }

  ask({ method, params }: CallerRequest, signal: CancelSignal): Promise<CallerAnswer> {
    if (this.#outcome !== undefined) return Promise.reject(overAlready());
    if (!this.#holdsPlace) {
      try {
        this.#parked.take(this.principal.id);
      } catch (thrown) {
        // It cannot go on without an answer, so it does not go on at all.
        this.end(thrown);
        return Promise.reject(thrown);
      }
      this.#holdsPlace = true;
    }
    return new Promise((answer, refuse) => this.#put(method, params, signal, { answer, refuse }));
  }

  #put(
    method: CallerMethod,
    params: JsonSlice | undefined,
    signal: CancelSignal,
    asker: Pick<Question, 'answer' | 'refuse'>,
  ): void {
    this.#asked++;
    const key = `${method.slice(0, method.indexOf('/'))}-${this.#asked}`;
    const isForm = method === 'elicitation/create' && params !== undefined;
    const request = { key, method, ...(isForm && { params: judgingParams(params) }) };
    const rest: readonly Piece[] = params === undefined ? ['}'] : [',"params":', onOneLine(params), '}'];
    const text: readonly Piece[] = [`{"method":"${method}"`, ...rest];
    this.#questions.set(key, { request, text, ...asker });
    if (this.#questions.size === 1) this.#wake?.();
    // The upstream takes it back, or does not wait any longer: then nobody is to be shown it.
    signal.addEventListener('abort', { handleEvent: () => void this.#questions.delete(key) });
  }

  tell(method: string, params?: Piece): void {
    this.#waiting?.caller.tell(method, params);
  }

  /** Whoever asked is told that nobody answers, so that it does not wait. */
  #refuse(reason: unknown): void {
    const questions = [...this.#questions.values()];
    this.#questions.clear();
    for (const question of questions) question.refuse(reason);
  }

  #settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    // Where nobody waits it is kept, longer than the memory it lies in is ours.
    const isKept = this.#waiting === undefined || this.#questions.size > 0;
    this.#outcome =
      isKept && outcome.kind === 'answered' ? { kind: 'answered', answer: copyOf(outcome.answer) } : outcome;
    if (outcome.kind === 'failed') this.#refuse(outcome.reason);
    this.#wake?.();
  }
}

function overAlready(): DoorError {
  return new DoorError('UPSTREAM_LOST', 'the call is over');
}

function copyOf(answer: ToolAnswer): ToolAnswer {
  return { ...answer, json: sliceOf(joinPieces([answer.json])) };
}

/** The calls of one process that wait for their callers to come back. */
export class ParkedCalls {
  readonly #clock: Clock;
  readonly #calls = new Map<string, { readonly call: OpenCall; readonly timer: Scheduled }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** From now on it waits, for as long as a round may take; then it is cancelled. */
  park(call: OpenCall): void {
    const timer = this.#clock.schedule(PARKED_MS, () => {
      this.#calls.delete(call.id);
      cancel(call, new DoorError('TIMEOUT', `the caller did not come back within ${PARKED_MS} ms`));
    });
    this.#calls.set(call.id, { call, timer });
  }

  find(id: string): OpenCall | undefined {
    return this.#calls.get(id)?.call;
  }

  /** It goes on: its caller is back. */
  resume(call: OpenCall): void {
    this.#calls.get(call.id)?.timer.cancel();
    this.#calls.delete(call.id);
  }

  close(): void {
    for (const { call, timer } of [...this.#calls.values()]) {
      timer.cancel();
      cancel(call, new DoorError('UPSTREAM_LOST', 'doorward ends'));
    }
    this.#calls.clear();
  }
}

function cancel(call: OpenCall, reason: DoorError): void {
  call.end(reason);
  call.leave();
}
