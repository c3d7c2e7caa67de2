import { decodeText, isObject, JsonScanner, type JsonSlice } from '../base/index.js';
import { decodeHeaderValue, encodeHeaderValue, isHeaderValueOf } from './header-values.js';

/** A parameter of a tool that its callers over HTTP repeat in a header. */
export interface ParamHeader {
  /** The header's name, as the tool's definition spells it. Names of headers are the same in any case. */
  readonly header: string;
  /** The names of the properties that lead to the value in a call's arguments; at least one. */
  readonly path: readonly string[];
}

/** An annotation that breaks the rules, and why. */
export interface HeaderFlaw {
  /** JSON pointer to the schema that carries the annotation. */
  readonly schemaPath: string;
  readonly message: string;
}

export interface ParamHeaders {
  /** The good ones, in the order of the schema. */
  readonly headers: readonly ParamHeader[];
  readonly flaws: readonly HeaderFlaw[];
}

/** The keyword by which a schema names the header that repeats a parameter. */
export const HEADER_KEYWORD = 'x-mcp-header';
const HEADER_PREFIX = 'Mcp-Param-';

/** Keywords whose values hold schemas by names of the author's own: a property may well be called `x-mcp-header`. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Keywords whose values are a schema, or an array of schemas. */
const SCHEMAS = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'contentSchema'],
  ...['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
]);
const TYPES = new Set<unknown>(['integer', 'string', 'boolean']);
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_QUOTED = 60;

interface Site {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly schemaPath: string;
  /** The way here where it went through `properties` only. */
  readonly path: readonly string[] | undefined;
}

const NONE: ParamHeaders = Object.freeze({ headers: Object.freeze([]), flaws: Object.freeze([]) });

/**
 * Reads the `x-mcp-header` annotations of an inputSchema (MCP 2026-07-28 basic/transports/streamable-http, Schema
 * Extension): each names a header of its own, in any case, belongs to a property of type integer, string or boolean, and
 * is reached from the root by `properties` alone. Linear in the schema, and without recursion.
 */
export function readParamHeaders(schema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const flaws: HeaderFlaw[] = [];
  const taken = new Set<string>();
  const open: Site[] = [];
  push(open, schema, '', []);
  for (let site = open.pop(); site !== undefined; site = open.pop()) {
    if (Object.hasOwn(site.schema, HEADER_KEYWORD)) {
      const name = site.schema[HEADER_KEYWORD];
      const message = findFlaw(site, name, taken);
      if (message !== undefined) flaws.push({ schemaPath: site.schemaPath, message });
      else {
        taken.add((name as string).toLowerCase());
        headers.push({ header: HEADER_PREFIX + (name as string), path: site.path! });
      }
    }
    pushInner(open, site);
  }
  return headers.length + flaws.length === 0 ? NONE : { headers, flaws };
}

function findFlaw({ schema, path }: Site, name: unknown, taken: ReadonlySet<string>): string | undefined {
  if (typeof name !== 'string' || name === '') return `${HEADER_KEYWORD} is not a string with something in it`;
  const quoted = JSON.stringify(name.slice(0, MAX_QUOTED));
  if (!TOKEN.test(name)) return `${HEADER_KEYWORD} ${quoted} is not the name of a header`;
  if (path === undefined || path.length === 0) {
    return `${HEADER_KEYWORD} ${quoted} does not belong to a property that is reached by "properties" alone`;
  }
  if (!TYPES.has(schema.type)) {
    return `${HEADER_KEYWORD} ${quoted} belongs to a property that is not of type "integer", "string" or "boolean"`;
  }
  return taken.has(name.toLowerCase()) ? `${HEADER_KEYWORD} ${quoted} is there twice` : undefined;
}

/** Puts the schemas inside a schema on the pile, the first one on top. */
function pushInner(open: Site[], { schema, schemaPath, path }: Site): void {
  const from = open.length;
  for (const [keyword, value] of Object.entries(schema)) {
    const here = `${schemaPath}/${keyword}`;
    if (SCHEMAS.has(keyword)) {
      if (!Array.isArray(value)) push(open, value, here, undefined);
      else for (const [i, each] of value.entries()) push(open, each, `${here}/${i}`, undefined);
    } else if (MAPS.has(keyword) && isObject(value)) {
      for (const [name, each] of Object.entries(value)) {
        const isReached = keyword === 'properties' && path !== undefined;
        push(open, each, `${here}/${escapePointer(name)}`, isReached ? [...path, name] : undefined);
      }
    }
  }
  for (let i = from, k = open.length - 1; i < k; i++, k--) [open[i], open[k]] = [open[k]!, open[i]!];
}

function push(open: Site[], value: unknown, schemaPath: string, path: readonly string[] | undefined): void {
  if (isObject(value)) open.push({ schema: value, schemaPath, path });
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

const scanner = new JsonScanner();
const innerScanner = new JsonScanner();

/**
 * The headers that go with a call. What is null or absent has none (Client Behavior), nor has an integer beyond the
 * range that every reader can hold.
 *
 * @param args the text of `arguments`, whose grammar is known to be good; undefined where there are none
 * @returns names and encoded values
 */
export function paramHeadersOf(
  headers: readonly ParamHeader[],
  args: JsonSlice | undefined,
): readonly (readonly [name: string, value: string])[] {
  if (headers.length === 0 || args === undefined) return NO_PAIRS;
  const pairs: (readonly [string, string])[] = [];
  scanner.scan(args.bytes, args.start, args.end);
  for (const { header, path } of headers) {
    const value = readAt(args.bytes, path);
    const text = value.kind === 'number' ? decimalOf(value.text) : value.kind === 'text' ? value.text : undefined;
    if (text !== undefined) pairs.push([header, encodeHeaderValue(text)]);
  }
  return pairs;
}

const NO_PAIRS: readonly (readonly [string, string])[] = Object.freeze([]);

/**
 * Holds the headers of a call that came in over HTTP against its arguments (Server Behavior for Custom Headers): what is
 * there has its header, what is null or absent has none, and both say the same. Headers of other parameters are not
 * looked at.
 *
 * @param args the text of `arguments`, whose grammar is known to be good; undefined where there are none
 * @param find finds a header by its name in lower case; one that came twice as both values with `, ` between
 * @returns a sentence where they differ, without the value
 */
export function checkParamHeaders(
  headers: readonly ParamHeader[],
  args: JsonSlice | undefined,
  find: (name: string) => string | undefined,
): string | undefined {
  if (headers.length === 0) return undefined;
  if (args !== undefined) scanner.scan(args.bytes, args.start, args.end);
  for (const { header, path } of headers) {
    const value = args === undefined ? ABSENT : readAt(args.bytes, path);
    const given = find(header.toLowerCase());
    const flaw = given === undefined ? findMissing(value) : findMismatch(given, value);
    if (flaw !== undefined) return `${header} ${flaw}`;
  }
  return undefined;
}

function findMissing(value: Mirrored): string | undefined {
  const isExpected = value.kind === 'text' || value.kind === 'number';
  return isExpected ? 'is missing, but its value is in the arguments' : undefined;
}

function findMismatch(given: string, value: Mirrored): string | undefined {
  if (value.kind === 'absent') return 'is there, but its value is not in the arguments';
  if (value.kind === 'text' && isHeaderValueOf(given, value.text)) return undefined;
  if (value.kind === 'number' && isNumberOf(given, value.text)) return undefined;
  return 'does not say what the arguments say';
}

/** Integers are compared as numbers: 42.0 is 42. Of what is no safe integer each digit counts. */
function isNumberOf(given: string, text: string): boolean {
  const decoded = decodeHeaderValue(given) ?? '';
  return decoded === text || (integerOf(decoded) ?? Number.NaN) === integerOf(text);
}

/** What a header has to say: a text, a number, nothing, or what no header can say. */
type Mirrored = { readonly kind: 'text' | 'number'; readonly text: string } | { readonly kind: 'absent' | 'other' };

const ABSENT: Mirrored = Object.freeze({ kind: 'absent' });
const OTHER: Mirrored = Object.freeze({ kind: 'other' });

/** Reads the value at a path in the object that `scanner` has scanned last. */
function readAt(bytes: Uint8Array, path: readonly string[]): Mirrored {
  const first = findMember(scanner, bytes, path[0]!);
  if (first < 0) return ABSENT;
  if (path.length === 1) return readValueAt(bytes, scanner.valueStart[first]!, scanner.valueEnd[first]!);
  let at = findMember(scanner, bytes, path[1]!, first);
  let within = scanner;
  for (const name of path.slice(2)) {
    if (at < 0) return ABSENT;
    const start = within.valueStart[at]!;
    innerScanner.scan(bytes, start, within.valueEnd[at]!);
    within = innerScanner;
    at = findMember(within, bytes, name);
  }
  return at < 0 ? ABSENT : readValueAt(bytes, within.valueStart[at]!, within.valueEnd[at]!);
}

/** As `find` of the scanner, for names of any characters. The last one counts, as for any reader. */
function findMember(of: JsonScanner, bytes: Uint8Array, name: string, parent?: number): number {
  if (isAscii(name)) return of.find(name, bytes, parent);
  const level = parent === undefined ? 1 : 2;
  let found = -1;
  for (let i = parent === undefined ? 0 : parent + 1; i < of.count && of.level[i]! >= level; i++) {
    if (of.level[i] !== level) continue;
    if (JSON.parse(decodeText(bytes, of.nameStart[i]!, of.nameEnd[i]!)) === name) found = i;
  }
  return found;
}

function isAscii(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > 0x7f) return false;
  return true;
}

function readValueAt(bytes: Uint8Array, start: number, end: number): Mirrored {
  const text = (): string => decodeText(bytes, start, end);
  switch (bytes[start]) {
    case 0x22:
      return { kind: 'text', text: JSON.parse(text()) as string };
    case 0x74:
    case 0x66:
      return { kind: 'text', text: text() };
    case 0x6e:
      return ABSENT;
    case 0x7b:
    case 0x5b:
      return OTHER;
    default:
      return { kind: 'number', text: text() };
  }
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FRACTION = /^-?\d+\.\d*[1-9]\d*$/;
/** Longer numbers are written so that readers may round them differently. */
const MAX_NUMBER = 32;

function decimalOf(text: string): string | undefined {
  const integer = integerOf(text);
  return integer === undefined ? undefined : String(integer);
}

/** The integer that a number's text says, where every reader can hold it; never -0. */
function integerOf(text: string): number | undefined {
  if (text.length > MAX_NUMBER || !NUMBER.test(text) || FRACTION.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}
