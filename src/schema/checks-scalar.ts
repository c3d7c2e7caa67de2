import { ExactNumber } from '../base/index.js';
import { comparisonWith, divisionBy, type JsonNumber } from './decimal.js';
import { ValueSet } from './equality.js';
import { findFormat } from './formats.js';
import type { Linker } from './linker.js';
import { findPattern } from './pattern.js';
import { ANY_TYPE, type Check, INTEGER, NUMBER, STRING } from './rule.js';
import type { Site } from './site.js';
import { count, findNearest, listValues, showValue } from './wording.js';

/** `enum` and, from draft-06 on, `const`. */
export function checkValues(site: Site): Check[] {
  const checks: Check[] = [];
  const values = site.get('enum');
  if (Array.isArray(values)) checks.push(checkIsOneOf('enum', values));
  const constant = site.get('const');
  if (constant !== undefined) checks.push(checkIsOneOf('const', [constant]));
  return checks;
}

function checkIsOneOf(keyword: 'enum' | 'const', values: readonly unknown[]): Check {
  const allowed = new ValueSet(values);
  return {
    types: ANY_TYPE,
    holds: (value, run) => {
      if (allowed.has(value, run.spend)) return true;
      run.trace?.report({
        keyword,
        expected: values.length > 1 ? `one of ${listValues(values)}` : listValues(values) || 'no value at all',
        value,
        hint: suggest(findNearest(value, values)),
      });
      return false;
    },
  };
}

export function suggest(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `Did you mean ${JSON.stringify(name)}?`;
}

/** Draft-04 alone tells 1.0 from 1: it is no integer there. Only exact parsing keeps the difference. */
export function checkDraft04Integer(site: Site): Check[] {
  const types = [site.get('type')].flat();
  if (site.grammar.dialect !== 'draft-04' || !types.includes('integer') || types.includes('number')) return [];
  return [
    {
      types: INTEGER,
      holds: (value, run) => {
        if (!(value instanceof ExactNumber) || !/[.eE]/.test(value.text)) return true;
        run.trace?.report({
          keyword: 'type',
          expected: 'integer',
          value,
          received: 'number written with a fraction or an exponent',
        });
        return false;
      },
    },
  ];
}

export interface Bound {
  readonly keyword: string;
  readonly limit: JsonNumber;
  /** Whether a number compares with the limit as it should: given negative, zero or positive. */
  readonly admits: (order: number) => boolean;
  readonly relation: string;
}

/** `minimum`, `maximum`, their exclusive forms in either grammar, and `multipleOf`. */
export function checkNumbers(site: Site): Check[] {
  const checks = boundsOf(site).map(checkBound);
  const divisor = site.get('multipleOf');
  if (divisor !== undefined) checks.push(checkMultipleOf(divisor as JsonNumber));
  return checks;
}

/** The bounds a schema sets, whichever way its dialect writes them. */
export function boundsOf(site: Site): Bound[] {
  const bounds: Bound[] = [];
  const add = (keyword: string, isExclusive: boolean): void => {
    const limit = site.get(keyword);
    if (limit === undefined || typeof limit === 'boolean') return;
    const isLower = keyword.toLowerCase().endsWith('minimum');
    const sign = isLower ? 1 : -1;
    const admits = isExclusive ? (order: number) => order * sign > 0 : (order: number) => order * sign >= 0;
    bounds.push({
      keyword,
      limit: limit as JsonNumber,
      admits,
      relation: `${isLower ? '>' : '<'}${isExclusive ? '' : '='}`,
    });
  };
  // In draft-04 the exclusive keyword is a boolean that changes its neighbour.
  add('minimum', site.get('exclusiveMinimum') === true);
  add('maximum', site.get('exclusiveMaximum') === true);
  add('exclusiveMinimum', true);
  add('exclusiveMaximum', true);
  return bounds;
}

/** Units of work that reckoning with a number past a double takes. */
const WORK_OF_EXACT = 4;

function checkBound({ keyword, limit, admits, relation }: Bound): Check {
  const compare = comparisonWith(limit);
  return {
    types: NUMBER | INTEGER,
    holds: (value, run) => {
      if (value instanceof ExactNumber) run.spend(WORK_OF_EXACT);
      if (admits(compare(value as JsonNumber))) return true;
      const received = relation.startsWith('>') ? 'a smaller number' : 'a larger number';
      run.trace?.report({ keyword, expected: `number ${relation} ${showValue(limit)}`, value, received });
      return false;
    },
  };
}

function checkMultipleOf(divisor: JsonNumber): Check {
  const isMultiple = divisionBy(divisor);
  return {
    types: NUMBER | INTEGER,
    holds: (value, run) => {
      if (value instanceof ExactNumber) run.spend(WORK_OF_EXACT + (value.text.length >> 3));
      if (isMultiple(value as JsonNumber)) return true;
      run.trace?.report({
        keyword: 'multipleOf',
        expected: `multiple of ${showValue(divisor)}`,
        value,
        received: 'another number',
      });
      return false;
    },
  };
}

/** `minLength`, `maxLength`, `pattern` and, where it is to be asserted, `format`. */
export function checkStrings(site: Site, linker: Linker): Check[] {
  return [...checkLength(site), ...checkPattern(site), ...(linker.assertsFormats ? checkFormat(site) : [])];
}

function checkLength(site: Site): Check[] {
  const least = numberOf(site.get('minLength')) ?? 0;
  const most = numberOf(site.get('maxLength')) ?? Number.POSITIVE_INFINITY;
  if (least === 0 && most === Number.POSITIVE_INFINITY) return [];
  const holds: Check['holds'] = (value, run) => {
    const text = value as string;
    // A character takes one or two units of a string, so counting is only needed in between.
    if (text.length >= least * 2 && text.length <= most) return true;
    const length = run.lengthOf(text);
    if (length >= least && length <= most) return true;
    const isShort = length < least;
    run.trace?.report({
      keyword: isShort ? 'minLength' : 'maxLength',
      expected: `string of at ${isShort ? 'least' : 'most'} ${count(isShort ? least : most, 'character')}`,
      value,
      received: `string of ${count(length, 'character')}`,
    });
    return false;
  };
  return [{ types: STRING, holds }];
}

/** A count may be written as 1e400: no value is that long, so any large double will do. */
export function numberOf(value: unknown): number | undefined {
  return value instanceof ExactNumber ? Number(value.text) : (value as number | undefined);
}

function checkPattern(site: Site): Check[] {
  const source = site.get('pattern');
  const pattern = typeof source === 'string' ? findPattern(source) : undefined;
  if (pattern === undefined || 'problem' in pattern) return [];
  const holds: Check['holds'] = (value, run) => {
    if (pattern.test(value as string, run.spend)) return true;
    run.trace?.report({
      keyword: 'pattern',
      expected: `string matching ${pattern.source}`,
      value,
      received: 'one that does not match',
    });
    return false;
  };
  return [{ types: STRING, holds }];
}

function checkFormat(site: Site): Check[] {
  const name = site.get('format');
  const format = typeof name === 'string' ? findFormat(name) : undefined;
  if (format === undefined) return [];
  const holds: Check['holds'] = (value, run) => {
    run.spend((value as string).length >> 4);
    if (format.matches(value as string)) return true;
    run.trace?.report({
      keyword: 'format',
      expected: format.expected,
      value,
      received: 'another string',
      hint: format.hint,
    });
    return false;
  };
  return [{ types: STRING, holds }];
}
