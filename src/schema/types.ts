import type { DoorError, TokenList } from '../base/index.js';

export type Dialect = '2020-12' | '2019-09' | 'draft-07' | 'draft-06' | 'draft-04';

/** One place where a value breaks its schema. */
export interface Issue {
  /** `$`, `$.days`, `$["a.b"]`, `$.a[0]`. */
  readonly path: string;
  /** The same place as a JSON pointer (RFC 6901): `/a/0`; empty for the root. */
  readonly pointer: string;
  readonly keyword: string;
  readonly expected: string;
  /** The type received, never the value unless asked for: values may be secrets. */
  readonly received: string;
  /** `expected integer, got string` */
  readonly message: string;
  readonly hint?: string;
}

export type Verdict =
  | {
      readonly valid: true;
      /** Formats that did not match, where `formats` is `report`. */
      readonly warnings?: readonly Issue[];
    }
  | {
      readonly valid: false;
      /** In a stable order, at most 20. */
      readonly issues: readonly Issue[];
      /** Whether there were more than 20. */
      readonly truncated: boolean;
      /**
       * The judge gave up (nesting, work, bad JSON text): nothing is known to be wrong with the value. Its one issue has
       * the keyword `judge`. Refuse arguments, warn about outputs.
       */
      readonly gaveUp?: true;
    };

/** A compiled schema. Immutable and shared: one per distinct (canonical schema, dialect, options) in the process. */
export interface Judge {
  readonly dialect: Dialect;
  /** SHA-256 of the canonical schema with dialect and options, hex. */
  readonly digest: string;
  /**
   * Whether any keyword reads the inside of strings (pattern, lengths, enum, const, uniqueItems, asserted formats).
   * Where none does, a caller may put a short stand-in for a very long string value.
   */
  readonly looksIntoStrings: boolean;
  /** Judges JSON text (a string) exactly, digits included. Any other value is judged as it is. Never throws. */
  check(input: unknown): Verdict;
  /** Judges a value, a string included; numbers that a double cannot hold come as `ExactNumber`. Never throws. */
  checkValue(value: unknown): Verdict;
  /**
   * Whether the value of a token is surely valid, told from the text that was scanned, without parsing it. False says
   * nothing: the value is to be parsed then, and judged. Not to be asked where the scanner has raised `riskyNumber`,
   * `duplicateName` or `deep`. Never throws.
   */
  acceptsText(bytes: Uint8Array, tokens: TokenList, token: number): boolean;
}

export interface SchemaWarning {
  /** JSON pointer into the schema. */
  readonly schemaPath: string;
  readonly message: string;
}

/** How large a schema may be. Beyond any of these it is SCHEMA_TOO_LARGE. */
export interface SchemaLimits {
  /** Bytes of the schema as compact JSON text. Default 262,144. */
  readonly maxBytes: number;
  /** Schemas inside each other. Default 64. */
  readonly maxDepth: number;
  /** Schemas in all, referenced documents included. Default 2,000. */
  readonly maxSubschemas: number;
  /** Members of one `properties` or like map, names of one `required`. Default 1,000. */
  readonly maxProperties: number;
  /** Values of one `enum`. Default 10,000. */
  readonly maxEnum: number;
  /** `pattern` and `patternProperties` in all. Default 250. */
  readonly maxPatterns: number;
  /** Schemas that one value can meet at one place once every reference is followed. Default 10,000. */
  readonly maxExpansion: number;
  /** Arrays and objects inside each other in a judged value. Default 512. */
  readonly maxValueDepth: number;
}

export interface CompileOptions {
  /** URI of the dialect assumed where `$schema` is absent. Default 2020-12. */
  readonly dialect?: string;
  /** Other schemas that references may lead to, by URI. Nothing is ever fetched. */
  readonly documents?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<SchemaLimits>;
  /** What `format` does for email, uri, date and date-time. Default `ignore`: it is an annotation. */
  readonly formats?: 'ignore' | 'report' | 'assert';
  /** Shows short received values in issues. Off by default: values may be secrets. */
  readonly showReceived?: boolean;
}

/** `error.code` is UNSUPPORTED_DIALECT, UNRESOLVED_REF, SCHEMA_INVALID or SCHEMA_TOO_LARGE; `error.data.schemaPath` a JSON pointer. */
export type Compilation =
  | { readonly ok: true; readonly judge: Judge; readonly warnings: readonly SchemaWarning[] }
  | { readonly ok: false; readonly error: DoorError };
