import { childrenOf } from './pointers.js';
import type { StrictRules } from './rules.js';
import { isNode, type SchemaNode } from './types.js';

/**
 * Whether a schema leads back to itself where a target does not take that. `optional`: it may, through a property that can
 * be left out.
 *
 * @returns why not; undefined where all is well
 */
export function findForbiddenCycle(root: SchemaNode, allowed: StrictRules['cycles']): string | undefined {
  if (allowed === 'any') return undefined;
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

/** The definitions that a schema leads to, those that can be left out aside where these do not matter. */
function referencesOf(node: SchemaNode, allowed: 'optional' | 'none'): readonly string[] {
  const found: string[] = [];
  const walk = (at: SchemaNode): void => {
    if (typeof at.$ref === 'string') found.push(at.$ref.slice('#/$defs/'.length));
    const required: readonly unknown[] = Array.isArray(at.required) ? at.required : [];
    for (const [pointer, child] of childrenOf(at)) {
      const isProperty = pointer.startsWith('/properties/');
      const name = pointer.slice('/properties/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
      if (allowed === 'optional' && isProperty && !required.includes(name)) continue;
      walk(child);
    }
  };
  walk(node);
  return found;
}
