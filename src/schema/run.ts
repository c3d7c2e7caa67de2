import { ExactNumber } from '../base/index.js';
import { isIntegral } from './decimal.js';
import { Marks } from './marks.js';
import { ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, OBJECT, type Rule, type Run, STRING, UNKNOWN } from './rule.js';
import type { Resource } from './site.js';
import { type Trace, TraceFull } from './trace.js';
import { GaveUp, WORK_ALWAYS, workFor } from './work.js';

/** Schemas inside each other, counted while judging. The platform's stack holds about twice as many. */
const MAX_RULE_DEPTH = 3_000;

/** What it takes to meet a rule at all, its first keyword included. */
const WORK_OF_RULE = 3;
/** Extra work where it is noted what was looked at. */
const WORK_OF_MARKS = 4;

export interface RunOptions {
  readonly maxValueDepth: number;
  /** Whether some reference depends on the way evaluation came. */
  readonly isDynamic: boolean;
}

/** The judging of one value: what was done so far, and how much may be done. */
export class ValueRun implements Run {
  trace: Trace | undefined;
  readonly scope: Resource[] | undefined;
  readonly #value: unknown;
  readonly #maxValueDepth: number;
  #work = 0;
  #maxWork = WORK_ALWAYS;
  #ruleDepth = 0;
  #valueDepth = 0;
  /** Whether `#maxWork` takes the size of the value into account: that is only found out where it matters. */
  #isMeasured = false;
  #measuredText = '';
  #measuredLength = 0;

  constructor(value: unknown, { maxValueDepth, isDynamic }: RunOptions, trace?: Trace) {
    this.#value = value;
    this.#maxValueDepth = maxValueDepth;
    this.scope = isDynamic ? [] : undefined;
    this.trace = trace;
  }

  accepts(rule: Rule, value: unknown, marks: Marks | undefined): boolean {
    if (rule.fixed !== undefined) return rule.fixed || this.#refuseAll(value);
    const { types, typeNames, typeHint, checks, asksMarks } = rule.equipment;
    const type = typeOf(value);
    if ((type & types) === 0) {
      this.trace?.report({ keyword: 'type', expected: typeNames, value, hint: typeHint });
      return false;
    }
    this.#work += WORK_OF_RULE;
    if (checks.length === 0) return true;
    if (this.#work > this.#maxWork) this.#askForMore();
    this.#ruleDepth += 1;
    if (this.#ruleDepth > MAX_RULE_DEPTH) throw new GaveUp('the value and the schema are nested too deeply');
    const isEntered = this.#enter(rule.resource);
    const own = asksMarks ? new Marks() : marks;
    if (own !== undefined) this.#work += WORK_OF_MARKS;
    let holds = true;
    for (const check of checks) {
      if ((check.types & type) === 0 || check.holds(value, this, own)) continue;
      holds = false;
      if (this.trace === undefined) break;
    }
    // Should it not hold, nobody will ask.
    if (asksMarks && own !== undefined) marks?.addAll(own);
    if (isEntered) this.scope?.pop();
    this.#ruleDepth -= 1;
    return holds;
  }

  acceptsInside(rule: Rule, value: unknown, key: string | number): boolean {
    // Most members and items are plain values of the right type, about which nothing else is said.
    if (
      rule.fixed === undefined &&
      rule.equipment.checks.length === 0 &&
      (typeOf(value) & rule.equipment.types) !== 0
    ) {
      this.#work += WORK_OF_RULE;
      return true;
    }
    this.#valueDepth += 1;
    if (this.#valueDepth > this.#maxValueDepth)
      throw new GaveUp(`the value is nested deeper than ${this.#maxValueDepth}`);
    this.trace?.path.push(key);
    const accepted = this.accepts(rule, value, undefined);
    this.trace?.path.pop();
    this.#valueDepth -= 1;
    return accepted;
  }

  acceptsQuietly(rule: Rule, value: unknown, marks: Marks | undefined): boolean {
    const { trace } = this;
    this.trace = undefined;
    const accepted = this.accepts(rule, value, marks);
    this.trace = trace;
    return accepted;
  }

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

  lengthOf(text: string): number {
    if (text !== this.#measuredText) {
      this.spend(text.length >> 2);
      this.#measuredText = text;
      this.#measuredLength = countCharacters(text);
    }
    return this.#measuredLength;
  }

  /** A function of its own, so that it can be handed on. */
  readonly spend = (work: number): void => {
    this.#work += work;
    if (this.#work > this.#maxWork) this.#askForMore();
  };

  #askForMore(): void {
    if (!this.#isMeasured) this.#maxWork = workFor(this.#value);
    this.#isMeasured = true;
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

/** Counts characters, not units: a surrogate pair is one. */
function countCharacters(text: string): number {
  let length = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
    if (isPair) length -= 1;
  }
  return length;
}

/** The type of a value as bits. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      if (Number.isInteger(value)) return NUMBER | INTEGER;
      return Number.isFinite(value) ? NUMBER : UNKNOWN;
    case 'boolean':
      return BOOLEAN;
    case 'object':
      if (value === null) return NULL;
      if (Array.isArray(value)) return ARRAY;
      if (value instanceof ExactNumber) return isIntegral(value) ? NUMBER | INTEGER : NUMBER;
      return OBJECT;
    default:
      return UNKNOWN;
  }
}
