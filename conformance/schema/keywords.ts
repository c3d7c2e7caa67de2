import type { Dialect } from '../../src/schema/index.js';

const NUMBERS = ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'];
const STRINGS = ['minLength', 'maxLength', 'pattern'];
const ARRAYS = ['items', 'minItems', 'maxItems', 'uniqueItems'];
const OBJECTS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'required',
  'minProperties',
  'maxProperties',
];
const DRAFT_04 = [
  'type',
  'enum',
  ...NUMBERS,
  ...STRINGS,
  ...ARRAYS,
  ...OBJECTS,
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  '$ref',
];
const DRAFT_06 = [...DRAFT_04, 'const', 'contains', 'propertyNames'];
const DRAFT_07 = [...DRAFT_06, 'if', 'then', 'else'];
const SINCE_2019 = [
  'dependentRequired',
  'dependentSchemas',
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const TUPLES = ['additionalItems'];

/** Keywords that can make a value invalid, or decide which schema does. */
export const JUDGING_KEYWORDS: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-04': [...DRAFT_04, ...TUPLES, 'dependencies', 'id'],
  'draft-06': [...DRAFT_06, ...TUPLES, 'dependencies', '$id'],
  'draft-07': [...DRAFT_07, ...TUPLES, 'dependencies', '$id'],
  '2019-09': [...DRAFT_07, ...TUPLES, ...SINCE_2019, '$id', '$anchor', '$recursiveRef', '$recursiveAnchor'],
  '2020-12': [...DRAFT_07, ...SINCE_2019, 'prefixItems', '$id', '$anchor', '$dynamicRef', '$dynamicAnchor'],
};

const NOTES_04 = ['title', 'description', 'default', 'format', 'definitions'];
const NOTES_06 = [...NOTES_04, 'examples'];
const NOTES_07 = [...NOTES_06, '$comment', 'readOnly', 'writeOnly', 'contentMediaType', 'contentEncoding'];
const NOTES_2019 = [...NOTES_07, '$defs', 'deprecated', 'contentSchema', '$vocabulary'];

/** Keywords that only say something about a value, or hold what others refer to. */
export const NOTING_KEYWORDS: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-04': NOTES_04,
  'draft-06': NOTES_06,
  'draft-07': NOTES_07,
  '2019-09': NOTES_2019,
  '2020-12': NOTES_2019,
};
