import { isObject } from '../base/index.js';

type Node = Record<string, unknown>;

const ONE = ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const BY_NAME = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];

/**
 * Objects that are closed each for itself allow nothing together: no value has only the members of the one, and only those of
 * the other. So what `allOf` joins is closed as a whole, where all of it is, and open where one part is. Changes the schema.
 */
export function closeConjunctions(root: Node): void {
  visit(root, isObject(root.$defs) ? root.$defs : {});
}

function visit(node: unknown, definitions: Node): void {
  if (!isObject(node)) return;
  if (Array.isArray(node.allOf)) closeAsWhole(node, node.allOf, definitions);
  for (const keyword of ONE) visit(node[keyword], definitions);
  for (const keyword of MANY) {
    const members = node[keyword];
    if (Array.isArray(members)) for (const member of members) visit(member, definitions);
  }
  for (const keyword of BY_NAME) {
    const members = node[keyword];
    if (isObject(members)) for (const member of Object.values(members)) visit(member, definitions);
  }
}

function closeAsWhole(node: Node, parts: readonly unknown[], definitions: Node): void {
  const found = parts.map((part) => definitionOf(part, definitions));
  const closed = found.filter((part) => isObject(part) && part.additionalProperties === false);
  if (closed.length === 0) return;
  node.allOf = found.map((part, at) => (closed.includes(part) ? withoutClosure(part as Node) : parts[at]));
  if (closed.length === parts.length) node.unevaluatedProperties = false;
}

/** What is defined once may be closed for all who use it, save here. */
function definitionOf(part: unknown, definitions: Node): unknown {
  const name =
    isObject(part) && typeof part.$ref === 'string' ? /^#\/\$defs\/([^/~]+)$/.exec(part.$ref)?.[1] : undefined;
  return name === undefined ? part : definitions[name];
}

function withoutClosure({ additionalProperties: _, ...rest }: Node): Node {
  return rest;
}
