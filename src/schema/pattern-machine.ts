import { CharacterClasses } from './pattern-classes.js';
import { compileProgram, type Program, SetTable, type Step } from './pattern-program.js';
import type { PatternNode } from './pattern-syntax.js';

/** Is told how much work was done; throws to end it. */
export type Spend = (work: number) => void;

/** Steps kept in remembered states; states beyond are worked out anew each time, which is slower but still linear. */
const MAX_REMEMBERED = 16_384;

/** Where threads are after some text: at steps that wait for a character or for the end. */
interface State {
  readonly steps: readonly number[];
  readonly isMatch: boolean;
  /** Whether it is remembered, and so may be pointed at. */
  readonly isKept: boolean;
  /** The state after a character of each class, as far as known. */
  readonly next: (State | undefined)[];
}

/** A place in a text, and at which places each lookaround of the running program holds. */
interface Place {
  readonly codes: Int32Array;
  readonly held: readonly Uint8Array[];
  at: number;
}

/** Runs a pattern as threads side by side: each character of a text costs at most one visit to each step, ever. */
export class PatternMachine {
  readonly #program: Program;
  readonly #classes: CharacterClasses;
  readonly #isUnicode: boolean;
  /** Whether a step asks about the place itself (a word's edge, a lookaround), so that states cannot be remembered. */
  readonly #isPlaceBound: boolean;
  readonly #states = new Map<string, State>();
  readonly #start: State;
  #remembered = 0;

  constructor(node: PatternNode, isUnicode: boolean) {
    const sets = new SetTable();
    this.#program = compileProgram(node, sets);
    this.#classes = new CharacterClasses(sets, isUnicode ? 'u' : '');
    this.#isUnicode = isUnicode;
    this.#isPlaceBound = this.#program.steps.some(
      ({ does, assertion }) => does === 'look' || assertion === 'word' || assertion === 'notWord',
    );
    this.#start = this.#isPlaceBound ? DEAD : this.#stateOf([0], true);
  }

  test(text: string, spend: Spend): boolean {
    const codes = codesOf(text, this.#isUnicode);
    spend(codes.length >> 2);
    if (!this.#isPlaceBound) return this.#testByStates(codes, spend);
    let matches = false;
    this.#simulate(this.#program, { codes, spend }, () => {
      matches = true;
      return true;
    });
    return matches;
  }

  #testByStates(codes: Int32Array, spend: Spend): boolean {
    let state = this.#start;
    for (const code of codes) {
      if (state.isMatch || state.steps.length === 0) return state.isMatch;
      const kind = this.#classes.of(code);
      state = state.next[kind] ?? this.#advance(state, kind, spend);
    }
    return state.isMatch || this.#matchesAtEnd(state, codes);
  }

  #advance(state: State, kind: number, spend: Spend): State {
    spend(state.steps.length);
    const members = this.#classes.members[kind]!;
    const seeds = [0];
    for (const number of state.steps) {
      const step = this.#program.steps[number]!;
      if (step.does === 'take' && members[step.what]) seeds.push(step.next);
    }
    const next = this.#stateOf(seeds, false);
    // A state that is not kept must not hang on one that is, or there would be no end to remembering.
    if (next.isKept) state.next[kind] = next;
    return next;
  }

  #stateOf(seeds: readonly number[], isStart: boolean): State {
    const { steps, isMatch } = settle(this.#program, seeds, isStart ? AT_START : PAST_START);
    const key = `${isMatch} ${steps.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    this.#remembered += steps.length + 1;
    const state = { steps, isMatch, isKept: this.#remembered <= MAX_REMEMBERED, next: [] };
    if (state.isKept) this.#states.set(key, state);
    return state;
  }

  #matchesAtEnd(state: State, codes: Int32Array): boolean {
    return settle(this.#program, state.steps, { codes, held: [], at: codes.length }).isMatch;
  }

  /** Takes a program through a whole text. `onMatch` hears each place at which it has matched; true ends the run. */
  #simulate(program: Program, text: { codes: Int32Array; spend: Spend }, onMatch: (at: number) => boolean): void {
    const { codes, spend } = text;
    const held = program.looks.map((look) => this.#placesOf(look.program, look.isNegative, text));
    const stride = program.isBackward ? -1 : 1;
    const last = program.isBackward ? 0 : codes.length;
    const place: Place = { codes, held, at: codes.length - last };
    let seeds: number[] = [];
    for (;;) {
      seeds.push(0);
      const { steps, isMatch } = settle(program, seeds, place);
      if (isMatch && onMatch(place.at)) return;
      if (place.at === last) return;
      spend(steps.length + 1);
      const members = this.#classes.members[this.#classes.of(codes[program.isBackward ? place.at - 1 : place.at]!)]!;
      seeds = [];
      for (const number of steps) {
        const step = program.steps[number]!;
        if (step.does === 'take' && members[step.what]) seeds.push(step.next);
      }
      place.at += stride;
    }
  }

  /** The places of a text at which a lookaround holds, as ones. */
  #placesOf(program: Program, isNegative: boolean, text: { codes: Int32Array; spend: Spend }): Uint8Array {
    const places = new Uint8Array(text.codes.length + 1).fill(isNegative ? 1 : 0);
    this.#simulate(program, text, (at) => {
      places[at] = isNegative ? 0 : 1;
      return false;
    });
    return places;
  }
}

const DEAD: State = { steps: [], isMatch: false, isKept: false, next: [] };
/** Places in a text not looked at yet: the end is always still to come. */
const AT_START: Place = { codes: new Int32Array(2), held: [], at: 0 };
const PAST_START: Place = { codes: new Int32Array(2), held: [], at: 1 };

function codesOf(text: string, isUnicode: boolean): Int32Array {
  const codes = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = isUnicode ? text.codePointAt(at)! : text.charCodeAt(at);
    if (code > 0xffff) at += 1;
    codes[length] = code;
    length += 1;
  }
  return codes.subarray(0, length);
}

/** Follows threads to where they have to wait. Steps come out in ascending order, so equal sets are equal lists. */
function settle(program: Program, seeds: readonly number[], place: Place): { steps: number[]; isMatch: boolean } {
  const seen = new Set<number>();
  const pending = [...seeds];
  const steps: number[] = [];
  let isMatch = false;
  while (pending.length > 0) {
    const number = pending.pop()!;
    if (number < 0 || seen.has(number)) continue;
    seen.add(number);
    const step = program.steps[number]!;
    if (step.does === 'match') isMatch = true;
    else if (step.does === 'take') steps.push(number);
    else if (step.does === 'fork') pending.push(step.other, step.next);
    else if (step.assertion === 'end' && place.at < place.codes.length) steps.push(number);
    else if (holds(step, place)) pending.push(step.next);
  }
  return { steps: steps.sort((left, right) => left - right), isMatch };
}

function holds(step: Step, { codes, held, at }: Place): boolean {
  if (step.does === 'look') return held[step.what]![at] === 1;
  if (step.assertion === 'start') return at === 0;
  if (step.assertion === 'end') return at === codes.length;
  const isEdge = isWord(codes[at - 1]) !== isWord(codes[at]);
  return isEdge === (step.assertion === 'word');
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code));
}
