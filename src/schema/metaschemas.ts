import { GRAMMARS, type Shape, type Table, tabulate, VOCABULARIES_2019, VOCABULARIES_2020 } from './keywords.js';
import type { RawSchema } from './site.js';

type SchemaObject = Readonly<Record<string, unknown>>;

const known = new Map<string, RawSchema>();

/**
 * Finds an official metaschema, so that a schema can refer to it without a network. They are made from the same tables by
 * which schemas are checked, with the definitions that others are known to refer to.
 *
 * @param uri without a fragment; http and https are the same here
 */
export function findMetaschema(uri: string): RawSchema | undefined {
  const [, name] = /^https?:\/\/json-schema\.org\/draft[/-](.+)$/.exec(uri) ?? [];
  if (name === undefined) return undefined;
  const made = known.get(name) ?? makeMetaschema(name);
  if (made !== undefined) known.set(name, made);
  return made;
}

function makeMetaschema(name: string): RawSchema | undefined {
  const [dialect, kind, vocabulary] = name.split('/');
  if (dialect === '2020-12' || dialect === '2019-09') {
    if (kind === 'schema' && vocabulary === undefined) return makeModern(dialect);
    return kind === 'meta' ? makeVocabulary(dialect, vocabulary ?? '') : undefined;
  }
  if (kind !== 'schema') return undefined;
  if (dialect === '04') return makeDraft04();
  return dialect === '06' || dialect === '07' ? makeClassic(`draft-${dialect}`) : undefined;
}

const TYPES = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
const NAMES = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const COUNT = { type: 'integer', minimum: 0 };

/** @param self a schema that any schema fits: a reference back to the metaschema */
function shapeSchemas(self: SchemaObject): Readonly<Record<Shape, SchemaObject>> {
  const list = { type: 'array', minItems: 1, items: self };
  return {
    any: {},
    anchor: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._:]*$' },
    array: { type: 'array' },
    boolean: { type: 'boolean' },
    count: COUNT,
    dependencies: { type: 'object', additionalProperties: { anyOf: [self, NAMES] } },
    distinct: { type: 'array', minItems: 1, uniqueItems: true },
    flags: { type: 'object', additionalProperties: { type: 'boolean' } },
    name: { type: 'string', pattern: '^[^#]*#?$' },
    nameLists: { type: 'object', additionalProperties: NAMES },
    names: NAMES,
    number: { type: 'number' },
    positive: { type: 'number', exclusiveMinimum: 0 },
    schema: self,
    schemaMap: { type: 'object', additionalProperties: self },
    schemaOrBoolean: { anyOf: [{ type: 'boolean' }, self] },
    schemaOrSchemas: { anyOf: [self, list] },
    schemas: list,
    someNames: { ...NAMES, minItems: 1 },
    string: { type: 'string' },
    types: { anyOf: [TYPES, { type: 'array', items: TYPES, minItems: 1, uniqueItems: true }] },
  };
}

function propertiesOf(
  shapes: ReadonlyMap<string, Shape>,
  schemas: Readonly<Record<Shape, SchemaObject>>,
): SchemaObject {
  return Object.fromEntries([...shapes].map(([keyword, shape]) => [keyword, schemas[shape]]));
}

function makeClassic(dialect: 'draft-06' | 'draft-07'): RawSchema {
  const uri = `http://json-schema.org/${dialect}/schema#`;
  const schemas = shapeSchemas({ $ref: '#' });
  return {
    $schema: uri,
    $id: uri,
    definitions: {
      schemaArray: schemas.schemas,
      nonNegativeInteger: COUNT,
      nonNegativeIntegerDefault0: { allOf: [{ $ref: '#/definitions/nonNegativeInteger' }] },
      simpleTypes: TYPES,
      stringArray: NAMES,
    },
    type: ['object', 'boolean'],
    properties: propertiesOf(GRAMMARS[dialect].shapes, schemas),
  };
}

function makeDraft04(): RawSchema {
  const uri = 'http://json-schema.org/draft-04/schema#';
  const schemas = shapeSchemas({ $ref: '#' });
  const positive = { type: 'number', minimum: 0, exclusiveMinimum: true };
  const someNames = { ...NAMES, minItems: 1 };
  const dependencies = { type: 'object', additionalProperties: { anyOf: [{ $ref: '#' }, someNames] } };
  return {
    $schema: uri,
    id: uri,
    definitions: {
      schemaArray: schemas.schemas,
      positiveInteger: COUNT,
      positiveIntegerDefault0: { allOf: [{ $ref: '#/definitions/positiveInteger' }] },
      simpleTypes: TYPES,
      stringArray: someNames,
    },
    type: 'object',
    properties: propertiesOf(GRAMMARS['draft-04'].shapes, { ...schemas, positive, dependencies }),
    dependencies: { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] },
  };
}

/** How the two modern dialects name the place that an extending metaschema may take. */
const MODERN = {
  '2020-12': { vocabularies: VOCABULARIES_2020, anchor: { $dynamicAnchor: 'meta' }, self: { $dynamicRef: '#meta' } },
  '2019-09': { vocabularies: VOCABULARIES_2019, anchor: { $recursiveAnchor: true }, self: { $recursiveRef: '#' } },
};

/** The document of a vocabulary is called after it, save that 2020-12 has two of format. */
function documentNames(dialect: keyof typeof MODERN): [name: string, table: Table][] {
  return Object.entries(MODERN[dialect].vocabularies).flatMap(([name, table]) => {
    const names = dialect === '2020-12' && name === 'format' ? ['format-annotation', 'format-assertion'] : [name];
    return names.map((each): [string, Table] => [each, table]);
  });
}

function makeVocabulary(dialect: keyof typeof MODERN, vocabulary: string): RawSchema | undefined {
  const [, table] = documentNames(dialect).find(([name]) => name === vocabulary) ?? [];
  if (table === undefined) return undefined;
  const { anchor, self } = MODERN[dialect];
  const schemas = shapeSchemas(self);
  const base = `https://json-schema.org/draft/${dialect}`;
  return {
    $schema: `${base}/schema`,
    $id: `${base}/meta/${vocabulary}`,
    $vocabulary: { [`${base}/vocab/${vocabulary}`]: true },
    ...anchor,
    type: ['object', 'boolean'],
    properties: propertiesOf(tabulate(dialect, table).shapes, schemas),
    $defs: {
      schemaArray: schemas.schemas,
      nonNegativeInteger: COUNT,
      nonNegativeIntegerDefault0: { $ref: '#/$defs/nonNegativeInteger' },
      simpleTypes: TYPES,
      stringArray: NAMES,
    },
  };
}

function makeModern(dialect: keyof typeof MODERN): RawSchema {
  const base = `https://json-schema.org/draft/${dialect}`;
  const names = documentNames(dialect)
    .map(([name]) => name)
    .filter((name) => name !== 'format-assertion');
  return {
    $schema: `${base}/schema`,
    $id: `${base}/schema`,
    $vocabulary: Object.fromEntries(
      names.map((name) => [`${base}/vocab/${name}`, name !== 'format' || dialect !== '2019-09']),
    ),
    ...MODERN[dialect].anchor,
    allOf: names.map((name) => ({ $ref: `meta/${name}` })),
    type: ['object', 'boolean'],
  };
}
