import { isSameJson } from '../same-json.js';
import type { OriginalSchema } from './original.js';
import { DECIDING } from './rules.js';
import { isNode, type SchemaNode } from './types.js';

/** `allOf` in `allOf`: deeper, or in a circle, it is left as it is. */
const MAX_LEVELS = 16;
const OF_OBJECTS: ReadonlySet<string> = new Set(['type', 'properties', 'required']);

/**
 * A schema with its `allOf` put into it, where that says the same: one branch alone, or objects that stay open and do not
 * disagree about a member. Otherwise the schema as it was.
 */
export function withoutAllOf(node: SchemaNode, original: OriginalSchema, level = 0): SchemaNode {
  const { allOf, ...rest } = node;
  if (!Array.isArray(allOf) || level > MAX_LEVELS) return node;
  const branches: unknown[] = allOf.filter((branch) => branch !== true);
  if (branches.length === 0) return rest;
  const decides = Object.keys(rest).some((keyword) => DECIDING.has(keyword));
  // What was written around the one branch stays: it is said of this place.
  const [only] = branches;
  if (!decides && branches.length === 1 && isNode(only)) return { ...only, ...rest };
  const parts = [node, ...branches.map((branch) => original.resolve(branch))].map((part) =>
    isNode(part) && part !== node ? withoutAllOf(part, original, level + 1) : part,
  );
  return mergeObjects(node, parts) ?? node;
}

/** @param parts the schema itself, then all that holds beside it */
function mergeObjects(node: SchemaNode, parts: readonly unknown[]): SchemaNode | undefined {
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  for (const part of parts) {
    if (!isNode(part) || !isOpenObject(part, part === node)) return undefined;
    for (const [name, schema] of Object.entries(isNode(part.properties) ? part.properties : {})) {
      if (properties.has(name) && !isSameJson(properties.get(name), schema)) return undefined;
      properties.set(name, schema);
    }
    for (const name of Array.isArray(part.required) ? part.required : []) required.add(String(name));
  }
  const { allOf: _, ...rest } = node;
  return { ...rest, type: 'object', properties: Object.fromEntries(properties), required: [...required] };
}

function isOpenObject(part: SchemaNode, isOuter: boolean): boolean {
  if (part.type !== 'object' && !(isOuter && part.type === undefined)) return false;
  return Object.keys(part).every(
    (keyword) => !DECIDING.has(keyword) || OF_OBJECTS.has(keyword) || (isOuter && keyword === 'allOf'),
  );
}
