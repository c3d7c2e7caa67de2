import { compareNumbers, isIntegral, isJsonNumber } from './decimal.js';
import { findDuplicate } from './equality.js';
import type { Shape } from './keywords.js';

const TYPE_NAMES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const FEW = 8;

interface ShapeRule {
  readonly fits: (value: unknown) => boolean;
  /** Follows "must be". */
  readonly wanted: string;
}

/** What each keyword's own value must look like. Schemas inside it are looked at one by one, later. */
const SHAPE_RULES: Readonly<Record<Shape, ShapeRule>> = {
  any: { fits: () => true, wanted: 'anything' },
  anchor: { fits: (value) => isString(value) && /^[A-Za-z_][-A-Za-z0-9._:]*$/.test(value), wanted: 'a plain name' },
  array: { fits: Array.isArray, wanted: 'an array' },
  boolean: { fits: (value) => typeof value === 'boolean', wanted: 'a boolean' },
  count: { fits: isCount, wanted: 'a whole number, zero or more' },
  dependencies: { fits: isRecord, wanted: 'an object' },
  distinct: { fits: (value) => isFilled(value) && isDistinct(value), wanted: 'a non-empty array of different values' },
  flags: { fits: (value) => isRecord(value) && Object.values(value).every(isBoolean), wanted: 'an object of booleans' },
  name: { fits: (value) => isString(value) && /^[^#]*#?$/.test(value), wanted: 'a URI without a fragment' },
  nameLists: {
    fits: (value) => isRecord(value) && Object.values(value).every(isNames),
    wanted: 'an object of string arrays',
  },
  names: { fits: isNames, wanted: 'an array of different strings' },
  number: { fits: isJsonNumber, wanted: 'a number' },
  positive: { fits: (value) => isJsonNumber(value) && compareNumbers(value, 0) > 0, wanted: 'a number above zero' },
  schema: { fits: isSchema, wanted: 'a schema: an object or a boolean' },
  schemaMap: { fits: isRecord, wanted: 'an object' },
  schemaOrBoolean: { fits: isSchema, wanted: 'a schema or a boolean' },
  schemaOrSchemas: {
    fits: (value) => isSchema(value) || isFilled(value),
    wanted: 'a schema or a non-empty array of schemas',
  },
  schemas: { fits: isFilled, wanted: 'a non-empty array of schemas' },
  someNames: { fits: (value) => isNames(value) && value.length > 0, wanted: 'a non-empty array of different strings' },
  string: { fits: isString, wanted: 'a string' },
  types: {
    fits: (value) =>
      TYPE_NAMES.has(value) || (isFilled(value) && isDistinct(value) && value.every((name) => TYPE_NAMES.has(name))),
    wanted: 'a type name or a non-empty array of different ones',
  },
};

/** @returns what the value must be; undefined where it is that */
export function findShapeProblem(shape: Shape, value: unknown): string | undefined {
  const { fits, wanted } = SHAPE_RULES[shape];
  return fits(value) ? undefined : `must be ${wanted}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonNumber(value);
}

/** Whether a value could be a schema at all. Draft-04 knows no boolean schemas: its walker sees to that. */
export function isSchema(value: unknown): value is boolean | Readonly<Record<string, unknown>> {
  return typeof value === 'boolean' || isRecord(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isCount(value: unknown): boolean {
  return isJsonNumber(value) && isIntegral(value) && compareNumbers(value, 0) >= 0;
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString) && isDistinct(value);
}

function isDistinct(values: readonly unknown[]): boolean {
  // Of a few strings it is quicker to look than to count.
  if (values.length <= FEW && values.every(isString))
    return values.every((value, index) => values.indexOf(value) === index);
  return findDuplicate(values) < 0;
}
