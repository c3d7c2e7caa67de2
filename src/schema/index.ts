export { compileSchema, prepareEngine } from './compile.js';
export { dialectOf, findDialect } from './dialect.js';
export type {
  Compilation,
  CompileOptions,
  Dialect,
  Issue,
  Judge,
  SchemaLimits,
  SchemaWarning,
  Verdict,
} from './types.js';
