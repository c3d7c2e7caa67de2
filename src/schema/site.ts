import type { Grammar } from './keywords.js';
import { joinPointer } from './pointer.js';
import { isRecord } from './shapes.js';
import type { Dialect } from './types.js';

export type RawSchema = boolean | Readonly<Record<string, unknown>>;

/** A schema that references can name by URI: a document, or a part of one with an identity of its own. */
export interface Resource {
  /** Absolute, without a fragment. */
  readonly uri: string;
  readonly root: Site;
  readonly anchors: Map<string, Site>;
  /** Anchors that a `$dynamicRef` may find from elsewhere; `$recursiveAnchor` is the one with an empty name. */
  readonly dynamicAnchors: Map<string, Site>;
}

/** A reference whose target may depend on the way evaluation came. */
export interface DynamicReference {
  /** What to look for on the way; undefined where the target is fixed after all. */
  readonly anchor: string | undefined;
  /** Where it leads if nothing on the way says otherwise. */
  readonly initial: Site;
}

export type Segments = readonly (string | number)[];

const CLASSIC: ReadonlySet<Dialect> = new Set(['draft-04', 'draft-06', 'draft-07']);

/** Where a schema stands: in which resource, under what. There is one for each schema that the survey meets. */
export class Site {
  readonly schema: RawSchema;
  readonly grammar: Grammar;
  readonly depth: number;
  /** Whether its dialect is from before 2019-09: `$ref` stands alone, `$id` may be an anchor, `dependencies` count. */
  readonly isClassic: boolean;
  /** Whether only its `$ref` counts. */
  readonly isReferenceOnly: boolean;
  resource!: Resource;
  /** Where `$ref` leads. */
  reference: Site | undefined = undefined;
  /** Where `$dynamicRef` or `$recursiveRef` leads. */
  dynamicReference: DynamicReference | undefined = undefined;
  /** Schemas that judge the same value as this one, those it refers to included. */
  readonly inPlace: Site[] = [];
  readonly #parent: Site | undefined;
  readonly #segments: Segments;
  readonly #children = new Map<string, Site>();

  constructor(schema: RawSchema, grammar: Grammar, parent?: { readonly site: Site; readonly segments: Segments }) {
    this.schema = schema;
    this.grammar = grammar;
    this.isClassic = CLASSIC.has(grammar.dialect);
    this.isReferenceOnly = this.isClassic && isRecord(schema) && typeof schema.$ref === 'string';
    this.#parent = parent?.site;
    this.#segments = parent?.segments ?? [];
    this.depth = parent === undefined ? 1 : parent.site.depth + 1;
  }

  /** JSON pointer from the root of the document. Made only when asked: hardly any is. */
  get pointer(): string {
    return this.#parent === undefined ? '' : this.#parent.at(...this.#segments);
  }

  /** JSON pointer to a keyword of this schema, or to something inside it. */
  at(...segments: Segments): string {
    return segments.reduce<string>(joinPointer, this.pointer);
  }

  /** The value of a keyword, where the dialect has that keyword. */
  get(keyword: string): unknown {
    if (typeof this.schema === 'boolean' || !this.grammar.shapes.has(keyword)) return undefined;
    // Such schemas keep their definitions beside the reference, where pointers still find them.
    if (this.isReferenceOnly && keyword !== '$ref' && keyword !== 'definitions') return undefined;
    return Object.hasOwn(this.schema, keyword) ? this.schema[keyword] : undefined;
  }

  addChild(segments: Segments, child: Site): void {
    this.#children.set(segments.reduce<string>(joinPointer, ''), child);
  }

  /** Every schema directly inside this one. */
  get children(): Iterable<Site> {
    return this.#children.values();
  }

  /** The schema at a keyword: `child('items')`, `child('properties', 'a')`, `child('allOf', 0)`. */
  child(...segments: Segments): Site | undefined {
    return this.#children.get(segments.reduce<string>(joinPointer, ''));
  }
}
