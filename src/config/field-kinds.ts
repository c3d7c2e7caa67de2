/** What a field of the configuration can be: the kinds that the tables in fields.ts are made of, and their values' types. */

export type Unit = 'ms' | 'bytes' | 'levels' | 'calls' | 'tools' | 'sessions';

interface FieldFacts {
  /** One or two sentences for the person who writes the file. */
  readonly description: string;
  /** Read and checked for its type, but without effect in this version; said so when it is used. */
  readonly isLater?: true;
  /** Another name of the field that is used where this one is missing. */
  readonly aliasOf?: string;
}

/** What a text must look like. */
interface TextShape {
  /** A regular expression for the whole of it, as JSON Schema and JavaScript both read it. */
  readonly pattern: string;
  /** The same for people, after "expected": the value itself is in no message, it may be a secret. */
  readonly expected: string;
}

export interface TextField extends FieldFacts {
  readonly kind: 'text';
  /** `${VAR}` is replaced in it. */
  readonly expands?: true;
  readonly shape?: TextShape;
  readonly default?: string;
}

export interface TextListField extends FieldFacts {
  readonly kind: 'texts';
  readonly expands?: true;
  /** Of each text. */
  readonly shape?: TextShape;
  readonly default?: readonly string[];
}

export interface TextMapField extends FieldFacts {
  readonly kind: 'text-map';
  /** `${VAR}` is replaced in the values, never in the keys. */
  readonly expands?: true;
}

export interface IntegerField extends FieldFacts {
  readonly kind: 'integer';
  /** Absent where it counts nothing: a port. */
  readonly unit?: Unit;
  readonly min: number;
  readonly max: number;
  /** Absent where the field only overrides another one. */
  readonly default?: number;
}

export interface BooleanField extends FieldFacts {
  readonly kind: 'boolean';
  readonly default: boolean;
}

export interface ChoiceField extends FieldFacts {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly default?: string;
}

export interface GroupField extends FieldFacts {
  readonly kind: 'group';
  readonly fields: FieldTable;
  /** Where nothing of it is written there is none, instead of one made of defaults. */
  readonly isOptional?: true;
  /** Sets of fields of which exactly one is to be written, as the published schema says it. */
  readonly ways?: readonly (readonly string[])[];
}

/** Several of one kind, at least one, in the order of the file. */
export interface GroupListField extends FieldFacts {
  readonly kind: 'groups';
  readonly fields: FieldTable;
  /** Fields that each of them needs. */
  readonly required: readonly string[];
}

/** The servers by id. A bad entry in it costs that entry only, so it is checked apart (server-entry.ts). */
export interface ServersField extends FieldFacts {
  readonly kind: 'servers';
}

/** Any JSON: a part of the file that a later version gives a meaning to. */
export interface OpenField extends FieldFacts {
  readonly kind: 'open';
}

export type Field =
  | TextField
  | TextListField
  | TextMapField
  | IntegerField
  | BooleanField
  | ChoiceField
  | GroupField
  | GroupListField
  | ServersField
  | OpenField;

export type FieldTable = Readonly<Record<string, Field>>;

/** The TypeScript value that a checked field has. */
export type FieldValue<F> = F extends TextField
  ? string
  : F extends TextListField
    ? readonly string[]
    : F extends TextMapField
      ? ReadonlyMap<string, string>
      : F extends IntegerField
        ? number
        : F extends BooleanField
          ? boolean
          : F extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
            ? Choice
            : F extends { readonly kind: 'group'; readonly fields: infer Table }
              ? TableValue<Table>
              : F extends { readonly kind: 'groups'; readonly fields: infer Table }
                ? readonly TableValue<Table>[]
                : unknown;

/** The checked values of a table; what was not written is absent. */
export type TableValue<Table> = { readonly [Name in keyof Table]?: FieldValue<Table[Name]> };
