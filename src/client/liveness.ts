import { type Clock, DoorError, type Scheduled, toDoorError } from '../base/index.js';
import type { Connection } from './connection.js';

export interface LivenessOptions {
  readonly upstream: string;
  readonly connection: Connection;
  readonly clock: Clock;
}

/** How often an upstream of which nothing is heard is asked whether it is there. */
const CHECK_EVERY_MS = 30_000;
/** How soon after the first sign that it is not; each good answer doubles the wait, up to the pace above. */
const SOON_MS = 250;
const ANSWER_MS = 10_000;

/** Failures after which it cannot be used: nobody is there, or nobody is let in. Others say that it is up. */
const GONE: ReadonlySet<string> = new Set([
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_LOST',
  'TIMEOUT',
  'AUTH_REQUIRED',
  'FORBIDDEN',
]);

/**
 * Whether an upstream that comes and goes is still there, and still lets us in. Over HTTP nothing tells when it is not, but
 * for a stream that ends; and a call that fails is too late for whoever lists. So it is asked, at once where something
 * looks wrong and now and then else. Where it does not answer, the connection is over: the next one is made as after any loss.
 */
export class Liveness {
  readonly #upstream: string;
  readonly #connection: Connection;
  readonly #clock: Clock;
  #timer: Scheduled | undefined;
  #delayMs = CHECK_EVERY_MS;
  #isAsking = false;

  constructor({ upstream, connection, clock }: LivenessOptions) {
    this.#upstream = upstream;
    this.#connection = connection;
    this.#clock = clock;
  }

  /** From now on it is asked. */
  start(): void {
    this.#later();
  }

  /** Something looks wrong: a stream has ended, or a request got no answer. */
  doubt(): void {
    if (this.#isAsking || this.#timer === undefined || this.#delayMs === SOON_MS) return;
    this.#delayMs = SOON_MS;
    this.#later();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #later(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.schedule(this.#delayMs, () => void this.#check());
  }

  async #check(): Promise<void> {
    this.#isAsking = true;
    const failure = await this.#ask();
    this.#isAsking = false;
    if (this.#timer === undefined || !this.#connection.isOpen) return;
    this.#delayMs = Math.min(this.#delayMs * 2, CHECK_EVERY_MS);
    // One that is ending answers what is under way, though it takes nothing new: what was sent may still come to an end.
    if (failure === undefined || this.#connection.callsInFlight > 0) return this.#later();
    this.stop();
    this.#connection.close(failure).catch(() => {});
  }

  /** @returns why it cannot be used; undefined where it can */
  async #ask(): Promise<DoorError | undefined> {
    const method = this.#connection.codec.era === 'modern' ? 'server/discover' : 'ping';
    const wait = { timeoutMs: ANSWER_MS, maxMs: ANSWER_MS, signal: undefined, progress: undefined };
    try {
      await this.#connection.request(method, undefined, { about: method, ...wait });
      return undefined;
    } catch (thrown) {
      const error = toDoorError(thrown);
      if (!GONE.has(error.code)) return undefined;
      // Whoever hears of the end of the connection says whose it was.
      const message = error.message.replace(`${this.#upstream}: `, '');
      const { code, data, hint } = error;
      return new DoorError(code, message, { data, cause: error, ...(hint !== undefined && { hint }) });
    }
  }
}
