import type { DoorError, ErrorCode } from '../base/index.js';
import { decodeText, type Edit, encodeText, JsonScanner, joinPieces, parseJson, splice } from '../base/index.js';
import type { Exclusion, ListedTool } from '../catalog/index.js';
import { compileSchema, type Judge } from '../schema/index.js';

export interface DefinitionOptions {
  readonly mount: string;
  /** `ignore` keeps a tool whose outputSchema alone cannot compile, without judging its answers. */
  readonly uncompilableOutput: 'exclude' | 'ignore';
  /** Where in the list the tool stood, for tools without a readable name. */
  readonly position: number;
  readonly warn: (warning: DefinitionWarning) => void;
}

export interface DefinitionWarning {
  readonly warning: string;
  readonly message: string;
  readonly tool: string;
  readonly code?: ErrorCode;
}

export type DefinitionResult =
  | { readonly kind: 'tool'; readonly tool: ListedTool }
  | { readonly kind: 'exclusion'; readonly exclusion: Exclusion };

/** What the wire schema says of a tool's members; one of the wrong kind makes SDK clients drop the whole list. */
const MEMBER_KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: (value) => typeof value === 'string',
  description: (value) => typeof value === 'string',
  annotations: isObject,
  icons: Array.isArray,
  execution: isObject,
  _meta: isObject,
};

const scanner = new JsonScanner();

/**
 * Judges one tool of a raw list: compiles its schemas, or says why it must be left out. The definition stays the text
 * the upstream wrote, save for what would make a strict client refuse the list it stands in.
 */
export function readDefinition(text: Uint8Array, options: DefinitionOptions): DefinitionResult {
  const value = parseJson(decodeText(text));
  if (!isObject(value)) return excluded(options, `#${options.position}`, 'definition', '', 'the tool is not an object');
  const { name } = value;
  if (typeof name !== 'string' || name === '') {
    return excluded(options, `#${options.position}`, 'definition', '/name', 'the tool has no name');
  }
  const reader = new DefinitionReader(text, value, name, options);
  return reader.read();
}

class DefinitionReader {
  readonly #text: Uint8Array;
  readonly #value: Record<string, unknown>;
  readonly #name: string;
  readonly #options: DefinitionOptions;
  readonly #edits: Edit[] = [];

  constructor(text: Uint8Array, value: Record<string, unknown>, name: string, options: DefinitionOptions) {
    this.#text = text;
    this.#value = value;
    this.#name = name;
    this.#options = options;
  }

  read(): DefinitionResult {
    const input = this.#compileInput();
    if ('kind' in input) return input;
    const output = this.#compileOutput();
    if (output !== undefined && 'kind' in output) return output;
    this.#dropMisfits();
    return { kind: 'tool', tool: this.#listed(input, output) };
  }

  #compileInput(): Judge | DefinitionResult {
    const schema = this.#value.inputSchema;
    if (schema === undefined) return this.#exclude('inputSchema', '', 'inputSchema is missing');
    if (!isObject(schema)) return this.#exclude('inputSchema', '', `inputSchema is ${kindOf(schema)}, not an object`);
    if (schema.type === undefined) {
      this.#warn('missing-root-type', 'inputSchema has no root type; read as "object"');
      this.#insertType('inputSchema');
    } else if (schema.type !== 'object') {
      return this.#exclude('inputSchema', '/type', 'the root type of an inputSchema must be "object"');
    }
    const compiled = compileSchema(schema.type === undefined ? { ...schema, type: 'object' } : schema);
    if (!compiled.ok) return this.#excludeFor('inputSchema', compiled.error);
    for (const warning of compiled.warnings) {
      this.#warn('schema', `inputSchema${warning.schemaPath}: ${warning.message}`);
    }
    this.#spellOutBooleans('inputSchema', schema);
    return compiled.judge;
  }

  #compileOutput(): Judge | DefinitionResult | undefined {
    const schema = this.#value.outputSchema;
    if (schema === undefined) return undefined;
    if (schema === null) {
      this.#warn('null-member', 'outputSchema is null; read as absent');
      this.#drop('outputSchema');
      return undefined;
    }
    const compiled = compileSchema(schema);
    if (!compiled.ok) {
      if (this.#options.uncompilableOutput === 'exclude') return this.#excludeFor('outputSchema', compiled.error);
      this.#warn(
        'uncompilable-output',
        `outputSchema: ${compiled.error.message}; answers are not judged`,
        compiled.error.code,
      );
      this.#drop('outputSchema');
      return undefined;
    }
    for (const warning of compiled.warnings) {
      this.#warn('schema', `outputSchema${warning.schemaPath}: ${warning.message}`);
    }
    if (isObject(schema)) {
      // In the 2025 revisions structuredContent is an object, so an absent root type says the same as "object".
      if (schema.type === undefined) this.#insertType('outputSchema');
      this.#spellOutBooleans('outputSchema', schema);
    }
    return compiled.judge;
  }

  /** Members of the wrong kind (`annotations: null`) say nothing, and strict clients refuse the list for them. */
  #dropMisfits(): void {
    for (const [member, fits] of Object.entries(MEMBER_KINDS)) {
      const value = this.#value[member];
      if (value === undefined || fits(value)) continue;
      this.#warn('misfit-member', `${member} is ${kindOf(value)}; left out of the list`);
      this.#drop(member);
    }
  }

  #listed(input: Judge, output: Judge | undefined): ListedTool {
    const edits = this.#edits.sort((a, b) => a.start - b.start || a.end - b.end);
    const bytes = edits.length === 0 ? this.#text : joinPieces(splice(this.#text, 0, this.#text.length, edits));
    scanner.scan(bytes, 0, bytes.length);
    const name = scanner.find('name', bytes);
    const description = this.#value.description;
    // String offsets, not byte offsets: what is renamed later is the text.
    const nameStart = decodeText(bytes, 0, scanner.valueStart[name]!).length;
    const nameEnd = decodeText(bytes, 0, scanner.valueEnd[name]!).length;
    return {
      name: this.#name,
      quotedName: JSON.stringify(this.#name),
      definition: decodeText(bytes),
      nameStart,
      nameEnd,
      description: typeof description === 'string' ? description : undefined,
      input,
      output,
    };
  }

  #span(member: string): { nameStart: number; start: number; end: number } | undefined {
    scanner.scan(this.#text, 0, this.#text.length);
    const at = scanner.find(member, this.#text);
    if (at < 0) return undefined;
    return { nameStart: scanner.nameStart[at]!, start: scanner.valueStart[at]!, end: scanner.valueEnd[at]! };
  }

  #insertType(member: 'inputSchema' | 'outputSchema'): void {
    const span = this.#span(member);
    if (span === undefined) return;
    const isEmpty = Object.keys(this.#value[member] as object).length === 0;
    this.#edits.push({
      start: span.start + 1,
      end: span.start + 1,
      by: isEmpty ? '"type":"object"' : '"type":"object",',
    });
  }

  /** `true` and `false` as property schemas are good JSON Schema, but SDK v1 clients refuse the list for them. */
  #spellOutBooleans(member: 'inputSchema' | 'outputSchema', schema: Record<string, unknown>): void {
    const { properties } = schema;
    if (!isObject(properties) || !Object.values(properties).some((value) => typeof value === 'boolean')) return;
    const outer = this.#span(member);
    if (outer === undefined) return;
    const inner = encodeText(`{"schema":${decodeText(this.#text, outer.start, outer.end)}}`);
    const shift = outer.start - '{"schema":'.length;
    scanner.scan(inner, 0, inner.length);
    const at = scanner.find('properties', inner, scanner.find('schema', inner));
    const from = scanner.valueStart[at]!;
    scanner.scan(inner, from, scanner.valueEnd[at]!);
    for (let i = 0; i < scanner.count; i++) {
      if (scanner.level[i] !== 1) continue;
      const first = inner[scanner.valueStart[i]!];
      const by = first === 0x74 ? '{}' : first === 0x66 ? '{"not":{}}' : undefined;
      if (by !== undefined) {
        this.#edits.push({ start: scanner.valueStart[i]! + shift, end: scanner.valueEnd[i]! + shift, by });
      }
    }
  }

  /** Takes a member out, with the comma that parts it from the one before or after. */
  #drop(member: string): void {
    const span = this.#span(member);
    if (span === undefined) return;
    let start = span.nameStart - 1;
    while (this.#text[start]! <= 0x20) start--;
    let end = span.end;
    if (this.#text[start] !== 0x2c) {
      start++;
      while (this.#text[end]! <= 0x20) end++;
      if (this.#text[end] === 0x2c) end++;
    }
    this.#edits.push({ start, end, by: '' });
  }

  #warn(warning: string, message: string, code?: ErrorCode): void {
    this.#options.warn({ warning, message: `${this.#name}: ${message}`, tool: this.#name, ...(code && { code }) });
  }

  #exclude(which: Exclusion['which'], schemaPath: string, reason: string): DefinitionResult {
    return excluded(this.#options, this.#name, which, schemaPath, reason);
  }

  #excludeFor(which: Exclusion['which'], error: DoorError): DefinitionResult {
    const schemaPath = typeof error.data.schemaPath === 'string' ? error.data.schemaPath : '';
    return excluded(this.#options, this.#name, which, schemaPath, error.message, error.code);
  }
}

function excluded(
  options: DefinitionOptions,
  tool: string,
  which: Exclusion['which'],
  schemaPath: string,
  reason: string,
  code: ErrorCode = 'SCHEMA_INVALID',
): DefinitionResult {
  return { kind: 'exclusion', exclusion: { mount: options.mount, tool, code, which, schemaPath, reason } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
