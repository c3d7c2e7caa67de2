import { contractInvalid } from './contract-invalid.js';
import type { StandardSchema } from './standard-schema.js';
import type { JsonSchema } from './types.js';

type Node = Record<string, unknown>;

/** What a zod schema shows of itself while it is converted: enough to tell a plain object from a strict or a loose one. */
interface ZodConversion {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string; readonly catchall?: unknown } } };
  readonly jsonSchema: Node;
}

/** Says what of an object schema is open: zod's own rule is another for inputs than for outputs. */
function libraryOptions(additionalProperties: false | undefined): Record<string, unknown> {
  return {
    override({ zodSchema, jsonSchema }: ZodConversion): void {
      const { type, catchall } = zodSchema._zod.def;
      if (type !== 'object' || catchall !== undefined) return;
      if (additionalProperties === undefined) delete jsonSchema.additionalProperties;
      else jsonSchema.additionalProperties = additionalProperties;
    },
  };
}

/**
 * The JSON Schema of what a tool takes, closed where the author did not say otherwise: a misspelt member is refused, not
 * dropped.
 *
 * @param where names the tool, for messages
 * @throws {DoorError} CONTRACT_INVALID
 */
export function inputSchemaOf(schema: StandardSchema, where: string): JsonSchema {
  const converted = convert(schema, 'input', where, libraryOptions(false));
  // Other libraries cannot be told how to convert: the root is closed where nothing speaks of other members.
  if (!isZod(schema) && isPlainObject(converted)) converted.additionalProperties = false;
  return finish(converted, where, '/input');
}

/** The JSON Schema of what a tool gives, open where the author did not say otherwise: a tool may learn to say more. */
export function outputSchemaOf(schema: StandardSchema, where: string): JsonSchema {
  return finish(convert(schema, 'input', where, libraryOptions(undefined)), where, '/output');
}

/**
 * The JSON Schema of a form that a user fills in (MCP client/elicitation, Requested Schema): what clients know of JSON Schema
 * there has no word on other members.
 *
 * @throws {DoorError} CONTRACT_INVALID
 */
export function formSchemaOf(schema: StandardSchema): JsonSchema {
  return finish(convert(schema, 'input', 'a form', libraryOptions(undefined)), 'a form', '');
}

function convert(schema: StandardSchema, side: 'input' | 'output', where: string, options: Node): Node {
  const standard = schema?.['~standard'];
  const path = side === 'input' ? '/input' : '/output';
  if (typeof standard?.jsonSchema?.[side] !== 'function') {
    throw contractInvalid(where, path, 'is no schema that can be turned into JSON Schema', 'Use zod 4.2 or later.');
  }
  try {
    return standard.jsonSchema[side]({
      target: 'draft-2020-12',
      ...(standard.vendor === 'zod' && { libraryOptions: options }),
    });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw contractInvalid(where, path, `cannot be turned into JSON Schema: ${why}`, 'Use types that JSON has.');
  }
}

function isZod(schema: StandardSchema): boolean {
  return schema['~standard'].vendor === 'zod';
}

const SAYS_MORE = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
];

function isPlainObject(schema: Node): boolean {
  return schema.type === 'object' && !SAYS_MORE.some((keyword) => schema[keyword] !== undefined);
}

function finish(schema: Node, where: string, path: string): JsonSchema {
  // Read as 2020-12 without it (MCP schema, Tool), and one line less in every list.
  const { $schema: _, ...rest } = schema;
  if (isChoiceOfObjects(rest)) return deepFreeze({ type: 'object', ...rest });
  if (rest.type !== 'object') {
    throw contractInvalid(where, path, 'must be an object', 'Wrap it: z.object({ result: … }).');
  }
  return deepFreeze(rest);
}

/** A union of objects is an object, which its root has to say (MCP schema, Tool). */
function isChoiceOfObjects({ type, anyOf, oneOf }: Node): boolean {
  const branches = anyOf ?? oneOf;
  return type === undefined && Array.isArray(branches) && branches.every((branch: Node) => branch.type === 'object');
}

/** Frozen through and through: one object is what is served, judged by and written about. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
