import type { SetTable } from './pattern-program.js';
import type { Spend } from './work.js';

/** Units of work that asking one set about one character takes. */
const WORK_PER_TEST = 8;

/** Characters that all sets of a pattern treat alike are one class; few patterns tell more than a dozen apart. */
export class CharacterClasses {
  readonly #sets: SetTable['sets'];
  readonly #tests: (RegExp | undefined)[] = [];
  readonly #flags: string;
  readonly #ascii = new Int16Array(128).fill(-1);
  readonly #others = new Map<number, number>();
  readonly #classOfSignature = new Map<string, number>();
  /** For each class, which sets hold its characters. */
  readonly members: boolean[][] = [];

  constructor(table: SetTable, flags: string) {
    this.#sets = table.sets;
    this.#flags = flags;
  }

  of(code: number, spend: Spend): number {
    const known = code < 128 ? this.#ascii[code]! : (this.#others.get(code) ?? -1);
    return known >= 0 ? known : this.#classify(code, spend);
  }

  #classify(code: number, spend: Spend): number {
    spend(this.#sets.length * WORK_PER_TEST);
    const character = String.fromCodePoint(code);
    const members = this.#sets.map((set, number) =>
      set.code >= 0 ? set.code === code : this.#testOf(number).test(character),
    );
    const signature = members.map(Number).join('');
    let number = this.#classOfSignature.get(signature);
    if (number === undefined) {
      number = this.members.push(members) - 1;
      this.#classOfSignature.set(signature, number);
    }
    if (code < 128) this.#ascii[code] = number;
    // A text can hold a million different characters; remembering some of them is enough.
    else if (this.#others.size < 4_096) this.#others.set(code, number);
    return number;
  }

  /** What a set holds is the platform's to say: it knows every escape and every Unicode property. */
  #testOf(number: number): RegExp {
    const known = this.#tests[number];
    if (known !== undefined) return known;
    const test = new RegExp(`^${this.#sets[number]!.source}$`, this.#flags);
    this.#tests[number] = test;
    return test;
  }
}
