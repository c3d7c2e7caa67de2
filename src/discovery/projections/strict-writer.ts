import type { JsonSchema } from '../../contract/index.js';
import { Inexpressible } from './inexpressible.js';
import { withoutAllOf } from './merge.js';
import { intersect, type OriginalSchema } from './original.js';
import { childrenOf, step } from './pointers.js';
import { DECIDING, SPEAKS_OF, type StrictRules, TOLD, typesOf } from './rules.js';
import { isNode, type Loss, type SchemaNode } from './types.js';

export interface StrictWriterOptions {
  readonly original: OriginalSchema;
  readonly rules: StrictRules;
  /** References that turned out to lead to what cannot be said, by their text; added to. */
  readonly failed: Map<string, Inexpressible>;
}

/** A definition, written once, with what was lost in it. */
interface Definition {
  readonly name: string;
  schema: SchemaNode;
  readonly losses: Loss[];
}

type Draft = Record<string, unknown>;

/** Text about what a target has no words for is cut off here, in characters: it is to help, not to fill the window. */
const MAX_NOTE = 2_000;
const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const ANNOTATIONS = ['title', 'description'] as const;

/** Writes one tool's schema anew by a target's rules. */
export class StrictWriter {
  /** Properties, as written, where null stands for what is left out. */
  readonly nullMeansAbsent = new Set<SchemaNode>();
  readonly #original: OriginalSchema;
  readonly #rules: StrictRules;
  readonly #failed: Map<string, Inexpressible>;
  readonly #definitions = new Map<string, Definition>();
  /** Names of definitions, and how far each was counted up. */
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();
  #losses: Loss[] = [];

  constructor({ original, rules, failed }: StrictWriterOptions) {
    this.#original = original;
    this.#rules = rules;
    this.#failed = failed;
  }

  /** @throws {Inexpressible} where the tool cannot be said at all */
  root(): SchemaNode {
    const { root } = this.#original;
    if (typeof root.$ref === 'string') throw new Inexpressible('', 'the root is a reference');
    const schema = this.#write(root, '');
    if (schema.type !== 'object') throw new Inexpressible('', 'the root is not one plain object');
    return schema;
  }

  /** The whole, with the definitions that it leads to. */
  finish(root: SchemaNode): { readonly schema: JsonSchema; readonly losses: readonly Loss[] } {
    const used = new Map<string, Definition>();
    const byName = new Map([...this.#definitions.values()].map((definition) => [definition.name, definition]));
    const collect = (node: SchemaNode): void => {
      const definition = typeof node.$ref === 'string' ? byName.get(node.$ref.slice('#/$defs/'.length)) : undefined;
      if (definition && !used.has(definition.name)) {
        used.set(definition.name, definition);
        collect(definition.schema);
      }
      for (const [, child] of childrenOf(node)) collect(child);
    };
    collect(root);
    const $defs = Object.fromEntries([...used].map(([name, { schema }]) => [name, schema]));
    return {
      schema: used.size === 0 ? root : { ...root, $defs },
      losses: [...this.#losses, ...[...used.values()].flatMap(({ losses }) => losses)],
    };
  }

  #write(node: unknown, path: string): SchemaNode {
    if (node === false) throw new Inexpressible(path, 'nothing at all is good here');
    if (node === true) return this.#anything(path);
    if (!isNode(node)) throw new Inexpressible(path, 'this is no schema');
    if (typeof node.$ref === 'string') return this.#reference(node, node.$ref, path);
    const flat = withoutAllOf(node, this.#original);
    if (flat !== node && typeof flat.$ref === 'string') return this.#reference(flat, flat.$ref, path);
    const union = Array.isArray(flat.anyOf) ? 'anyOf' : Array.isArray(flat.oneOf) ? 'oneOf' : undefined;
    if (union !== undefined && !this.#hasShape(flat)) {
      if (path === '' && node === this.#original.root) throw new Inexpressible('', `the root has ${union}`);
      return this.#union(flat, union, path);
    }
    if (flat.const !== undefined || Array.isArray(flat.enum)) {
      const written = this.#literals(flat, path);
      if (written !== undefined) return written;
    }
    return this.#typed(flat, path);
  }

  #anything(path: string): SchemaNode {
    if (this.#rules.needsType) throw new Inexpressible(path, 'values of any kind are good here');
    return {};
  }

  /** Whether a schema says more of its values than their type, beside what it says in branches. */
  #hasShape(node: SchemaNode): boolean {
    return Object.keys(node).some((key) => key in SPEAKS_OF || key === 'enum' || key === 'const');
  }

  #reference(node: SchemaNode, ref: string, path: string): SchemaNode {
    const { name } = this.#definition(ref, path);
    const said: SchemaNode = this.#original.isOld ? {} : node;
    const plain = { $ref: `#/$defs/${name}` };
    const written = this.#described({}, said, { path, handled: new Set(['$ref']) });
    return Object.keys(written).length === 0 ? plain : { anyOf: [plain], ...written };
  }

  #definition(ref: string, path: string): Definition {
    const known = this.#definitions.get(ref);
    if (known) return known;
    const failure = this.#failed.get(ref);
    if (failure) throw new Inexpressible(path, failure.message);
    const target = this.#original.find(ref);
    if (target === undefined) throw new Inexpressible(path, `${JSON.stringify(ref)} is no place in this schema`);
    const definition: Definition = { name: this.#freeName(ref), schema: {}, losses: [] };
    this.#definitions.set(ref, definition);
    const outer = this.#losses;
    this.#losses = definition.losses;
    try {
      definition.schema = this.#write(target, ref.slice(1));
      return definition;
    } catch (thrown) {
      if (thrown instanceof Inexpressible) this.#failed.set(ref, thrown);
      throw thrown;
    } finally {
      this.#losses = outer;
    }
  }

  #freeName(ref: string): string {
    const last = ref.slice(ref.lastIndexOf('/') + 1);
    const wanted = ref === '#' || last === '' ? 'root' : last.replace(/[^A-Za-z0-9_-]/g, '_');
    let name = wanted;
    // Thousands may want one name: each begins where the last one ended.
    let count = this.#counts.get(wanted) ?? 1;
    for (; this.#taken.has(name); name = `${wanted}_${count}`) count++;
    this.#counts.set(wanted, count);
    this.#taken.add(name);
    return name;
  }

  #union(node: SchemaNode, keyword: 'anyOf' | 'oneOf', path: string): SchemaNode {
    const all = node[keyword] as readonly unknown[];
    const types = typesOf(node);
    const written: SchemaNode[] = [];
    let failure: Inexpressible | undefined;
    for (const [at, branch] of all.entries()) {
      const held = types === undefined ? branch : this.#held(branch, types, path);
      if (held === false) continue;
      const lossesBefore = this.#losses.length;
      try {
        written.push(this.#write(held, `${path}/${keyword}/${at}`));
      } catch (thrown) {
        if (!(thrown instanceof Inexpressible)) throw thrown;
        failure = thrown;
        this.#losses.length = lossesBefore;
        this.#lose(`${path}/${keyword}/${at}`, keyword, 'narrower', `this branch cannot be said: ${thrown.message}`);
      }
    }
    if (written.length === 0) throw failure ?? new Inexpressible(path, 'no branch can be said');
    if (keyword === 'oneOf' && !this.#original.areApart(all)) {
      this.#lose(path, 'oneOf', 'wider', 'what fits two of its branches at once is refused');
    }
    const handled = new Set([keyword, 'type']);
    return this.#described({ anyOf: written.flatMap(flattened) }, node, { path, handled });
  }

  /** A branch that also holds to the types which its union holds to. */
  #held(branch: unknown, types: readonly string[], path: string): unknown {
    if (branch === true) return { type: types };
    if (!isNode(branch)) return branch;
    const own = typesOf(branch);
    if (own !== undefined) {
      const both = intersect(own, types);
      return both.length === 0 ? false : { ...branch, type: both.length === 1 ? both[0] : both };
    }
    if (typeof branch.$ref === 'string') {
      const target = this.#original.resolve(branch);
      const theirs = isNode(target) ? typesOf(target) : undefined;
      if (theirs === undefined || intersect(theirs, types).length < theirs.length) {
        this.#lose(path, 'type', 'wider', `only ${types.join(' or ')} is good here`);
      }
      return branch;
    }
    return { ...branch, type: types.length === 1 ? types[0] : types };
  }

  /** @returns undefined where the values are no plain literals, and a type says at least something of them */
  #literals(node: SchemaNode, path: string): SchemaNode | undefined {
    const types = typesOf(node);
    const given: readonly unknown[] = node.const === undefined ? (node.enum as readonly unknown[]) : [node.const];
    const values = given.filter((value) => types === undefined || intersect([typeOf(value)], types).length > 0);
    if (values.length === 0) throw new Inexpressible(path, 'nothing at all is good here');
    if (!values.every((value) => SCALARS.has(typeOf(value)))) {
      if (types !== undefined) return undefined;
      throw new Inexpressible(path, 'only certain objects or arrays are good here');
    }
    const { enumTypes } = this.#rules;
    const plain = values.filter((value) => enumTypes.has(looseTypeOf(value)));
    const others = values.filter((value) => !enumTypes.has(looseTypeOf(value)));
    const parts: SchemaNode[] = plain.length === 0 ? [] : [this.#enumOf(plain, node)];
    for (const type of new Set(others.map(typeOf))) {
      parts.push({ type });
      const isWhole = type === 'null' || (others.includes(true) && others.includes(false));
      if (!isWhole) this.#lose(path, node.const === undefined ? 'enum' : 'const', 'wider', 'only one of both is good');
    }
    const handled = new Set(['enum', 'const', 'type']);
    const isNoted =
      parts.some(({ type }) => type === 'boolean') && others.filter((value) => value !== null).length === 1;
    if (isNoted) handled.delete(node.const === undefined ? 'enum' : 'const');
    const [first] = parts;
    return this.#described(parts.length === 1 ? first! : { anyOf: parts }, node, { path, handled });
  }

  #enumOf(values: readonly unknown[], node: SchemaNode): SchemaNode {
    const { typesLiterals, hasConst } = this.#rules;
    const types = [...new Set(values.map(looseTypeOf))].map((type) =>
      type === 'number' && values.every((value) => typeOf(value) !== 'number') ? 'integer' : type,
    );
    const type = types.length === 1 ? types[0] : types;
    const literal = node.const !== undefined && hasConst ? { const: node.const } : { enum: values };
    return typesLiterals ? { type, ...literal } : literal;
  }

  #typed(node: SchemaNode, path: string): SchemaNode {
    const types = this.#typesIn(node, path);
    if (types === undefined) return this.#described({}, node, { path, handled: new Set() });
    const [first] = types;
    if (types.length === 1) return this.#single(first!, node, path);
    const isPlain = types.every((type) => SCALARS.has(type));
    if (isPlain && this.#rules.listsTypes) return this.#scalar(types, node, path);
    const branches = types.map((type) => {
      const own = Object.entries(node).filter(([keyword]) => SPEAKS_OF[keyword] === speechOf(type));
      return this.#single(type, Object.fromEntries(own), path);
    });
    const handled = new Set(['type', ...Object.keys(SPEAKS_OF)]);
    return this.#described({ anyOf: branches }, node, { path, handled });
  }

  /** The types a schema names or means; undefined where none is needed. */
  #typesIn(node: SchemaNode, path: string): readonly string[] | undefined {
    const named = typesOf(node);
    // Every integer is a number.
    if (named !== undefined) return named.filter((type) => type !== 'integer' || !named.includes('number'));
    const spoken = new Set(Object.keys(node).map((keyword) => SPEAKS_OF[keyword]));
    const meant = ['object', 'array'].find((type) => spoken.has(type));
    if (meant !== undefined) {
      this.#lose(path, 'type', 'narrower', `values that are no ${meant} cannot be given`);
      return [meant];
    }
    if (this.#rules.needsType) throw new Inexpressible(path, 'no type is named');
    return undefined;
  }

  #single(type: string, node: SchemaNode, path: string): SchemaNode {
    if (type === 'object') return this.#object(node, path);
    if (type === 'array') return this.#array(node, path);
    if (!SCALARS.has(type)) throw new Inexpressible(path, `${JSON.stringify(type)} is no type`);
    return this.#scalar([type], node, path);
  }

  #scalar(types: readonly string[], node: SchemaNode, path: string): SchemaNode {
    const draft: Draft = { type: types.length === 1 ? types[0] : types };
    const handled = new Set(['type']);
    for (const [keyword, value] of Object.entries(node)) {
      const speaksOf = SPEAKS_OF[keyword];
      if (speaksOf === undefined) continue;
      if (!types.some((type) => speechOf(type) === speaksOf)) handled.add(keyword);
      else if (keyword === 'format' ? this.#rules.formats.has(String(value)) : this.#rules.keeps(keyword, value)) {
        handled.add(keyword);
        draft[keyword] = value;
      }
    }
    this.#integerBounds(types, node, { draft, handled });
    return this.#described(draft, node, { path, handled });
  }

  /** Between whole numbers, a bound that is left out is the next one that is not. */
  #integerBounds(types: readonly string[], node: SchemaNode, { draft, handled }: BoundsPlace): void {
    if (types.length !== 1 || types[0] !== 'integer') return;
    const bounds = [
      ['exclusiveMinimum', 'minimum', 1],
      ['exclusiveMaximum', 'maximum', -1],
    ] as const;
    for (const [exclusive, inclusive, towards] of bounds) {
      const bound = node[exclusive];
      if (handled.has(exclusive) || !Number.isSafeInteger(bound) || !this.#rules.keeps(inclusive, bound)) continue;
      const next = (bound as number) + towards;
      const other = draft[inclusive];
      draft[inclusive] = typeof other === 'number' && (other - next) * towards > 0 ? other : next;
      handled.add(exclusive);
    }
  }

  #array(node: SchemaNode, path: string): SchemaNode {
    const draft: Draft = { type: 'array' };
    const handled = new Set(['type']);
    const isOldTuple = Array.isArray(node.items);
    const tuple = isOldTuple ? node.items : node.prefixItems;
    const rest = isOldTuple ? node.additionalItems : node.items;
    if (Array.isArray(tuple)) {
      if (!this.#rules.hasTuples) throw new Inexpressible(path, 'a tuple, whose places hold different things');
      const keyword = isOldTuple ? 'items' : 'prefixItems';
      draft.prefixItems = tuple.map((item, at) => this.#write(item, `${path}/${keyword}/${at}`));
      handled.add('prefixItems').add('items').add('additionalItems');
      if (rest === false) draft.maxItems = Math.min(tuple.length, Number(node.maxItems ?? tuple.length));
      else if (isNode(rest)) draft.items = this.#write(rest, `${path}/${isOldTuple ? 'additionalItems' : 'items'}`);
    } else if (rest === undefined || rest === true || (isNode(rest) && Object.keys(rest).length === 0)) {
      if (this.#rules.needsItems) throw new Inexpressible(path, 'an array of anything');
      handled.add('items');
    } else {
      draft.items = this.#write(rest, `${path}/items`);
      handled.add('items');
    }
    for (const [keyword, value] of Object.entries(node)) {
      if (SPEAKS_OF[keyword] === undefined) continue;
      if (SPEAKS_OF[keyword] !== 'array') handled.add(keyword);
      else if (!handled.has(keyword) && this.#rules.keeps(keyword, value)) {
        handled.add(keyword);
        draft[keyword] ??= value;
      }
    }
    return this.#described(draft, node, { path, handled });
  }

  #object(node: SchemaNode, path: string): SchemaNode {
    const own = isNode(node.properties) ? node.properties : {};
    const required = new Set(Array.isArray(node.required) ? node.required.map(String) : []);
    const { closes, requiresAll } = this.#rules;
    const isOpen = node.additionalProperties !== false && node.unevaluatedProperties !== false;
    if (closes && path !== '' && Object.keys(own).length === 0 && (isOpen || isNode(node.patternProperties))) {
      throw new Inexpressible(path, 'an object with members of any name');
    }
    const properties = new Map<string, SchemaNode>();
    for (const [name, schema] of Object.entries(own)) {
      const place = { path: `${path}/properties${step(name)}`, isRequired: required.has(name) };
      const written = this.#property(schema, place);
      if (written !== undefined) properties.set(name, written);
    }
    for (const name of required) {
      if (properties.has(name)) continue;
      if (closes) throw new Inexpressible(path, `the member ${JSON.stringify(name)} is needed and not described`);
      const other = node.additionalProperties;
      if (!isOpen) throw new Inexpressible(path, `the member ${JSON.stringify(name)} is needed and may not be there`);
      properties.set(name, isNode(other) ? this.#write(other, `${path}/additionalProperties`) : {});
    }
    const needed = requiresAll ? [...properties.keys()] : [...required];
    const draft: Draft = {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...((requiresAll || needed.length > 0) && { required: needed }),
      ...this.#others(node, path, isOpen),
    };
    const handled = new Set(['type', 'properties', 'required', 'additionalProperties']);
    if (closes || draft.additionalProperties === false) handled.add('unevaluatedProperties');
    for (const [keyword, of] of Object.entries(SPEAKS_OF)) if (of !== 'object') handled.add(keyword);
    return this.#described(draft, node, { path, handled });
  }

  /** What is said of members that are not named. */
  #others(node: SchemaNode, path: string, isOpen: boolean): Draft {
    if (this.#rules.closes) {
      if (isOpen) this.#lose(path, 'additionalProperties', 'narrower', 'members that are not named cannot be given');
      return { additionalProperties: false };
    }
    const { additionalProperties: others } = node;
    if (isNode(others) && Object.keys(others).length > 0) {
      return { additionalProperties: this.#write(others, `${path}/additionalProperties`) };
    }
    return isOpen || isNode(node.patternProperties) ? {} : { additionalProperties: false };
  }

  /** @returns undefined where the member goes without being said */
  #property(schema: unknown, { path, isRequired }: PropertyPlace): SchemaNode | undefined {
    if (schema === false && !isRequired) return undefined;
    const lossesBefore = this.#losses.length;
    try {
      const written = this.#write(schema, path);
      return isRequired || !this.#rules.requiresAll ? written : this.#nullable(written, schema, path);
    } catch (thrown) {
      if (isRequired || !(thrown instanceof Inexpressible)) throw thrown;
      this.#losses.length = lossesBefore;
      this.#lose(path, 'properties', 'narrower', `cannot be given: ${thrown.message}`);
      return undefined;
    }
  }

  /** A member that may be left out, in a schema where it may not: null says that it is. */
  #nullable(written: SchemaNode, schema: unknown, path: string): SchemaNode {
    const taken = this.#original.takesNull(schema);
    if (taken !== 'no') {
      const why = taken === 'yes' ? 'null is a value of it' : 'null may be a value of it';
      this.#lose(path, 'required', 'narrower', `cannot be left out: ${why}`);
      return written;
    }
    const nullable = withNull(written);
    this.nullMeansAbsent.add(nullable);
    return nullable;
  }

  #lose(path: string, keyword: string, effect: Loss['effect'], why: string): void {
    this.#losses.push({ path, keyword, effect, why });
  }

  /** Adds title and description, and to these what the target has no words for. */
  #described(draft: SchemaNode, node: SchemaNode, { path, handled }: Described): SchemaNode {
    const untold: Draft = {};
    for (const [keyword, value] of Object.entries(node)) {
      if (handled.has(keyword)) continue;
      if (DECIDING.has(keyword)) this.#lose(path, keyword, 'wider', 'is said in the description alone');
      if (DECIDING.has(keyword) || TOLD.has(keyword)) untold[keyword] = value;
    }
    const described: Draft = { ...draft };
    for (const name of ANNOTATIONS) if (typeof node[name] === 'string') described[name] = node[name];
    if (Object.keys(untold).length === 0) return described;
    const note = `JSON Schema: ${JSON.stringify(untold)}`;
    const cut = note.length > MAX_NOTE ? `${note.slice(0, MAX_NOTE)}…` : note;
    described.description = described.description === undefined ? cut : `${described.description}\n\n${cut}`;
    return described;
  }
}

interface PropertyPlace {
  readonly path: string;
  readonly isRequired: boolean;
}

interface Described {
  readonly path: string;
  /** Keywords that the draft says already, or that mean nothing here. */
  readonly handled: ReadonlySet<string>;
}

interface BoundsPlace {
  readonly draft: Draft;
  readonly handled: Set<string>;
}

/** The branches of a union in a union are branches of it, where nothing else is said of the inner one. */
function flattened(branch: SchemaNode): readonly SchemaNode[] {
  const isPlain = Array.isArray(branch.anyOf) && Object.keys(branch).length === 1;
  return isPlain && (branch.anyOf as readonly unknown[]).every(isNode) ? (branch.anyOf as SchemaNode[]) : [branch];
}

function withNull(node: SchemaNode): SchemaNode {
  const { title, description, ...rest } = node;
  const told = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  if (Array.isArray(rest.anyOf) && Object.keys(rest).length === 1) {
    return { anyOf: [...rest.anyOf, { type: 'null' }], ...told };
  }
  const isScalar = typeof rest.type === 'string' && rest.type !== 'object' && rest.type !== 'array';
  if (isScalar && !('enum' in rest) && !('const' in rest)) return { ...rest, type: [rest.type, 'null'], ...told };
  return { anyOf: [rest, { type: 'null' }], ...told };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function looseTypeOf(value: unknown): string {
  const type = typeOf(value);
  return type === 'integer' ? 'number' : type;
}

/** How `SPEAKS_OF` calls a type. */
function speechOf(type: string): string {
  return type === 'integer' ? 'number' : type;
}
