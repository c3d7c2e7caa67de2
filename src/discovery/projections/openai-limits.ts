import { childrenOf } from './pointers.js';
import type { SchemaNode } from './types.js';

/** What OpenAI's strict mode takes at most of one schema. */
const MAX_PROPERTIES = 5_000;
const MAX_LEVELS = 10;
const MAX_ENUM_VALUES = 1_000;
const MAX_CHARACTERS = 120_000;
/** An enum of more values than this may have fewer characters. */
const LONG_ENUM = 250;
const MAX_LONG_ENUM_CHARACTERS = 15_000;

/** @returns which limit a strict schema is over, with the number; undefined where none */
export function findExceededLimit(root: SchemaNode): string | undefined {
  const count = { properties: 0, levels: 0, enumValues: 0, characters: 0, longest: 0 };
  const walk = (node: SchemaNode, level: number): void => {
    count.levels = Math.max(count.levels, level);
    const names = Object.keys((node.properties as SchemaNode | undefined) ?? {});
    count.properties += names.length;
    count.characters += lengthOf([...names, ...Object.keys((node.$defs as SchemaNode | undefined) ?? {})]);
    const literals: readonly unknown[] = Array.isArray(node.enum) ? node.enum : 'const' in node ? [node.const] : [];
    const characters = lengthOf(literals);
    count.enumValues += literals.length;
    count.characters += characters;
    if (literals.length > LONG_ENUM) count.longest = Math.max(count.longest, characters);
    const deeper = node.type === 'object' || node.type === 'array' ? level + 1 : level;
    for (const [pointer, child] of childrenOf(node)) walk(child, pointer.startsWith('/$defs/') ? 0 : deeper);
  };
  walk(root, 0);
  const { properties, levels, enumValues } = count;
  if (properties > MAX_PROPERTIES) return `${properties} properties, the limit is ${MAX_PROPERTIES}`;
  if (levels > MAX_LEVELS) return `${levels} levels, the limit is ${MAX_LEVELS}`;
  if (enumValues > MAX_ENUM_VALUES) return `${enumValues} enum values, the limit is ${MAX_ENUM_VALUES}`;
  if (count.characters > MAX_CHARACTERS) {
    return `${count.characters} characters of names and enum values, the limit is ${MAX_CHARACTERS}`;
  }
  if (count.longest > MAX_LONG_ENUM_CHARACTERS) {
    return `${count.longest} characters in an enum of over ${LONG_ENUM} values, the limit is ${MAX_LONG_ENUM_CHARACTERS}`;
  }
  return undefined;
}

function lengthOf(texts: readonly unknown[]): number {
  return texts.reduce((sum: number, text) => sum + String(text).length, 0);
}
