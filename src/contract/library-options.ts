type Node = Record<string, unknown>;

/** What zod shows of a schema while it converts it: enough to tell a plain object from a strict or a loose one. */
interface ZodConversion {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string; readonly catchall?: unknown } } };
  readonly jsonSchema: Node;
}

/** The same of Valibot, whose kinds of objects have names of their own. */
interface ValibotConversion {
  readonly valibotSchema: { readonly type: string };
  readonly jsonSchema: Node;
}

/**
 * Has a library say of each object that its author left plain whether it is open: each has a rule of its own. Undefined for
 * a library that cannot be told.
 */
export function libraryOptions(vendor: string, isClosed: boolean): Record<string, unknown> | undefined {
  if (vendor === 'zod') {
    return {
      override: ({ zodSchema, jsonSchema }: ZodConversion): void => {
        const { type, catchall } = zodSchema._zod.def;
        if (type === 'object' && catchall === undefined) say(jsonSchema, isClosed);
      },
    };
  }
  if (vendor === 'valibot') {
    return {
      overrideSchema: ({ valibotSchema, jsonSchema }: ValibotConversion): void => {
        if (valibotSchema.type === 'object') say(jsonSchema, isClosed);
      },
    };
  }
  return undefined;
}

function say(schema: Node, isClosed: boolean): void {
  if (isClosed) schema.additionalProperties = false;
  else delete schema.additionalProperties;
}
