import type { DoorError, ErrorCode } from '../base/index.js';
import { decodeText, JsonScanner, ObjectText, parseJson } from '../base/index.js';
import type { Exclusion, ListedTool } from '../catalog/index.js';
import { type Era, type HeaderFlaw, type ParamHeader, readParamHeaders } from '../protocol/index.js';
import { compileSchema, type Judge } from '../schema/index.js';
import { stripHeaderKeywords } from './header-keywords.js';
import { COMMON_KINDS, isBoolean, isObject, isString, kindOf, type MemberKinds, misfitsOf } from './member-kinds.js';
import { type ToolTexts, textsOf } from './tool-texts.js';

export interface DefinitionOptions {
  readonly upstream: string;
  /** `ignore` keeps a tool whose outputSchema alone cannot compile, without judging its answers. */
  readonly uncompilableOutput: 'exclude' | 'ignore';
  /** That of the upstream. */
  readonly era: Era;
  /**
   * Calls of the upstream repeat parameters in headers (MCP 2026-07-28 basic/transports/streamable-http): a tool that says
   * wrongly in which must not be offered. Elsewhere what is wrong about that is left out instead.
   */
  readonly hasHeaders: boolean;
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
/** So many annotations are named in one warning. */
const MAX_NAMED = 5;

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
  const { headers, flaws } = readParamHeaders(value.inputSchema);
  if (flaws.length === 0 || options.hasHeaders) {
    return new DefinitionReader(text, value, { name, headers, flaws, options }).read();
  }
  // Callers over HTTP would be told to send headers that there are none of.
  const named = flaws.slice(0, MAX_NAMED).map(({ schemaPath, message }) => `${schemaPath}: ${message}`);
  const message = `${name}: left out of the inputSchema: ${named.join('; ')}`;
  options.warn({ warning: 'header-annotation', message, tool: name });
  return readDefinition(stripHeaderKeywords(text, flaws), { ...options, hasHeaders: true });
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

interface Read {
  readonly name: string;
  readonly headers: readonly ParamHeader[];
  readonly flaws: readonly HeaderFlaw[];
  readonly options: DefinitionOptions;
}

class DefinitionReader {
  readonly #value: Record<string, unknown>;
  readonly #name: string;
  readonly #headers: readonly ParamHeader[];
  readonly #flaws: readonly HeaderFlaw[];
  readonly #options: DefinitionOptions;
  readonly #text: ObjectText;
  /** Members of the tool itself that are not passed on. */
  readonly #dropped = new Set<string>();

  constructor(text: Uint8Array, value: Record<string, unknown>, { name, headers, flaws, options }: Read) {
    this.#text = new ObjectText(text);
    this.#value = value;
    this.#name = name;
    this.#headers = headers;
    this.#flaws = flaws;
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
    const [flaw] = this.#flaws;
    return flaw === undefined ? compiled.judge : this.#exclude('inputSchema', flaw.schemaPath, flaw.message);
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
    return compiled.judge;
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
    const source = decodeText(bytes);
    const { description, inputSchema } = this.#value;
    const outputSchema = this.#dropped.has('outputSchema') ? undefined : this.#value.outputSchema;
    const texts = textsOf(bytes, { inputSchema, outputSchema }, this.#options.era);
    this.#warnOfOutput(texts);
    return {
      name: this.#name,
      quotedName: JSON.stringify(this.#name),
      ...texts.handshake,
      ...(texts.modern !== undefined && { modern: texts.modern }),
      ...(source !== texts.handshake.definition && { source }),
      wrapsOutput: texts.wrapsOutput,
      paramHeaders: this.#headers,
      description: typeof description === 'string' ? description : undefined,
      input,
      output,
    };
  }

  #warnOfOutput({ wrapsOutput, hidden }: ToolTexts): void {
    if (hidden !== undefined) {
      this.#warn('strict-misfit', `${hidden}; answers are judged by outputSchema, not all callers see it`);
    } else if (wrapsOutput && this.#options.era === 'handshake') {
      this.#warn(
        'misfit-member',
        'outputSchema is not of type "object"; callers of its era see it as one with a "result"',
      );
    }
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
