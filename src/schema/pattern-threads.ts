import type { Program, Step } from './pattern-program.js';

/** A place on the way through a text, as far as a program asks about it. */
export interface Place {
  readonly isFirst: boolean;
  /** False also where that is not known yet: threads that need the last place then wait for it. */
  readonly isLast: boolean;
  /** Whether a word begins or ends here. */
  readonly isEdge: boolean;
  /** Whether the lookaround of that number holds here. */
  holds(look: number): boolean;
}

/** The threads of one program at one place. Used again for each place: a text may have a million. */
export class Threads {
  /** Steps at which threads wait for a character or for the last place: the first `count` of them. */
  readonly waiting: Int32Array;
  count = 0;
  isMatch = false;
  readonly #steps: readonly Step[];
  readonly #pending: Int32Array;
  readonly #seenIn: Int32Array;
  #round = 0;
  #left = 0;

  constructor({ steps }: Program) {
    this.#steps = steps;
    this.waiting = new Int32Array(steps.length);
    this.#pending = new Int32Array(steps.length);
    this.#seenIn = new Int32Array(steps.length);
  }

  /** Forgets all threads. */
  clear(): void {
    this.#round += 1;
    this.count = 0;
    this.isMatch = false;
  }

  /** Sets out from a step and follows it to where its threads have to wait. */
  start(first: number, place: Place): void {
    this.#push(first);
    while (this.#left > 0) {
      this.#left -= 1;
      const number = this.#pending[this.#left]!;
      const step = this.#steps[number]!;
      if (step.does === 'match') this.isMatch = true;
      else if (step.does === 'take' || (step.assertion === 'last' && !place.isLast)) {
        this.waiting[this.count] = number;
        this.count += 1;
      } else if (step.does === 'fork') {
        this.#push(step.next);
        this.#push(step.other);
      } else if (isHeld(step, place)) this.#push(step.next);
    }
  }

  /** Each step is followed once at a place, however many ways lead to it. */
  #push(number: number): void {
    if (number < 0 || this.#seenIn[number] === this.#round) return;
    this.#seenIn[number] = this.#round;
    this.#pending[this.#left] = number;
    this.#left += 1;
  }
}

function isHeld({ does, what, assertion }: Step, place: Place): boolean {
  if (does === 'look') return place.holds(what);
  if (assertion === 'first') return place.isFirst;
  if (assertion === 'last') return place.isLast;
  return place.isEdge === (assertion === 'word');
}
