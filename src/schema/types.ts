import type { DoorError } from '../base/index.js';

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
  | { readonly valid: true }
  | { readonly valid: false; readonly issues: readonly Issue[]; readonly truncated: boolean };

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
}

export interface SchemaWarning {
  /** JSON pointer into the schema. */
  readonly schemaPath: string;
  readonly message: string;
}

/** `error.code` is UNSUPPORTED_DIALECT, UNRESOLVED_REF, SCHEMA_INVALID or SCHEMA_TOO_LARGE; `error.data.schemaPath` a JSON pointer. */
export type Compilation =
  | { readonly ok: true; readonly judge: Judge; readonly warnings: readonly SchemaWarning[] }
  | { readonly ok: false; readonly error: DoorError };
