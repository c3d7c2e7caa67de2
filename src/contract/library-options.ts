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

/** How a library is told to convert, and what it told of it. */
export interface LibraryTalk {
  /** Undefined for a library that cannot be told. */
  readonly options: Record<string, unknown> | undefined;
  /** Whether it has joined schemas by `allOf`, as far as is known. Few schemas have that. */
  mayHaveJoined: boolean;
}

/** Has a library say of each object that its author left plain whether it is open: each has a rule of its own. */
export function talkTo(vendor: string, isClosed: boolean): LibraryTalk {
  if (vendor === 'zod') {
    const override = ({ zodSchema, jsonSchema }: ZodConversion): void => {
      const { type, catchall } = zodSchema._zod.def;
      if (type === 'object' && catchall === undefined) say(jsonSchema, isClosed);
      if (jsonSchema.allOf !== undefined) talk.mayHaveJoined = true;
    };
    const talk: LibraryTalk = { options: { override }, mayHaveJoined: false };
    return talk;
  }
  if (vendor !== 'valibot') return { options: undefined, mayHaveJoined: true };
  const overrideSchema = ({ valibotSchema, jsonSchema }: ValibotConversion): void => {
    if (valibotSchema.type === 'object') say(jsonSchema, isClosed);
  };
  return { options: { overrideSchema }, mayHaveJoined: true };
}

function say(schema: Node, isClosed: boolean): void {
  if (isClosed) schema.additionalProperties = false;
  else delete schema.additionalProperties;
}
