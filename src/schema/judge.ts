import { parseExactJson, parseJson } from '../base/index.js';
import type { RuleSet } from './link.js';
import { GaveUp, Run } from './run.js';
import { Trace, TraceFull } from './trace.js';
import type { Dialect, Issue, Judge, Verdict } from './types.js';
import { describeType } from './wording.js';

const VALID: Verdict = Object.freeze({ valid: true });

/** How a judge gets what it judges by, when it first needs it. */
export interface Recipe {
  readonly dialect: Dialect;
  readonly digest: string;
  readonly looksIntoStrings: boolean;
  readonly maxValueDepth: number;
  readonly showReceived: boolean;
  readonly formats: 'ignore' | 'report' | 'assert';
  /** Makes the rules; asked again where they were dropped to save memory. */
  link(assertsFormats: boolean): RuleSet;
}

export class SchemaJudge implements Judge {
  readonly dialect: Dialect;
  readonly digest: string;
  readonly looksIntoStrings: boolean;
  readonly #recipe: Recipe;
  #rules: RuleSet | undefined;
  #formatRules: RuleSet | undefined;

  constructor(recipe: Recipe) {
    this.dialect = recipe.dialect;
    this.digest = recipe.digest;
    this.looksIntoStrings = recipe.looksIntoStrings;
    this.#recipe = recipe;
  }

  check(input: unknown): Verdict {
    if (typeof input !== 'string') return this.checkValue(input);
    try {
      // In draft-04 1.0 is no integer, and native parsing would not tell.
      const parse = this.dialect === 'draft-04' ? parseExactJson : parseJson;
      return this.checkValue(
        parse(input, { maxDepth: this.#recipe.maxValueDepth, keepFractions: this.dialect === 'draft-04' }),
      );
    } catch (thrown) {
      return gaveUp(thrown, 'text');
    }
  }

  checkValue(value: unknown): Verdict {
    try {
      this.#rules ??= this.#recipe.link(this.#recipe.formats === 'assert');
      const run = this.#start(value, this.#rules);
      if (!run.accepts(this.#rules.root, value, undefined)) return this.#explain(value, this.#rules);
      return this.#recipe.formats === 'report' ? this.#reportFormats(value) : VALID;
    } catch (thrown) {
      return gaveUp(thrown, value);
    }
  }

  #start(value: unknown, { isDynamic }: RuleSet, trace?: Trace): Run {
    return new Run(value, { maxValueDepth: this.#recipe.maxValueDepth, isDynamic }, trace);
  }

  #explain(value: unknown, rules: RuleSet): Verdict {
    const trace = new Trace(this.#recipe.showReceived);
    let truncated = false;
    try {
      this.#start(value, rules, trace).accepts(rules.root, value, undefined);
    } catch (thrown) {
      // Explaining costs more than deciding: what was found until here is still true.
      truncated = thrown instanceof TraceFull || (thrown instanceof GaveUp && trace.issues.length > 0);
      if (!truncated) throw thrown;
    }
    return { valid: false, issues: trace.issues, truncated };
  }

  /** The value is valid; formats are judged apart, so that a wrong one cannot change the verdict. */
  #reportFormats(value: unknown): Verdict {
    this.#formatRules ??= this.#recipe.link(true);
    const verdict = this.#explain(value, this.#formatRules);
    const warnings = verdict.valid ? [] : verdict.issues;
    return warnings.length === 0 ? VALID : { valid: true, warnings };
  }
}

/** The judge did not get to a verdict. Closed: nothing is let through that was not judged. */
function gaveUp(thrown: unknown, value: unknown): Verdict {
  const isKnown = thrown instanceof GaveUp || thrown instanceof SyntaxError;
  const message = isKnown ? thrown.message : `the value could not be judged: ${String(thrown)}`;
  const expected = 'a value that can be judged';
  const issue: Issue = { path: '$', pointer: '', keyword: 'judge', expected, received: describeType(value), message };
  return { valid: false, issues: [issue], truncated: false, gaveUp: true };
}
