import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-04';
import { registerSchema, type SchemaObject, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import type { Dialect } from '../../src/schema/index.js';
import { DIALECT_URI } from './suite.js';

/** What the oracle makes of a schema: a verdict for each value, or a refusal with its own words. */
export type OracleAnswer =
  | { readonly ok: true; readonly isValid: (value: unknown) => boolean }
  | { readonly ok: false; readonly reason: string };

let serial = 0;

// The oracle fetches what it was not given. Here that is always a mistake, and never a request.
globalThis.fetch = () => Promise.reject(new Error('the oracle was about to fetch'));

/**
 * The second opinion: @hyperjump/json-schema, an interpreter that shares no code with the judge's engine. It reads plain
 * JavaScript values, so it has no opinion on numbers that a double cannot hold.
 */
export class Oracle {
  readonly #dialect: Dialect;
  readonly #documents: readonly string[];

  /** @param documents schemas by URI, readable by every schema until `close` */
  constructor(dialect: Dialect, documents: Readonly<Record<string, unknown>> = {}) {
    this.#dialect = dialect;
    this.#documents = Object.keys(documents);
    for (const [uri, schema] of inOrderOfNeed(documents)) registerSchema(schema, uri, DIALECT_URI[dialect]);
  }

  async compile(schema: unknown): Promise<OracleAnswer> {
    const uri = `https://oracle.invalid/${++serial}`;
    try {
      registerSchema(schema as SchemaObject, uri, DIALECT_URI[this.#dialect]);
      const validator = await validate(uri);
      return { ok: true, isValid: (value) => validator(value as SchemaObject).valid };
    } catch (thrown) {
      return { ok: false, reason: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown) };
    } finally {
      unregisterSchema(uri);
    }
  }

  /** Whether the dialect's own metaschema accepts `schema`, judged as plain data. */
  async acceptsSchema(schema: unknown): Promise<boolean> {
    return (await validate(DIALECT_URI[this.#dialect], schema as SchemaObject)).valid;
  }

  close(): void {
    for (const uri of this.#documents) unregisterSchema(uri);
  }
}

/** A document written in a dialect of its own can only be read once that dialect's metaschema was. */
function inOrderOfNeed(documents: Readonly<Record<string, unknown>>): [string, SchemaObject][] {
  const entries = Object.entries(documents) as [string, SchemaObject][];
  return entries.sort(([, one], [, other]) => Number('$vocabulary' in other) - Number('$vocabulary' in one));
}
