import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { parseTree } from 'jsonc-parser';
import { findNearest, quoted } from '../config/index.js';
import type { JsonType, ToolParameters } from './property-types.js';
import { usageError } from './usage-error.js';

/** One argument as it was typed. */
export interface TypedArgument {
  readonly key: string;
  /** `json`: exact JSON text (`key:=`). `text`: what the schema makes of it (`key=`). */
  readonly kind: 'text' | 'json';
  readonly text: string;
}

/** For JSON that was typed. */
export const SHELL_HINT = 'A shell takes quotes away: put the JSON in single quotes.';

/**
 * Reads KEY=TEXT and KEY:=JSON words. Messages name keys, never values: those may be secrets.
 *
 * @throws {DoorError} `CONFIG_INVALID` (exit 2) for a word that is neither, a key given twice, and bad JSON
 */
export function readTypedArguments(words: readonly string[]): readonly TypedArgument[] {
  const seen = new Set<string>();
  return words.map((word, at) => {
    const equals = word.indexOf('=');
    const isJson = equals > 0 && word[equals - 1] === ':';
    const key = word.slice(0, isJson ? equals - 1 : equals);
    if (equals < 0 || key === '') throw notAnArgument(word, at);
    if (seen.has(key)) throw usageError(`${quoted(key)} is given twice`);
    seen.add(key);
    const text = word.slice(equals + 1);
    if (isJson) checkJson(text, `the value of ${quoted(key)}`, SHELL_HINT);
    return { key, kind: isJson ? 'json' : 'text', text };
  });
}

function notAnArgument(word: string, at: number) {
  const hint = 'Write arguments as key=text or key:=json.';
  // A word like a name is likely a tool written apart from its server; anything else may be a value and stays unsaid.
  const isName = at === 0 && /^[A-Za-z][\w-]{0,40}$/.test(word);
  const what = isName ? quoted(word) : `word ${at + 1} after the tool`;
  return usageError(`${what} is no argument`, isName ? `${hint} A tool is written SERVER.TOOL, in one word.` : hint);
}

/**
 * The arguments as JSON text. Text stays text unless the schema says that its property is none: then a number, true,
 * false, null, an object or an array is what it looks like. Numbers are never parsed: each digit is sent.
 */
export function argumentsText(typed: readonly TypedArgument[], parameters: ToolParameters): string {
  const members = typed.map(({ key, kind, text }) => {
    checkNesting(key, parameters);
    const value = kind === 'json' ? text : valueText(text, parameters.typesOf(key));
    return `${JSON.stringify(key)}:${value}`;
  });
  return `{${members.join(',')}}`;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function valueText(text: string, types: ReadonlySet<JsonType> | undefined): string {
  const asText = JSON.stringify(text);
  if (!types || types.has('string')) return asText;
  const isNumber = (types.has('number') || types.has('integer')) && NUMBER.test(text);
  const isBoolean = types.has('boolean') && (text === 'true' || text === 'false');
  const isNull = types.has('null') && text === 'null';
  if (isNumber || isBoolean || isNull) return text;
  const isStructure = (types.has('object') && /^\s*\{/.test(text)) || (types.has('array') && /^\s*\[/.test(text));
  return isStructure && isJson(text) ? text : asText;
}

/** `params.to=x` where `params` is an object would be lost as a property of another name. */
function checkNesting(key: string, parameters: ToolParameters): void {
  const [head = ''] = key.split('.');
  if (head === key || parameters.has(key) || !parameters.has(head)) return;
  throw usageError(
    `${quoted(key)} is no argument of this tool, but ${quoted(head)} is`,
    `Write what is inside it as JSON: ${head}:='{"…": …}'.`,
  );
}

/** What to say about keys that the schema does not list: likely misspelt, though it may allow them. */
export function surprisesIn(typed: readonly TypedArgument[], parameters: ToolParameters): readonly string[] {
  if (!parameters.isListed) return [];
  return typed.flatMap(({ key }) => {
    if (parameters.has(key)) return [];
    const nearest = findNearest(key, parameters.names);
    return [`${quoted(key)} is not in the tool's schema${nearest ? `; did you mean ${quoted(nearest)}?` : ''}`];
  });
}

/**
 * Reads what `--args @PATH` names. A pipe or a device is refused: it might never say that it has ended.
 *
 * @param name as it was written; `path` as it is found
 * @throws {DoorError} `CONFIG_INVALID` (exit 2) where it cannot be read
 */
export function readArgumentsFile(name: string, path: string): Uint8Array {
  let file: number | undefined;
  try {
    // Opening a pipe that nobody writes to would wait as well.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (fstatSync(file).isFile()) return readFileSync(file);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw usageError(`cannot read ${name}: ${code === 'ENOENT' ? 'there is no such file' : code}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  throw usageError(`cannot read ${name}: it is no file`, 'Hand the arguments in on standard input: --args -');
}

/**
 * Reads the bytes of `--args`: a JSON object in UTF-8.
 *
 * @returns the text, a byte order mark dropped
 * @throws {DoorError} `CONFIG_INVALID` (exit 2) with line and column, without the text itself
 */
export function readArgumentsObject(bytes: Uint8Array, where: string, hint?: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${where} is not UTF-8`);
  }
  checkJson(text, where, hint);
  if (!/^\s*\{/.test(text)) throw usageError(`${where} is no JSON object`, 'Write { "key": value }.');
  return text;
}

function checkJson(text: string, where: string, hint: string | undefined): void {
  if (isJson(text)) return;
  throw usageError(`${where} is not JSON${mistakePlace(text)}`, hint);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function mistakePlace(text: string): string {
  const errors: { readonly error: number; readonly offset: number; readonly length: number }[] = [];
  try {
    parseTree(text, errors, { disallowComments: true });
  } catch {
    return ': it is nested too deeply';
  }
  const offset = errors[0]?.offset;
  if (offset === undefined) return '';
  const before = text.slice(0, offset).split('\n');
  return `: line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
