import { decodeText, JsonScanner, type JsonSlice, ObjectText } from '../base/index.js';
import type { ToolText } from '../catalog/index.js';
import { type Era, isWrapped, wrapOutputSchema } from '../protocol/index.js';
import { isObject } from './member-kinds.js';
import { findModernMisfit, findStrictMisfit } from './strict-clients.js';

/** What of a definition decides how it is shown. */
export interface ShownSchemas {
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** A tool's definition as the callers of each era see it. */
export interface ToolTexts {
  readonly handshake: ToolText;
  /** Absent where it is the same. */
  readonly modern?: ToolText;
  /** The outputSchema is shown to callers of the handshake era wrapped, and so must be what it describes. */
  readonly wrapsOutput: boolean;
  /** Why not all callers see the outputSchema; absent where they do. */
  readonly hidden?: string;
}

const TYPE_OBJECT = '"type":"object"';
const LETTER_T = 0x74;
const LETTER_F = 0x66;
const OUTPUT: ReadonlySet<string> = new Set(['outputSchema']);

const scanner = new JsonScanner();

/** Whether a definition is shown to all callers just as it is, as most are. */
export function isShownAsItIs({ inputSchema, outputSchema }: ShownSchemas, era: Era): boolean {
  if (hasBooleanProperty(inputSchema)) return false;
  if (outputSchema === undefined) return true;
  if (!isObject(outputSchema) || outputSchema.type === undefined || isWrapped(outputSchema, era)) return false;
  if (hasBooleanProperty(outputSchema)) return false;
  return findStrictMisfit(outputSchema) === undefined && findModernMisfit(outputSchema) === undefined;
}

/**
 * Makes the texts that callers see of a definition.
 *
 * @param source its text on one line, good but for what clients of one era or the other would stumble over
 * @param schemas the same, parsed
 * @param era that of its upstream
 */
export function textsOf(source: Uint8Array, schemas: ShownSchemas, era: Era): ToolTexts {
  if (isShownAsItIs(schemas, era)) return { handshake: locateName(source), wrapsOutput: false };
  const { outputSchema } = schemas;
  const hasOutput = outputSchema !== undefined;
  const strict = hasOutput ? findStrictMisfit(outputSchema) : undefined;
  const misfit = strict ?? (hasOutput ? findModernMisfit(outputSchema) : undefined);
  const wraps = hasOutput && strict === undefined && isWrapped(outputSchema, era);
  const wrapped = wraps ? wrapOutputSchema(outputOf(source)) : undefined;
  const unsaid = wraps && wrapped === undefined ? 'its references cannot be moved into an object' : undefined;
  const isHidden = strict !== undefined || unsaid !== undefined;
  const hidden = misfit ?? unsaid;
  const handshake = locateName(handshakeText(source, schemas, isHidden, wrapped));
  const modern = locateName(modernText(source, outputSchema, misfit !== undefined));
  return {
    handshake,
    ...(modern.definition !== handshake.definition && { modern }),
    wrapsOutput: wrapped !== undefined,
    ...(hidden !== undefined && { hidden }),
  };
}

/** SDK clients of the handshake era refuse a list for a schema without a type, and for one of another type. */
function handshakeText(
  source: Uint8Array,
  { inputSchema, outputSchema }: ShownSchemas,
  isHidden: boolean,
  wrapped: string | undefined,
): Uint8Array {
  const text = new ObjectText(source);
  spellOutBooleans(text, 'inputSchema', inputSchema);
  if (wrapped !== undefined) text.replaceValue('outputSchema', wrapped);
  else if (isHidden) text.drop([], OUTPUT);
  else if (isObject(outputSchema)) {
    // In that era an absent root type says the same as "object".
    if (outputSchema.type === undefined) text.insertFirst(['outputSchema'], TYPE_OBJECT);
    spellOutBooleans(text, 'outputSchema', outputSchema);
  }
  return text.finish();
}

/** SDK clients of the modern era refuse a list for a schema that is no object, though `true` and `false` are good ones. */
function modernText(source: Uint8Array, outputSchema: unknown, isHidden: boolean): Uint8Array {
  const text = new ObjectText(source);
  if (isHidden) text.drop([], OUTPUT);
  else if (typeof outputSchema === 'boolean') text.replaceValue('outputSchema', outputSchema ? '{}' : '{"not":{}}');
  return text.finish();
}

/** `true` and `false` as property schemas are good JSON Schema, but SDK v1 clients refuse the list for them. */
function spellOutBooleans(text: ObjectText, member: 'inputSchema' | 'outputSchema', schema: unknown): void {
  if (!hasBooleanProperty(schema)) return;
  text.replaceValues([member, 'properties'], (first) =>
    first === LETTER_T ? '{}' : first === LETTER_F ? '{"not":{}}' : undefined,
  );
}

function hasBooleanProperty(schema: unknown): boolean {
  if (!isObject(schema) || !isObject(schema.properties)) return false;
  return Object.values(schema.properties).some((value) => typeof value === 'boolean');
}

function outputOf(bytes: Uint8Array): JsonSlice {
  scanner.scan(bytes, 0, bytes.length);
  const at = scanner.find('outputSchema', bytes);
  return { bytes, start: scanner.valueStart[at]!, end: scanner.valueEnd[at]! };
}

function locateName(bytes: Uint8Array): ToolText {
  scanner.scan(bytes, 0, bytes.length);
  const name = scanner.find('name', bytes);
  return {
    definition: decodeText(bytes),
    // String offsets, not byte offsets: what is renamed later is the text.
    nameStart: decodeText(bytes, 0, scanner.valueStart[name]!).length,
    nameEnd: decodeText(bytes, 0, scanner.valueEnd[name]!).length,
  };
}
