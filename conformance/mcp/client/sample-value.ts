/** The members of JSON Schema that say enough to make up a value. */
export interface Sketch {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Sketch>>;
  readonly required?: readonly string[];
  readonly items?: Sketch;
}

/** A value for a simple schema: what it requires, and no more. */
export function sampleValue(schema: Sketch): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return 'sample';
    case 'integer':
    case 'number':
      return 2;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'null':
      return null;
    default:
      return sampleObject(schema);
  }
}

function sampleObject({ properties = {}, required = [] }: Sketch): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleValue(properties[name] ?? { type: 'string' })]));
}
