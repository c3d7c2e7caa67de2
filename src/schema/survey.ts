import { DoorError, ExactNumber } from '../base/index.js';
import { type Documents, resolveUri } from './documents.js';
import { findMetaschema, grammarOf } from './grammar.js';
import type { Grammar, Shape } from './keywords.js';
import { schemaInvalid, tooMany } from './limits.js';
import { findPattern } from './pattern.js';
import { splitPointer } from './pointer.js';
import { identityOf, Resources, splitFragment } from './resources.js';
import { findShapeProblem, isRecord, isSchema } from './shapes.js';
import {
  COUNTS_BESIDE_REFERENCE,
  type DynamicReference,
  type RawSchema,
  type Resource,
  type Segments,
  Site,
} from './site.js';
import { readsStrings } from './strings.js';
import type { SchemaLimits, SchemaWarning } from './types.js';

/** Where a schema without `$id` is thought to live. Nothing outside can name it. */
const ROOT_URI = 'doorward:///schema';
/** A number of a schema may be long, but not so long that reckoning with it takes noticeable time. */
const MAX_DIGITS = 1_000;
/** Keywords whose schemas judge the same value, not one inside it. */
const IN_PLACE: ReadonlySet<string> = new Set(
  'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' '),
);

/** Keywords that list names of members, or members by name. */
const BY_NAME: ReadonlySet<Shape> = new Set<Shape>(['schemaMap', 'dependencies', 'nameLists', 'names', 'someNames']);

export interface SurveyOptions {
  /** URI of the dialect where `$schema` is absent. */
  readonly dialect: string | undefined;
  readonly documents: Documents;
  readonly limits: SchemaLimits;
  /** Whether `format` is more than an annotation. */
  readonly readsFormats: boolean;
}

/** What is known of a schema before anything is judged by it. */
export interface Survey {
  readonly root: Site;
  /** Every schema in it and in what it refers to; those inside others come after them. */
  readonly sites: readonly Site[];
  readonly warnings: readonly SchemaWarning[];
  /** What the schema's own `$schema` names, where that is one of the documents. */
  readonly metaschema: RawSchema | undefined;
  /**
   * Whether any schema reads what is inside a string. Where none does, any string judges like any other, so a short one
   * may stand in for a very long one.
   */
  readonly looksIntoStrings: boolean;
}

/**
 * Walks a schema without recursion: finds every schema in it and in what it refers to, checks their grammar and size, and
 * follows each reference.
 *
 * @throws {DoorError} UNSUPPORTED_DIALECT, UNRESOLVED_REF, SCHEMA_INVALID or SCHEMA_TOO_LARGE
 */
export function surveySchema(schema: RawSchema, options: SurveyOptions): Survey {
  return new Surveyor(options).survey(schema);
}

type Members = Readonly<Record<string, unknown>>;

class Surveyor {
  readonly #options: SurveyOptions;
  readonly #sites: Site[] = [];
  readonly #resources = new Resources();
  readonly #warnings: SchemaWarning[] = [];
  #visited = 0;
  #patterns = 0;
  #looksIntoStrings = false;

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  survey(schema: RawSchema): Survey {
    const root = this.#admitDocument(schema, ROOT_URI);
    // A reference may bring in more schemas, with references of their own: the list grows while it is read.
    for (let index = 0; index < this.#sites.length; index += 1) this.#followReferences(this.#sites[index]!);
    return {
      root,
      sites: this.#sites,
      warnings: this.#warnings,
      metaschema: findMetaschema(this.#options.documents, isRecord(schema) ? schema.$schema : undefined),
      looksIntoStrings: this.#looksIntoStrings,
    };
  }

  /** @param inherited the grammar of the schema that refers to it, for documents that do not name their dialect */
  #admitDocument(schema: RawSchema, uri: string, inherited?: Grammar): Site {
    const declared = isRecord(schema) ? schema.$schema : undefined;
    const isSilent = declared === undefined && inherited !== undefined;
    const site = new Site(
      schema,
      isSilent ? inherited : grammarOf(this.#options.documents, declared ?? this.#options.dialect, '/$schema'),
    );
    if (typeof schema === 'boolean' && site.grammar.dialect === 'draft-04')
      throw schemaInvalid('', 'must be an object');
    this.#resources.place(site, uri);
    this.#admit(site);
    this.#visitAll();
    return site;
  }

  #admit(site: Site): void {
    this.#sites.push(site);
    const { maxSubschemas, maxDepth } = this.#options.limits;
    if (this.#sites.length > maxSubschemas) throw tooMany(maxSubschemas, 'schemas inside it', site.pointer);
    if (site.depth > maxDepth) throw tooMany(maxDepth, 'levels', site.pointer);
  }

  #visitAll(): void {
    for (; this.#visited < this.#sites.length; this.#visited += 1) this.#visit(this.#sites[this.#visited]!);
  }

  #visit(site: Site): void {
    const { schema, grammar } = site;
    if (typeof schema === 'boolean') return;
    for (const keyword of Object.keys(schema)) {
      const shape = grammar.shapes.get(keyword);
      if (shape === undefined) continue;
      const value = schema[keyword];
      const problem = findShapeProblem(shape, value);
      if (problem !== undefined) throw schemaInvalid(site.at(keyword), problem);
      this.#measure(site, keyword, shape, value);
      if (site.isReferenceOnly && !COUNTS_BESIDE_REFERENCE.has(keyword)) continue;
      this.#looksIntoStrings ||= readsStrings(keyword, value, this.#options.readsFormats);
      this.#admitBelow(site, keyword, shape, value);
    }
    if (grammar.dialect === 'draft-04') checkDraft04(site);
  }

  #measure(site: Site, keyword: string, shape: Shape, value: unknown): void {
    const { maxProperties, maxEnum } = this.#options.limits;
    if (keyword === 'pattern') this.#addPattern(value as string, site, [keyword]);
    if (typeof value !== 'object' || value === null) return;
    if (value instanceof ExactNumber && value.text.length > MAX_DIGITS) {
      throw tooMany(MAX_DIGITS, 'digits in a number', site.at(keyword));
    }
    if (keyword === 'enum' && (value as unknown[]).length > maxEnum) {
      throw tooMany(maxEnum, 'values in an enum', site.at(keyword));
    }
    if (!BY_NAME.has(shape)) return;
    const names = Object.keys(value);
    if (names.length > maxProperties) throw tooMany(maxProperties, 'names in one keyword', site.at(keyword));
    if (keyword === 'patternProperties') for (const name of names) this.#addPattern(name, site, [keyword, name]);
  }

  #addPattern(source: string, site: Site, keywords: readonly string[]): void {
    this.#patterns += 1;
    const { maxPatterns } = this.#options.limits;
    if (this.#patterns > maxPatterns) throw tooMany(maxPatterns, 'patterns', site.at(...keywords));
    const pattern = findPattern(source);
    if ('problem' in pattern) {
      const message = `the pattern is not enforced: ${pattern.problem}`;
      this.#warnings.push({ schemaPath: site.at(...keywords), message });
    }
  }

  #admitBelow(site: Site, keyword: string, shape: Shape, value: unknown): void {
    switch (shape) {
      case 'schema':
      case 'schemaOrBoolean':
        return this.#admitChild(site, [keyword], value);
      case 'schemas':
        return this.#admitList(site, keyword, value as readonly unknown[]);
      case 'schemaOrSchemas':
        if (Array.isArray(value)) return this.#admitList(site, keyword, value);
        return this.#admitChild(site, [keyword], value);
      case 'schemaMap':
        for (const name of Object.keys(value as Members))
          this.#admitChild(site, [keyword, name], (value as Members)[name]);
        return;
      case 'dependencies':
        return this.#admitDependencies(site, keyword, value as Members);
      default:
        return;
    }
  }

  #admitList(site: Site, keyword: string, schemas: readonly unknown[]): void {
    for (let index = 0; index < schemas.length; index += 1) this.#admitChild(site, [keyword, index], schemas[index]);
  }

  #admitDependencies(site: Site, keyword: string, dependencies: Members): void {
    for (const [name, dependency] of Object.entries(dependencies)) {
      if (isSchema(dependency)) this.#admitChild(site, [keyword, name], dependency);
      else if (findShapeProblem('names', dependency) !== undefined) {
        throw schemaInvalid(site.at(keyword, name), 'must be a schema or an array of different strings');
      }
    }
  }

  #admitChild(parent: Site, segments: readonly [string, ...(string | number)[]], schema: unknown): void {
    const [keyword] = segments;
    const mayBeBoolean = parent.grammar.dialect !== 'draft-04' || keyword.startsWith('additional');
    if (!isSchema(schema) || (typeof schema === 'boolean' && !mayBeBoolean)) {
      throw schemaInvalid(
        parent.at(...segments),
        mayBeBoolean ? 'must be a schema: an object or a boolean' : 'must be an object',
      );
    }
    const child = this.#newSite(schema, parent, segments);
    parent.addChild(segments, child);
    const isBranch = keyword === 'then' || keyword === 'else';
    const isIdle = isBranch ? parent.get('if') === undefined : keyword === 'dependencies' && !parent.isClassic;
    if (IN_PLACE.has(keyword) && !isIdle) parent.addInPlace(child);
  }

  /** A schema with an identity of its own starts a resource, and may be written in a dialect of its own. */
  #newSite(schema: RawSchema, parent: Site, segments: Segments): Site {
    let site = new Site(schema, parent.grammar, parent, segments);
    const declared = site.mayBeNamed ? (schema as Members).$schema : undefined;
    if (declared !== undefined && identityOf(site) !== undefined) {
      site = new Site(schema, grammarOf(this.#options.documents, declared, site.at('$schema')), parent, segments);
    }
    this.#resources.place(site, parent.resource);
    this.#admit(site);
    return site;
  }

  #followReferences(site: Site): void {
    if (!site.mayBeNamed) return;
    const $ref = site.get('$ref');
    if (typeof $ref === 'string') {
      site.reference = this.#follow(site, '$ref', $ref);
      site.addInPlace(site.reference);
    }
    site.dynamicReference = this.#followDynamic(site);
    if (site.dynamicReference !== undefined) site.addInPlace(site.dynamicReference.initial);
  }

  #followDynamic(site: Site): DynamicReference | undefined {
    const { dialect } = site.grammar;
    const keyword = dialect === '2020-12' ? '$dynamicRef' : '$recursiveRef';
    const reference = site.get(keyword);
    if (typeof reference !== 'string') return undefined;
    const initial = this.#follow(site, keyword, reference);
    const anchor = dialect === '2020-12' ? splitFragment(reference)[1] : '';
    // Only where the first target bears the same dynamic anchor does the way decide.
    const isDynamic = initial.resource.dynamicAnchors.get(anchor) === initial;
    return { initial, anchor: isDynamic ? anchor : undefined };
  }

  #follow(site: Site, keyword: string, reference: string): Site {
    const [uri, fragment] = splitFragment(reference);
    const resource = uri === '' ? site.resource : this.#findResource(uri, site);
    const target = resource === undefined ? undefined : this.#findInside(resource, fragment);
    if (target !== undefined) return target;
    const schemaPath = site.at(keyword);
    throw new DoorError('UNRESOLVED_REF', `${schemaPath} leads nowhere: ${reference}`, {
      data: { schemaPath, ref: reference },
      hint: 'Nothing is ever fetched: put what it refers to into the schema.',
    });
  }

  #findResource(reference: string, from: Site): Resource | undefined {
    const uri = resolveUri(reference, from.resource.uri);
    if (uri === undefined) return undefined;
    const known = this.#resources.find(uri);
    if (known !== undefined) return known;
    const document = this.#options.documents.find(uri);
    return document === undefined ? undefined : this.#admitDocument(document, uri, from.grammar).resource;
  }

  #findInside(resource: Resource, fragment: string): Site | undefined {
    let decoded: string;
    try {
      decoded = decodeURIComponent(fragment);
    } catch {
      return undefined;
    }
    if (decoded === '') return resource.root;
    return decoded.startsWith('/') ? this.#walk(resource.root, splitPointer(decoded)) : resource.anchors.get(decoded);
  }

  /** A pointer may lead anywhere in a document, also to what nobody took for a schema before. */
  #walk(from: Site, segments: readonly string[]): Site | undefined {
    let value: unknown = from.schema;
    let nearest = from;
    let since: string[] = [];
    for (const segment of segments) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[segment];
      since.push(segment);
      const site = nearest.child(...since);
      if (site === undefined) continue;
      nearest = site;
      since = [];
    }
    if (since.length === 0) return nearest;
    if (!isSchema(value)) return undefined;
    const site = this.#newSite(value, nearest, since);
    nearest.addChild(since, site);
    this.#visitAll();
    return site;
  }
}

/** Draft-04 has it that an exclusive bound needs the bound it makes exclusive. */
function checkDraft04(site: Site): void {
  for (const bound of ['Maximum', 'Minimum']) {
    const needed = bound.toLowerCase();
    if (site.get(`exclusive${bound}`) === undefined || site.get(needed) !== undefined) continue;
    throw schemaInvalid(site.at(`exclusive${bound}`), `must not be there without ${needed}`);
  }
}
