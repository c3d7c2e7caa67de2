import { numberOf, suggest } from './checks-scalar.js';
import type { Linker } from './linker.js';
import { findPattern, type Pattern } from './pattern.js';
import { type Check, OBJECT, type Rule, type Run } from './rule.js';
import type { Site } from './site.js';
import { count, findNearest } from './wording.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** `required`, `minProperties` and `maxProperties`. */
export function checkSize(site: Site): Check[] {
  return [...checkRequired(site), ...checkMemberCount(site)];
}

function checkRequired(site: Site): Check[] {
  const names = site.get('required');
  if (!Array.isArray(names) || names.length === 0) return [];
  const properties = site.get('properties') ?? {};
  const holds: Check['holds'] = (value, run) => {
    run.spend(names.length >> 2);
    let accepted = true;
    for (const name of names as string[]) {
      if (Object.hasOwn(value as object, name)) continue;
      accepted = false;
      if (run.trace === undefined) break;
      reportMissing(run, value as JsonObject, { keyword: 'required', name, properties });
    }
    return accepted;
  };
  return [{ types: OBJECT, holds }];
}

interface Missing {
  readonly keyword: string;
  readonly name: string;
  readonly properties: object;
  readonly because?: string;
}

function reportMissing(run: Run, value: JsonObject, { keyword, name, properties, because = '' }: Missing): void {
  const strangers = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  const nearest = findNearest(name, strangers);
  run.trace?.report({
    keyword,
    expected: `property ${JSON.stringify(name)}${because}`,
    value,
    received: 'object without it',
    hint: nearest === undefined ? undefined : `Is ${JSON.stringify(nearest)} meant to be ${JSON.stringify(name)}?`,
  });
}

function checkMemberCount(site: Site): Check[] {
  const least = numberOf(site.get('minProperties')) ?? 0;
  const most = numberOf(site.get('maxProperties')) ?? Number.POSITIVE_INFINITY;
  if (least === 0 && most === Number.POSITIVE_INFINITY) return [];
  const holds: Check['holds'] = (value, run) => {
    const { length } = Object.keys(value as object);
    run.spend(length >> 1);
    if (length >= least && length <= most) return true;
    const isFew = length < least;
    run.trace?.report({
      keyword: isFew ? 'minProperties' : 'maxProperties',
      expected: `object of at ${isFew ? 'least' : 'most'} ${count(isFew ? least : most, 'property')}`,
      value,
      received: `object of ${count(length, 'property')}`,
    });
    return false;
  };
  return [{ types: OBJECT, holds }];
}

interface MemberRules {
  readonly byName: ReadonlyMap<string, Rule>;
  readonly byPattern: readonly { readonly pattern: Pattern; readonly rule: Rule }[];
  /** A pattern cannot be enforced, so any other name may be one that it is about. */
  readonly isVague: boolean;
  readonly others: Rule | undefined;
}

/** `properties`, `patternProperties` and `additionalProperties`. */
export function checkMembers(site: Site, linker: Linker): Check[] {
  const rules = memberRulesOf(site, linker);
  const { byName, byPattern, others } = rules;
  if (byName.size === 0 && byPattern.length === 0 && others === undefined) return [];
  const holds: Check['holds'] = (value, run, marks) => {
    const names = Object.keys(value as object);
    run.spend(names.length);
    let accepted = true;
    for (const name of names) {
      const member = (value as JsonObject)[name];
      const verdict = judgeMember(rules, name, member, run);
      if (verdict !== undefined) marks?.addName(name);
      if (verdict !== false) continue;
      accepted = false;
      if (run.trace === undefined) break;
    }
    return accepted;
  };
  return [{ types: OBJECT, holds }];
}

function memberRulesOf(site: Site, linker: Linker): MemberRules {
  const namesOf = (keyword: string): string[] => Object.keys((site.get(keyword) as object | undefined) ?? {});
  const byName = new Map(namesOf('properties').map((name) => [name, linker.ruleOf(site.child('properties', name)!)]));
  const byPattern: { pattern: Pattern; rule: Rule }[] = [];
  let isVague = false;
  for (const source of namesOf('patternProperties')) {
    const pattern = findPattern(source);
    if ('problem' in pattern) isVague = true;
    else byPattern.push({ pattern, rule: linker.ruleOf(site.child('patternProperties', source)!) });
  }
  const others = site.child('additionalProperties');
  return { byName, byPattern, isVague, others: others && linker.ruleOf(others) };
}

/** @returns undefined where no rule is about this member */
function judgeMember(rules: MemberRules, name: string, member: unknown, run: Run): boolean | undefined {
  const named = rules.byName.get(name);
  let verdict = named === undefined ? undefined : run.acceptsInside(named, member, name);
  for (const { pattern, rule } of rules.byPattern) {
    if (!pattern.test(name, run.spend)) continue;
    verdict = run.acceptsInside(rule, member, name) && verdict !== false;
  }
  if (verdict !== undefined || rules.others === undefined || rules.isVague) return verdict;
  if (rules.others.fixed !== false) return run.acceptsInside(rules.others, member, name);
  reportStranger(run, 'additionalProperties', name, rules.byName.keys());
  return false;
}

function reportStranger(run: Run, keyword: string, name: string, known: Iterable<string>): void {
  run.trace?.report({
    keyword,
    expected: `no property ${JSON.stringify(name)}`,
    value: {},
    received: 'object with it',
    hint: suggest(findNearest(name, known)),
  });
}

/** `propertyNames` */
export function checkNames(site: Site, linker: Linker): Check[] {
  const child = site.child('propertyNames');
  if (child === undefined) return [];
  const rule = linker.ruleOf(child);
  const holds: Check['holds'] = (value, run) => {
    const names = Object.keys(value as object);
    run.spend(names.length);
    let accepted = true;
    for (const name of names) {
      if (run.trace === undefined) {
        if (!run.accepts(rule, name, undefined)) return false;
        continue;
      }
      const trace = run.trace.branch();
      if (run.tries(rule, name, undefined, trace)) continue;
      accepted = false;
      const [reason] = trace.issues;
      run.trace.report({
        keyword: 'propertyNames',
        expected: `another name than ${JSON.stringify(name)}: ${reason?.expected ?? 'it is refused'}`,
        value: {},
        received: 'object with it',
        hint: reason?.hint,
      });
    }
    return accepted;
  };
  return [{ types: OBJECT, holds }];
}

/** `dependentRequired` and, before 2019-09, the lists in `dependencies`. */
export function checkDependentNames(site: Site): Check[] {
  const keyword = site.get('dependentRequired') === undefined ? 'dependencies' : 'dependentRequired';
  if (keyword === 'dependencies' && !site.isClassic) return [];
  const lists = Object.entries((site.get(keyword) as object | undefined) ?? {}).filter(([, names]) =>
    Array.isArray(names),
  );
  if (lists.length === 0) return [];
  const properties = site.get('properties') ?? {};
  const holds: Check['holds'] = (value, run) => {
    let accepted = true;
    run.spend(lists.length);
    for (const [cause, names] of lists as [string, string[]][]) {
      if (!Object.hasOwn(value as object, cause)) continue;
      run.spend(names.length >> 2);
      for (const name of names) {
        if (Object.hasOwn(value as object, name)) continue;
        accepted = false;
        if (run.trace === undefined) return false;
        const because = `, for there is ${JSON.stringify(cause)}`;
        reportMissing(run, value as JsonObject, { keyword, name, properties, because });
      }
    }
    return accepted;
  };
  return [{ types: OBJECT, holds }];
}

/** `unevaluatedProperties`: asks after all others what they looked at. */
export function checkUnevaluatedProperties(site: Site, linker: Linker): Check[] {
  const child = site.child('unevaluatedProperties');
  if (child === undefined) return [];
  const rule = linker.ruleOf(child);
  const known = Object.keys((site.get('properties') as object | undefined) ?? {});
  const holds: Check['holds'] = (value, run, marks) => {
    const names = Object.keys(value as object);
    run.spend(names.length);
    let accepted = true;
    for (const name of names) {
      if (marks?.hasName(name)) continue;
      if (rule.fixed === false) reportStranger(run, 'unevaluatedProperties', name, known);
      else if (run.acceptsInside(rule, (value as JsonObject)[name], name)) continue;
      accepted = false;
      if (run.trace === undefined) break;
    }
    marks?.addAllNames();
    return accepted;
  };
  return [{ types: OBJECT, holds }];
}
