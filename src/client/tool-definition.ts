import type { DoorError, ErrorCode } from '../base/index.js';
import { decodeText, JsonScanner, ObjectText, parseJson } from '../base/index.js';
import type { Exclusion, ListedTool } from '../catalog/index.js';
import { compileSchema, type Judge } from '../schema/index.js';
import { COMMON_KINDS, isBoolean, isObject, isString, kindOf, type MemberKinds, misfitsOf } from './member-kinds.js';
import { findStrictMisfit } from './strict-clients.js';

export interface DefinitionOptions {
  readonly upstream: string;
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

/** What the wire's schema says of a tool's members; one of the wrong kind makes SDK clients drop the whole list. */
const MEMBER_KINDS: MemberKinds = { ...COMMON_KINDS, annotations: isObject, execution: isObject };

/** The same for members of members. */
const INNER_KINDS: Readonly<Record<string, MemberKinds>> = {
  annotations: {
    title: isString,
    readOnlyHint: isBoolean,
    destructiveHint: isBoolean,
    idempotentHint: isBoolean,
    openWorldHint: isBoolean,
  },
  execution: { taskSupport: (value) => value === 'required' || value === 'optional' || value === 'forbidden' },
};

const TYPE_OBJECT = '"type":"object"';
const LETTER_T = 0x74;
const LETTER_F = 0x66;

const scanner = new JsonScanner();

/**
 * Judges one tool of a raw list: compiles its schemas, or says why it must be left out. The definition stays the text
 * the upstream wrote, save for what would make a strict client refuse the list it stands in.
 */
export function readDefinition(text: Uint8Array, options: DefinitionOptions): DefinitionResult {
  const value = parse(text);
  if (value instanceof SyntaxError) {
    return excluded(options, nameIn(text, options), 'definition', '', value.message, 'SCHEMA_TOO_LARGE');
  }
  if (!isObject(value)) return excluded(options, `#${options.position}`, 'definition', '', 'the tool is not an object');
  const { name } = value;
  if (typeof name !== 'string' || name === '') {
    return excluded(options, `#${options.position}`, 'definition', '/name', 'the tool has no name');
  }
  const reader = new DefinitionReader(text, value, name, options);
  return reader.read();
}

/** @returns the error where the text, whose grammar is known to be good, is nested too deeply to be read */
function parse(text: Uint8Array): unknown {
  try {
    return parseJson(decodeText(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return thrown;
    throw thrown;
  }
}

/** The name in a definition that cannot be read as a whole. */
function nameIn(text: Uint8Array, options: DefinitionOptions): string {
  scanner.scan(text, 0, text.length);
  const at = scanner.find('name', text);
  const name: unknown = at < 0 ? '' : parse(text.subarray(scanner.valueStart[at]!, scanner.valueEnd[at]!));
  return typeof name === 'string' && name !== '' ? name : `#${options.position}`;
}

class DefinitionReader {
  readonly #value: Record<string, unknown>;
  readonly #name: string;
  readonly #options: DefinitionOptions;
  readonly #text: ObjectText;
  /** Members of the tool itself that are not passed on. */
  readonly #dropped = new Set<string>();

  constructor(text: Uint8Array, value: Record<string, unknown>, name: string, options: DefinitionOptions) {
    this.#text = new ObjectText(text);
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
      this.#text.insertFirst(['inputSchema'], TYPE_OBJECT);
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
      this.#dropped.add('outputSchema');
      return undefined;
    }
    // A string would be read as JSON text; here it stands where a schema should.
    const compiled = compileSchema(typeof schema === 'string' ? null : schema);
    if (!compiled.ok) {
      if (this.#options.uncompilableOutput === 'exclude') return this.#excludeFor('outputSchema', compiled.error);
      this.#warn(
        'uncompilable-output',
        `outputSchema: ${compiled.error.message}; answers are not judged`,
        compiled.error.code,
      );
      this.#dropped.add('outputSchema');
      return undefined;
    }
    for (const warning of compiled.warnings) {
      this.#warn('schema', `outputSchema${warning.schemaPath}: ${warning.message}`);
    }
    this.#fitOutput(schema);
    return compiled.judge;
  }

  /** In the 2025 revisions structuredContent is an object, and SDK clients refuse the list for any other root type. */
  #fitOutput(schema: unknown): void {
    if (!isObject(schema) || (schema.type !== undefined && schema.type !== 'object')) {
      this.#warn(
        'misfit-member',
        'outputSchema is not of type "object"; answers are judged by it, callers do not see it',
      );
      this.#dropped.add('outputSchema');
      return;
    }
    const misfit = findStrictMisfit(schema);
    if (misfit !== undefined) {
      this.#warn('strict-misfit', `${misfit}; answers are judged by outputSchema, callers do not see it`);
      this.#dropped.add('outputSchema');
      return;
    }
    // An absent root type then says the same as "object".
    if (schema.type === undefined) this.#text.insertFirst(['outputSchema'], TYPE_OBJECT);
    this.#spellOutBooleans('outputSchema', schema);
  }

  /** Members of the wrong kind (`annotations: null`) say nothing, and strict clients refuse the list for them. */
  #dropMisfits(): void {
    const misfits = misfitsOf(this.#value, MEMBER_KINDS);
    const all = misfits.map((member) => `${member} (${kindOf(this.#value[member])})`);
    for (const member of misfits) this.#dropped.add(member);
    for (const [outer, kinds] of Object.entries(INNER_KINDS)) {
      const value = this.#value[outer];
      if (!isObject(value)) continue;
      const inner = misfitsOf(value, kinds);
      if (inner.length > 0) this.#text.drop([outer], new Set(inner));
      all.push(...inner.map((member) => `${outer}.${member} (${kindOf(value[member])})`));
    }
    if (all.length > 0) this.#warn('misfit-member', `left out of the list, being of the wrong kind: ${all.join(', ')}`);
    if (this.#dropped.size > 0) this.#text.drop([], this.#dropped);
  }

  #listed(input: Judge, output: Judge | undefined): ListedTool {
    const bytes = this.#text.finish();
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

  /** `true` and `false` as property schemas are good JSON Schema, but SDK v1 clients refuse the list for them. */
  #spellOutBooleans(member: 'inputSchema' | 'outputSchema', schema: Record<string, unknown>): void {
    const { properties } = schema;
    if (!isObject(properties) || !Object.values(properties).some((value) => typeof value === 'boolean')) return;
    this.#text.replaceValues([member, 'properties'], (first) =>
      first === LETTER_T ? '{}' : first === LETTER_F ? '{"not":{}}' : undefined,
    );
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
  return { kind: 'exclusion', exclusion: { mount: options.upstream, tool, code, which, schemaPath, reason } };
}
