export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

type Schema = Readonly<Record<string, unknown>>;

/** References and alternatives deeper than this are not followed: the schema may go in circles. */
const MAX_DEPTH = 16;

/** The properties that a tool's arguments may have, as far as its schema says. */
export class ToolParameters {
  readonly #schema: Schema;
  readonly #properties: ReadonlyMap<string, unknown>;

  constructor(inputSchema: unknown) {
    this.#schema = isSchema(inputSchema) ? inputSchema : {};
    const { properties } = this.#schema;
    this.#properties = new Map(isSchema(properties) ? Object.entries(properties) : []);
  }

  get names(): readonly string[] {
    return [...this.#properties.keys()];
  }

  has(name: string): boolean {
    return this.#properties.has(name);
  }

  /** Whether a name that is not among `names` is a surprise: the schema lists its properties and says of no others. */
  get isListed(): boolean {
    const { additionalProperties, patternProperties, $ref, allOf, anyOf, oneOf } = this.#schema;
    const openers = [additionalProperties === true ? true : undefined, patternProperties, $ref, allOf, anyOf, oneOf];
    return this.#properties.size > 0 && !isSchema(additionalProperties) && openers.every((each) => each === undefined);
  }

  /** The types a property may have; undefined where the schema leaves it open. */
  typesOf(name: string): ReadonlySet<JsonType> | undefined {
    const { additionalProperties } = this.#schema;
    return this.#typesOf(this.#properties.get(name) ?? additionalProperties, 0);
  }

  #typesOf(schema: unknown, depth: number): ReadonlySet<JsonType> | undefined {
    if (!isSchema(schema) || depth > MAX_DEPTH) return undefined;
    const { type, enum: values, const: value, $ref, anyOf, oneOf, allOf } = schema;
    if (typeof type === 'string') return new Set([type as JsonType]);
    if (Array.isArray(type)) return new Set(type as JsonType[]);
    if (Array.isArray(values)) return new Set(values.map(typeOf));
    if (value !== undefined) return new Set([typeOf(value)]);
    if (typeof $ref === 'string') return this.#typesOf(this.#resolve($ref), depth + 1);
    const alternatives = anyOf ?? oneOf;
    if (Array.isArray(alternatives)) return union(alternatives.map((each) => this.#typesOf(each, depth + 1)));
    // Each part of an allOf must hold: the first that says something limits it enough.
    return Array.isArray(allOf) ? allOf.map((each) => this.#typesOf(each, depth + 1)).find(Boolean) : undefined;
  }

  #resolve(reference: string): unknown {
    if (reference !== '#' && !reference.startsWith('#/')) return undefined;
    let found: unknown = this.#schema;
    for (const step of reference.split('/').slice(1)) {
      const key = decodeStep(step);
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
      found = (found as Schema)[key];
    }
    return found;
  }
}

function decodeStep(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonType;
}

/** Open as soon as one alternative is. */
function union(alternatives: readonly (ReadonlySet<JsonType> | undefined)[]): ReadonlySet<JsonType> | undefined {
  if (alternatives.some((types) => types === undefined)) return undefined;
  return new Set(alternatives.flatMap((types) => [...(types ?? [])]));
}
