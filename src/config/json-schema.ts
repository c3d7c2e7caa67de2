import type { Field, FieldTable, TextField } from './field-kinds.js';
import { CONFIG_FIELDS, SERVER_FIELDS } from './fields.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The published JSON Schema of the configuration, printed from the table that also checks it. Draft 7, since that is
 * what editors understand best. `x-unit` names the unit of a number; unknown fields are errors here so that editors
 * mark them, while doorward itself only warns.
 */
export function configJsonSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'doorward configuration',
    description: 'JSON with comments and trailing commas. The reference is docs/config.md.',
    allowComments: true,
    allowTrailingCommas: true,
    ...objectSchema(CONFIG_FIELDS),
    definitions: {
      server: {
        ...objectSchema(SERVER_FIELDS),
        title: 'A server behind the door',
        oneOf: [{ required: ['command'] }, { required: ['url'] }, DISABLED],
      },
    },
  };
}

/** A server that is switched off may be half-written. */
const DISABLED = {
  required: ['enabled'],
  properties: { enabled: { const: false } },
  not: { anyOf: [{ required: ['command'] }, { required: ['url'] }] },
};

function objectSchema(table: FieldTable): JsonSchema {
  const properties = Object.entries(table).map(([name, field]) => [name, fieldSchema(field)]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

function fieldSchema(field: Field): JsonSchema {
  return { ...valueSchema(field), description: descriptionOf(field), ...defaultOf(field) };
}

function valueSchema(field: Field): JsonSchema {
  switch (field.kind) {
    case 'text':
      return textSchema(field);
    case 'texts':
      return { type: 'array', items: textSchema(field) };
    case 'text-map':
      return { type: 'object', additionalProperties: { type: 'string' } };
    case 'integer':
      return { type: 'integer', minimum: field.min, maximum: field.max, ...(field.unit && { 'x-unit': field.unit }) };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'string', enum: field.choices };
    case 'group':
      return { ...objectSchema(field.fields), ...(field.ways && { oneOf: field.ways.map(onlyWay) }) };
    case 'groups':
      return { type: 'array', minItems: 1, items: { ...objectSchema(field.fields), required: field.required } };
    case 'servers':
      return { type: 'object', additionalProperties: { $ref: '#/definitions/server' } };
    case 'open':
      return {};
  }
}

/** Of several ways this one, and nothing of the others. */
function onlyWay(own: readonly string[], _: number, ways: readonly (readonly string[])[]): JsonSchema {
  const others = ways.flat().filter((name) => !own.includes(name));
  return { required: own, not: { anyOf: others.map((name) => ({ required: [name] })) } };
}

/** Where variables are replaced, what is written need not have the shape yet: an editor would mark what is right. */
function textSchema({ shape, expands }: Pick<TextField, 'shape' | 'expands'>): JsonSchema {
  if (shape === undefined) return { type: 'string' };
  const written = { type: 'string', pattern: shape.pattern };
  return expands ? { anyOf: [written, { type: 'string', pattern: '\\$\\{' }] } : written;
}

function descriptionOf(field: Field): string {
  const notes = [
    'expands' in field && field.expands && '${VAR}, ${VAR:-default} and ${env:VAR} are replaced.',
    field.kind === 'integer' && field.unit !== undefined && `Unit: ${field.unit}.`,
    field.isLater && 'Has no effect in this version yet.',
  ];
  return [field.description, ...notes.filter((note) => typeof note === 'string')].join(' ');
}

function defaultOf(field: Field): JsonSchema {
  return 'default' in field && field.default !== undefined ? { default: field.default } : {};
}
