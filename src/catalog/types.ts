import type { ErrorCode } from '../base/index.js';
import type { ParamHeader } from '../protocol/index.js';
import type { Judge } from '../schema/index.js';

/** When a tool's public name carries its mount: always, only where two would collide, or never. */
export type PrefixRule = 'always' | 'conflict' | 'never';

/** Which of an upstream's tools are mounted. Patterns match upstream names; `*` is the only wildcard; deny wins. */
export interface ToolFilter {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** A tool's whole definition as some callers see it. */
export interface ToolText {
  /** JSON text, as the upstream wrote it but for what those callers would stumble over. */
  readonly definition: string;
  /** Where the string value of `name` lies in `definition`, quotes included; lets it be renamed without re-serialising. */
  readonly nameStart: number;
  readonly nameEnd: number;
}

/** One tool as an upstream lists it, its schemas compiled; as a text, as callers of the handshake era see it. Made once per list by the client. */
export interface ListedTool extends ToolText {
  /** The upstream's own name. */
  readonly name: string;
  /** The same as a JSON string: what a call is sent under. */
  readonly quotedName: string;
  /** As callers of the modern era see it; absent where they see the same. */
  readonly modern?: ToolText | undefined;
  /** The definition that both are made of, to be kept until the next start; absent where it is what all see. */
  readonly source?: string | undefined;
  /**
   * Callers of the handshake era see the outputSchema wrapped in that of an object: to them the tool's structuredContent
   * is the `result` of an object as well.
   */
  readonly wrapsOutput: boolean;
  /** The parameters that callers over HTTP repeat in headers, and that we repeat to an upstream over HTTP. */
  readonly paramHeaders: readonly ParamHeader[];
  readonly description: string | undefined;
  readonly input: Judge;
  /** Absent where the tool has no outputSchema, or one that cannot compile and was told to be ignored. */
  readonly output: Judge | undefined;
}

/** A tool that was left out, and why. */
export interface Exclusion {
  readonly mount: string;
  /** The upstream's own name; `#3` (its position) where it has none that can be read. */
  readonly tool: string;
  readonly code: ErrorCode;
  readonly which: 'inputSchema' | 'outputSchema' | 'definition';
  /** JSON pointer into the schema. */
  readonly schemaPath: string;
  readonly reason: string;
}

/** A tool that tools.allow or tools.deny keeps out of the catalog. */
export interface HiddenTool {
  readonly mount: string;
  /** The upstream's own name. */
  readonly tool: string;
}

/** A tool in the catalog: what a mount lists, under its public name. */
export interface CatalogEntry {
  /** The public name: unique, at most 64 of [A-Za-z0-9_-]. */
  readonly name: string;
  readonly mount: string;
  readonly tool: ListedTool;
  /** The definition under its public name, as JSON text: for callers of the handshake era. */
  readonly advertised: string;
  /** The same for callers of the modern era. */
  readonly advertisedModern: string;
}

/** What there is, at one moment. Frozen; a change makes a new one. */
export interface CatalogSnapshot {
  /** In mount order, then in the upstream's order. */
  readonly entries: readonly CatalogEntry[];
  readonly exclusions: readonly Exclusion[];
  /** Tools that their upstreams list and that a filter keeps out. */
  readonly hidden: readonly HiddenTool[];
  /** Finds by public name. */
  find(name: string): CatalogEntry | undefined;
  /** Finds by the upstream's own name. */
  findTool(mount: string, tool: string): CatalogEntry | undefined;
  findExclusion(mount: string, tool: string): Exclusion | undefined;
  /** Finds the exclusion a public name would have had, so that a call to it can say why. */
  findExcludedName(name: string): Exclusion | undefined;
}

/** What an upstream offers besides tools, each with a list of its own (MCP server/resources, server/prompts). */
export type OfferKind = 'resources' | 'templates' | 'prompts';

/** One resource, resource template or prompt as an upstream lists it. */
export interface ListedOffer {
  /** The upstream's own `uri`, `uriTemplate` or `name`. */
  readonly key: string;
  /** The whole definition as JSON text on one line, as the upstream wrote it. */
  readonly definition: string;
  /** Where the string value of the key lies in `definition`, quotes included; lets it be renamed without re-serialising. */
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** One resource, resource template or prompt in the list a caller sees. */
export interface Offer {
  /** Its public `uri`, `uriTemplate` or `name`. */
  readonly key: string;
  /** '' where doorward itself offers it. */
  readonly mount: string;
  readonly offer: ListedOffer;
  /** The definition under its public key, as JSON text. */
  readonly advertised: string;
}

/** Where a caller's URI or name leads. */
export interface OfferRoute {
  readonly mount: string;
  /** As the upstream knows it. */
  readonly key: string;
}
