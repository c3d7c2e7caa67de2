import { closeConjunctions } from './conjunctions.js';
import { contractInvalid } from './contract-invalid.js';
import { talkTo } from './library-options.js';
import { holdPlainJson } from './plain-json.js';
import type { StandardSchema } from './standard-schema.js';
import type { JsonSchema } from './types.js';

type Node = Record<string, unknown>;

/**
 * The JSON Schema of what a tool takes, closed where the author did not say otherwise: a misspelt member is refused, not
 * dropped.
 *
 * @param where names the tool, for messages
 * @throws {DoorError} CONTRACT_INVALID
 */
export function inputSchemaOf(schema: StandardSchema, where: string): JsonSchema {
  return convert(schema, { where, path: '/input', isClosed: true });
}

/** The JSON Schema of what a tool gives, open where the author did not say otherwise: a tool may learn to say more. */
export function outputSchemaOf(schema: StandardSchema, where: string): JsonSchema {
  return convert(schema, { where, path: '/output', isClosed: false });
}

/**
 * The JSON Schema of a form that a user fills in (MCP client/elicitation, Requested Schema): what clients know of JSON Schema
 * there has no word on other members.
 *
 * @throws {DoorError} CONTRACT_INVALID
 */
export function formSchemaOf(schema: StandardSchema): JsonSchema {
  return convert(schema, { where: 'a form', path: '', isClosed: false });
}

interface Conversion {
  readonly where: string;
  readonly path: string;
  readonly isClosed: boolean;
}

/** Both ways it is the side that is written by hand: arguments as they are sent, results as a handler returns them. */
function convert(schema: StandardSchema, { where, path, isClosed }: Conversion): JsonSchema {
  const standard = schema?.['~standard'];
  if (typeof standard?.jsonSchema?.input !== 'function') {
    throw contractInvalid(where, path, 'is no schema that can be turned into JSON Schema', 'Use zod 4.2 or later.');
  }
  const talk = talkTo(standard.vendor, isClosed);
  const { options } = talk;
  let converted: Node;
  try {
    converted = standard.jsonSchema.input({
      target: 'draft-2020-12',
      ...(options !== undefined && { libraryOptions: options }),
    });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw contractInvalid(where, path, `cannot be turned into JSON Schema: ${why}`, 'Use types that JSON has.');
  }
  if (typeof converted !== 'object' || converted === null) throw contractInvalid(where, path, 'gives no JSON Schema');
  // zod has read its own as JSON already.
  if (standard.vendor !== 'zod') {
    holdPlainJson(converted, where, path);
    converted = structuredClone(converted);
  }
  if (talk.mayHaveJoined) closeConjunctions(converted);
  // Of a library that cannot be told, the root is closed where nothing speaks of other members.
  if (isClosed && options === undefined && isPlainObject(converted)) converted.additionalProperties = false;
  return finish(converted, where, path);
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
  const { $schema: _, ...rest } = rootOf(schema);
  if (rest.type === 'object') return deepFreeze(rest);
  if (isMadeOfObjects(rest)) return deepFreeze({ type: 'object', ...rest });
  throw contractInvalid(where, path, 'must be an object', 'Wrap it: z.object({ result: … }).');
}

/** A schema that was given a name is a reference to itself: clients look for the members at the root. */
function rootOf(schema: Node): Node {
  const { $ref, ...rest } = schema;
  const name = typeof $ref === 'string' ? /^#\/\$defs\/([^/~]+)$/.exec($ref)?.[1] : undefined;
  const named = name === undefined ? undefined : (schema.$defs as Record<string, Node> | null | undefined)?.[name];
  return named === undefined ? schema : { ...named, ...rest };
}

/** A choice between objects is an object, and so is what several ask for at once; a root has to say so (MCP schema, Tool). */
function isMadeOfObjects({ type, anyOf, oneOf, allOf }: Node): boolean {
  const parts = anyOf ?? oneOf ?? allOf;
  return type === undefined && Array.isArray(parts) && parts.every((part: Node | null) => part?.type === 'object');
}

/** Frozen through and through: one object is what is served, judged by and written about. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
