import { ExactNumber } from '../base/index.js';
import { isIntegral } from './decimal.js';
import { Marks } from './marks.js';
import { ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, OBJECT, type Rule, STRING } from './rule.js';
import type { Resource } from './site.js';
import { type Trace, TraceFull } from './trace.js';

/** Units of work, about 20 ns each, that judging any value may take; more only for values that are large themselves. */
export const WORK_ALWAYS = 2_000_000;
/** Units of work for each array, object and scalar inside a value. */
const WORK_PER_NODE = 10;
/** Schemas inside each other, counted while judging. The platform's stack holds about twice as many. */
const MAX_RULE_DEPTH = 3_000;

/** The judge stops here: going on would take too long, or the stack. Says nothing about the value. */
export class GaveUp extends Error {}

export interface RunOptions {
  readonly maxValueDepth: number;
  /** Whether some reference depends on the way evaluation came. */
  readonly isDynamic: boolean;
}

/** The judging of one value: what was done so far, and how much may be done. */
export class Run {
  /** Takes the reasons against the value; absent where only the verdict is wanted. */
  trace: Trace | undefined;
  /** The resources entered, outermost first; absent where no reference depends on them. */
  readonly scope: Resource[] | undefined;
  readonly #value: unknown;
  readonly #maxValueDepth: number;
  #work = 0;
  #maxWork = WORK_ALWAYS;
  #ruleDepth = 0;
  #valueDepth = 0;
  #spending: ((work: number) => void) | undefined;

  constructor(value: unknown, { maxValueDepth, isDynamic }: RunOptions, trace?: Trace) {
    this.#value = value;
    this.#maxValueDepth = maxValueDepth;
    this.scope = isDynamic ? [] : undefined;
    this.trace = trace;
  }

  /** Whether `value` holds up against `rule`. @throws {GaveUp} */
  accepts(rule: Rule, value: unknown, marks: Marks | undefined): boolean {
    if (rule.fixed !== undefined) return rule.fixed || this.#refuseAll(value);
    const type = typeOf(value);
    if ((type & rule.types) === 0) {
      this.trace?.report({ keyword: 'type', expected: rule.typeNames, value });
      return false;
    }
    if (rule.checks.length === 0) return true;
    this.spend(1);
    this.#ruleDepth += 1;
    if (this.#ruleDepth > MAX_RULE_DEPTH) throw new GaveUp('the value and the schema are nested too deeply');
    const isEntered = this.#enter(rule.resource);
    const own = rule.asksMarks ? new Marks() : marks;
    let holds = true;
    for (const check of rule.checks) {
      if ((check.types & type) === 0 || check.holds(value, this, own)) continue;
      holds = false;
      if (this.trace === undefined) break;
    }
    if (holds && own !== marks && own !== undefined) marks?.addAll(own);
    if (isEntered) this.scope?.pop();
    this.#ruleDepth -= 1;
    return holds;
  }

  /** The same for a member or an item. */
  acceptsInside(rule: Rule, value: unknown, key: string | number): boolean {
    this.#valueDepth += 1;
    if (this.#valueDepth > this.#maxValueDepth)
      throw new GaveUp(`the value is nested deeper than ${this.#maxValueDepth}`);
    this.trace?.path.push(key);
    const accepted = this.accepts(rule, value, undefined);
    this.trace?.path.pop();
    this.#valueDepth -= 1;
    return accepted;
  }

  /** Only the verdict: reasons against the value are not reported, for they are none against the whole. */
  acceptsQuietly(rule: Rule, value: unknown, marks: Marks | undefined): boolean {
    const { trace } = this;
    this.trace = undefined;
    const accepted = this.accepts(rule, value, marks);
    this.trace = trace;
    return accepted;
  }

  /** Judges by one alternative of several; its reasons go into `trace`, up to what fits. */
  tries(rule: Rule, value: unknown, marks: Marks | undefined, trace: Trace): boolean {
    const outer = { trace: this.trace, rule: this.#ruleDepth, value: this.#valueDepth };
    const path = trace.path.length;
    const scope = this.scope?.length ?? 0;
    this.trace = trace;
    try {
      return this.accepts(rule, value, marks);
    } catch (thrown) {
      if (!(thrown instanceof TraceFull) || thrown.trace !== trace) throw thrown;
      trace.path.length = path;
      if (this.scope !== undefined) this.scope.length = scope;
      this.#ruleDepth = outer.rule;
      this.#valueDepth = outer.value;
      return false;
    } finally {
      this.trace = outer.trace;
    }
  }

  /** `spend` as a function of its own, to hand on. */
  get spending(): (work: number) => void {
    this.#spending ??= (work) => this.spend(work);
    return this.#spending;
  }

  /** Counts work. @throws {GaveUp} where it is too much for a value of this size */
  spend(work: number): void {
    this.#work += work;
    if (this.#work <= this.#maxWork) return;
    if (this.#maxWork === WORK_ALWAYS)
      this.#maxWork = Math.max(WORK_ALWAYS + 1, countNodes(this.#value) * WORK_PER_NODE);
    if (this.#work > this.#maxWork) throw new GaveUp('judging the value takes too much work');
  }

  #enter(resource: Resource): boolean {
    if (this.scope === undefined || this.scope.at(-1) === resource) return false;
    this.scope.push(resource);
    return true;
  }

  #refuseAll(value: unknown): false {
    this.trace?.report({ keyword: 'false', expected: 'no value here', value });
    return false;
  }
}

/** The type of a value as bits; none for what JSON does not know. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      if (Number.isInteger(value)) return NUMBER | INTEGER;
      return Number.isFinite(value) ? NUMBER : 0;
    case 'boolean':
      return BOOLEAN;
    case 'object':
      if (value === null) return NULL;
      if (Array.isArray(value)) return ARRAY;
      if (value instanceof ExactNumber) return isIntegral(value) ? NUMBER | INTEGER : NUMBER;
      return OBJECT;
    default:
      return 0;
  }
}

function countNodes(value: unknown): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    count += 1;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) pending.push(member);
  }
  return count;
}
