import { type Clock, type Enrolled, Roll, type Scheduled } from '../../base/index.js';

/** Something that is looked at now and then while it lasts. */
export interface Beating extends Enrolled {
  beat(nowMs: number): void;
}

const BEAT_MS = 5_000;

/** One timer for all answers under way: a call has no time for one of its own. It runs only while there are any. */
export class Beats {
  readonly clock: Clock;
  readonly #members = new Roll<Beating>();
  #timer: Scheduled | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(member: Beating): void {
    this.#members.add(member);
    this.#timer ??= this.clock.schedule(BEAT_MS, () => this.#beat());
  }

  remove(member: Beating): void {
    this.#members.remove(member);
  }

  #beat(): void {
    this.#timer = undefined;
    if (this.#members.size === 0) return;
    this.#timer = this.clock.schedule(BEAT_MS, () => this.#beat());
    const nowMs = this.clock.monotonicMs();
    for (const member of this.#members.all()) member.beat(nowMs);
  }
}
