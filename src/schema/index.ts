export { compileSchema } from './compile.js';
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
export { prepareEngine } from './warm-up.js';
