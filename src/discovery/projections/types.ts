import type { JsonSchema } from '../../contract/index.js';

/** Whose models a projection is for. */
export type Target = 'openai' | 'anthropic' | 'gemini';
export const TARGETS: readonly Target[] = ['openai', 'anthropic', 'gemini'];

/** A loose projection is the schema nearly as it is; a strict one is what a vendor can hold its models to. */
export type Variant = 'loose' | 'strict';

/** Something that a projection does not say as the tool's own schema does. */
export interface Loss {
  /** JSON pointer into the tool's inputSchema. */
  readonly path: string;
  readonly keyword: string;
  /**
   * `wider`: what fits the projection may be refused by the tool, and the description says by what. `narrower`: something
   * that the tool takes cannot be said.
   */
  readonly effect: 'wider' | 'narrower';
  readonly why: string;
}

/** How true a projection is: whether it takes the same arguments as the tool. */
export type Fidelity =
  | { readonly kind: 'lossless' }
  | { readonly kind: 'lossy'; readonly losses: readonly Loss[] }
  /** There is none; where a tool has to be there the loose one stands in, not marked as strict. */
  | { readonly kind: 'unsupported'; readonly path: string; readonly why: string };

/** The parameters of one tool for one target. */
export interface Parameters {
  readonly schema: JsonSchema;
  readonly fidelity: Fidelity;
  /**
   * JSON pointers into `schema`: properties that the tool lets be left out, where models have to write null instead. The
   * executor leaves them out again. Only properties that null is not a value of.
   */
  readonly nullMeansAbsent: readonly string[];
}

/** A tool under the name that a target can take. */
export interface ProjectedTool {
  /** The tool's own name, as tools/call takes it. */
  readonly name: string;
  /** The name models see. */
  readonly as: string;
  readonly loose: Parameters;
  /** Where its fidelity is `unsupported`, the same schema as the loose one. */
  readonly strict: Parameters;
}

export type SchemaNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What may be said of a projection that has these losses. */
export function fidelityOf(losses: readonly Loss[]): Fidelity {
  return losses.length === 0 ? { kind: 'lossless' } : { kind: 'lossy', losses };
}
