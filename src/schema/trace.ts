import { pathOf, pointerOf } from './pointer.js';
import type { Issue } from './types.js';
import { describeType, showValue } from './wording.js';

/** As many issues as one verdict shows. */
export const MAX_ISSUES = 20;
/** As many as are gathered of one alternative of `anyOf`, to see how near it came. */
const MAX_BRANCH_ISSUES = 5;
/** Alternatives looked into for one verdict: a value of thousands of items could fail hundreds of them each time. */
const MAX_EXPLORED = 500;

/** Ends a run whose trace has no room left: what comes after would not be shown. */
export class TraceFull extends Error {
  readonly trace: Trace;

  constructor(trace: Trace) {
    super('enough issues');
    this.trace = trace;
  }
}

export interface Report {
  readonly keyword: string;
  readonly expected: string;
  readonly value: unknown;
  /** What was received, where more than its type can be said. Never the value itself: it may be a secret. */
  readonly received?: string | undefined;
  readonly hint?: string | undefined;
  /** The whole message, where "expected, got" does not say it. */
  readonly message?: string;
}

/** Gathers the reasons against a value, with the place each of them is at. */
export class Trace {
  /** Where the run is in the value. Kept by the run. */
  readonly path: (string | number)[];
  readonly issues: Issue[] = [];
  readonly #room: number;
  readonly #showReceived: boolean;
  readonly #root: Trace;
  #explored = 0;

  constructor(showReceived: boolean, root?: Trace) {
    this.#showReceived = showReceived;
    this.#root = root ?? this;
    this.#room = root === undefined ? MAX_ISSUES : MAX_BRANCH_ISSUES;
    this.path = root?.path ?? [];
  }

  get pointer(): string {
    return pointerOf(this.path);
  }

  /** Whether so many more alternatives may be looked into. Counts them. */
  mayExplore(alternatives: number): boolean {
    this.#root.#explored += alternatives;
    return this.#root.#explored <= MAX_EXPLORED;
  }

  /** A trace for one alternative, at the same place. */
  branch(): Trace {
    return new Trace(this.#showReceived, this.#root);
  }

  /** @throws {TraceFull} where there is no room for it */
  report({ keyword, expected, value, received, hint, message }: Report): void {
    if (this.issues.length >= this.#room) throw new TraceFull(this);
    const isShort = typeof value !== 'object' || value === null;
    const got = this.#showReceived && isShort ? showValue(value) : (received ?? describeType(value));
    this.issues.push({
      path: pathOf(this.path),
      pointer: this.pointer,
      keyword,
      expected,
      received: got,
      message: message ?? `expected ${expected}, got ${got}`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}
