import type { Marks } from './marks.js';
import type { Resource } from './site.js';
import type { Trace } from './trace.js';
import type { Spend } from './work.js';

/** The types of JSON as bits, so that a value's type and the types a schema allows meet in one operation. */
export const NULL = 1;
export const BOOLEAN = 2;
export const NUMBER = 4;
/** A number without a fraction; such a value has the bit of `NUMBER` as well. */
export const INTEGER = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
/** What JSON does not know: undefined, functions, numbers without end. */
export const UNKNOWN = 128;
export const ANY_TYPE = 255;

/** The judging of one value, as checks see it. */
export interface Run {
  /** Takes the reasons against the value; absent where only the verdict is wanted. */
  readonly trace: Trace | undefined;
  /** The resources entered, outermost first; absent where no reference depends on them. */
  readonly scope: readonly Resource[] | undefined;
  /** Counts work. @throws {GaveUp} where it is too much for a value of this size */
  readonly spend: Spend;
  /** Counts the characters of a text, which several rules may ask about. */
  lengthOf(text: string): number;
  /** Whether a value holds up against a rule. */
  accepts(rule: Rule, value: unknown, marks: Marks | undefined): boolean;
  /** The same for a member or an item. */
  acceptsInside(rule: Rule, value: unknown, key: string | number): boolean;
  /** Only the verdict: reasons against the value are not reported, for they are none against the whole. */
  acceptsQuietly(rule: Rule, value: unknown, marks: Marks | undefined): boolean;
  /** Judges by one alternative of several; its reasons go into `trace`, up to what fits. */
  tries(rule: Rule, value: unknown, marks: Marks | undefined, trace: Trace): boolean;
}

/** One keyword, or several that work together, made ready. */
export interface Check {
  /** Types of value that it applies to, as bits. */
  readonly types: number;
  /**
   * Whether the value holds up. Where the run keeps a trace, every reason against it is reported there.
   *
   * @param marks where to note which members and items were looked at; undefined where nobody will ask
   */
  holds(value: unknown, run: Run, marks: Marks | undefined): boolean;
}

/** What a schema says, made ready to judge by. */
export interface Equipment {
  /** Types allowed, as bits. */
  readonly types: number;
  /** The same for people: `string or null`. */
  readonly typeNames: string;
  /** What helps whoever sent another type. */
  readonly typeHint: string | undefined;
  /** In the order they run, which is the order of issues. */
  readonly checks: readonly Check[];
  /** Whether a check asks what others have looked at (`unevaluatedProperties`, `unevaluatedItems`). */
  readonly asksMarks: boolean;
}

/**
 * A schema to judge by. Rules refer to each other directly, in circles too. What a rule needs is made when it first meets
 * a value: of a large schema most values meet little.
 */
export class Rule {
  readonly resource: Resource;
  /** The verdict of `true` and `false`. */
  readonly fixed: boolean | undefined;
  readonly #equip: () => Equipment;
  #equipment: Equipment | undefined;

  constructor(resource: Resource, fixed: boolean | undefined, equip: () => Equipment) {
    this.resource = resource;
    this.fixed = fixed;
    this.#equip = equip;
  }

  get equipment(): Equipment {
    this.#equipment ??= this.#equip();
    return this.#equipment;
  }
}
