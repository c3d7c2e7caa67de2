import type { Grammar } from './keywords.js';
import { joinPointer } from './pointer.js';
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

/** Between the segments of a key: no keyword holds it. */
const SEPARATOR = '\u0000';
const NO_SITES: readonly Site[] = Object.freeze([]);
const NO_CHILDREN: ReadonlyMap<string, Site> = new Map();

/**
 * Where a schema stands: in which resource, under what. There is one for each schema that the survey meets, and lists of
 * tools hold tens of thousands of schemas: what most of them do not need is made only for those that do.
 */
export class Site {
  readonly schema: RawSchema;
  readonly grammar: Grammar;
  readonly depth: number;
  /** Whether its dialect is from before 2019-09: `$ref` stands alone, `$id` may be an anchor, `dependencies` count. */
  readonly isClassic: boolean;
  /** Whether only its `$ref` counts. */
  readonly isReferenceOnly: boolean;
  /** Whether it may have an identity, an anchor or a reference: their keywords alone begin with `$`, save the old `id`. */
  readonly mayBeNamed: boolean;
  resource!: Resource;
  /** Where `$ref` leads. */
  reference: Site | undefined = undefined;
  /** Where `$dynamicRef` or `$recursiveRef` leads. */
  dynamicReference: DynamicReference | undefined = undefined;
  /** Schemas that judge the same value as this one, those it refers to included. */
  inPlace: readonly Site[] = NO_SITES;
  private readonly parent: Site | undefined;
  private readonly segments: Segments;
  private childByKey: ReadonlyMap<string, Site> = NO_CHILDREN;

  constructor(schema: RawSchema, grammar: Grammar, parent?: Site, segments: Segments = []) {
    this.schema = schema;
    this.grammar = grammar;
    this.parent = parent;
    this.segments = segments;
    this.depth = parent === undefined ? 1 : parent.depth + 1;
    this.isClassic = CLASSIC.has(grammar.dialect);
    this.mayBeNamed = typeof schema === 'object' && hasName(schema);
    this.isReferenceOnly = this.mayBeNamed && this.isClassic && typeof (schema as Members).$ref === 'string';
  }

  /** JSON pointer from the root of the document. Made only when asked: hardly any is. */
  get pointer(): string {
    return this.parent === undefined ? '' : this.parent.at(...this.segments);
  }

  /** JSON pointer to a keyword of this schema, or to something inside it. */
  at(...segments: Segments): string {
    return segments.reduce<string>(joinPointer, this.pointer);
  }

  /** The value of a keyword, where the dialect has that keyword. */
  get(keyword: string): unknown {
    if (typeof this.schema === 'boolean' || !Object.hasOwn(this.schema, keyword)) return undefined;
    if (!this.grammar.shapes.has(keyword)) return undefined;
    return this.isReferenceOnly && !COUNTS_BESIDE_REFERENCE.has(keyword) ? undefined : this.schema[keyword];
  }

  addChild(segments: Segments, child: Site): void {
    if (this.childByKey === NO_CHILDREN) this.childByKey = new Map();
    (this.childByKey as Map<string, Site>).set(segments.join(SEPARATOR), child);
  }

  addInPlace(site: Site): void {
    if (this.inPlace === NO_SITES) this.inPlace = [];
    (this.inPlace as Site[]).push(site);
  }

  /** Every schema directly inside this one. */
  get children(): Iterable<Site> {
    return this.childByKey.values();
  }

  /** The schema at a keyword: `child('items')`, `child('properties', 'a')`, `child('allOf', 0)`. */
  child(...segments: Segments): Site | undefined {
    return this.childByKey.get(segments.join(SEPARATOR));
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Schemas that are but a reference keep their definitions beside it, where pointers still find them. */
export const COUNTS_BESIDE_REFERENCE: ReadonlySet<string> = new Set(['$ref', 'definitions']);

function hasName(schema: Members): boolean {
  for (const keyword in schema) if (keyword.charCodeAt(0) === 36 || keyword === 'id') return true;
  return false;
}
