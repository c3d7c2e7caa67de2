import type { Linker } from './linker.js';
import { Marks } from './marks.js';
import { ANY_TYPE, type Check, OBJECT, type Rule, type Run } from './rule.js';
import type { Site } from './site.js';
import type { Issue } from './types.js';
import { describeType, joinWords } from './wording.js';

/** Keywords that judge any value by other schemas, references first. */
export function checkLogic(site: Site, linker: Linker): Check[] {
  return [
    ...checkReferences(site, linker),
    ...checkAllOf(site, linker),
    ...checkAlternatives(site, linker, 'anyOf'),
    ...checkAlternatives(site, linker, 'oneOf'),
    ...checkNot(site, linker),
    ...checkIf(site, linker),
  ];
}

function checkReferences(site: Site, linker: Linker): Check[] {
  const checks: Check[] = [];
  if (site.reference !== undefined) checks.push(checkWhole(linker.ruleOf(site.reference)));
  if (site.dynamicReference === undefined) return checks;
  const { anchor, initial } = site.dynamicReference;
  const start = linker.ruleOf(initial);
  if (anchor === undefined) return [...checks, checkWhole(start)];
  const holds: Check['holds'] = (value, run, marks) => {
    // The outermost resource on the way that has the anchor is the one that counts.
    const found = run.scope?.find((resource) => resource.dynamicAnchors.has(anchor))?.dynamicAnchors.get(anchor);
    return run.accepts(found === undefined ? start : linker.ruleOf(found), value, marks);
  };
  return [...checks, { types: ANY_TYPE, holds }];
}

function checkWhole(rule: Rule): Check {
  return { types: ANY_TYPE, holds: (value, run, marks) => run.accepts(rule, value, marks) };
}

function rulesOf(site: Site, linker: Linker, keyword: string): Rule[] {
  const schemas = site.get(keyword);
  return Array.isArray(schemas) ? schemas.map((_, index) => linker.ruleOf(site.child(keyword, index)!)) : [];
}

function checkAllOf(site: Site, linker: Linker): Check[] {
  return rulesOf(site, linker, 'allOf').map(checkWhole);
}

function checkAlternatives(site: Site, linker: Linker, keyword: 'anyOf' | 'oneOf'): Check[] {
  const rules = rulesOf(site, linker, keyword);
  if (rules.length === 0) return [];
  const most = keyword === 'anyOf' ? rules.length : 1;
  const titles = rules.map((_, index) => titleOf(site, keyword, index));
  const holds: Check['holds'] = (value, run, marks) => {
    const fitting: number[] = [];
    for (let index = 0; index < rules.length; index += 1) {
      const own = marks && new Marks();
      if (!run.acceptsQuietly(rules[index]!, value, own)) continue;
      fitting.push(index);
      if (own !== undefined) marks?.addAll(own);
      // Whoever asks for marks needs those of every alternative that fits.
      if (keyword === 'anyOf' && marks === undefined) return true;
      if (fitting.length > most) break;
    }
    if (fitting.length > 0 && fitting.length <= most) return true;
    if (run.trace === undefined) return false;
    if (fitting.length > 0) reportTooMany(run, value, { titles, fitting });
    else reportNone(run, value, { keyword, titles, reasons: reasonsOf(rules, value, run) });
    return false;
  };
  return [{ types: ANY_TYPE, holds }];
}

/** What each alternative has against the value; nothing where too many were asked already. */
function reasonsOf(rules: readonly Rule[], value: unknown, run: Run): (readonly Issue[])[] {
  if (!run.trace!.mayExplore(rules.length)) return [];
  return rules.map((rule) => {
    const trace = run.trace!.branch();
    run.tries(rule, value, undefined, trace);
    return trace.issues;
  });
}

function titleOf(site: Site, keyword: string, index: number): string {
  const title = site.child(keyword, index)!.get('title');
  return typeof title === 'string' && title !== '' ? `${index + 1} (${title.slice(0, 60)})` : `${index + 1}`;
}

interface TooMany {
  readonly titles: readonly string[];
  readonly fitting: readonly number[];
}

function reportTooMany(run: Run, value: unknown, { titles, fitting }: TooMany): void {
  const matched = fitting.map((index) => titles[index]!).join(' and ');
  run.trace?.report({
    keyword: 'oneOf',
    expected: `exactly one of ${titles.length} alternatives`,
    value,
    message: `expected exactly one of ${titles.length} alternatives, got a value that fits ${matched} alike`,
  });
}

interface NoneFits {
  readonly keyword: string;
  readonly titles: readonly string[];
  /** What each alternative had against the value. */
  readonly reasons: readonly (readonly Issue[])[];
}

function reportNone(run: Run, value: unknown, { keyword, titles, reasons }: NoneFits): void {
  if (run.trace === undefined) return;
  const { pointer } = run.trace;
  const isWord = ([first, ...others]: readonly Issue[]): boolean =>
    others.length === 0 && first?.pointer === pointer && WORDS.has(first.keyword);
  if (reasons.length > 0 && reasons.every(isWord)) {
    // `string or null`: nothing is gained by speaking of alternatives where each of them is said in a word.
    const expected = joinWords([...new Set(reasons.map(([first]) => first!.expected))]);
    run.trace.report({ keyword, expected, value, hint: reasons.flat().find(({ hint }) => hint !== undefined)?.hint });
    return;
  }
  const expected = `one of ${titles.length} alternatives`;
  const fitsNone = `expected ${expected}, got ${describeType(value)} that fits none`;
  if (reasons.length === 0) {
    run.trace.report({ keyword, expected, value, message: fitsNone });
    return;
  }
  const distances = reasons.map((issues) => distanceOf(issues, pointer));
  const closest = distances.indexOf(Math.min(...distances));
  const [reason] = reasons[closest]!;
  const message = `${fitsNone}; closest is ${titles[closest]}: ${reason!.path} ${reason!.message}`;
  run.trace.report({ keyword, expected, value, message, hint: reason!.hint });
}

/** Keywords whose issues say in a word or two what the value should be. */
const WORDS: ReadonlySet<string> = new Set(['type', 'enum', 'const']);

/**
 * How far an alternative is from what was meant. One that wants another type altogether, or another value of the member
 * by which alternatives are told apart, was hardly meant; one that only lacks a member may well have been.
 */
function distanceOf(issues: readonly Issue[], pointer: string): number {
  let distance = 0;
  for (const issue of issues) {
    if (issue.keyword === 'type' && issue.pointer === pointer) distance += 100;
    else if (issue.keyword === 'const' || issue.keyword === 'enum') distance += 20;
    else distance += issue.keyword === 'required' ? 3 : 2;
  }
  return distance;
}

function checkNot(site: Site, linker: Linker): Check[] {
  const child = site.child('not');
  if (child === undefined) return [];
  const rule = linker.ruleOf(child);
  const holds: Check['holds'] = (value, run) => {
    if (!run.acceptsQuietly(rule, value, undefined)) return true;
    run.trace?.report({ keyword: 'not', expected: 'a value other than "not" describes', value });
    return false;
  };
  return [{ types: ANY_TYPE, holds }];
}

function checkIf(site: Site, linker: Linker): Check[] {
  const condition = site.child('if');
  if (condition === undefined) return [];
  const rule = linker.ruleOf(condition);
  const [positive, negative] = [site.child('then'), site.child('else')].map((child) => child && linker.ruleOf(child));
  const holds: Check['holds'] = (value, run, marks) => {
    const own = marks && new Marks();
    const applies = run.acceptsQuietly(rule, value, own);
    if (applies && own !== undefined) marks?.addAll(own);
    const next = applies ? positive : negative;
    return next === undefined || run.accepts(next, value, marks);
  };
  return [{ types: ANY_TYPE, holds }];
}

/** `dependentSchemas` and, before 2019-09, the schemas in `dependencies`. */
export function checkDependentSchemas(site: Site, linker: Linker): Check[] {
  const keyword = site.isClassic ? 'dependencies' : 'dependentSchemas';
  const names = Object.keys((site.get(keyword) as object | undefined) ?? {});
  const rules = names.flatMap((name) => {
    const child = site.child(keyword, name);
    return child === undefined ? [] : [{ name, rule: linker.ruleOf(child) }];
  });
  if (rules.length === 0) return [];
  const holds: Check['holds'] = (value, run, marks) => {
    run.spend(rules.length);
    let accepted = true;
    for (const { name, rule } of rules) {
      if (!Object.hasOwn(value as object, name) || run.accepts(rule, value, marks)) continue;
      accepted = false;
      if (run.trace === undefined) break;
    }
    return accepted;
  };
  return [{ types: OBJECT, holds }];
}
