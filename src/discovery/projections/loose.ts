import type { JsonSchema } from '../../contract/index.js';
import { fidelityOf, isNode, type Loss, type Parameters, type SchemaNode, type Target } from './types.js';

/** What OpenAI and Anthropic do not take at the root, strict or not. */
const NOT_AT_THE_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const'] as const;

/**
 * A tool's inputSchema nearly as it is: every vendor takes JSON Schema where it is not to hold its models to it. What may
 * not stand at the root is put into the description there.
 */
export function looseParameters(schema: JsonSchema, target: Target): Parameters {
  const { $schema: _, ...rest } = schema;
  if (target === 'gemini') return { schema: rest, fidelity: { kind: 'lossless' }, nullMeansAbsent: [] };
  const losses: Loss[] = [];
  const moved: Record<string, unknown> = {};
  const kept = { ...rest };
  for (const keyword of NOT_AT_THE_ROOT) {
    if (rest[keyword] === undefined) continue;
    moved[keyword] = rest[keyword];
    delete kept[keyword];
    losses.push({ path: '', keyword, effect: 'wider', why: 'is said in the description alone' });
  }
  if (losses.length > 0) {
    const note = `JSON Schema: ${JSON.stringify(moved)}`;
    kept.description = typeof rest.description === 'string' ? `${rest.description}\n\n${note}` : note;
  }
  const properties = isNode(kept.properties) ? kept.properties : {};
  const plain = { ...kept, type: 'object', properties };
  const loose = target === 'openai' ? (withItems(plain) as JsonSchema) : plain;
  return { schema: loose, fidelity: fidelityOf(losses), nullMeansAbsent: [] };
}

/** Keywords that hold schemas by name, in a row, or alone. */
const BY_NAME = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];
const IN_A_ROW = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const ALONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];

/** OpenAI takes no array that does not say what is in it; anything at all is said as `{}`. */
function withItems(node: unknown): unknown {
  if (!isNode(node)) return node;
  let changed: Record<string, unknown> | undefined;
  const put = (keyword: string, value: unknown): void => {
    if (value === node[keyword]) return;
    changed ??= { ...node };
    changed[keyword] = value;
  };
  for (const keyword of BY_NAME) {
    const map = node[keyword];
    if (isNode(map)) put(keyword, mapped(map));
  }
  for (const keyword of IN_A_ROW) {
    const list = node[keyword];
    if (Array.isArray(list)) put(keyword, same(list, list.map(withItems)));
  }
  for (const keyword of ALONE) if (isNode(node[keyword])) put(keyword, withItems(node[keyword]));
  if (node.type === 'array' && node.items === undefined) put('items', {});
  return changed ?? node;
}

function mapped(map: SchemaNode): SchemaNode {
  const entries = Object.entries(map).map(([name, value]) => [name, withItems(value)] as const);
  return entries.every(([name, value]) => map[name] === value) ? map : Object.fromEntries(entries);
}

function same(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((value, at) => value === before[at]) ? before : after;
}
