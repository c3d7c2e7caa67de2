import { splitPointer } from '../../schema/index.js';
import { childrenOf } from './pointers.js';
import type { StrictRules } from './rules.js';
import { isNode, type SchemaNode } from './types.js';

/**
 * Whether a schema leads back to itself where a target does not take that. `optional`: it may, through a property that can
 * be left out. `any`: it may, save in a circle that no value gets out of.
 *
 * @returns why not; undefined where all is well
 */
export function findForbiddenCycle(root: SchemaNode, allowed: StrictRules['cycles']): string | undefined {
  const definitions = isNode(root.$defs) ? root.$defs : {};
  const done = new Set<string>();
  const leadsBack = (name: string, above: readonly string[]): string | undefined => {
    if (above.includes(name)) return name;
    if (done.has(name)) return undefined;
    done.add(name);
    for (const next of referencesOf(definitions[name] as SchemaNode, allowed)) {
      const found = leadsBack(next, [...above, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const name of Object.keys(definitions)) {
    const found = leadsBack(name, []);
    if (found !== undefined) return `$defs/${found} leads back to itself`;
  }
  return undefined;
}

/** The definitions that a schema leads to, by ways that matter. */
function referencesOf(node: SchemaNode, allowed: StrictRules['cycles']): readonly string[] {
  const found: string[] = [];
  const walk = (at: SchemaNode): void => {
    if (typeof at.$ref === 'string') found.push(at.$ref.slice('#/$defs/'.length));
    for (const [pointer, child] of childrenOf(at)) if (matters(pointer, at, allowed)) walk(child);
  };
  walk(node);
  return found;
}

const PROPERTY = '/properties/';

function matters(pointer: string, { required }: SchemaNode, allowed: StrictRules['cycles']): boolean {
  if (allowed === 'any') return pointer.startsWith('/anyOf/');
  if (allowed === 'none' || !pointer.startsWith(PROPERTY)) return true;
  const [, name] = splitPointer(pointer);
  return Array.isArray(required) && required.includes(name);
}
