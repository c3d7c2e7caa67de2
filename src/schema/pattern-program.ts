import type { PatternNode } from './pattern-syntax.js';

/** Steps of one pattern; repeats are written out, so `(a{100}){100}` does not fit. */
export const MAX_STEPS = 4_000;

/** One step of a program. `next` is where it goes on, `other` a second way for `fork`. */
export interface Step {
  readonly does: 'take' | 'fork' | 'assert' | 'look' | 'match';
  /** Number of the set that `take` needs, or of the look that must hold. */
  readonly what: number;
  /** `first` and `last` are the places where a run through a text begins and ends: which end that is, depends on the way. */
  readonly assertion: 'first' | 'last' | 'word' | 'notWord' | undefined;
  next: number;
  other: number;
}

/** A lookaround, decided for every place of a text at once before the program it stands in runs. */
export interface Look {
  readonly program: Program;
  readonly isNegative: boolean;
}

/** What a pattern asks, as steps that many threads can take side by side. */
export interface Program {
  readonly steps: readonly Step[];
  /** Whether it reads the text from its end: how a lookahead is decided for all places in one go. */
  readonly isBackward: boolean;
  /** Whether a step asks about the place itself, a word's edge or a lookaround: more than the characters before it tell. */
  readonly isPlaceBound: boolean;
  /** Whether it can only begin to match at the first place. */
  readonly isAnchored: boolean;
  readonly looks: readonly Look[];
}

/** Gives each distinct set of characters of a pattern a number. */
export class SetTable {
  readonly sets: { readonly source: string; readonly code: number }[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(source: string, code: number): number {
    const key = `${code} ${source}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.sets.length);
    return this.sets.push({ source, code }) - 1;
  }
}

/** Counts the steps a program would have. @returns a number above the limit, not the true one, where there are too many */
export function countSteps(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'assert':
      return 1;
    case 'sequence':
      return sumOf(node.parts);
    case 'either':
      return sumOf(node.branches) + (node.branches.length - 1) * 2;
    case 'look':
      return countSteps(node.child) + 2;
    case 'repeat': {
      const once = countSteps(node.child);
      if (once === 0) return 2;
      const isOpen = node.max === Number.POSITIVE_INFINITY;
      const optional = isOpen ? once + 2 : (node.max - node.min) * (once + 1);
      return Math.min(node.min * once + optional, MAX_STEPS + 1);
    }
  }
}

function sumOf(nodes: readonly PatternNode[]): number {
  return nodes.reduce((sum, node) => sum + countSteps(node), 0);
}

/** Writes the program of a pattern that has no more than `MAX_STEPS`. */
export function compileProgram(node: PatternNode, sets: SetTable, isBackward = false): Program {
  const writer = new ProgramWriter(sets, isBackward);
  writer.write(node);
  writer.add('match');
  const isPlaceBound = writer.steps.some(({ does, assertion }) => does === 'look' || /word/i.test(assertion ?? ''));
  return { steps: writer.steps, isBackward, isPlaceBound, isAnchored: isAnchored(writer.steps), looks: writer.looks };
}

/** Whether every way from the first step soon comes to one that holds at the first place only. */
function isAnchored(steps: readonly Step[]): boolean {
  const pending = [0];
  const seen = new Set<number>();
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    if (number < 0 || seen.has(number)) continue;
    seen.add(number);
    const step = steps[number]!;
    if (step.does === 'fork') pending.push(step.next, step.other);
    else if (step.assertion !== 'first') return false;
  }
  return true;
}

class ProgramWriter {
  readonly steps: Step[] = [];
  readonly looks: Look[] = [];
  readonly #sets: SetTable;
  readonly #isBackward: boolean;

  constructor(sets: SetTable, isBackward: boolean) {
    this.#sets = sets;
    this.#isBackward = isBackward;
  }

  add(does: Step['does'], what = 0, assertion?: Step['assertion']): Step {
    const step: Step = { does, what, assertion, next: this.steps.length + 1, other: -1 };
    this.steps.push(step);
    return step;
  }

  write(node: PatternNode): void {
    switch (node.kind) {
      case 'set':
        this.add('take', this.#sets.numberOf(node.source, node.code));
        return;
      case 'sequence':
        for (const part of this.#isBackward ? node.parts.toReversed() : node.parts) this.write(part);
        return;
      case 'either':
        this.#writeEither(node.branches);
        return;
      case 'repeat':
        this.#writeRepeat(node.child, node.min, node.max);
        return;
      case 'assert':
        this.add('assert', 0, this.#assertionOf(node.what));
        return;
      case 'look':
        this.add('look', this.looks.length);
        this.looks.push({
          program: compileProgram(node.child, this.#sets, !node.isBehind),
          isNegative: node.isNegative,
        });
    }
  }

  #assertionOf(what: Extract<PatternNode, { kind: 'assert' }>['what']): Step['assertion'] {
    if (what === 'word' || what === 'notWord') return what;
    return (what === 'start') === this.#isBackward ? 'last' : 'first';
  }

  #writeEither(branches: readonly PatternNode[]): void {
    const ends: Step[] = [];
    branches.forEach((branch, index) => {
      const fork = index < branches.length - 1 ? this.add('fork') : undefined;
      this.write(branch);
      if (fork === undefined) return;
      ends.push(this.add('fork'));
      fork.other = this.steps.length;
    });
    for (const end of ends) end.next = this.steps.length;
  }

  #writeRepeat(child: PatternNode, min: number, max: number): void {
    for (let count = 0; count < min; count += 1) {
      const before = this.steps.length;
      this.write(child);
      // A child without steps stays so however often it is repeated; its count may be in the billions.
      if (this.steps.length === before) break;
    }
    if (max === Number.POSITIVE_INFINITY) {
      const start = this.steps.length;
      const fork = this.add('fork');
      this.write(child);
      this.add('fork').next = start;
      fork.other = this.steps.length;
      return;
    }
    // Each optional copy leads either to the next or past them all, so few threads live at once.
    const forks: Step[] = [];
    for (let count = min; count < max; count += 1) {
      forks.push(this.add('fork'));
      this.write(child);
    }
    for (const fork of forks) fork.other = this.steps.length;
  }
}
