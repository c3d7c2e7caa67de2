/**
 * The engine: the one file that knows which library turns a schema into code. It is loaded only when a judge has become
 * warm, so that its 150 KB and 15 ms are no part of start-up. Only its code generator is taken: the package's main entry
 * is twice the size, probes for native add-ons, and keeps every schema it ever saw.
 */
import compiler from '../../node_modules/ata-validator/lib/js-compiler.js';

/** A plain 2020-12 schema: no identities, no references, no keyword beyond the common ones. */
export type PlainSchema = boolean | Readonly<Record<string, unknown>>;

/** @returns a function that accepts and refuses as the schema says; undefined where the engine declines the schema */
export function generateCheck(
  schema: PlainSchema,
  formats: Readonly<Record<string, (text: string) => boolean>>,
): ((value: unknown) => boolean) | undefined {
  return compiler.compileToJSCodegen(schema, null, formats) ?? undefined;
}
