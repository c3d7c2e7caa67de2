import {
  type Caller,
  type CallerAnswer,
  type CallerMethod,
  type CallerRequest,
  type CallSignal,
  type Clock,
  DoorError,
  type EventBus,
  JsonScanner,
  type JsonSlice,
  joinPieces,
  ObjectText,
  orAborted,
  REQUIRED_CAPABILITY,
  sliceOf,
} from '../base/index.js';
import type { AskCaller } from './caller-requests.js';
import { type ElicitationWarning, type FormRules, readElicitation } from './eliciting.js';
import { RareWarnings } from './rare-warnings.js';

/** How long a person may take over an answer, be it to a question or to a call that waits for its caller to come back. */
export const PARKED_MS = 600_000;
/** No person is needed for this one: a program that does not answer it by then never will. */
const ROOTS_MS = 5_000;
const MAX_PER_PRINCIPAL = 16;
/** A part of that for each upstream: one that asks and asks must not keep the others from asking. */
const MAX_PER_UPSTREAM = 4;
const MAX_IN_ALL = 256;

const scanner = new JsonScanner();

/** Counts what waits for answers of callers, over all upstreams: servers must not be able to pile up questions. */
export class ParkedRequests {
  readonly #byPrincipal = new Map<string, number>();
  #inAll = 0;

  /** How many wait, over all principals. */
  get size(): number {
    return this.#inAll;
  }

  /** @throws {DoorError} BUSY when there are too many already */
  take(principal: string): void {
    const own = this.#byPrincipal.get(principal) ?? 0;
    if (own >= MAX_PER_PRINCIPAL) throw tooMany(MAX_PER_PRINCIPAL, 'for this user');
    if (this.#inAll >= MAX_IN_ALL) throw tooMany(MAX_IN_ALL, 'for all users');
    this.#byPrincipal.set(principal, own + 1);
    this.#inAll++;
  }

  release(principal: string): void {
    const left = (this.#byPrincipal.get(principal) ?? 1) - 1;
    if (left === 0) this.#byPrincipal.delete(principal);
    else this.#byPrincipal.set(principal, left);
    this.#inAll--;
  }
}

function tooMany(limit: number, whose: string): DoorError {
  return new DoorError('BUSY', `${limit} requests ${whose} already wait for an answer of the caller`, {
    data: { limit },
    hint: 'Ask again when earlier requests have been answered.',
  });
}

export interface AskingOptions extends FormRules {
  readonly upstream: string;
  /** Whose connection it is; absent where it is nobody's: then only the caller of a call can be asked, for that call. */
  readonly caller?: Caller | undefined;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly parked: ParkedRequests;
}

/**
 * The way of an upstream to the caller whose call it works on, else to the one its connection belongs to: what was not
 * declared is not asked, questions are bounded in number and time, and what a form was answered with is judged before the
 * upstream sees it.
 */
export function askingOf(options: AskingOptions): AskCaller {
  const asking = new Asking(options);
  return (method, params, signal, tool, caller = options.caller) => {
    if (caller?.capabilities[REQUIRED_CAPABILITY[method]] === undefined) return undefined;
    return asking.ask(caller, { method, params }, signal, tool);
  };
}

class Asking {
  readonly #options: AskingOptions;
  readonly #warnings: RareWarnings;
  /** How many questions wait for each caller. */
  readonly #open = new Map<Caller, number>();

  constructor(options: AskingOptions) {
    this.#options = options;
    const { upstream, events, clock } = options;
    this.#warnings = new RareWarnings(clock, (warning, message) =>
      events.emit('server.warning', { upstream, warning, message }),
    );
  }

  /** Asks, within the bounds of number: what is one too many costs nothing but its refusal. */
  async ask(caller: Caller, request: CallerRequest, signal: CallSignal, tool: string): Promise<CallerAnswer> {
    const { upstream, parked } = this.#options;
    const { id } = caller.principal;
    const open = this.#open.get(caller) ?? 0;
    if (open >= MAX_PER_UPSTREAM) throw tooMany(MAX_PER_UPSTREAM, `of ${upstream}`);
    // A caller that comes back with its answers is parked as a whole, and counted by whoever parks it.
    if (caller.takesRequests) parked.take(id);
    this.#open.set(caller, open + 1);
    try {
      if (request.method === 'elicitation/create') return await this.#elicit(caller, request, signal, tool);
      return checkShape(request.method, await this.#put(caller, request, signal));
    } finally {
      if (caller.takesRequests) parked.release(id);
      this.#close(caller);
    }
  }

  #close(caller: Caller): void {
    const left = (this.#open.get(caller) ?? 1) - 1;
    if (left === 0) this.#open.delete(caller);
    else this.#open.set(caller, left);
  }

  /** Asks for a form to be filled in, and judges what it was filled in with. */
  async #elicit(caller: Caller, request: CallerRequest, signal: CallSignal, tool: string): Promise<CallerAnswer> {
    const { upstream, events, formats, schemas } = this.#options;
    const { elicitation: capability } = caller.capabilities;
    const options = { upstream, formats, schemas, ...(capability !== undefined && { capability }) };
    const elicitation = readElicitation(request.params, options);
    if (elicitation.kind === 'refused') throw elicitation.error;
    this.#warn(elicitation.warnings);
    const reply = elicitation.judge(await this.#put(caller, request, signal));
    if (reply.kind === 'refused') {
      const issues = reply.issues.map(({ path, message }) => ({ path, message }));
      events.emit('elicitation.rejected', { upstream, tool, issues });
      throw reply.error;
    }
    this.#warn(reply.warnings);
    return { kind: reply.kind, json: sliceOf(joinPieces(reply.pieces)) };
  }

  /** Hands the question over and waits, within the bound of time. */
  async #put(caller: Caller, { method, params }: CallerRequest, signal: CallSignal): Promise<CallerAnswer> {
    const { upstream, clock } = this.#options;
    const asked = () => caller.ask({ method, params: withoutProgressToken(params) }, signal);
    // How long the whole call may be parked is bounded by whoever parks it.
    if (!caller.takesRequests) return orAborted(asked(), signal);
    const waitMs = method === 'roots/list' ? ROOTS_MS : PARKED_MS;
    const timer = clock.schedule(waitMs, () =>
      signal.abort(
        new DoorError('TIMEOUT', `the caller did not answer ${method} within ${waitMs} ms`, { data: { upstream } }),
      ),
    );
    try {
      // Whoever implements a caller may forget the signal; the bound holds all the same.
      return await orAborted(asked(), signal);
    } finally {
      timer.cancel();
    }
  }

  #warn(warnings: readonly ElicitationWarning[]): void {
    for (const { warning, message } of warnings) this.#warnings.tell(warning, message);
  }
}

/** Roots and samples are the server's to read; that there is an object to be read is ours. */
function checkShape(method: CallerMethod, answer: CallerAnswer): CallerAnswer {
  const { bytes, start, end } = answer.json;
  if (answer.kind === 'error' || (scanner.scan(bytes, start, end) && scanner.root === 'object')) return answer;
  throw new DoorError('INVALID_ANSWER', `the caller answered ${method} with something that is not an object`);
}

/**
 * Takes the server's progress token out: it is unique among that server's requests, not among all that this caller is
 * asked, and a request without one asks for no progress.
 */
function withoutProgressToken(params: JsonSlice | undefined): JsonSlice | undefined {
  if (params === undefined) return undefined;
  const { bytes, start, end } = params;
  scanner.scan(bytes, start, end);
  const meta = scanner.find('_meta', bytes);
  if (meta < 0 || scanner.find('progressToken', bytes, meta) < 0) return params;
  const text = new ObjectText(bytes.subarray(start, end));
  text.drop(['_meta'], new Set(['progressToken']));
  return sliceOf(text.finish());
}
