import { DoorError, toDoorError } from '../base/index.js';
import { errorCodeOf, RPC } from '../protocol/index.js';
import type { Connection } from './connection.js';
import { isNoModernEvidence } from './http/http-errors.js';

/** How long a server may take to say that it knows us. */
const ANSWER_MS = 10_000;

/**
 * Whether a server still knows us. Over HTTP it can be started anew, or be replaced by one of another era, without a sign:
 * then it refuses whatever is sent, and not every server says with 404 that it has lost the session. When a request was
 * refused so, it is asked something that each server answers; where that is refused too, the connection is over, and the
 * next one gets acquainted anew.
 */
export class Doubt {
  readonly #connection: Connection;
  #isAsking = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** A request was refused as if we were unknown. Any number of these ask once. */
  raise(): void {
    if (this.#isAsking || !this.#connection.isOpen) return;
    this.#isAsking = true;
    void this.#isKnown().then((isKnown) => {
      this.#isAsking = false;
      if (isKnown || !this.#connection.isOpen) return;
      const reason = 'no longer knows us: it was started anew, or is another server by now';
      this.#connection.close(new DoorError('UPSTREAM_LOST', reason)).catch(() => {});
    });
  }

  async #isKnown(): Promise<boolean> {
    const isModern = this.#connection.codec.era === 'modern';
    const about = isModern ? 'server/discover' : 'ping';
    try {
      const wait = { about, timeoutMs: ANSWER_MS, maxMs: ANSWER_MS, signal: undefined, progress: undefined };
      const answer = await this.#connection.request(about, undefined, wait);
      // There are servers that know no ping, but us.
      return answer.kind === 'result' || (!isModern && errorCodeOf(answer) === RPC.methodNotFound);
    } catch (thrown) {
      return !isNoModernEvidence(toDoorError(thrown));
    }
  }
}
