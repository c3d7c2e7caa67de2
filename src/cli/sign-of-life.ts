import { cut, oneLine, type Screen } from './screen.js';

const QUIET_MS = 1_000;
const REPAINT_MS = 500;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * One line on the terminal that says what is being waited for, once it has taken a second. Where stderr is no terminal
 * there is none: nobody is watching.
 */
export class SignOfLife {
  readonly #err: Screen;
  #text = '';
  #isShown = false;

  constructor(err: Screen) {
    this.#err = err;
  }

  /** What the line says from now on. */
  say(text: string): void {
    this.#text = oneLine(text);
  }

  /** Shows the line while `task` goes on, and takes it away after. */
  async during<Result>(task: Promise<Result>, text: string): Promise<Result> {
    this.say(text);
    if (!this.#err.isTerminal) return task;
    const startedMs = performance.now();
    const timer = setInterval(() => this.#paint(performance.now() - startedMs), REPAINT_MS);
    try {
      return await task;
    } finally {
      clearInterval(timer);
      this.clear();
    }
  }

  /** Takes the line away until it is painted again: something else is about to be written. */
  clear(): void {
    if (this.#isShown) this.#err.write(CLEAR_LINE);
    this.#isShown = false;
  }

  #paint(elapsedMs: number): void {
    if (elapsedMs < QUIET_MS) return;
    const seconds = ` (${Math.floor(elapsedMs / 1000)} s)`;
    this.#isShown = true;
    const text = cut(this.#text, this.#err.columns - seconds.length - 1);
    this.#err.write(`${CLEAR_LINE}${this.#err.colors.dim(`${text}${seconds}`)}`);
  }
}
