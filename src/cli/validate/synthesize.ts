import { isObject } from '../../base/index.js';
import { splitPointer } from '../../schema/index.js';

type Node = Readonly<Record<string, unknown>>;

/** References inside each other that are followed; a schema that needs more has no small value. */
const MAX_DEPTH = 12;

/**
 * A small value for a JSON Schema: what is required and nothing else. It is a guess; whoever uses it has it judged.
 * Patterns and contradictions are beyond it.
 */
export function synthesize(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const given = givenValue(schema);
  if (given !== undefined) return given.value;
  const next = (inner: unknown): unknown => synthesize(inner, root, depth + 1);
  const merged = merge(schema, root);
  if (merged !== schema) return next(merged);
  switch (typeOf(schema)) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema, typeOf(schema) === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return itemsOf(schema, next);
    default:
      return membersOf(schema, next);
  }
}

function givenValue({ const: only, enum: choices, default: fallback, examples }: Node): { value: unknown } | undefined {
  if (only !== undefined) return { value: only };
  for (const list of [examples, choices]) if (Array.isArray(list) && list.length > 0) return { value: list[0] };
  return fallback === undefined ? undefined : { value: fallback };
}

/** The schema with its reference, first choice and parts laid over it; itself where it has none. */
function merge(schema: Node, root: unknown): Node {
  const { $ref, anyOf, oneOf, allOf, ...rest } = schema;
  const target = typeof $ref === 'string' ? findTarget($ref, root) : undefined;
  const parts = [
    ...(isObject(target) ? [target] : []),
    ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : [])),
    ...(Array.isArray(allOf) ? allOf : []),
  ].filter(isObject);
  return parts.length === 0 ? schema : parts.reduce<Node>(overlay, rest);
}

function overlay(base: Node, over: Node): Node {
  const properties = { ...(base.properties as Node), ...(over.properties as Node) };
  const required = [base.required, over.required].flatMap((list) => (Array.isArray(list) ? list : []));
  return {
    ...base,
    ...over,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function findTarget(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined;
  return splitPointer(decodeURIComponent(ref.slice(1))).reduce<unknown>(
    (node, name) => (typeof node === 'object' && node !== null ? (node as Node)[name] : undefined),
    root,
  );
}

const HINTS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'prefixItems', 'minItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function typeOf(schema: Node): string {
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (typeof type === 'string') return type;
  return HINTS.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))?.[0] ?? 'object';
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

function textOf({ format, minLength, maxLength }: Node): string {
  const formatted = typeof format === 'string' ? FORMATS[format] : undefined;
  if (formatted !== undefined) return formatted;
  const least = countOf(minLength, 0);
  const text = 'example'.padEnd(least, 'e');
  return text.slice(0, Math.max(least, countOf(maxLength, text.length)));
}

function countOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? Math.min(value, 10_000) : fallback;
}

function numberOf(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Node,
  isWhole: boolean,
): number {
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : isWhole ? 1 : undefined;
  const floors = [minimum, exclusiveMinimum].filter((value) => typeof value === 'number');
  const ceilings = [maximum, exclusiveMaximum].filter((value) => typeof value === 'number');
  const least = floors.length > 0 ? Math.max(...floors) : Number.NEGATIVE_INFINITY;
  const most = ceilings.length > 0 ? Math.min(...ceilings) : Number.POSITIVE_INFINITY;
  const wanted = Math.min(Math.max(1, least), most);
  if (step === undefined)
    return wanted === exclusiveMinimum || wanted === exclusiveMaximum ? between(least, most) : wanted;
  const at = Math.ceil(wanted / step) * step;
  if (at === exclusiveMinimum) return at + step;
  return at > most || at === exclusiveMaximum ? Math.floor(most / step - (at === exclusiveMaximum ? 1 : 0)) * step : at;
}

function between(least: number, most: number): number {
  if (most === Number.POSITIVE_INFINITY) return least + 1;
  return least === Number.NEGATIVE_INFINITY ? most - 1 : (least + most) / 2;
}

function itemsOf({ items, prefixItems, minItems }: Node, next: (inner: unknown) => unknown): readonly unknown[] {
  const first = Array.isArray(prefixItems) ? prefixItems.map(next) : [];
  const least = Math.min(countOf(minItems, 0), 100);
  while (first.length < least) first.push(next(items ?? { type: 'string' }));
  return first;
}

function membersOf({ properties, required }: Node, next: (inner: unknown) => unknown): Node {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const known = isObject(properties) ? properties : {};
  return Object.fromEntries(names.map((name) => [name, next(known[name] ?? { type: 'string' })]));
}
