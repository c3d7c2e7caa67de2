import fc from 'fast-check';
import type { Random } from './random.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type SchemaObject = { readonly [keyword: string]: unknown };

/** Names and strings that engines have tripped over. */
const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'a.b',
  '"',
  "'",
  '\\',
  '😀',
  '\u2028',
  'é',
];
const ODD_STRINGS = ['', ' ', '0', 'null', '💩', '👨‍👩‍👧', 'a\u0000b', 'é', '\ud800', '2026-02-30', 'x'.repeat(70)];
const ODD_NUMBERS = [0, -0, 1, -1, 0.1, 1.5, 19.99, 2 ** 40, -0.125, 9007199254740991, 255, -(2 ** 52)];
const MAX_DEPTH = 7;
const MAX_NODES = 3000;

/**
 * Makes a value that is likely, not certain, to satisfy the schema: the aim is to reach deep into it, not to be right.
 * Only references inside the document are followed.
 */
export function makeInstance(schema: unknown, random: Random): unknown {
  return new Maker(schema, random).make([schema], 0);
}

class Maker {
  readonly #root: unknown;
  readonly #random: Random;
  #nodesLeft = MAX_NODES;

  constructor(root: unknown, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  /** One value for all of `schemas` at once. */
  make(schemas: readonly unknown[], depth: number): Json {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft < 0 || depth > 2 * MAX_DEPTH) return null;
    const parts: SchemaObject[] = [];
    for (const schema of schemas) this.#flatten(schema, parts, 0);
    const fixed = parts.find((part) => Array.isArray(part.enum) || 'const' in part);
    if (fixed) return structuredClone('const' in fixed ? fixed.const : this.#random.pick(fixed.enum as Json[])) as Json;
    if (this.#random.chance(0.05)) {
      const offered = parts.flatMap((part) => (part.default === undefined ? [] : [part.default]));
      if (offered.length > 0) return structuredClone(this.#random.pick(offered)) as Json;
    }
    return this.#ofType(this.#typeOf(parts), parts, depth);
  }

  /** Collects the objects that apply together, choosing one branch wherever the schema offers several. */
  #flatten(schema: unknown, parts: SchemaObject[], hops: number): void {
    if (!isObject(schema) || hops > 12 || parts.length > 40) return;
    parts.push(schema);
    for (const keyword of ['$ref', '$recursiveRef', '$dynamicRef']) {
      if (typeof schema[keyword] === 'string') this.#flatten(this.#resolve(schema[keyword]), parts, hops + 1);
    }
    if (Array.isArray(schema.allOf)) for (const part of schema.allOf) this.#flatten(part, parts, hops + 1);
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = schema[keyword];
      if (Array.isArray(branches) && branches.length > 0) this.#flatten(this.#random.pick(branches), parts, hops + 1);
    }
    if (schema.if !== undefined && this.#random.chance(0.5)) {
      this.#flatten(schema.if, parts, hops + 1);
      this.#flatten(schema.then, parts, hops + 1);
    } else if (schema.else !== undefined) {
      this.#flatten(schema.else, parts, hops + 1);
    }
  }

  #resolve(reference: string): unknown {
    if (reference === '#' || reference === '#node') return this.#root;
    // The names that makeSchema gives to definitions.
    const named = /^#?[ad](\d+)$/.exec(reference);
    if (named) return this.#resolve(`#/$defs/d${named[1]}`) ?? this.#resolve(`#/definitions/d${named[1]}`);
    if (!reference.startsWith('#/')) return undefined;
    let place: unknown = this.#root;
    for (const step of reference.slice(2).split('/')) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined;
      place = (place as Record<string, unknown>)[name];
    }
    return place;
  }

  #typeOf(parts: readonly SchemaObject[]): string {
    const declared = parts.flatMap((part) => (part.type === undefined ? [] : [[part.type].flat() as string[]]));
    const common = declared[0]?.filter((type) => declared.every((types) => types.includes(type))) ?? [];
    if (common.length > 0) return this.#random.pick(common);
    const has = (...keywords: string[]) => parts.some((part) => keywords.some((keyword) => keyword in part));
    const hinted = [
      ...(has('properties', 'required', 'patternProperties', 'additionalProperties', 'propertyNames')
        ? ['object']
        : []),
      ...(has('dependencies', 'dependentRequired', 'dependentSchemas', 'minProperties', 'maxProperties')
        ? ['object']
        : []),
      ...(has('items', 'prefixItems', 'contains', 'uniqueItems', 'minItems', 'maxItems') ? ['array'] : []),
      ...(has('pattern', 'minLength', 'maxLength', 'format') ? ['string'] : []),
      ...(has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum') ? ['number'] : []),
    ];
    if (hinted.length > 0 && this.#random.chance(0.85)) return this.#random.pick(hinted);
    return this.#random.pick(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
  }

  #ofType(type: string, parts: readonly SchemaObject[], depth: number): Json {
    switch (type) {
      case 'object':
        return this.#object(parts, depth);
      case 'array':
        return this.#array(parts, depth);
      case 'string':
        return this.#string(parts);
      case 'integer':
      case 'number':
        return this.#number(parts, type === 'integer');
      case 'boolean':
        return this.#random.chance(0.5);
      default:
        return null;
    }
  }

  #object(parts: readonly SchemaObject[], depth: number): Json {
    const known = parts.flatMap((part) => (isObject(part.properties) ? Object.keys(part.properties) : []));
    const required = parts.flatMap((part) => (Array.isArray(part.required) ? (part.required as string[]) : []));
    const share = depth > MAX_DEPTH ? 0 : this.#random.pick([0, 0.3, 0.7, 1]);
    const names = new Set([...required, ...known.filter(() => this.#random.chance(share))]);
    for (const part of parts) {
      for (const pattern of isObject(part.patternProperties) ? Object.keys(part.patternProperties) : []) {
        if (this.#random.chance(share)) names.add(this.#matching(pattern));
      }
    }
    if (this.#random.chance(0.2)) names.add(this.#random.pick([...ODD_NAMES, 'extra']));
    const least = Math.max(0, ...numbersOf(parts, 'minProperties'));
    for (let more = 0; names.size < least && more < 50; more++) names.add(`more${more}`);
    return Object.fromEntries([...names].map((name) => [name, this.make(schemasOfProperty(parts, name), depth + 1)]));
  }

  #array(parts: readonly SchemaObject[], depth: number): Json {
    const least = Math.max(0, ...numbersOf(parts, 'minItems'));
    const most = Math.min(least + 3, ...numbersOf(parts, 'maxItems'));
    const length = depth > MAX_DEPTH ? least : this.#random.integer(Math.min(least, most), Math.max(least, most));
    const contained = parts.flatMap((part) => (part.contains === undefined ? [] : [part.contains]));
    return Array.from({ length: Math.min(length, 60) }, (_, index) => {
      const schemas = schemasOfItem(parts, index);
      return this.make(this.#random.chance(0.5) ? [...schemas, ...contained] : schemas, depth + 1);
    });
  }

  #string(parts: readonly SchemaObject[]): Json {
    const patterns = parts.flatMap((part) => (typeof part.pattern === 'string' ? [part.pattern] : []));
    if (patterns.length > 0 && this.#random.chance(0.9)) return this.#matching(this.#random.pick(patterns));
    const least = Math.max(0, ...numbersOf(parts, 'minLength'));
    const most = Math.min(least + 12, ...numbersOf(parts, 'maxLength'));
    if (least === 0 && this.#random.chance(0.3)) return this.#random.pick(ODD_STRINGS);
    // Lengths count code points: a pair of surrogates is one.
    const letter = this.#random.pick(['a', 'Z', '7', '-', 'é', '😀']);
    return letter.repeat(Math.min(this.#random.integer(Math.min(least, most), Math.max(least, most)), 5000));
  }

  #matching(pattern: string): string {
    try {
      const strings = fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
      return fc.sample(strings, { numRuns: 1, seed: this.#random.integer(0, 2 ** 31 - 1) })[0] ?? '';
    } catch {
      return this.#random.pick(ODD_STRINGS);
    }
  }

  #number(parts: readonly SchemaObject[], integer: boolean): Json {
    const low = Math.max(...numbersOf(parts, 'minimum'), ...numbersOf(parts, 'exclusiveMinimum'), -1e3);
    const high = Math.min(
      ...numbersOf(parts, 'maximum'),
      ...numbersOf(parts, 'exclusiveMaximum'),
      Math.max(1e3, low + 10),
    );
    const step = numbersOf(parts, 'multipleOf')[0] ?? (integer ? 1 : undefined);
    if (this.#random.chance(0.2)) return this.#random.pick([low, high, low + (step ?? 0.5), high - (step ?? 0.5)]);
    if (this.#random.chance(0.05)) return this.#random.pick(ODD_NUMBERS);
    const value = low + this.#random.next() * (high - low);
    if (step === undefined) return Number(value.toPrecision(this.#random.integer(1, 12)));
    return Number((Math.round(value / step) * step).toPrecision(12));
  }
}

function schemasOfProperty(parts: readonly SchemaObject[], name: string): unknown[] {
  return parts.flatMap((part) => {
    const found: unknown[] = [];
    if (isObject(part.properties) && Object.hasOwn(part.properties, name)) found.push(part.properties[name]);
    for (const [pattern, schema] of isObject(part.patternProperties) ? Object.entries(part.patternProperties) : []) {
      if (matches(pattern, name)) found.push(schema);
    }
    if (found.length > 0) return found;
    return [part.additionalProperties, part.unevaluatedProperties].filter(isObject);
  });
}

function schemasOfItem(parts: readonly SchemaObject[], index: number): unknown[] {
  return parts.flatMap((part) => {
    const tuple = Array.isArray(part.prefixItems) ? part.prefixItems : Array.isArray(part.items) ? part.items : [];
    if (index < tuple.length) return [tuple[index]];
    return [Array.isArray(part.items) ? part.additionalItems : part.items, part.unevaluatedItems].filter(isObject);
  });
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false;
  }
}

function numbersOf(parts: readonly SchemaObject[], keyword: string): number[] {
  return parts.flatMap((part) => (typeof part[keyword] === 'number' ? [part[keyword]] : []));
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes one place of `value` in a way that a careless caller would. The value itself stays as it is. */
export function mutateInstance(value: unknown, random: Random): unknown {
  const holder: { root: Json } = { root: structuredClone(value) as Json };
  const places: { readonly owner: Record<string, Json>; readonly key: string }[] = [];
  const visit = (owner: object, key: string): void => {
    if (places.length > 500) return;
    places.push({ owner: owner as Record<string, Json>, key });
    const inner = (owner as Record<string, Json>)[key];
    if (typeof inner === 'object' && inner !== null) for (const name of Object.keys(inner)) visit(inner, name);
  };
  visit(holder, 'root');
  const { owner, key } = random.pick(places);
  if (owner !== (holder as object) && random.chance(0.25)) removeAt(owner, key);
  else setOwn(owner, key, altered(owner[key] as Json, random));
  return holder.root;
}

function removeAt(owner: object, key: string): void {
  if (Array.isArray(owner)) owner.splice(Number(key), 1);
  else delete (owner as Record<string, unknown>)[key];
}

/** `owner.__proto__ = x` would change the prototype instead. */
function setOwn(owner: object, key: string, value: Json): void {
  Object.defineProperty(owner, key, { value, enumerable: true, writable: true, configurable: true });
}

function altered(value: Json, random: Random): Json {
  if (random.chance(0.3)) return random.pick<Json>([null, true, false, '', 0, [], {}, '1', 1.5, [value], { value }]);
  if (typeof value === 'number') {
    // JSON has no infinity.
    const larger = Number.isFinite(value * 10) ? value * 10 : 0;
    return random.pick([value + 1, value - 1, value + 0.5, -value, larger, String(value), random.pick(ODD_NUMBERS)]);
  }
  if (typeof value === 'string') {
    return random.pick([`${value}😀`, value.slice(1), value.toUpperCase(), value + value, random.pick(ODD_STRINGS), 5]);
  }
  if (Array.isArray(value)) {
    const item = value[0] ?? null;
    return random.pick<Json>([[...value, item], [...value].reverse(), value.slice(1), [null, ...value], { ...value }]);
  }
  if (typeof value === 'object' && value !== null) {
    const copy = { ...value };
    setOwn(
      copy,
      random.pick([...ODD_NAMES, 'extra', 'id', ...Object.keys(value)]),
      random.pick<Json>([1, 'x', null, {}]),
    );
    return copy;
  }
  return random.pick<Json>([!value, 'true', 0, null]);
}
