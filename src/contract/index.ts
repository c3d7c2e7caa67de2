export { defineContract } from './define-contract.js';
export { defineTool } from './define-tool.js';
export { implement } from './implement.js';
export * from './implementation.js';
export { listedDefinition } from './listed.js';
export { isVisibleTo, mayCall, sliceContract } from './slice.js';
export type * from './standard-schema.js';
export { ToolError } from './tool-error.js';
export type * from './types.js';
