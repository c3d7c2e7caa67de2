/** What is known of each call while it is under way, kept by the world and not by what is tested. */
import type { UriSort } from './simulation-offers.js';

export type SimulationAct = 'answer' | 'error' | 'hang' | 'late' | 'duplicate' | 'garbage' | 'crash' | 'ask';

export interface SimulatedCall {
  readonly token: string;
  readonly caller: string;
  readonly upstream: string;
  readonly act: SimulationAct;
  /** Of what kind the URI is that it reads; undefined for a call of a tool. */
  readonly reads?: UriSort;
  readonly sentAtMs: number;
  /** How often an upstream began to work on it. */
  begun: number;
  /** Its caller waits for an answer. */
  isOpen: boolean;
  hasVanished: boolean;
  askedOf: string | undefined;
}

/** Longer than a start and a call may take together. */
const LOST_AFTER_MS = 15 * 60_000;
/** An upstream that goes on with a call that was given up may still do so for this long. */
const FORGOTTEN_AFTER_MS = 3 * 60_000;
const MAX_MISSES = 100;

export class SimulationJournal {
  readonly misses: string[] = [];
  missCount = 0;
  /** How calls ended, and whatever else was counted. */
  readonly counts = new Map<string, number>();
  readonly #calls = new Map<string, SimulatedCall>();
  /** Over, by the time at which each can be forgotten, oldest first. */
  readonly #over: { readonly token: string; readonly atMs: number }[] = [];

  begin(call: SimulatedCall): void {
    this.#calls.set(call.token, call);
    this.count(call.reads === undefined ? 'calls' : `reads of what is ${call.reads}`);
  }

  find(token: string): SimulatedCall | undefined {
    return this.#calls.get(token);
  }

  /** Calls without an end. */
  get open(): number {
    return [...this.#calls.values()].filter(({ isOpen }) => isOpen).length;
  }

  /** An upstream begins to work. */
  begun(token: string, upstream: string): void {
    const call = this.#calls.get(token);
    if (call === undefined) return this.miss(`${upstream} began ${token}, which nobody waits for any more`);
    call.begun++;
    if (call.begun > 1) this.miss(`${token} was executed ${call.begun} times`);
    if (call.upstream !== upstream) this.miss(`${token} was meant for ${call.upstream} and came to ${upstream}`);
    if (!call.isOpen) this.count('begun just before it was given up');
  }

  end(call: SimulatedCall, how: string, nowMs: number): void {
    call.isOpen = false;
    this.count(`ended: ${how}`);
    this.#over.push({ token: call.token, atMs: nowMs + FORGOTTEN_AFTER_MS });
  }

  /** Forgets what is long over, and says what never ended. */
  sweep(nowMs: number): void {
    let count = 0;
    while (count < this.#over.length && this.#over[count]!.atMs <= nowMs)
      this.#calls.delete(this.#over[count++]!.token);
    this.#over.splice(0, count);
    for (const call of this.#calls.values()) {
      if (!call.isOpen || nowMs - call.sentAtMs < LOST_AFTER_MS) continue;
      this.miss(
        `${call.token} (${call.act} at ${call.upstream}) has no answer after ${LOST_AFTER_MS / 60_000} minutes`,
      );
      this.end(call, 'lost', nowMs);
    }
  }

  miss(what: string): void {
    this.missCount++;
    if (this.misses.length < MAX_MISSES) this.misses.push(what);
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }
}
