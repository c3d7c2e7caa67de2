import { DoorError, decodeText, encodeText, JsonScanner, type Span } from '../base/index.js';
import type { ListedTool, ToolText } from '../catalog/index.js';
import { type Era, readParamHeaders } from '../protocol/index.js';
import type { ToolList } from './listing.js';
import { isObject } from './member-kinds.js';
import { readDefinition } from './tool-definition.js';
import { isShownAsItIs, type ShownSchemas, type ToolTexts, textsOf } from './tool-texts.js';

const scanner = new JsonScanner();

/** What of a list is worth keeping until the next start: the tools it has. Exclusions are found anew. */
export function definitionsOf({ tools }: Pick<ToolList, 'tools'>): readonly string[] {
  return tools.map(({ source, definition }) => source ?? definition);
}

/**
 * Makes tools out of definitions that were kept, so that they can be listed before their upstream is up. Nothing is
 * compiled. What is not one JSON object on one line with a name and an inputSchema is left out: it would spoil the list.
 */
export function readCachedTools(
  upstream: string,
  definitions: readonly string[],
  era: Era = 'handshake',
): readonly ListedTool[] {
  const tools = new Map<string, ListedTool>();
  for (const definition of definitions) {
    const tool = findTool(upstream, definition, era);
    if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

// The native parser takes a tenth of the scanner's time while that is cold, and at a start everything is.
function findTool(upstream: string, definition: string, era: Era): ListedTool | undefined {
  const value = definition.includes('\n') || definition.includes('\r') ? undefined : parse(definition);
  if (!isObject(value)) return undefined;
  const { name, description, inputSchema } = value;
  if (typeof name !== 'string' || name === '' || !isObject(inputSchema)) return undefined;
  const texts = findTexts(definition, value, name, era);
  if (texts === undefined) return undefined;
  return new CachedTool({ upstream, era, name, kept: definition, texts, description });
}

/** Undefined where the text is nested too deeply to be told where its name is. */
function findTexts(
  definition: string,
  value: Readonly<Record<string, unknown>>,
  name: string,
  era: Era,
): ToolTexts | undefined {
  if (!isShownAsItIs(value, era)) {
    const bytes = encodeText(definition);
    return scanner.scan(bytes, 0, bytes.length) ? textsOf(bytes, value, era) : undefined;
  }
  const place = findPlaceOfName(definition, name);
  if (place === undefined) return undefined;
  return { handshake: { definition, nameStart: place.start, nameEnd: place.end }, wrapsOutput: false };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NAME_FIRST = '{"name":';

/** Where the value of the root's `name` lies; the last one counts, as for any reader. Undefined where it is nested too deeply to be told. */
function findPlaceOfName(definition: string, name: string): Span | undefined {
  const quoted = JSON.stringify(name);
  const start = NAME_FIRST.length;
  const end = start + quoted.length;
  // It mostly stands first. If it does, and is the one that counts, another value in its place is read instead.
  if (definition.startsWith(NAME_FIRST) && definition.startsWith(quoted, start)) {
    const marked = parse(`${NAME_FIRST}0${definition.slice(end)}`) as { readonly name: unknown };
    if (marked.name === 0) return { start, end };
  }
  const bytes = encodeText(definition);
  if (!scanner.scan(bytes, 0, bytes.length)) return undefined;
  const at = scanner.find('name', bytes);
  // Offsets in the text, not in the bytes: what is renamed later is the text.
  return {
    start: decodeText(bytes, 0, scanner.valueStart[at]!).length,
    end: decodeText(bytes, 0, scanner.valueEnd[at]!).length,
  };
}

interface CachedFacts {
  readonly upstream: string;
  readonly era: Era;
  readonly name: string;
  /** What was kept. */
  readonly kept: string;
  readonly texts: ToolTexts;
  readonly description: unknown;
}

/** A tool whose judges are made when somebody asks for them: as a rule the upstream's own list comes before that. */
class CachedTool implements ListedTool {
  readonly name: string;
  readonly quotedName: string;
  readonly definition: string;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly modern: ToolText | undefined;
  readonly source: string | undefined;
  readonly wrapsOutput: boolean;
  readonly description: string | undefined;
  readonly #facts: CachedFacts;
  #judged: Pick<ListedTool, 'input' | 'output'> | undefined;
  #paramHeaders: ListedTool['paramHeaders'] | undefined;

  constructor(facts: CachedFacts) {
    const { name, kept, texts, description } = facts;
    this.name = name;
    this.quotedName = JSON.stringify(name);
    this.definition = texts.handshake.definition;
    this.nameStart = texts.handshake.nameStart;
    this.nameEnd = texts.handshake.nameEnd;
    this.modern = texts.modern;
    this.source = kept === this.definition ? undefined : kept;
    this.wrapsOutput = texts.wrapsOutput;
    this.description = typeof description === 'string' ? description : undefined;
    this.#facts = facts;
  }

  get paramHeaders(): ListedTool['paramHeaders'] {
    this.#paramHeaders ??= readParamHeaders((parse(this.#facts.kept) as ShownSchemas).inputSchema).headers;
    return this.#paramHeaders;
  }

  /** @throws {DoorError} TOOL_EXCLUDED where the kept schema cannot be compiled: rather no judge than a lenient one */
  get input(): ListedTool['input'] {
    return this.#judges().input;
  }

  get output(): ListedTool['output'] {
    return this.#judges().output;
  }

  #judges(): Pick<ListedTool, 'input' | 'output'> {
    this.#judged ??= compileDefinition(this.#facts);
    return this.#judged;
  }
}

function compileDefinition({ upstream, era, kept }: CachedFacts): ListedTool {
  const read = readDefinition(encodeText(kept), {
    upstream,
    era,
    uncompilableOutput: 'ignore',
    hasHeaders: false,
    position: 1,
    // The fresh list tells what is odd about it.
    warn: () => {},
  });
  if (read.kind === 'tool') return read.tool;
  const { tool, code, which, schemaPath, reason } = read.exclusion;
  throw new DoorError('TOOL_EXCLUDED', `${tool} of ${upstream} cannot be judged by what was kept of it: ${reason}`, {
    data: { upstream, tool, reason: { code, which, schemaPath, message: reason } },
  });
}
