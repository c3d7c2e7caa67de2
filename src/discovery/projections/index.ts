export { type Definition, definitionIn, FORMS, type Form, toolsIn } from './definitions.js';
export { step } from './pointers.js';
export { projectTools } from './project.js';
export {
  type Fidelity,
  isNode,
  type Loss,
  type Parameters,
  type ProjectedTool,
  type SchemaNode,
  TARGETS,
  type Target,
  type Variant,
} from './types.js';
