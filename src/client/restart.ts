import type { Clock } from '../base/index.js';

export interface RestartOptions {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /**
   * It is not ours to start: trying again costs nobody a process, so it is tried every few seconds, however often it ended.
   */
  readonly comesAndGoes?: boolean;
}

const FIRST_DELAY_MS = 250;
/** The longest wait between two attempts, and the pace of probes while the breaker is open. */
const LONGEST_DELAY_MS = 30_000;
const SHORTEST_DELAY_MS = 200;
/** The longest wait where nothing of ours is started. */
const LONGEST_VISIT_DELAY_MS = 5_000;
/** Delays vary by this part of themselves either way, so that upstreams that fell together do not rise together. */
const JITTER = 0.2;
/** What has been up for so long counts as well: only then is what happened before forgotten. */
const STABLE_MS = 60_000;
/** So many ends within `ENDS_WITHIN_MS` open the breaker. */
const MAX_ENDS = 5;
const ENDS_WITHIN_MS = 60_000;

/** What follows from an end: a connection that was lost, or a start that failed. */
export interface AfterEnd {
  /** How long to wait until the next attempt, in milliseconds. */
  readonly delayMs: number;
  /** It is the first end since the upstream was last stable. */
  readonly isFirst: boolean;
}

/**
 * When an upstream that ended is started again: soon at first, then ever more slowly. An upstream that keeps ending opens
 * the breaker: from then on it gets one probe at a time, and only a probe that has stayed up for a stable minute closes
 * it again. That a start went well proves nothing: there are servers that shake hands, list, and exit.
 */
export class RestartPolicy {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #comesAndGoes: boolean;
  /** Ends since it was last stable. */
  #ends = 0;
  /** When the latest of them were, oldest first; at most `MAX_ENDS`. */
  #endedAtMs: number[] = [];
  #upSinceMs: number | undefined;
  #isOpen = false;

  constructor({ clock, random, comesAndGoes = false }: RestartOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#comesAndGoes = comesAndGoes;
  }

  /** The breaker is open: nothing but the probes after each `ended` may start the upstream. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#isStable();
  }

  /** A start went well: the upstream is up, until `ended`. */
  started(): void {
    this.#upSinceMs = this.#clock.monotonicMs();
  }

  /**
   * @param isShutOut it is there, and lets nobody in: a user may change that at any moment, so it says nothing for the
   * breaker; the pace of attempts slows down all the same
   */
  ended(isShutOut = false): AfterEnd {
    const nowMs = this.#clock.monotonicMs();
    if (this.#isStable()) this.#forget();
    this.#upSinceMs = undefined;
    this.#ends++;
    if (isShutOut || this.#comesAndGoes) {
      this.#endedAtMs = [];
      this.#isOpen = false;
      return { delayMs: this.#delayMs(), isFirst: this.#ends === 1 };
    }
    this.#endedAtMs = [...this.#endedAtMs, nowMs].slice(-MAX_ENDS);
    const areMany = this.#endedAtMs.length === MAX_ENDS && nowMs - this.#endedAtMs[0]! <= ENDS_WITHIN_MS;
    this.#isOpen ||= areMany;
    return { delayMs: this.#delayMs(), isFirst: this.#ends === 1 };
  }

  #isStable(): boolean {
    return this.#upSinceMs !== undefined && this.#clock.monotonicMs() - this.#upSinceMs >= STABLE_MS;
  }

  #forget(): void {
    this.#ends = 0;
    this.#endedAtMs = [];
    this.#isOpen = false;
  }

  #delayMs(): number {
    const longestMs = this.#comesAndGoes ? LONGEST_VISIT_DELAY_MS : LONGEST_DELAY_MS;
    const doubledMs = Math.min(longestMs, FIRST_DELAY_MS * 2 ** (this.#ends - 1));
    const delayMs = this.#isOpen ? LONGEST_DELAY_MS : doubledMs;
    const jitter = 1 - JITTER + 2 * JITTER * this.#random();
    return Math.max(SHORTEST_DELAY_MS, Math.round(delayMs * jitter));
  }
}
