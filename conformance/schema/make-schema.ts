import type { Dialect } from '../../src/schema/index.js';
import type { Random } from './random.js';
import { DIALECT_URI, DIALECTS } from './suite.js';

type SchemaObject = { [keyword: string]: unknown };

const NAMES = ['a', 'b', 'c', 'id', '__proto__', 'constructor', 'x/y', 'x~y', 'ü', ''];
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const PATTERNS = ['^[a-z]+$', '^x', '\\d{2,3}', '^(foo|bar)$', '[^a-c]', '^.{0,3}$', '\\S', '^[A-Z][a-z]*$', '^\\p{L}'];
const CONSTANTS = [null, true, false, 0, 1, -1.5, 19.75, '', 'a', '1', [], [1], {}, { a: 1 }, { a: [1, { b: null }] }];
/** Steps that doubles divide by without an error: decimal steps are what the oracle itself gets wrong. */
const STEPS = [1, 2, 0.5, 0.25, 3, 100];
const MAX_DEPTH = 3;

/**
 * Makes a random schema that its metaschema accepts, using every validating keyword of the dialect. Definitions refer to
 * earlier ones only, and to the whole document only below a property, so that judging always comes to an end.
 */
export function makeSchema(dialect: Dialect, random: Random): unknown {
  return new Maker(dialect, random).document();
}

class Maker {
  readonly #dialect: Dialect;
  readonly #random: Random;
  readonly #age: number;
  readonly #definitions: string;
  /** In 2019-09 what `contains` matched stays unevaluated, which the oracle does not know: one of the two, never both. */
  readonly #avoids: 'contains' | 'unevaluatedItems' | undefined;
  /** Definitions that may be referred to from anywhere at this moment. */
  #finished = 0;
  #budget = 40;
  /** How references name definitions in this document. */
  readonly #naming: 'pointer' | 'identifier' | 'anchor' | 'dynamic';

  constructor(dialect: Dialect, random: Random) {
    this.#dialect = dialect;
    this.#random = random;
    this.#age = DIALECTS.indexOf(dialect);
    this.#definitions = this.#since('2019-09') ? '$defs' : 'definitions';
    const namings = ['pointer', 'pointer', 'identifier', 'anchor', 'dynamic'] as const;
    this.#naming = random.pick(this.#since('2019-09') ? namings : namings.slice(0, 4));
    this.#avoids = dialect === '2019-09' ? random.pick(['contains', 'unevaluatedItems'] as const) : undefined;
  }

  document(): unknown {
    const definitions: SchemaObject = {};
    const count = this.#random.integer(0, 3);
    for (let made = 0; made < count; made++) {
      definitions[`d${made}`] = this.#definition(made);
      this.#finished = made + 1;
    }
    const body = this.#object(0);
    if (count > 0) body[this.#definitions] = definitions;
    if (this.#naming === 'identifier' || this.#naming === 'dynamic')
      body[this.#idKeyword()] = 'https://example.org/root';
    if (this.#naming === 'dynamic') this.#makeDynamic(body);
    if (this.#random.chance(0.5)) body.$schema = DIALECT_URI[this.#dialect];
    return body;
  }

  #since(dialect: Dialect): boolean {
    return this.#age <= DIALECTS.indexOf(dialect);
  }

  #schema(depth: number): unknown {
    if (this.#since('draft-06') && this.#random.chance(0.08)) return this.#random.chance(0.7);
    if (depth > 0 && this.#random.chance(0.2)) return this.#reference(depth);
    return this.#object(depth);
  }

  #idKeyword(): string {
    return this.#dialect === 'draft-04' ? 'id' : '$id';
  }

  /** A definition under the name by which this document refers to it. */
  #definition(at: number): unknown {
    if (this.#naming === 'pointer') return this.#schema(1);
    const schema = this.#object(1);
    if (this.#naming === 'anchor' && this.#since('2019-09')) schema.$anchor = `a${at}`;
    else schema[this.#idKeyword()] = this.#naming === 'anchor' ? `#a${at}` : `d${at}`;
    if (this.#naming === 'dynamic' && this.#random.chance(0.7)) this.#makeDynamic(schema);
    return schema;
  }

  /** A resource that others may fill in: below `again` stands whichever of them was entered first. */
  #makeDynamic(schema: SchemaObject): void {
    const isRecursive = this.#dialect === '2019-09';
    schema[isRecursive ? '$recursiveAnchor' : '$dynamicAnchor'] = isRecursive ? true : 'node';
    const again = isRecursive ? { $recursiveRef: '#' } : { $dynamicRef: '#node' };
    schema.properties = { ...(schema.properties as object), again };
  }

  #reference(depth: number): SchemaObject {
    if (this.#finished === 0) return this.#object(depth);
    const at = this.#random.integer(0, this.#finished - 1);
    const siblings = this.#random.chance(0.3) ? this.#object(MAX_DEPTH) : {};
    const names = {
      pointer: `#/${this.#definitions}/d${at}`,
      identifier: `d${at}`,
      anchor: `#a${at}`,
      dynamic: `d${at}`,
    };
    return { ...siblings, $ref: names[this.#naming] };
  }

  #object(depth: number): SchemaObject {
    const schema: SchemaObject = {};
    if (this.#random.chance(0.6)) schema.type = this.#type();
    const groups = [this.#forNumber, this.#forString, this.#forArray, this.#forObject, this.#forAny, this.#combining];
    for (const group of this.#random.some(groups, this.#random.integer(1, 2))) group.call(this, schema, depth);
    return schema;
  }

  #type(): unknown {
    if (this.#random.chance(0.75)) return this.#random.pick(TYPES);
    return this.#random.some(TYPES, this.#random.integer(1, 3));
  }

  #forNumber(schema: SchemaObject): void {
    const low = this.#random.integer(-5, 5);
    if (this.#random.chance(0.5)) schema.minimum = low;
    if (this.#random.chance(0.4)) schema.maximum = low + this.#random.integer(0, 10) / 2;
    if (this.#random.chance(0.3)) schema.multipleOf = this.#random.pick(STEPS);
    if (!this.#random.chance(0.3)) return;
    if (this.#dialect !== 'draft-04') schema.exclusiveMinimum = low - 0.5;
    else if ('minimum' in schema) schema.exclusiveMinimum = this.#random.chance(0.5);
  }

  #forString(schema: SchemaObject): void {
    if (this.#random.chance(0.4)) schema.minLength = this.#random.integer(0, 3);
    if (this.#random.chance(0.4)) schema.maxLength = this.#random.integer(1, 5);
    if (this.#random.chance(0.5)) schema.pattern = this.#random.pick(PATTERNS);
    if (this.#random.chance(0.2)) schema.format = this.#random.pick(['email', 'date-time', 'uint64', 'nonsense']);
  }

  #forArray(schema: SchemaObject, depth: number): void {
    if (this.#random.chance(0.4)) schema.minItems = this.#random.integer(0, 2);
    if (this.#random.chance(0.3)) schema.maxItems = this.#random.integer(1, 4);
    if (this.#random.chance(0.3)) schema.uniqueItems = this.#random.chance(0.8);
    if (this.#isSpent(depth)) return;
    const tuple = () => Array.from({ length: this.#random.integer(1, 2) }, () => this.#schema(depth + 1));
    if (this.#random.chance(0.3)) schema[this.#since('2020-12') ? 'prefixItems' : 'items'] = tuple();
    if (this.#random.chance(0.4))
      schema[Array.isArray(schema.items) ? 'additionalItems' : 'items'] = this.#schema(depth + 1);
    if (this.#since('draft-06') && this.#avoids !== 'contains' && this.#random.chance(0.3))
      schema.contains = this.#schema(depth + 1);
    if (!this.#since('2019-09')) return;
    if (this.#random.chance(0.3)) schema.minContains = this.#random.integer(0, 2);
    if (this.#random.chance(0.2)) schema.maxContains = this.#random.integer(1, 2);
    if (this.#avoids !== 'unevaluatedItems' && this.#random.chance(0.2)) schema.unevaluatedItems = this.#orFlag(depth);
  }

  #forObject(schema: SchemaObject, depth: number): void {
    if (this.#random.chance(0.4)) schema.required = this.#names(1);
    if (this.#random.chance(0.2)) schema.minProperties = this.#random.integer(0, 2);
    if (this.#random.chance(0.2)) schema.maxProperties = this.#random.integer(1, 4);
    if (this.#isSpent(depth)) return;
    const map = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, this.#schema(depth + 1)]));
    if (this.#random.chance(0.8)) schema.properties = map(this.#names(0));
    // The whole document again, one level further down: recursion that ends with the value.
    if (this.#random.chance(0.05)) schema.properties = { ...map(this.#names(0)), again: { $ref: '#' } };
    if (this.#random.chance(0.2)) schema.patternProperties = map(this.#random.some(PATTERNS, 1));
    if (this.#random.chance(0.4)) schema.additionalProperties = this.#orFlag(depth);
    if (this.#since('draft-06') && this.#random.chance(0.15)) schema.propertyNames = this.#schema(MAX_DEPTH);
    const dependents = () => Object.fromEntries(this.#names(1).map((name) => [name, this.#names(1)]));
    if (!this.#since('2019-09')) {
      if (this.#random.chance(0.2)) schema.dependencies = { ...dependents(), ...map(this.#names(1)) };
      return;
    }
    if (this.#random.chance(0.2)) schema.dependentRequired = dependents();
    if (this.#random.chance(0.2)) schema.dependentSchemas = map(this.#names(1));
    if (this.#random.chance(0.2)) schema.unevaluatedProperties = this.#orFlag(depth);
  }

  #forAny(schema: SchemaObject): void {
    const keyword = this.#random.pick(this.#since('draft-06') ? ['enum', 'const', 'default'] : ['enum', 'default']);
    const isList = keyword === 'enum';
    schema[keyword] = isList ? this.#random.some(CONSTANTS, this.#random.integer(1, 4)) : this.#random.pick(CONSTANTS);
  }

  #combining(schema: SchemaObject, depth: number): void {
    if (this.#isSpent(depth)) return;
    const list = () => Array.from({ length: this.#random.integer(1, 3) }, () => this.#schema(depth + 1));
    const keyword = this.#random.pick(['allOf', 'anyOf', 'oneOf', 'not', 'if']);
    if (keyword === 'not') schema.not = this.#schema(depth + 1);
    else if (keyword !== 'if') schema[keyword] = list();
    else if (this.#since('draft-07')) {
      schema.if = this.#schema(depth + 1);
      for (const branch of this.#random.some(['then', 'else'], this.#random.integer(1, 2)))
        schema[branch] = this.#schema(depth + 1);
    }
  }

  /** `additionalProperties` and its kin: false is the common case, and the one draft-04 allows beside a schema. */
  #orFlag(depth: number): unknown {
    return this.#random.chance(0.5)
      ? this.#dialect !== 'draft-04' && this.#random.chance(0.2)
      : this.#schema(depth + 1);
  }

  #names(least: number): string[] {
    return this.#random.some(NAMES, this.#random.integer(least, 3));
  }

  #isSpent(depth: number): boolean {
    this.#budget -= 1;
    return depth >= MAX_DEPTH || this.#budget < 0;
  }
}
