import { joinPointer } from '../../schema/index.js';
import { isNode, type SchemaNode } from './types.js';

/** A step of a JSON pointer (RFC 6901). */
export function step(name: string | number): string {
  return joinPointer('', name);
}

/** Schemas right inside a strict schema, each with the pointer from it. */
export function childrenOf(node: SchemaNode): readonly (readonly [pointer: string, child: SchemaNode])[] {
  const children: [string, SchemaNode][] = [];
  const add = (pointer: string, child: unknown): void => void (isNode(child) && children.push([pointer, child]));
  for (const keyword of ['properties', '$defs']) {
    const map = node[keyword];
    for (const [name, child] of Object.entries(isNode(map) ? map : {})) add(`/${keyword}${step(name)}`, child);
  }
  for (const keyword of ['anyOf', 'prefixItems']) {
    const list = node[keyword];
    for (const [at, child] of (Array.isArray(list) ? list : []).entries()) add(`/${keyword}/${at}`, child);
  }
  for (const keyword of ['items', 'additionalProperties']) add(`/${keyword}`, node[keyword]);
  return children;
}

/** Where these schemas are in the whole. */
export function pointersTo(root: SchemaNode, wanted: ReadonlySet<SchemaNode>): readonly string[] {
  const found: string[] = [];
  const walk = (node: SchemaNode, pointer: string): void => {
    if (wanted.has(node)) found.push(pointer);
    for (const [down, child] of childrenOf(node)) walk(child, pointer + down);
  };
  walk(root, '');
  return found;
}
