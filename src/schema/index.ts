export { compileSchema } from './compile.js';
export { applyDefaults } from './defaults.js';
export { dialectOf, findDialect } from './dialect.js';
export { checkFlatForm } from './flat-form.js';
export { DEFAULT_LIMITS } from './limits.js';
export { isPlainlyFit } from './plain.js';
export { joinPointer, pathOf, pointerOf, splitPointer } from './pointer.js';
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
export { forbidCodeGeneration, prepareEngine } from './warm-up.js';
