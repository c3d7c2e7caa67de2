import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import { mayHoldExactNumber, parseExactJson, parseJson, type TokenList } from '../base/index.js';
import type { Generated } from './generate.js';
import { linkRules, type RuleSet } from './link.js';
import type { Run } from './rule.js';
import { ValueRun } from './run.js';
import type { Survey } from './survey.js';
import { Trace, TraceFull } from './trace.js';
import type { Dialect, Issue, Judge, Verdict } from './types.js';
import { findEngine } from './warm-up.js';
import { describeType } from './wording.js';
import { GaveUp } from './work.js';

const VALID: Verdict = Object.freeze({ valid: true });

/** Judges that keep what they judge by; any other makes it anew when it is asked again. */
const MAX_WARM_JUDGES = 1_000;
const warmJudges = new LRUCache<SchemaJudge, true>({ max: MAX_WARM_JUDGES, dispose: (_, judge) => judge.forget() });
/** A judge tells that it is in use once in so many checks: telling costs as much as a small check. */
const TOUCH_EVERY_CHECKS = 64;

/** How a judge gets what it judges by, when it first needs it. */
export interface Recipe {
  readonly dialect: Dialect;
  /** What no other judge has: the schema and all that decides how it is read. */
  readonly identity: string;
  readonly looksIntoStrings: boolean;
  readonly maxValueDepth: number;
  readonly showReceived: boolean;
  readonly formats: 'ignore' | 'report' | 'assert';
  /** Surveys the schema once more. It was surveyed before, so this does not fail. */
  survey(): Survey;
}

export class SchemaJudge implements Judge {
  readonly dialect: Dialect;
  readonly looksIntoStrings: boolean;
  readonly #recipe: Recipe;
  #rules: RuleSet | undefined;
  #formatRules: RuleSet | undefined;
  /** Generated code; null where there will be none. */
  #generated: Generated | null | undefined;
  #checks = 0;
  #digest: string | undefined;

  constructor(recipe: Recipe) {
    this.dialect = recipe.dialect;
    this.looksIntoStrings = recipe.looksIntoStrings;
    this.#recipe = recipe;
  }

  /** Worked out when first asked for: hashing costs more than all the rest of a compilation. */
  get digest(): string {
    this.#digest ??= bytesToHex(sha256(utf8ToBytes(this.#recipe.identity)));
    return this.#digest;
  }

  check(input: unknown): Verdict {
    if (typeof input !== 'string') return this.checkValue(input);
    try {
      return this.checkValue(this.#parse(input));
    } catch (thrown) {
      return gaveUp(thrown, 'text');
    }
  }

  checkValue(value: unknown): Verdict {
    try {
      this.#count();
      if (this.#generated === undefined || this.#generated === null) return this.#decide(value);
      if (mayHoldExactNumber(value)) return this.#decide(value);
      return this.#accepts(this.#generated.check, value) ? this.#accept(value) : this.#explain(value, this.#getRules());
    } catch (thrown) {
      return gaveUp(thrown, value);
    }
  }

  acceptsText(bytes: Uint8Array, tokens: TokenList, token: number): boolean {
    // Formats are reported of valid values too.
    if (this.#recipe.formats === 'report' || !tokens.isWhole) return false;
    try {
      this.#count();
      return this.#generated?.acceptsText(bytes, tokens, token) ?? false;
    } catch {
      // It is judged once more then, properly.
      return false;
    }
  }

  /** Drops all that can be made anew. */
  forget(): void {
    this.#rules = undefined;
    this.#formatRules = undefined;
    this.#generated = undefined;
    this.#checks = 0;
  }

  #parse(text: string): unknown {
    const { maxValueDepth: maxDepth } = this.#recipe;
    // In draft-04 1.0 is no integer, and native parsing would not tell.
    if (this.dialect === 'draft-04') return parseExactJson(text, { maxDepth, keepFractions: true });
    return parseJson(text, { maxDepth });
  }

  #count(): void {
    if (this.#checks % TOUCH_EVERY_CHECKS === 0) warmJudges.set(this, true);
    if (this.#generated === undefined) this.#generate();
    this.#checks += 1;
  }

  #generate(): void {
    const generate = findEngine(this.#checks);
    if (generate !== undefined)
      this.#generated = generate(this.#recipe.survey(), this.#recipe.formats === 'assert') ?? null;
  }

  /** Generated code may fail on values that are nested too deeply; the rules then say so properly. */
  #accepts(generated: (value: unknown) => boolean, value: unknown): boolean {
    try {
      return generated(value);
    } catch {
      return false;
    }
  }

  #getRules(): RuleSet {
    this.#rules ??= linkRules(this.#recipe.survey(), this.#recipe.formats === 'assert');
    return this.#rules;
  }

  #decide(value: unknown): Verdict {
    const rules = this.#getRules();
    return this.#start(value, rules).accepts(rules.root, value, undefined)
      ? this.#accept(value)
      : this.#explain(value, rules, true);
  }

  #accept(value: unknown): Verdict {
    return this.#recipe.formats === 'report' ? this.#reportFormats(value) : VALID;
  }

  #start(value: unknown, { isDynamic }: RuleSet, trace?: Trace): Run {
    return new ValueRun(value, { maxValueDepth: this.#recipe.maxValueDepth, isDynamic }, trace);
  }

  /** @param isRefused whether the rules have refused the value already, so that only the reasons are wanted */
  #explain(value: unknown, rules: RuleSet, isRefused = false): Verdict {
    const trace = new Trace(this.#recipe.showReceived);
    try {
      // Rules have the last word: should generated code ever refuse what they accept, the value is valid.
      if (this.#start(value, rules, trace).accepts(rules.root, value, undefined)) return VALID;
      return { valid: false, issues: trace.issues, truncated: false };
    } catch (thrown) {
      if (thrown instanceof TraceFull) return { valid: false, issues: trace.issues, truncated: true };
      // Explaining costs more than deciding. What was found until here is still true.
      const isKnown = isRefused || trace.issues.length > 0;
      if (!(thrown instanceof GaveUp) || !isKnown) throw thrown;
      return { valid: false, issues: trace.issues.length > 0 ? trace.issues : [REFUSED], truncated: true };
    }
  }

  /** The value is valid; formats are judged apart, so that a wrong one cannot change the verdict. */
  #reportFormats(value: unknown): Verdict {
    this.#formatRules ??= linkRules(this.#recipe.survey(), true);
    const verdict = this.#explain(value, this.#formatRules);
    const warnings = verdict.valid ? [] : verdict.issues;
    return warnings.length === 0 ? VALID : { valid: true, warnings };
  }
}

/** A value that is refused, for reasons it would take too long to find. */
const REFUSED: Issue = Object.freeze({
  path: '$',
  pointer: '',
  keyword: 'judge',
  expected: 'a value that fits the schema',
  received: 'one that does not',
  message: 'the value does not fit the schema; finding out where takes too much work',
});

/** The judge did not get to a verdict. Closed: nothing is let through that was not judged. */
function gaveUp(thrown: unknown, value: unknown): Verdict {
  const isKnown = thrown instanceof GaveUp || thrown instanceof SyntaxError;
  const message = isKnown ? thrown.message : `the value could not be judged: ${String(thrown)}`;
  const expected = 'a value that can be judged';
  const issue: Issue = { path: '$', pointer: '', keyword: 'judge', expected, received: describeType(value), message };
  return { valid: false, issues: [issue], truncated: false, gaveUp: true };
}
