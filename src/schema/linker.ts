import type { Rule } from './rule.js';
import type { Site } from './site.js';

/** Gives each schema its rule. */
export interface Linker {
  /** Whether `format` is checked. */
  readonly assertsFormats: boolean;
  /** The rule of a schema, which may not have all its checks yet. */
  ruleOf(site: Site): Rule;
}
