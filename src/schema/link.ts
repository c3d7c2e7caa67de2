import { checkArrays, checkUnevaluatedItems } from './checks-array.js';
import { checkLogic } from './checks-logic.js';
import { checkObjects, checkUnevaluatedProperties } from './checks-object.js';
import { checkDraft04Integer, checkNumbers, checkStrings, checkValues } from './checks-scalar.js';
import type { Linker } from './linker.js';
import { ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, OBJECT, Rule, STRING } from './rule.js';
import type { Site } from './site.js';
import type { Survey } from './survey.js';
import { joinWords } from './wording.js';

/** A surveyed schema made ready to judge by. */
export interface RuleSet {
  readonly root: Rule;
  /** Whether some reference depends on the way evaluation came. */
  readonly isDynamic: boolean;
}

const TYPE_BITS: Readonly<Record<string, number>> = {
  null: NULL,
  boolean: BOOLEAN,
  number: NUMBER,
  integer: INTEGER,
  string: STRING,
  array: ARRAY,
  object: OBJECT,
};

/** Makes the rules of a schema. Never fails on what the survey let pass. */
export function linkRules({ root, sites }: Survey, assertsFormats: boolean): RuleSet {
  const rules = new Map<Site, Rule>();
  for (const site of sites)
    rules.set(site, new Rule(site.resource, typeof site.schema === 'boolean' ? site.schema : undefined));
  const isDynamic = sites.some(({ dynamicReference }) => dynamicReference?.anchor !== undefined);
  // A schema that is nothing but a reference is its target, unless the resource it is in makes a difference.
  const ruleOf = (site: Site): Rule =>
    rules.get(isDynamic || site.reference === undefined ? site : endOfReferences(site))!;
  const linker: Linker = { assertsFormats, ruleOf };
  for (const [site, rule] of rules) if (typeof site.schema !== 'boolean') equipRule(rule, site, linker);
  return { root: ruleOf(root), isDynamic };
}

/** Where a schema that is nothing but a reference leads in the end; any other is its own end. */
export function endOfReferences(site: Site): Site {
  const passed: Site[] = [];
  let end = site;
  while (end.reference !== undefined && isOnlyReference(end)) {
    passed.push(end);
    end = end.reference;
  }
  // The next that comes by need not walk the whole chain again.
  for (const each of passed) each.reference = end;
  return end;
}

function isOnlyReference(site: Site): boolean {
  const isIdle = (keyword: string): boolean => HARMLESS.has(keyword) || site.get(keyword) === undefined;
  return Object.keys(site.schema).every((keyword) => keyword === '$ref' || isIdle(keyword));
}

/** Keywords that judge nothing. */
export const HARMLESS: ReadonlySet<string> = new Set(
  '$schema $id $anchor $defs definitions $comment title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
);

function equipRule(rule: Rule, site: Site, linker: Linker): void {
  const type = site.get('type');
  if (type !== undefined) {
    const names = [type].flat() as string[];
    rule.types = names.reduce((bits, name) => bits | TYPE_BITS[name]!, 0);
    rule.typeNames = joinWords(names);
  }
  const unevaluated = [...checkUnevaluatedItems(site, linker), ...checkUnevaluatedProperties(site, linker)];
  rule.asksMarks = unevaluated.length > 0;
  rule.checks = [
    ...checkValues(site),
    ...checkDraft04Integer(site),
    ...checkNumbers(site),
    ...checkStrings(site, linker),
    ...checkArrays(site, linker),
    ...checkObjects(site, linker),
    ...checkLogic(site, linker),
    ...unevaluated,
  ].filter((check) => (check.types & rule.types) !== 0);
}
