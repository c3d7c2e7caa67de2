import { CharacterClasses } from './pattern-classes.js';
import { compileProgram, type Program, SetTable } from './pattern-program.js';
import type { PatternNode } from './pattern-syntax.js';
import { type Place, Threads } from './pattern-threads.js';
import type { Spend } from './work.js';

/** Steps kept in remembered states; states beyond are worked out anew each time, which is slower but still linear. */
const MAX_REMEMBERED = 8_192;

/** Where threads are after some text. */
interface State {
  /** Steps that wait for a character or for the last place, in ascending order. */
  readonly steps: Int32Array;
  readonly isMatch: boolean;
  /** Whether it is remembered, and so may be pointed at. */
  readonly isKept: boolean;
  /** The state after a character of each class, as far as known. */
  readonly next: (State | undefined)[];
}

interface Subject {
  readonly text: string;
  readonly spend: Spend;
}

/** Hears each place at which a program has matched; true ends the run. */
type OnMatch = (at: number) => boolean;

/** Runs a pattern as threads side by side: each character of a text costs at most one visit to each step, ever. */
export class PatternMachine {
  readonly #runner: ProgramRunner;

  constructor(node: PatternNode, isUnicode: boolean) {
    const sets = new SetTable();
    const program = compileProgram(node, sets);
    this.#runner = new ProgramRunner(program, new CharacterClasses(sets, isUnicode ? 'u' : ''), isUnicode);
  }

  test(text: string, spend: Spend): boolean {
    let matches = false;
    this.#runner.run({ text, spend }, () => {
      matches = true;
      return true;
    });
    return matches;
  }
}

class ProgramRunner {
  readonly #program: Program;
  readonly #classes: CharacterClasses;
  readonly #isUnicode: boolean;
  readonly #threads: Threads;
  readonly #looks: readonly { readonly runner: ProgramRunner; readonly isNegative: boolean }[];
  readonly #states = new Map<string, State>();
  #start: State | undefined;
  #remembered = 0;

  constructor(program: Program, classes: CharacterClasses, isUnicode: boolean) {
    this.#program = program;
    this.#classes = classes;
    this.#isUnicode = isUnicode;
    this.#threads = new Threads(program);
    this.#looks = program.looks.map((look) => ({
      runner: new ProgramRunner(look.program, classes, isUnicode),
      isNegative: look.isNegative,
    }));
  }

  /** Takes the program through a whole text, from every place at once. */
  run(subject: Subject, onMatch: OnMatch): void {
    if (this.#program.isPlaceBound) this.#runByPlaces(subject, onMatch);
    else this.#runByStates(subject, onMatch);
  }

  #runByStates({ text, spend }: Subject, onMatch: OnMatch): void {
    spend((text.length >> 1) + 2);
    this.#start ??= this.#stateAfter([0], FIRST);
    const last = this.#program.isBackward ? 0 : text.length;
    let state = this.#start;
    for (let at = text.length - last; at !== last; ) {
      if (state.isMatch && onMatch(at)) return;
      // New threads begin at every place: where even they are gone, none will come again.
      if (!state.isMatch && state.steps.length === 0) return;
      const code = this.#codeFrom(text, at);
      at = this.#after(at, code);
      const kind = this.#classes.of(code, spend);
      state = state.next[kind] ?? this.#advance(state, kind, spend);
    }
    if (state.isMatch || this.#matchesAtLast(state, text)) onMatch(last);
  }

  #advance(state: State, kind: number, spend: Spend): State {
    spend(state.steps.length + 8);
    const next = this.#stateAfter(this.#take(state.steps, kind), LATER);
    // A state that is not kept must not hang on one that is, or there would be no end to remembering.
    if (next.isKept) state.next[kind] = next;
    return next;
  }

  #stateAfter(seeds: readonly number[], place: Place): State {
    this.#settle(seeds, place);
    const { waiting, count, isMatch } = this.#threads;
    const steps = waiting.slice(0, count).sort();
    const key = `${isMatch} ${steps.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    this.#remembered += steps.length + 1;
    const state = { steps, isMatch, isKept: this.#remembered <= MAX_REMEMBERED, next: [] };
    if (state.isKept) this.#states.set(key, state);
    return state;
  }

  #matchesAtLast(state: State, text: string): boolean {
    this.#settle(state.steps, text === '' ? ONLY : LAST);
    return this.#threads.isMatch;
  }

  #runByPlaces(subject: Subject, onMatch: OnMatch): void {
    const { text, spend } = subject;
    const { isBackward, isAnchored } = this.#program;
    const place = new TextPlace(subject.text, isBackward);
    place.held = this.#looks.map(({ runner, isNegative }) => runner.#placesOf(subject, isNegative));
    let seeds = [0];
    for (;;) {
      this.#settle(seeds, place);
      const { isMatch, count, waiting } = this.#threads;
      if (isMatch && onMatch(place.at)) return;
      if (place.isLast || (isAnchored && count === 0)) return;
      spend(count + 8);
      const code = this.#codeFrom(text, place.at);
      seeds = this.#take(waiting.subarray(0, count), this.#classes.of(code, spend));
      place.at = this.#after(place.at, code);
    }
  }

  /** The places of a text at which a lookaround holds, as ones. */
  #placesOf(subject: Subject, isNegative: boolean): Uint8Array {
    const places = new Uint8Array(subject.text.length + 1).fill(isNegative ? 1 : 0);
    this.run(subject, (at) => {
      places[at] = isNegative ? 0 : 1;
      return false;
    });
    return places;
  }

  #settle(seeds: Iterable<number>, place: Place): void {
    this.#threads.clear();
    for (const seed of seeds) this.#threads.start(seed, place);
  }

  /** Where the threads go on that a character of this class satisfies; new ones begin at every place. */
  #take(steps: Int32Array, kind: number): number[] {
    const members = this.#classes.members[kind]!;
    const seeds = [0];
    for (const number of steps) {
      const step = this.#program.steps[number]!;
      if (step.does === 'take' && members[step.what]) seeds.push(step.next);
    }
    return seeds;
  }

  /** The character that comes next on the way, from a place between characters. */
  #codeFrom(text: string, at: number): number {
    if (!this.#program.isBackward) return this.#isUnicode ? text.codePointAt(at)! : text.charCodeAt(at);
    const pair = this.#isUnicode && at > 1 ? text.codePointAt(at - 2)! : 0;
    return pair > 0xffff ? pair : text.charCodeAt(at - 1);
  }

  #after(at: number, code: number): number {
    const width = code > 0xffff ? 2 : 1;
    return this.#program.isBackward ? at - width : at + width;
  }
}

/** A place on the way through a text. Moves along with it. */
class TextPlace implements Place {
  at: number;
  held: readonly Uint8Array[] = [];
  readonly #text: string;
  readonly #first: number;

  constructor(text: string, isBackward: boolean) {
    this.#text = text;
    this.#first = isBackward ? text.length : 0;
    this.at = this.#first;
  }

  get isFirst(): boolean {
    return this.at === this.#first;
  }

  get isLast(): boolean {
    return this.at === this.#text.length - this.#first;
  }

  get isEdge(): boolean {
    return isWord(this.#text.charCodeAt(this.at - 1)) !== isWord(this.#text.charCodeAt(this.at));
  }

  holds(look: number): boolean {
    return this.held[look]![this.at] === 1;
  }
}

function placeOf(isFirst: boolean, isLast: boolean): Place {
  return { isFirst, isLast, isEdge: false, holds: () => false };
}

/** Places that programs which are not bound to places tell apart. Whether one is the last is not known until it is. */
const FIRST = placeOf(true, false);
const LATER = placeOf(false, false);
const LAST = placeOf(false, true);
const ONLY = placeOf(true, true);

function isWord(code: number): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  return isLetter || (code >= 48 && code <= 57) || code === 95;
}
