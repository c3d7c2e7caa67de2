import { type JsonSlice, joinPieces, type Piece, sliceOf } from '../base/index.js';
import type { Reply } from './types.js';

/** What becomes of a request that its caller has cancelled: it is over, and nothing is said. */
export const NO_ANSWER: readonly Piece[] = [];

/** The messages of one batch: their answers go out together, when the last one is there. */
export class Batch {
  readonly #reply: Reply;
  readonly #answers: JsonSlice[] = [];
  /** Answers to come, and one for the batch itself until it has been read to its end. */
  #owed = 1;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  /** One more of its messages will be answered. @returns what takes that answer */
  owe(): Reply {
    this.#owed++;
    return (pieces) => {
      if (pieces.length > 0) this.#answers.push(sliceOf(joinPieces(pieces)));
      this.#settle();
    };
  }

  /** All its messages have been read. */
  end(): void {
    this.#settle();
  }

  #settle(): void {
    this.#owed--;
    if (this.#owed > 0) return;
    const answers = this.#answers.flatMap((answer, i): Piece[] => (i === 0 ? [answer] : [',', answer]));
    this.#reply(answers.length === 0 ? NO_ANSWER : ['[', ...answers, ']']);
  }
}
