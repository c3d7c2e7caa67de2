import { numberOf } from './checks-scalar.js';
import { findDuplicate } from './equality.js';
import type { Linker } from './linker.js';
import { ARRAY, type Check, type Rule } from './rule.js';
import type { Site } from './site.js';
import { count } from './wording.js';

/** Keywords about arrays, save `unevaluatedItems`. */
export function checkArrays(site: Site, linker: Linker): Check[] {
  return [...checkItemCount(site), ...checkUnique(site), ...checkItems(site, linker), ...checkContains(site, linker)];
}

function checkItemCount(site: Site): Check[] {
  const least = numberOf(site.get('minItems')) ?? 0;
  const most = numberOf(site.get('maxItems')) ?? Number.POSITIVE_INFINITY;
  if (least === 0 && most === Number.POSITIVE_INFINITY) return [];
  const holds: Check['holds'] = (value, run) => {
    const { length } = value as unknown[];
    if (length >= least && length <= most) return true;
    const isShort = length < least;
    run.trace?.report({
      keyword: isShort ? 'minItems' : 'maxItems',
      expected: `array of at ${isShort ? 'least' : 'most'} ${count(isShort ? least : most, 'item')}`,
      value,
      received: `array of ${count(length, 'item')}`,
    });
    return false;
  };
  return [{ types: ARRAY, holds }];
}

function checkUnique(site: Site): Check[] {
  if (site.get('uniqueItems') !== true) return [];
  const holds: Check['holds'] = (value, run) => {
    const items = value as unknown[];
    const duplicate = findDuplicate(items, run.spend);
    if (duplicate < 0) return true;
    run.trace?.report({
      keyword: 'uniqueItems',
      expected: 'array of different items',
      value,
      received: `array in which item ${duplicate} repeats an earlier one`,
    });
    return false;
  };
  return [{ types: ARRAY, holds }];
}

/** `prefixItems` with `items`, or before 2020-12 the array form of `items` with `additionalItems`. */
function checkItems(site: Site, linker: Linker): Check[] {
  const prefixKeyword = site.get('prefixItems') === undefined ? 'items' : 'prefixItems';
  const prefixSchemas = site.get(prefixKeyword);
  const prefix = Array.isArray(prefixSchemas)
    ? prefixSchemas.map((_, index) => linker.ruleOf(site.child(prefixKeyword, index)!))
    : [];
  const isTuple = Array.isArray(site.get('items'));
  const restKeyword = isTuple ? 'additionalItems' : 'items';
  const restSite = site.child(restKeyword);
  const rest = restSite && linker.ruleOf(restSite);
  if (prefix.length === 0 && rest === undefined) return [];
  const holds: Check['holds'] = (value, run, marks) => {
    const items = value as unknown[];
    marks?.addItems(rest === undefined ? prefix.length : items.length);
    if (rest?.fixed === false && items.length > prefix.length) {
      run.trace?.report({
        keyword: restKeyword,
        expected: `array of at most ${count(prefix.length, 'item')}`,
        value,
        received: `array of ${count(items.length, 'item')}`,
      });
      return false;
    }
    run.spend(items.length >> 2);
    let accepted = true;
    for (let index = 0; index < items.length; index += 1) {
      const rule = prefix[index] ?? rest;
      if (rule === undefined) break;
      if (run.acceptsInside(rule, items[index], index)) continue;
      accepted = false;
      if (run.trace === undefined) break;
    }
    return accepted;
  };
  return [{ types: ARRAY, holds }];
}

function checkContains(site: Site, linker: Linker): Check[] {
  const contained = site.child('contains');
  if (contained === undefined) return [];
  const rule: Rule = linker.ruleOf(contained);
  const least = numberOf(site.get('minContains')) ?? 1;
  const most = numberOf(site.get('maxContains')) ?? Number.POSITIVE_INFINITY;
  // Only from 2020-12 on does an item that is contained count as looked at.
  const marksItems = site.grammar.dialect === '2020-12';
  const holds: Check['holds'] = (value, run, marks) => {
    const items = value as unknown[];
    run.spend(items.length >> 2);
    let found = 0;
    for (let index = 0; index < items.length; index += 1) {
      if (!run.acceptsQuietly(rule, items[index], undefined)) continue;
      found += 1;
      if (marksItems) marks?.addItem(index);
    }
    if (found >= least && found <= most) return true;
    const isFew = found < least;
    run.trace?.report({
      keyword: isFew ? (least === 1 ? 'contains' : 'minContains') : 'maxContains',
      expected: `array with at ${isFew ? 'least' : 'most'} ${count(isFew ? least : most, 'item')} of the kind that "contains" describes`,
      value,
      received: `array with ${found}`,
    });
    return false;
  };
  return [{ types: ARRAY, holds }];
}

/** `unevaluatedItems`: asks after all others what they looked at. */
export function checkUnevaluatedItems(site: Site, linker: Linker): Check[] {
  const child = site.child('unevaluatedItems');
  if (child === undefined) return [];
  const rule = linker.ruleOf(child);
  const holds: Check['holds'] = (value, run, marks) => {
    const items = value as unknown[];
    run.spend(items.length);
    let accepted = true;
    for (let index = 0; index < items.length; index += 1) {
      if (marks?.hasItem(index) || run.acceptsInside(rule, items[index], index)) continue;
      accepted = false;
      if (run.trace === undefined) break;
    }
    marks?.addItems(items.length);
    return accepted;
  };
  return [{ types: ARRAY, holds }];
}
