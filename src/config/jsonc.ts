import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { decodeConfig } from './decode.js';
import { type Path, SourceText } from './place.js';
import { configError, makeProblem, type Problem } from './problem.js';

/** A value of the file, with the spot it was written at. */
export type JsoncNode = Node;

/** A member of an object in the file. */
export interface JsoncMember {
  readonly name: string;
  readonly key: JsoncNode;
  readonly value: JsoncNode;
}

export interface JsoncDocument {
  readonly source: SourceText;
  readonly root: JsoncNode;
}

/** Far more than a configuration needs; keeps a hostile one from taking the memory. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads JSON with comments and trailing commas.
 *
 * @throws {DoorError} `CONFIG_INVALID` with line and column of the first mistake
 */
export function parseJsonc(name: string, bytes: Uint8Array): JsoncDocument {
  if (bytes.length > MAX_BYTES) {
    const message = `the file has ${bytes.length} bytes, more than the ${MAX_BYTES} allowed`;
    throw configError([makeProblem({ kind: 'syntax', path: [], message, place: { file: name, line: 1, column: 1 } })]);
  }
  return parseJsoncText(new SourceText(name, decodeConfig(name, bytes)));
}

/**
 * The same of a text that was decoded already; how long it may be is the caller's business.
 *
 * @throws {DoorError} `CONFIG_INVALID` with line and column of the first mistake
 */
export function parseJsoncText(source: SourceText): JsoncDocument {
  const errors: ParseError[] = [];
  const root = parseBounded(source, errors);
  const [first] = errors;
  if (!first && root) return { source, root };
  const brackets = scanBrackets(source.text);
  if (brackets.isEmpty) throw syntaxError(source, 0, 'the file is empty', 'Write {} for an empty configuration.');
  const { offset } = first ?? { offset: 0 };
  throw syntaxError(source, offset, mistakeText(first), unclosedHint(source, offset, brackets.open));
}

function parseBounded(source: SourceText, errors: ParseError[]): JsoncNode | undefined {
  try {
    return parseTree(source.text, errors, { allowTrailingComma: true });
  } catch (thrown) {
    // The parser recurses; only nesting of thousands of levels gets here.
    if (thrown instanceof RangeError) throw syntaxError(source, 0, 'the file is nested too deeply');
    throw thrown;
  }
}

function syntaxError(source: SourceText, offset: number, message: string, hint?: string) {
  return configError([makeProblem({ kind: 'syntax', path: [], message, hint, place: source.placeOf(offset) })]);
}

const MISTAKES: ReadonlyMap<string, string> = new Map([
  ['InvalidSymbol', 'unexpected text; strings are written in double quotes'],
  ['InvalidNumberFormat', 'this is not a number JSON allows'],
  ['PropertyNameExpected', 'expected a name in double quotes'],
  ['ValueExpected', 'expected a value'],
  ['ColonExpected', 'expected a colon'],
  ['CommaExpected', 'expected a comma'],
  ['CloseBraceExpected', 'expected a closing }'],
  ['CloseBracketExpected', 'expected a closing ]'],
  ['EndOfFileExpected', 'unexpected text after the end of the configuration'],
  ['InvalidCommentToken', 'comments are not allowed here'],
  ['UnexpectedEndOfComment', 'a comment is never closed'],
  ['UnexpectedEndOfString', 'a string is never closed'],
  ['UnexpectedEndOfNumber', 'this is not a number JSON allows'],
  ['InvalidUnicode', 'a \\u escape without its four hex digits'],
  ['InvalidEscapeCharacter', 'an escape JSON does not know; write a backslash as \\\\'],
  ['InvalidCharacter', 'a control character inside a string'],
]);

function mistakeText(error: ParseError | undefined): string {
  return (error && MISTAKES.get(printParseErrorCode(error.error))) ?? 'this is not JSON';
}

/** At the end of a file the missing bracket says little; the one that was opened says where to look. */
function unclosedHint(source: SourceText, offset: number, open: number | undefined): string | undefined {
  if (open === undefined || source.text.slice(offset).trim() !== '') return undefined;
  const { line, column } = source.placeOf(open);
  return `Close the ${source.text[open]} of line ${line}, column ${column}.`;
}

/** The innermost bracket that is never closed, and whether there is anything but comments at all. */
function scanBrackets(text: string): { readonly open: number | undefined; readonly isEmpty: boolean } {
  const scanner = createScanner(text, true);
  const open: number[] = [];
  let isEmpty = true;
  scanner.scan();
  // Not the token's length: behind an escape that the file ends in, the scanner's end has one, for ever.
  while (scanner.getTokenOffset() < text.length) {
    isEmpty = false;
    const offset = scanner.getTokenOffset();
    if ('{['.includes(text[offset]!)) open.push(offset);
    else if ('}]'.includes(text[offset]!)) open.pop();
    scanner.scan();
  }
  return { open: open.at(-1), isEmpty };
}

/** The members of an object, the last of each name counting; an earlier one is warned about. */
export function membersOf(
  document: JsoncDocument,
  object: JsoncNode,
  path: Path,
  problems: Problem[],
): readonly JsoncMember[] {
  const members = new Map<string, JsoncMember>();
  for (const property of object.children ?? []) {
    const [key, value] = property.children ?? [];
    if (!key || !value) continue;
    const name = String(key.value);
    const earlier = members.get(name);
    if (earlier) problems.push(duplicateKey(document.source, [...path, name], earlier.key, key));
    members.delete(name);
    members.set(name, { name, key, value });
  }
  return [...members.values()];
}

function duplicateKey(source: SourceText, path: Path, earlier: JsoncNode, later: JsoncNode): Problem {
  const place = source.placeOf(earlier.offset);
  const { line } = source.placeOf(later.offset);
  const message = `written twice; only the one on line ${line} counts`;
  return makeProblem({ severity: 'warning', kind: 'duplicate-key', path, place, message, hint: 'Remove one of them.' });
}
