import type { ListedDefinition, Tool } from './types.js';

/** A tool's `_meta` key for what to use instead of it. */
const DEPRECATED = 'doorward/deprecated';

/** The tool as tools/list shows it, and as documents are made from. */
export function listedDefinition(tool: Tool): ListedDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations, meta, deprecated } = tool;
  const _meta = { ...meta, ...(deprecated !== undefined && { [DEPRECATED]: deprecated }) };
  return {
    name,
    ...(title !== undefined && { title }),
    description: deprecated === undefined ? description : `Deprecated: ${deprecated} ${description}`,
    inputSchema,
    outputSchema,
    annotations: { ...(title !== undefined && { title }), ...annotations },
    ...(Object.keys(_meta).length > 0 && { _meta }),
  };
}
