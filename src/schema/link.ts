import { checkArrays, checkUnevaluatedItems } from './checks-array.js';
import { checkDependentSchemas, checkLogic } from './checks-logic.js';
import {
  checkDependentNames,
  checkMembers,
  checkNames,
  checkSize,
  checkUnevaluatedProperties,
} from './checks-object.js';
import { checkDraft04Integer, checkNumbers, checkStrings, checkValues } from './checks-scalar.js';
import type { Linker } from './linker.js';
import {
  ANY_TYPE,
  ARRAY,
  BOOLEAN,
  type Check,
  type Equipment,
  INTEGER,
  NULL,
  NUMBER,
  OBJECT,
  Rule,
  STRING,
} from './rule.js';
import type { Site } from './site.js';
import type { Survey } from './survey.js';
import { joinWords, listValues } from './wording.js';

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

/** Makes the rules of a schema, as they are asked for. Never fails on what the survey let pass. */
export function linkRules({ root, sites }: Survey, assertsFormats: boolean): RuleSet {
  const rules = new Map<Site, Rule>();
  const isDynamic = sites.some(({ dynamicReference }) => dynamicReference?.anchor !== undefined);
  const ruleOf = (from: Site): Rule => {
    // A schema that is nothing but a reference is its target, unless the resource it is in makes a difference.
    const site = isDynamic || from.reference === undefined ? from : endOfReferences(from);
    const known = rules.get(site);
    if (known !== undefined) return known;
    const fixed = typeof site.schema === 'boolean' ? site.schema : undefined;
    const rule = new Rule(site.resource, fixed, () => equipmentOf(site, linker));
    rules.set(site, rule);
    return rule;
  };
  const linker: Linker = { assertsFormats, ruleOf };
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

type Maker = (site: Site, linker: Linker) => readonly Check[];

/** Who makes the checks of which keywords, in the order of the checks: what asks what others looked at comes last. */
const MAKERS: readonly (readonly [maker: Maker, keywords: readonly string[]])[] = [
  [checkValues, ['enum', 'const']],
  [checkDraft04Integer, ['type']],
  [checkNumbers, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
  [checkStrings, ['minLength', 'maxLength', 'pattern', 'format']],
  [checkArrays, ['minItems', 'maxItems', 'uniqueItems', 'items', 'prefixItems', 'contains']],
  [checkSize, ['required', 'minProperties', 'maxProperties']],
  [checkMembers, ['properties', 'patternProperties', 'additionalProperties']],
  [checkNames, ['propertyNames']],
  [checkDependentNames, ['dependentRequired', 'dependencies']],
  [checkLogic, ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if']],
  [checkDependentSchemas, ['dependentSchemas', 'dependencies']],
  [checkUnevaluatedItems, ['unevaluatedItems']],
  [checkUnevaluatedProperties, ['unevaluatedProperties']],
];

function equipmentOf(site: Site, linker: Linker): Equipment {
  const type = site.get('type');
  const names = type === undefined ? [] : ([type].flat() as string[]);
  const types = type === undefined ? ANY_TYPE : names.reduce((bits, name) => bits | TYPE_BITS[name]!, 0);
  const checks: Check[] = [];
  for (const [maker, keywords] of MAKERS) {
    if (keywords.some((keyword) => site.get(keyword) !== undefined)) checks.push(...maker(site, linker));
  }
  const asksMarks = site.child('unevaluatedItems') !== undefined || site.child('unevaluatedProperties') !== undefined;
  const values = site.get('enum');
  const typeHint = Array.isArray(values) ? `It must be one of ${listValues(values)}.` : undefined;
  return {
    types,
    typeNames: joinWords(names),
    typeHint,
    checks: checks.filter((check) => (check.types & types) !== 0),
    asksMarks,
  };
}
