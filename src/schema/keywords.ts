import type { Dialect } from './types.js';

/** What the value of a keyword must look like. Those that hold schemas also say where they are. */
export type Shape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'schemaOrSchemas'
  | 'schemaOrBoolean'
  | 'dependencies'
  | 'any'
  | 'anchor'
  | 'array'
  | 'boolean'
  | 'count'
  | 'distinct'
  | 'flags'
  | 'name'
  | 'nameLists'
  | 'names'
  | 'number'
  | 'positive'
  | 'someNames'
  | 'string'
  | 'types';

/** The keywords of a dialect, after its vocabularies were taken into account. */
export interface Grammar {
  readonly dialect: Dialect;
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** Names of keywords, by the shape of their values. */
export type Table = Readonly<Partial<Record<Shape, string>>>;

const DRAFT_04: Table = {
  any: 'default',
  boolean: 'exclusiveMaximum exclusiveMinimum uniqueItems',
  count: 'maxItems maxLength maxProperties minItems minLength minProperties',
  dependencies: 'dependencies',
  distinct: 'enum',
  number: 'maximum minimum',
  positive: 'multipleOf',
  schema: 'not',
  schemaMap: 'definitions patternProperties properties',
  schemaOrBoolean: 'additionalItems additionalProperties',
  schemaOrSchemas: 'items',
  schemas: 'allOf anyOf oneOf',
  someNames: 'required',
  string: '$ref $schema description format pattern title',
  types: 'type',
};

const FROM_DRAFT_06: Table = {
  any: 'const',
  array: 'examples',
  names: 'required',
  number: 'exclusiveMaximum exclusiveMinimum',
  schema: 'additionalItems additionalProperties contains propertyNames',
  string: '$id',
};

const FROM_DRAFT_07: Table = {
  boolean: 'readOnly writeOnly',
  schema: 'else if then',
  string: '$comment contentEncoding contentMediaType',
};

/** The vocabularies of 2019-09 and 2020-12. */
export type Vocabulary = 'applicator' | 'content' | 'core' | 'format' | 'meta-data' | 'unevaluated' | 'validation';
export type Vocabularies = Readonly<Partial<Record<Vocabulary, Table>>>;

const APPLICATOR: Table = {
  schema: 'additionalProperties contains else if not propertyNames then',
  schemaMap: 'dependentSchemas patternProperties properties',
  schemas: 'allOf anyOf oneOf',
};

const CORE: Table = {
  anchor: '$anchor',
  // No longer a keyword, but the metaschemas still say what it must look like.
  dependencies: 'dependencies',
  flags: '$vocabulary',
  name: '$id',
  schemaMap: '$defs definitions',
  string: '$comment $ref $schema',
};

const SHARED: Vocabularies = {
  content: { schema: 'contentSchema', string: 'contentEncoding contentMediaType' },
  format: { string: 'format' },
  'meta-data': {
    any: 'default',
    array: 'examples',
    boolean: 'deprecated readOnly writeOnly',
    string: 'description title',
  },
  validation: {
    any: 'const',
    array: 'enum',
    boolean: 'uniqueItems',
    count: 'maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties',
    nameLists: 'dependentRequired',
    names: 'required',
    number: 'exclusiveMaximum exclusiveMinimum maximum minimum',
    positive: 'multipleOf',
    string: 'pattern',
    types: 'type',
  },
};

const UNEVALUATED = 'unevaluatedItems unevaluatedProperties';

export const VOCABULARIES_2019: Vocabularies = {
  ...SHARED,
  applicator: {
    ...APPLICATOR,
    schema: `${APPLICATOR.schema} ${UNEVALUATED} additionalItems`,
    schemaOrSchemas: 'items',
  },
  core: { ...CORE, boolean: '$recursiveAnchor', string: `${CORE.string} $recursiveRef` },
};

export const VOCABULARIES_2020: Vocabularies = {
  ...SHARED,
  applicator: { ...APPLICATOR, schema: `${APPLICATOR.schema} items`, schemas: `${APPLICATOR.schemas} prefixItems` },
  core: {
    ...CORE,
    anchor: '$anchor $dynamicAnchor $recursiveAnchor',
    string: `${CORE.string} $dynamicRef $recursiveRef`,
  },
  unevaluated: { schema: UNEVALUATED },
};

/** Later tables have the last word on a keyword that several of them name. */
export function tabulate(dialect: Dialect, ...tables: readonly Table[]): Grammar {
  const shapes = new Map<string, Shape>();
  for (const table of tables) {
    for (const [shape, names] of Object.entries(table)) {
      for (const name of names.split(' ')) shapes.set(name, shape as Shape);
    }
  }
  return { dialect, shapes };
}

/** Every dialect's own keywords, as its metaschema has them. */
export const GRAMMARS: Readonly<Record<Dialect, Grammar>> = {
  '2020-12': tabulate('2020-12', ...Object.values(VOCABULARIES_2020)),
  '2019-09': tabulate('2019-09', ...Object.values(VOCABULARIES_2019)),
  'draft-07': tabulate('draft-07', DRAFT_04, FROM_DRAFT_06, FROM_DRAFT_07),
  'draft-06': tabulate('draft-06', DRAFT_04, FROM_DRAFT_06),
  'draft-04': tabulate('draft-04', DRAFT_04, { string: 'id' }),
};

/**
 * Leaves of a dialect only the keywords of the vocabularies that a metaschema names.
 *
 * @param vocabularies the metaschema's `$vocabulary`: URI to whether it must be understood
 * @returns the grammar, or the URI of a vocabulary that must be understood and is not
 */
export function restrictGrammar(dialect: Dialect, vocabularies: Readonly<Record<string, unknown>>): Grammar | string {
  const known = dialect === '2019-09' ? VOCABULARIES_2019 : VOCABULARIES_2020;
  const tables: Table[] = [known.core!];
  for (const [uri, isRequired] of Object.entries(vocabularies)) {
    const [, name] = new RegExp(`^https?://json-schema\\.org/draft/${dialect}/vocab/(.+)$`).exec(uri) ?? [];
    // format-annotation, format-assertion and format hold the same keyword.
    const vocabulary = known[(name?.startsWith('format') ? 'format' : name) as Vocabulary];
    if (vocabulary !== undefined) tables.push(vocabulary);
    else if (isRequired === true) return uri;
  }
  return tabulate(dialect, ...tables);
}
