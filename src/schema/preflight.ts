import { ExactNumber } from '../base/index.js';
import type { Grammar, Shape } from './keywords.js';
import { findShapeProblem, isSchema } from './shapes.js';
import type { RawSchema } from './site.js';
import { readsStrings } from './strings.js';
import type { SchemaLimits } from './types.js';

/** Keywords that want a full survey: they name schemas, lead to others, or may have to be warned about. */
const NOT_PLAIN: ReadonlySet<string> = new Set(
  '$id id $anchor $dynamicAnchor $recursiveAnchor $ref $dynamicRef $recursiveRef pattern patternProperties'.split(' '),
);

/** Of a larger schema both a look and a survey would take noticeable time; the survey alone is kept for its first check. */
const MOST_AT_A_GLANCE = 400;

export interface PreflightOptions {
  readonly grammar: Grammar;
  readonly limits: SchemaLimits;
  readonly readsFormats: boolean;
}

/**
 * Looks over a schema at list time. Nine tools in ten have plain schemas, without references, names or patterns; those
 * are found fit here in a fraction of what a survey costs, and most of them will never be judged by. Whatever is found fit
 * here is found fit by the survey, too.
 *
 * @returns what a survey would say of it; undefined where only a survey can tell
 */
export function preflight(schema: RawSchema, options: PreflightOptions): { looksIntoStrings: boolean } | undefined {
  // Boolean schemas and old bounds make draft-04 a case apart.
  if (options.grammar.dialect === 'draft-04') return undefined;
  const { maxSubschemas, maxDepth, maxExpansion } = options.limits;
  const most = Math.min(maxSubschemas, maxExpansion, MOST_AT_A_GLANCE);
  let looksIntoStrings = false;
  let level: unknown[] = [schema];
  let count = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    count += level.length;
    if (count > most || depth > maxDepth) return undefined;
    const next: unknown[] = [];
    for (const each of level) {
      if (!isSchema(each)) return undefined;
      if (typeof each === 'boolean') continue;
      const looks = lookOver(each, options, next);
      if (looks === undefined) return undefined;
      looksIntoStrings ||= looks;
    }
    level = next;
  }
  return { looksIntoStrings };
}

type Members = Readonly<Record<string, unknown>>;

/** @returns whether one schema reads strings; undefined where it is not plain, or not fit. Adds those inside it to `next`. */
function lookOver(
  schema: Members,
  { grammar, limits, readsFormats }: PreflightOptions,
  next: unknown[],
): boolean | undefined {
  let looks = false;
  for (const keyword of Object.keys(schema)) {
    const shape = grammar.shapes.get(keyword);
    if (shape === undefined) continue;
    const value = schema[keyword];
    if (NOT_PLAIN.has(keyword) || value instanceof ExactNumber) return undefined;
    if (findShapeProblem(shape, value) !== undefined || !addInside(shape, value, next, limits)) return undefined;
    if (keyword === 'enum' && (value as unknown[]).length > limits.maxEnum) return undefined;
    looks ||= readsStrings(keyword, value, readsFormats);
  }
  return looks;
}

/** @returns false where a bound is passed, or where it takes a survey to see what is inside */
function addInside(shape: Shape, value: unknown, next: unknown[], { maxProperties }: SchemaLimits): boolean {
  switch (shape) {
    case 'schema':
      next.push(value);
      return true;
    case 'schemas':
      next.push(...(value as unknown[]));
      return true;
    case 'schemaOrSchemas':
      if (Array.isArray(value)) next.push(...value);
      else next.push(value);
      return true;
    case 'schemaMap': {
      const schemas = Object.values(value as Members);
      next.push(...schemas);
      return schemas.length <= maxProperties;
    }
    case 'dependencies':
      return false;
    case 'names':
    case 'nameLists':
      return Object.keys(value as object).length <= maxProperties;
    default:
      return true;
  }
}
