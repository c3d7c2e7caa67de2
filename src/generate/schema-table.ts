import { isObject } from '../base/index.js';
import { splitPointer } from '../schema/index.js';

type Node = Readonly<Record<string, unknown>>;

/** A member of a schema, as one row of a table shows it. */
export interface SchemaRow {
  /** `name`, `point.x`, `files[].path`, `labels.*`. */
  readonly path: string;
  /** `text`, `whole number`, `list of text`, `"a" or "b"`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** What it is, and what its values are held to. */
  readonly note: string;
}

/** Objects inside each other that get rows of their own; deeper ones are `object`. */
const MAX_DEPTH = 4;

/** The members of an object's schema, outer ones first, each followed by its own. */
export function schemaRows(schema: Node): readonly SchemaRow[] {
  return rowsOf(schema, { root: schema, above: '', depth: 0 });
}

interface Place {
  readonly root: Node;
  readonly above: string;
  readonly depth: number;
}

function rowsOf(schema: Node, place: Place): readonly SchemaRow[] {
  const { root, above, depth } = place;
  const { properties, required, additionalProperties } = resolve(schema, root);
  const names = new Set(Array.isArray(required) ? required : []);
  const rows = Object.entries(nodeOf(properties)).flatMap(([name, member]) => {
    const node = resolve(nodeOf(member), root);
    const path = `${above}${name}`;
    const row = { path, type: typeText(node, root), isRequired: names.has(name), note: noteOf(node) };
    return [row, ...innerRows(node, { root, above: path, depth: depth + 1 })];
  });
  const others = nodeOf(additionalProperties);
  if (Object.keys(others).length === 0) return rows;
  const any = { path: `${above}*`, type: typeText(others, root), isRequired: false, note: noteOf(others) };
  return [...rows, any, ...innerRows(others, { root, above: any.path, depth: depth + 1 })];
}

function innerRows(node: Node, { root, above, depth }: Place): readonly SchemaRow[] {
  if (depth >= MAX_DEPTH) return [];
  const items = resolve(nodeOf(node.items), root);
  if (isObjectSchema(items)) return rowsOf(items, { root, above: `${above}[].`, depth });
  return isObjectSchema(node) ? rowsOf(node, { root, above: `${above}.`, depth }) : [];
}

function isObjectSchema({ properties, additionalProperties }: Node): boolean {
  return [properties, additionalProperties].some((part) => Object.keys(nodeOf(part)).length > 0);
}

function nodeOf(value: unknown): Node {
  return isObject(value) ? value : {};
}

/** What a reference inside the schema leads to, with what is said beside it. */
function resolve(node: Node, root: Node, steps = 0): Node {
  const { $ref, ...rest } = node;
  if (typeof $ref !== 'string' || !$ref.startsWith('#') || steps > MAX_DEPTH) return node;
  const target = splitPointer($ref.slice(1)).reduce<Node>((at, name) => nodeOf(at[name]), root);
  return { ...resolve(target, root, steps + 1), ...rest };
}

const WORDS: ReadonlyMap<unknown, string> = new Map([
  ['string', 'text'],
  ['integer', 'whole number'],
  ['number', 'number'],
  ['boolean', 'true or false'],
  ['null', 'null'],
  ['object', 'object'],
  ['array', 'list'],
]);

function typeText(node: Node, root: Node, depth = 0): string {
  const { const: only, enum: choices, anyOf, oneOf, type, items } = resolve(node, root);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return orList(choices.map((choice) => JSON.stringify(choice)));
  for (const list of [anyOf, oneOf]) {
    if (Array.isArray(list) && depth < MAX_DEPTH)
      return orList(list.map((one) => typeText(nodeOf(one), root, depth + 1)));
  }
  if (type === 'array' && items !== undefined && depth < MAX_DEPTH) {
    return `list of ${typeText(nodeOf(items), root, depth + 1)}`;
  }
  const types = Array.isArray(type) ? type : [type];
  return orList(types.map((one) => WORDS.get(one) ?? 'anything'));
}

function orList(texts: readonly string[]): string {
  const all = [...new Set(texts)];
  return all.length < 2 ? (all[0] ?? 'anything') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

type Wording = readonly [keyword: string, text: (value: unknown) => string];

const BOUNDS: readonly Wording[] = [
  ['format', (value) => `format ${value}`],
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `more than ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['exclusiveMaximum', (value) => `less than ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => (value === 1 ? 'not empty' : `${value} characters or more`)],
  ['maxLength', (value) => `${value} characters or fewer`],
  ['pattern', (value) => `matches \`${value}\``],
  ['minItems', (value) => (value === 1 ? 'not empty' : `${value} items or more`)],
  ['maxItems', (value) => `${value} items or fewer`],
  ['default', (value) => `default \`${JSON.stringify(value)}\``],
];

/** Bounds that every whole number of JavaScript has say nothing. */
const SAFE = Number.MAX_SAFE_INTEGER;

function noteOf(node: Node): string {
  const bounds = BOUNDS.flatMap(([keyword, text]) => {
    const value = node[keyword];
    // A format is what its pattern says, in a word.
    const isSaid = keyword === 'pattern' && node.format !== undefined;
    return value === undefined || value === SAFE || value === -SAFE || isSaid ? [] : [text(value)];
  });
  const description = typeof node.description === 'string' ? node.description.trim() : '';
  const facts = bounds.join(', ');
  if (description === '' || facts === '') return description + facts;
  return `${description}${/[.!?]$/.test(description) ? '' : '.'} ${facts.charAt(0).toUpperCase()}${facts.slice(1)}`;
}
