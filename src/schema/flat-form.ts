import { compileSchema } from './compile.js';
import type { SchemaWarning } from './types.js';

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const COUNT = { type: 'integer', minimum: 0 };
const LABELS = { title: TEXT, description: TEXT };
const CHOICES = {
  type: 'array',
  items: {
    type: 'object',
    properties: { const: TEXT, title: TEXT },
    required: ['const', 'title'],
    additionalProperties: false,
  },
};

function fieldOf(type: string, keywords: Readonly<Record<string, unknown>>, required: readonly string[] = []): object {
  return {
    if: { properties: { type: { const: type } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword
    then: { properties: { type: true, ...LABELS, ...keywords }, required, additionalProperties: false },
  };
}

const RANGE = { minimum: { type: 'number' }, maximum: { type: 'number' } };

/** The forms that a server may ask a user to fill in: a flat object of text, numbers, switches and choices. */
const FORM_SCHEMA = {
  type: 'object',
  properties: {
    $schema: TEXT,
    type: { const: 'object' },
    properties: { type: 'object', additionalProperties: { $ref: '#/$defs/field' } },
    required: TEXTS,
    ...LABELS,
  },
  required: ['type', 'properties'],
  additionalProperties: false,
  $defs: {
    field: {
      type: 'object',
      properties: { type: { enum: ['string', 'number', 'integer', 'boolean', 'array'] } },
      required: ['type'],
      allOf: [
        fieldOf('string', {
          default: TEXT,
          minLength: COUNT,
          maxLength: COUNT,
          format: { enum: ['email', 'uri', 'date', 'date-time'] },
          enum: TEXTS,
          enumNames: TEXTS,
          oneOf: CHOICES,
        }),
        fieldOf('number', { default: { type: 'number' }, ...RANGE }),
        fieldOf('integer', { default: { type: 'integer' }, ...RANGE }),
        fieldOf('boolean', { default: { type: 'boolean' } }),
        fieldOf('array', { default: TEXTS, minItems: COUNT, maxItems: COUNT, items: { $ref: '#/$defs/choice' } }, [
          'items',
        ]),
      ],
    },
    choice: {
      type: 'object',
      properties: { type: { const: 'string' }, enum: TEXTS, anyOf: CHOICES },
      anyOf: [{ required: ['type', 'enum'] }, { required: ['anyOf'] }],
      additionalProperties: false,
    },
  },
};

/**
 * Says what in a schema is outside the flat forms that MCP has for asking users: nesting, references, keywords beyond the
 * few that a form can show. Such a schema may still be judged by.
 *
 * @returns the places, each with what was expected there; none where the schema is a flat form
 */
export function checkFlatForm(schema: unknown): readonly SchemaWarning[] {
  const compilation = compileSchema(FORM_SCHEMA);
  if (!compilation.ok) throw compilation.error;
  const verdict = compilation.judge.checkValue(schema);
  return verdict.valid ? [] : verdict.issues.map(({ pointer, message }) => ({ schemaPath: pointer, message }));
}
