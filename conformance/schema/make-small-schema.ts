import type { Dialect } from '../../src/schema/index.js';
import type { Random } from './random.js';

type SchemaObject = { [keyword: string]: unknown };

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const SCALARS = [null, true, false, 0, 1, 1.5, -1, '', 'a', 'abc', 'zz'];

/** Enough to tell apart what small schemas can say; each is judged by each of them. */
export const SMALL_VALUES: readonly unknown[] = [
  ...[...SCALARS, 7, 10, 'é😀'],
  ...[[], [1], [1, 1], ['a', null], [1, 2, 3, 4], [[], {}]],
  ...[{}, { a: 1 }, { a: 'x' }, { b: 1 }, { a: 1, b: 2 }, { a: {}, b: [] }, { a: null, c: 1 }, { a: { a: 1 }, b: 'b' }],
  ...[{ 'x-y': 1, a: [1] }, { a: [{ b: 1 }, { b: 'q' }] }],
];

/**
 * Makes a small random schema in which keywords contradict, repeat and cover each other as no person would write them:
 * what generated code takes for granted about one keyword beside another is found out this way. Only keywords that code
 * is generated for.
 */
export function makeSmallSchema(dialect: Dialect, random: Random): unknown {
  const depth = random.integer(1, 3);
  const schema = makeObject(dialect, random, depth);
  return { ...schema, definitions: { d: makeObject(dialect, random, 0) } };
}

function makeAny(dialect: Dialect, random: Random, depth: number): unknown {
  if (dialect !== 'draft-04' && random.chance(0.1)) return random.chance(0.6);
  if (random.chance(0.05)) return { $ref: '#/definitions/d' };
  return makeObject(dialect, random, depth);
}

function makeObject(dialect: Dialect, random: Random, depth: number): SchemaObject {
  const schema: SchemaObject = {};
  const writers = depth > 0 ? [...LEAVES, ...LEAVES, ...BRANCHES] : LEAVES;
  const context = { dialect, random, sub: () => makeAny(dialect, random, depth - 1) };
  for (let left = random.integer(1, depth > 1 ? 4 : 3); left > 0; left--)
    Object.assign(schema, random.pick(writers)(context));
  return schema;
}

interface Context {
  readonly dialect: Dialect;
  readonly random: Random;
  /** A schema one level further down. */
  readonly sub: () => unknown;
}

type Writer = (context: Context) => SchemaObject;

const LEAVES: readonly Writer[] = [
  ({ random }) => ({ type: random.pick(TYPES) }),
  ({ random }) => ({ type: random.pick(TYPES) }),
  ({ random }) => ({ type: random.some(TYPES, random.integer(1, 3)) }),
  ({ random }) => ({ minimum: random.integer(-1, 2) }),
  ({ random }) => ({ maximum: random.integer(0, 8) }),
  ({ random, dialect }) =>
    dialect === 'draft-04' ? { minimum: 0, exclusiveMinimum: true } : { exclusiveMinimum: random.integer(-1, 1) },
  ({ random }) => ({ minLength: random.integer(0, 3) }),
  ({ random }) => ({ maxLength: random.integer(0, 2) }),
  ({ random }) => ({ pattern: random.pick(['^a', 'b', '^.$', 'z+']) }),
  ({ random }) => ({ enum: random.some(SCALARS, random.integer(1, 5)) }),
  ({ random, dialect }) => (dialect === 'draft-04' ? {} : { const: random.pick(SCALARS) }),
  ({ random }) => ({ required: random.some(['a', 'b', 'c'], random.integer(1, 2)) }),
  ({ random }) => ({ minItems: random.integer(0, 2) }),
  ({ random }) => ({ maxItems: random.integer(0, 2) }),
  ({ random }) => ({ minProperties: random.integer(0, 2) }),
  ({ random }) => ({ maxProperties: random.integer(0, 2) }),
];

const BRANCHES: readonly Writer[] = [
  ({ random, sub }) => ({
    properties: Object.fromEntries(random.some(['a', 'b', 'c'], random.integer(1, 3)).map((name) => [name, sub()])),
  }),
  ({ random, sub }) => ({
    properties: Object.fromEntries(random.some(['a', 'b', 'c'], random.integer(1, 3)).map((name) => [name, sub()])),
  }),
  ({ sub }) => ({ additionalProperties: objectOf(sub()) }),
  ({ sub }) => ({ items: objectOf(sub()) }),
  ({ sub, dialect }) =>
    dialect === '2020-12'
      ? { prefixItems: [sub(), sub()] }
      : { items: [objectOf(sub())], additionalItems: objectOf(sub()) },
  ...['allOf', 'anyOf', 'oneOf'].map(
    (keyword): Writer =>
      ({ random, sub }) => ({ [keyword]: random.chance(0.6) ? [sub(), sub()] : [sub()] }),
  ),
  ({ sub }) => ({ not: sub() }),
  ({ sub, random, dialect }) => {
    if (dialect === 'draft-04' || dialect === 'draft-06') return {};
    const branches = random.some(['then', 'else'], random.integer(1, 2));
    return { if: sub(), ...Object.fromEntries(branches.map((branch) => [branch, sub()])) };
  },
];

/** Where every dialect takes an object, but not every one a boolean. */
function objectOf(schema: unknown): unknown {
  return typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema;
}
