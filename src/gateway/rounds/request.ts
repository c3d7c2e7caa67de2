import type { Caller, CancelSignal, Clock, JsonSlice, Retry } from '../../base/index.js';
import { type FormRules, PARKED_MS } from '../../client/index.js';
import type { Comeback } from '../../protocol/index.js';
import type { ToolAnswer } from '../types.js';
import { digestOfRequest, digestOfText } from './input-digest.js';
import type { ReadInputOptions } from './input-requests.js';
import type { SealedRound } from './sealing.js';

/** Names of tools are far shorter. */
const MAX_NAME = 512;

/** One request of a caller that may need several rounds (MCP 2026-07-28 basic/patterns/mrtr, Supported Requests). */
export interface RoundedRequest extends Comeback {
  /** Whose it is; `takesRequests` tells which of the two ways it can be asked. */
  readonly caller: Caller;
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** The public name or URI, as the caller wrote it. */
  readonly key: string;
  /** The params object, the caller's own bytes. */
  readonly params: JsonSlice;
  readonly signal?: CancelSignal | undefined;
}

/** Where a request goes. */
export interface RoundTarget extends FormRules {
  readonly upstream: string;
  /** The upstream's own name, URI or prompt name. */
  readonly tool: string;
  /** Sends it down once, through the client. */
  send(attempt: Attempt): Promise<ToolAnswer>;
}

/** One time that a request is sent. */
export interface Attempt {
  /** Whose call it is, as the client is to see it: it asks this one. */
  readonly caller: Caller;
  readonly signal: CancelSignal | undefined;
  readonly retry?: Retry;
}

/** What a request is, for a state that is to continue it and nothing else. */
export interface RequestIdentity {
  readonly principal: string;
  readonly method: string;
  readonly upstream: string;
  readonly tool: string;
  readonly digest: string;
}

/** One request on its way through its rounds. */
export class Round {
  readonly request: RoundedRequest;
  readonly target: RoundTarget;
  /** How many times the upstream has asked for something so far. */
  readonly number: number;
  #identity: RequestIdentity | undefined;

  constructor(request: RoundedRequest, target: RoundTarget, number = 0) {
    this.request = request;
    this.target = target;
    this.number = number;
  }

  /** Made when the upstream asks or the caller comes back: most requests are none of both. */
  get identity(): RequestIdentity {
    if (this.#identity !== undefined) return this.#identity;
    const { caller, method, params } = this.request;
    const { upstream, tool } = this.target;
    const digest = digestOfRequest(method, params);
    this.#identity = { principal: caller.principal.id, method, upstream, tool: boundName(tool), digest };
    return this.#identity;
  }

  /** What its upstream's questions are read by. */
  get readOptions(): ReadInputOptions {
    const { upstream, formats, schemas } = this.target;
    return { upstream, formats, schemas, capabilities: this.request.caller.capabilities };
  }

  /** The round after this one. */
  next(): Round {
    return this.at(this.number + 1);
  }

  at(number: number): Round {
    const round = new Round(this.request, this.target, number);
    round.#identity = this.#identity;
    return round;
  }

  /** When a round that begins now expires; epoch milliseconds. */
  expiresAtMs(clock: Clock): number {
    return clock.nowMs() + PARKED_MS;
  }

  /** Whether a state continues this very request. */
  isOf(sealed: SealedRound): boolean {
    const { principal, method, upstream, tool, digest } = this.identity;
    return (
      sealed.principal === principal &&
      sealed.method === method &&
      sealed.upstream === upstream &&
      sealed.tool === tool &&
      sealed.digest === digest
    );
  }
}

/** A URI can be as long as a message; what is sealed is not. */
function boundName(name: string): string {
  return name.length <= MAX_NAME ? name : `sha256:${digestOfText(name)}`;
}
