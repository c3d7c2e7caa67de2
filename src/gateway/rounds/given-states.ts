import type { Clock } from '../../base/index.js';
import type { RequestIdentity } from './request.js';

/** So many are remembered; the oldest are forgotten first. */
const MAX_GIVEN = 10_000;

/**
 * Which requests were given a state that matters to their upstream. Answers to one of these that come without the state
 * have lost it on the way: they would start the call anew, and be passed on with it.
 */
export class GivenStates {
  readonly #clock: Clock;
  /** When each expires, epoch milliseconds; the one given last at the end. */
  readonly #given = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(identity: RequestIdentity, expiresAtMs: number): void {
    const key = keyOf(identity);
    this.#given.delete(key);
    this.#given.set(key, expiresAtMs);
    const nowMs = this.#clock.nowMs();
    for (const [oldest, oldestExpiresAtMs] of this.#given) {
      if (this.#given.size <= MAX_GIVEN && oldestExpiresAtMs > nowMs) break;
      this.#given.delete(oldest);
    }
  }

  holds(identity: RequestIdentity): boolean {
    const expiresAtMs = this.#given.get(keyOf(identity));
    return expiresAtMs !== undefined && expiresAtMs > this.#clock.nowMs();
  }
}

function keyOf({ principal, method, upstream, tool, digest }: RequestIdentity): string {
  return JSON.stringify([principal, method, upstream, tool, digest]);
}
