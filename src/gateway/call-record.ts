import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type CallEvent, type CallOptions, type Clock, type EventBus, toDoorError } from '../base/index.js';
import type { RawAnswer } from '../client/index.js';
import type { CallParams } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';

/** Codes with which we refuse a call; its upstream has seen nothing of it. */
const REFUSALS = new Set(['INVALID_ARGUMENTS', 'TOOL_UNKNOWN', 'TOOL_EXCLUDED', 'BUSY']);

/** What a call is for: the tool by its upstream's name. `upstream` is '' where nobody owns it. */
export interface CallTarget {
  readonly upstream: string;
  readonly tool: string;
  readonly transport: CallEvent['transport'];
}

/** What an event tells of a call's arguments, without telling what was in them; offsets as in `CallParams`. */
export type CallArguments = Pick<CallParams, 'bytes' | 'argumentsStart' | 'argumentsEnd'>;

/** The event of one call, gathered while it runs. Made only where somebody listens. */
export class CallRecord {
  readonly #events: EventBus;
  readonly #clock: Clock;
  readonly #target: CallTarget;
  readonly #params: CallArguments;
  readonly #options: CallOptions;
  readonly #beganAtMs: number;

  private constructor(events: EventBus, clock: Clock, target: CallTarget, params: CallArguments, options: CallOptions) {
    this.#events = events;
    this.#clock = clock;
    this.#target = target;
    this.#params = params;
    this.#options = options;
    this.#beganAtMs = clock.monotonicMs();
  }

  /** @returns undefined where no listener would hear of the call */
  static begin(
    events: EventBus,
    clock: Clock,
    target: CallTarget,
    params: CallArguments,
    options: CallOptions,
  ): CallRecord | undefined {
    if (!events.hears('call.completed') && !events.hears('call.rejected')) return undefined;
    return new CallRecord(events, clock, target, params, options);
  }

  completed(answer: RawAnswer): void {
    const outcome = answer.kind === 'error' ? 'error' : answer.isError ? 'tool-error' : 'ok';
    this.#emit({ outcome, responseBytes: answer.end - answer.start });
  }

  failed(thrown: unknown): void {
    if (this.#options.signal?.aborted) return this.#emit({ outcome: 'cancelled', responseBytes: 0 });
    const { code, data } = toDoorError(thrown);
    const outcome = REFUSALS.has(code) ? 'rejected' : code === 'TIMEOUT' ? 'timeout' : 'error';
    const issues = Array.isArray(data.issues)
      ? { issues: (data.issues as Issue[]).map(({ path, message }) => ({ path, message })) }
      : {};
    this.#emit({ outcome, responseBytes: 0, code, ...issues });
  }

  #emit(end: Pick<CallEvent, 'outcome' | 'responseBytes'> & Partial<CallEvent>): void {
    const name = end.outcome === 'rejected' ? 'call.rejected' : 'call.completed';
    if (!this.#events.hears(name)) return;
    const { bytes, argumentsStart, argumentsEnd } = this.#params;
    const text = argumentsStart < 0 ? EMPTY : bytes.subarray(argumentsStart, argumentsEnd);
    const durationMs = this.#clock.monotonicMs() - this.#beganAtMs;
    this.#events.emit(name, {
      timeMs: this.#clock.nowMs() - Math.round(durationMs),
      principal: this.#options.principal.id,
      door: this.#options.door ?? 'embedded',
      ...this.#target,
      requestBytes: text.length,
      argumentsHash: bytesToHex(sha256(text)).slice(0, 16),
      durationMs,
      ...end,
    });
  }
}

const EMPTY = new Uint8Array(0);
