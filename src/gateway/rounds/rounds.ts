import {
  type Caller,
  type CallerAnswer,
  type Clock,
  canBeAsked,
  DoorError,
  decodeText,
  type EventBus,
  type JsonSlice,
  joinPieces,
  type Piece,
  type Retry,
  randomId,
  sliceOf,
} from '../../base/index.js';
import { type AskCaller, askingOf, type ParkedRequests } from '../../client/index.js';
import type { Comeback } from '../../protocol/index.js';
import type { StateStore } from '../../store/index.js';
import type { ToolAnswer } from '../types.js';
import { askForInput } from './asking.js';
import { GivenStates } from './given-states.js';
import { InputJudge } from './input-judge.js';
import { type InputRequired, readInputRequired } from './input-requests.js';
import { readResponses, writeResponses } from './input-responses.js';
import { MAX_ROUNDS, tooManyRounds } from './limits.js';
import { OpenCall, ParkedCalls } from './parked-calls.js';
import { type Attempt, Round, type RoundedRequest, type RoundTarget } from './request.js';
import {
  type SealedParkedRound,
  type SealedRound,
  type SealedUpstreamRound,
  StateSealer,
  stateInvalid,
} from './sealing.js';
import { readUrlElicitations, type UrlElicitations } from './urls.js';

export type { Attempt, RoundedRequest, RoundTarget } from './request.js';

/** Whether a request can be sent as it is, without any of this, unless its answer turns out not to be final. */
export function isOfOneRound(caller: Caller, { requestState, inputResponses }: Comeback): boolean {
  return (
    !caller.takesRequests &&
    !canBeAsked(caller.capabilities) &&
    requestState === undefined &&
    inputResponses === undefined
  );
}

/** Whether an answer is surely what the caller gets; an error may ask for something (code -32042). */
export function isFinal({ kind, isInputRequired }: ToolAnswer): boolean {
  return kind === 'result' && isInputRequired !== true;
}

export interface RoundsOptions {
  /** 32 bytes. Processes with one key continue each other's rounds, save those that wait in one process. */
  readonly key: Uint8Array;
  readonly store: StateStore;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly parked: ParkedRequests;
}

/**
 * The bridge between two ways to ask: of a connection, in the middle of a call (2025-11-25 and before), and by an
 * input-required result, which the caller answers with the same request once more (2026-07-28). Whichever way, what comes
 * back is judged by what was asked, before an upstream sees it.
 */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #sealer: StateSealer;
  readonly #calls: ParkedCalls;
  /** A state of a parked call names it: the call is nowhere else. */
  readonly #process = randomId();
  readonly #given: GivenStates;
  readonly #judge: InputJudge;
  readonly #askers = new Map<string, AskCaller>();

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#sealer = new StateSealer(options);
    this.#calls = new ParkedCalls(options.clock);
    this.#given = new GivenStates(options.clock);
    this.#judge = new InputJudge(options);
  }

  /** How many calls wait for their callers to come back. */
  get parkedCalls(): number {
    return this.#calls.size;
  }

  /**
   * Sends a request, and sees to whatever its upstream wants to know first. An answer with `isInputRequired` is for the
   * caller to come back to.
   *
   * @throws {DoorError} STATE_INVALID, INVALID_ANSWER: the upstream saw nothing of it; BUSY; CAPABILITY_MISSING;
   * UPSTREAM_BROKE_PROTOCOL; what `send` rejects with otherwise
   */
  run(request: RoundedRequest, target: RoundTarget): Promise<ToolAnswer> {
    const { caller, signal, requestState, inputResponses } = request;
    if (caller.takesRequests) return askForInput({ request, target, ask: this.#askerOf(target) });
    const round = new Round(request, target);
    if (requestState !== undefined) return this.#continue(round, requestState);
    if (inputResponses !== undefined) return this.#startWithAnswers(round, inputResponses);
    return this.#send(round, { caller, signal });
  }

  /** Takes over where a request of one round (`isOfOneRound`) was sent, and its answer is not final. */
  async receive(request: RoundedRequest, target: RoundTarget, answer: ToolAnswer): Promise<ToolAnswer> {
    return this.#receive(new Round(request, target), answer);
  }

  /** How callers who can be asked at any time are asked for an upstream. */
  #askerOf({ upstream, formats, schemas }: RoundTarget): () => AskCaller {
    return () => {
      const known = this.#askers.get(upstream);
      if (known !== undefined) return known;
      const asker = askingOf({ ...this.#options, upstream, formats, schemas });
      this.#askers.set(upstream, asker);
      return asker;
    };
  }

  /** Ends every parked call. */
  close(): void {
    this.#calls.close();
  }

  /**
   * Answers without a state. Where one was given, it was taken out; where an upstream gave none, the answers may be to what
   * it is about to ask once more.
   */
  async #startWithAnswers(round: Round, responses: JsonSlice): Promise<ToolAnswer> {
    readResponses(responses);
    const { caller, signal } = round.request;
    if (this.#given.holds(round.identity)) throw stateInvalid();
    return this.#send(round, { caller, signal }, responses);
  }

  /** @param inHand answers that came along without a state */
  async #send(round: Round, attempt: Attempt, inHand?: JsonSlice): Promise<ToolAnswer> {
    const { caller } = round.request;
    if (!canBeAsked(caller.capabilities)) return this.#receive(round, await round.target.send(attempt), inHand);
    const call = new OpenCall({ ...this.#options, caller });
    call.begin(round.target.send({ ...attempt, caller: call, signal: call.signal }));
    return this.#follow(round, call, inHand);
  }

  /** Waits for what comes of a call that can ask. */
  async #follow(round: Round, call: OpenCall, inHand?: JsonSlice): Promise<ToolAnswer> {
    const { caller, signal } = round.request;
    const answer = await call.next(caller, signal);
    if (answer !== undefined) return this.#receive(round, answer, inHand);
    if (round.number < MAX_ROUNDS) return this.#park(round.next(), call);
    const error = tooManyRounds(round.target);
    call.end(error);
    call.leave();
    throw error;
  }

  /** Looks at an answer: nearly always it is what the caller gets. */
  #receive(round: Round, answer: ToolAnswer, inHand?: JsonSlice): ToolAnswer | Promise<ToolAnswer> {
    if (answer.isInputRequired) return this.#relayQuestions(round, answer, inHand);
    const elicitations = answer.kind === 'error' ? readUrlElicitations(answer.json, round.readOptions) : undefined;
    return elicitations === undefined ? answer : this.#relayUrls(round, elicitations);
  }

  /** An upstream of the modern era wants to know something: so does the caller learn, with a state of ours. */
  async #relayQuestions(round: Round, answer: ToolAnswer, inHand: JsonSlice | undefined): Promise<ToolAnswer> {
    const required = readInputRequired(answer.json, round.readOptions);
    if (round.number >= MAX_ROUNDS) throw tooManyRounds(round.target);
    this.#judge.warn(round.target.upstream, required.warnings);
    const next = round.next();
    if (inHand !== undefined && required.state === undefined) {
      const { answers, missing } = this.#judge.judge(
        round.target,
        inHand,
        required.requests.map(({ sealed }) => sealed),
      );
      if (missing.length === 0) return this.#sendAnswers(next, answers, undefined);
    }
    const sealed = await this.#sealUpstream(next, required);
    if (required.state !== undefined) this.#given.add(round.identity, next.expiresAtMs(this.#options.clock));
    return inputRequired(required.withState(sealed));
  }

  #sealUpstream(round: Round, { state, requests }: InputRequired): Promise<string> {
    return this.#seal(round, {
      kind: 'upstream',
      ...(state !== undefined && { state }),
      requests: requests.map(({ sealed }) => sealed),
    });
  }

  /** An upstream of an earlier era wants a user to open URLs before it is called again (code -32042). */
  async #relayUrls(round: Round, { requests, inputRequests }: UrlElicitations): Promise<ToolAnswer> {
    if (round.number >= MAX_ROUNDS) throw tooManyRounds(round.target);
    const state = await this.#seal(round.next(), { kind: 'upstream', requests, isAnew: true });
    return inputRequired(textOf(['{"resultType":"input_required","inputRequests":', ...inputRequests], state));
  }

  /** From now on it waits for its caller, who is told what to come back with. */
  async #park(round: Round, call: OpenCall): Promise<ToolAnswer> {
    const { signal } = round.request;
    try {
      call.use = randomId();
      call.expiresAtMs = round.expiresAtMs(this.#options.clock);
      this.#given.add(round.identity, call.expiresAtMs);
      this.#calls.park(call);
      const shown = await this.#show(round, call);
      if (signal?.aborted) throw signal.reason;
      return shown;
    } catch (thrown) {
      // Its caller cannot know of the state, or hung up before it could: nobody will ever come back.
      this.#calls.resume(call);
      call.end(thrown);
      call.leave();
      throw thrown;
    }
  }

  /** What a parked call is asked, and the state that continues it. */
  async #show(round: Round, call: OpenCall): Promise<ToolAnswer> {
    const { inputRequests, use, expiresAtMs } = call;
    const facts = { kind: 'parked', process: this.#process, call: call.id, use, expiresAtMs } as const;
    const state = await this.#seal(round, facts);
    return inputRequired(textOf(['{"resultType":"input_required","inputRequests":', ...inputRequests], state));
  }

  #seal(round: Round, facts: RoundFacts): Promise<string> {
    const { principal, method, upstream, tool, digest } = round.identity;
    const common = { principal, method, upstream, tool, digest, round: round.number };
    const expiresAtMs = round.expiresAtMs(this.#options.clock);
    return this.#sealer.seal({ ...common, use: randomId(), expiresAtMs, ...facts });
  }

  async #continue(round: Round, state: string): Promise<ToolAnswer> {
    const sealed = await this.#sealer.open(state);
    if (sealed.kind === 'task' || !round.isOf(sealed)) throw stateInvalid();
    const at = round.at(sealed.round);
    return sealed.kind === 'parked' ? this.#resume(at, sealed) : this.#sendAgain(at, sealed);
  }

  /** The very call that waits goes on. */
  async #resume(round: Round, sealed: SealedParkedRound): Promise<ToolAnswer> {
    const { inputResponses } = round.request;
    const call = sealed.process === this.#process ? this.#calls.find(sealed.call) : undefined;
    if (call === undefined || call.use !== sealed.use) throw stateInvalid();
    const { requests } = call;
    const { answers, missing } = this.#judge.judge(round.target, inputResponses, requests);
    // Nothing was said: nothing goes up, and the state stays good.
    if (!call.isOver && requests.length > 0 && missing.length === requests.length) return this.#show(round, call);
    await this.#useUp(round, sealed);
    // It may have run out of time meanwhile.
    if (this.#calls.find(call.id) !== call) throw stateInvalid();
    this.#calls.resume(call);
    call.answer(answers);
    return this.#follow(round, call);
  }

  /** The request is sent once more, with what the upstream wanted to know. */
  async #sendAgain(round: Round, sealed: SealedUpstreamRound): Promise<ToolAnswer> {
    const { caller, signal, inputResponses } = round.request;
    const { answers } = this.#judge.judge(round.target, inputResponses, sealed.requests);
    await this.#useUp(round, sealed);
    if (sealed.isAnew) {
      if ([...answers.values()].some((answer) => !isAccepted(answer))) throw declined(round.target);
      return this.#send(round, { caller, signal });
    }
    const isAnswered = inputResponses !== undefined && sealed.requests.length > 0;
    return this.#sendAnswers(round, isAnswered ? answers : undefined, sealed.state);
  }

  #sendAnswers(
    round: Round,
    answers: ReadonlyMap<string, CallerAnswer> | undefined,
    state: string | undefined,
  ): Promise<ToolAnswer> {
    const { caller, signal } = round.request;
    const retry: Retry = {
      ...(answers !== undefined && { inputResponses: writeResponses(answers) }),
      ...(state !== undefined && { requestState: state }),
    };
    return this.#send(round, { caller, signal, retry });
  }

  /** A state is good for one continuation; it is not used up by answers that are refused. */
  async #useUp({ request: { signal } }: Round, { use, expiresAtMs }: SealedRound): Promise<void> {
    if (signal?.aborted) throw signal.reason;
    if (!(await this.#options.store.useOnce(`round:${use}`, expiresAtMs))) throw stateInvalid();
  }
}

type RoundFacts =
  | Pick<SealedUpstreamRound, 'kind' | 'state' | 'requests' | 'isAnew'>
  | Pick<SealedParkedRound, 'kind' | 'process' | 'call' | 'use' | 'expiresAtMs'>;

function textOf(pieces: readonly Piece[], state: string): JsonSlice {
  return sliceOf(joinPieces([...pieces, `,"requestState":"${state}"}`]));
}

function inputRequired(json: JsonSlice): ToolAnswer {
  return { kind: 'result', json, hasLineBreaks: false, isError: false, violations: [], isInputRequired: true };
}

function isAccepted({ json }: CallerAnswer): boolean {
  const { action } = JSON.parse(decodeText(json.bytes, json.start, json.end)) as { readonly action?: unknown };
  return action === 'accept';
}

function declined({ upstream }: RoundTarget): DoorError {
  return new DoorError('AUTH_REQUIRED', `${upstream} wants a URL to be opened first, and that was declined`, {
    data: { upstream },
    hint: 'Call again, and open the URL when asked to.',
  });
}
