import type { JsonSchema } from '../../contract/index.js';
import { findForbiddenCycle } from './cycles.js';
import { Inexpressible } from './inexpressible.js';
import { findExceededLimit } from './openai-limits.js';
import { OriginalSchema } from './original.js';
import { pointersTo } from './pointers.js';
import { STRICT_RULES } from './rules.js';
import { StrictWriter } from './strict-writer.js';
import { fidelityOf, type Loss, type Parameters, type Target } from './types.js';

/** How often a schema is written anew because one of its definitions could not be written. */
const MAX_ATTEMPTS = 20;

/** The strict parameters of a tool, or why there are none. */
export type StrictParameters = Parameters | { readonly path: string; readonly why: string };

/**
 * Says a tool's inputSchema in what a target's strict mode takes. What it has no words for goes into descriptions, and into
 * the list of losses; where a tool cannot do without it there is no strict projection.
 */
export function strictParameters(schema: JsonSchema, target: Target): StrictParameters {
  const rules = STRICT_RULES[target];
  const original = new OriginalSchema(schema);
  const failed = new Map<string, Inexpressible>();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const known = failed.size;
    const writer = new StrictWriter({ original, rules, failed });
    try {
      const root = writer.root();
      // A definition turned out to be inexpressible after others had relied on it: what can do without goes without.
      if (failed.size > known) continue;
      const { schema: strict, losses } = writer.finish(root);
      const cycle = findForbiddenCycle(strict, rules.cycles);
      if (cycle !== undefined) return { path: '', why: cycle };
      const exceeded = target === 'openai' ? findExceededLimit(strict) : undefined;
      if (exceeded !== undefined) return { path: '', why: exceeded };
      return {
        schema: strict,
        fidelity: fidelityOf(distinct(losses)),
        nullMeansAbsent: pointersTo(strict, writer.nullMeansAbsent),
      };
    } catch (thrown) {
      if (!(thrown instanceof Inexpressible)) throw thrown;
      if (failed.size > known) continue;
      return { path: thrown.path, why: thrown.message };
    }
  }
  return { path: '', why: 'too many of its definitions cannot be said' };
}

function distinct(losses: readonly Loss[]): readonly Loss[] {
  const seen = new Map(losses.map((loss) => [`${loss.path} ${loss.keyword} ${loss.effect}`, loss]));
  return [...seen.values()];
}
