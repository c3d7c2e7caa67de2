export { type CompileOptions, compileSchema } from './compile.js';
export { dialectOf, findDialect } from './dialect.js';
export type { Compilation, Dialect, Issue, Judge, SchemaWarning, Verdict } from './types.js';
