import { isSameJson } from '../same-json.js';
import type { OriginalSchema } from './original.js';
import { DECIDING } from './rules.js';
import { isNode, type SchemaNode } from './types.js';

const OF_OBJECTS: ReadonlySet<string> = new Set(['type', 'properties', 'required']);

/**
 * A schema with its `allOf` put into it, where that says the same: one branch alone, or objects that stay open and do not
 * disagree about a member. Otherwise the schema as it was.
 */
export function withoutAllOf(node: SchemaNode, original: OriginalSchema): SchemaNode {
  if (!Array.isArray(node.allOf)) return node;
  const known = original.flattened.get(node);
  if (known !== undefined) return known;
  // In a circle it is left as it is.
  original.flattened.set(node, node);
  const flat = flatten(node, node.allOf, original);
  original.flattened.set(node, flat);
  return flat;
}

function flatten(node: SchemaNode, allOf: readonly unknown[], original: OriginalSchema): SchemaNode {
  const { allOf: _, ...rest } = node;
  const branches = allOf.filter((branch) => branch !== true);
  if (branches.length === 0) return rest;
  const decides = Object.keys(rest).some((keyword) => DECIDING.has(keyword));
  // What was written around the one branch stays: it is said of this place.
  const [only] = branches;
  if (!decides && branches.length === 1 && isNode(only)) return { ...withoutAllOf(only, original), ...rest };
  const parts = branches.map((branch) => {
    const part = original.resolve(branch);
    return isNode(part) ? withoutAllOf(part, original) : part;
  });
  return mergeObjects(rest, parts) ?? node;
}

/** @param outer what is said beside `allOf`; it need not say that it is of an object */
function mergeObjects(outer: SchemaNode, parts: readonly unknown[]): SchemaNode | undefined {
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  for (const part of [outer, ...parts]) {
    if (!isNode(part) || !isOpenObject(part, part === outer)) return undefined;
    for (const [name, schema] of Object.entries(isNode(part.properties) ? part.properties : {})) {
      if (properties.has(name) && !isSameJson(properties.get(name), schema)) return undefined;
      properties.set(name, schema);
    }
    for (const name of Array.isArray(part.required) ? part.required : []) required.add(String(name));
  }
  return { ...outer, type: 'object', properties: Object.fromEntries(properties), required: [...required] };
}

function isOpenObject(part: SchemaNode, isOuter: boolean): boolean {
  if (part.type !== 'object' && !(isOuter && part.type === undefined)) return false;
  return Object.keys(part).every((keyword) => !DECIDING.has(keyword) || OF_OBJECTS.has(keyword));
}
