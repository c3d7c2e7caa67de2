import { findNodeAtLocation, parseTree } from 'jsonc-parser';

/** The JSON text of one member of a tool's definition, as the server wrote it: digits and all. */
export function findMemberText(definition: string, name: string): string | undefined {
  const root = parseTree(definition);
  const node = root && findNodeAtLocation(root, [name]);
  return node && definition.slice(node.offset, node.offset + node.length);
}
