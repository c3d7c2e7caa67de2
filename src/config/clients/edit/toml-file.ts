import { parse as parseForPatch, patch } from '@decimalturn/toml-patch';
import { parse, TomlError } from 'smol-toml';
import type { Path } from '../../place.js';
import { configError, makeProblem } from '../../problem.js';
import { isObject, type Json, type JsonObject } from '../spec.js';
import type { EditableText } from './editable-text.js';
import { isEqual, valueAt, withValueAt } from './equal.js';
import { lineEndingOf, splice } from './lines.js';

/** Depth of a server: `[mcp_servers.NAME]`. What is shallower is a file's business, what is deeper a server's. */
const ENTRY_DEPTH = 2;

/**
 * TOML. A new server becomes a table at the end. A server that is there is changed by toml-patch, which is shown that
 * server's lines alone: it takes comments of the next table away with the last member of the one before.
 */
export class TomlFile implements EditableText {
  readonly #name: string;
  #text: string;
  #value: Json;

  constructor(name: string, text: string) {
    this.#name = name;
    this.#text = text;
    this.#value = readToml(name, text);
  }

  get text(): string {
    return this.#text;
  }

  get value(): Json {
    return this.#value;
  }

  set(path: Path, value: Json): void {
    if (isEqual(valueAt(this.#value, path), value)) return;
    for (let depth = 1; depth < path.length; depth++) this.#checkTable(path.slice(0, depth));
    const entry = path.slice(0, ENTRY_DEPTH);
    const isNew = path.length >= ENTRY_DEPTH && valueAt(this.#value, entry) === undefined;
    const wanted = withValueAt(this.#value, path, value);
    const first = isNew
      ? () => this.#withTable(entry, valueAt(wanted, entry)!)
      : () => this.#withPatchedTable(path, value);
    this.#become([first, () => patched(this.#text, path, value)], wanted);
  }

  remove(path: Path): void {
    if (valueAt(this.#value, path) === undefined) return;
    const wanted = withValueAt(this.#value, path, undefined);
    const texts = [() => this.#withPatchedTable(path, undefined), () => patched(this.#text, path, undefined)];
    this.#become(texts, wanted);
  }

  #checkTable(path: Path): void {
    const value = valueAt(this.#value, path);
    if (value === undefined || isObject(value)) return;
    const hint = 'Mend the file by hand, then run this again.';
    const place = { file: this.#name, line: 1, column: 1 };
    throw configError([makeProblem({ kind: 'wrong-type', path, place, message: 'is not a table', hint })]);
  }

  /** Takes the first text that says what is wanted; an edit that would say anything else is never made. */
  #become(texts: readonly (() => string | undefined)[], wanted: Json): void {
    for (const make of texts) {
      const text = attempt(make);
      if (
        text === undefined ||
        !isEqual(
          attempt(() => readToml(this.#name, text)),
          wanted,
        )
      )
        continue;
      this.#text = text;
      this.#value = wanted;
      return;
    }
    const message = 'this TOML cannot be changed without writing all of it anew';
    const place = { file: this.#name, line: 1, column: 1 };
    const hint = 'Print the block with --print, and put it into the file by hand.';
    throw configError([makeProblem({ kind: 'not-supported', path: [], place, message, hint })]);
  }

  #withTable(path: Path, value: Json): string | undefined {
    if (!isObject(value)) return undefined;
    const lineEnding = lineEndingOf(this.#text);
    const gap = this.#text.trim() === '' ? '' : lineEnding;
    const start = this.#text === '' || this.#text.endsWith('\n') ? this.#text : `${this.#text}${lineEnding}`;
    return `${start}${gap}${tableLines(path, value).join(lineEnding)}${lineEnding}`;
  }

  #withPatchedTable(path: Path, value: Json | undefined): string | undefined {
    const [root, name] = path;
    if (root === undefined || name === undefined) return undefined;
    const entry = [root, name];
    const region = regionOf(this.#text, entry);
    if (region === undefined) return undefined;
    const lines = this.#text.slice(region.start, region.end);
    const alone = { [root]: { [name]: valueAt(this.#value, entry)! } };
    if (!isEqual(readToml(this.#name, lines), alone)) return undefined;
    // Lines that were one have no line break to tell the file's from.
    const changed = patched(lines, path, value).trimEnd().replace(/\r?\n/g, lineEndingOf(this.#text));
    return splice(this.#text, region.start, region.end, changed);
  }
}

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/**
 * New members first, then the old ones out: so a comment that stands between them keeps its place. What is not meant is
 * handed back as the library read it, dates and all.
 */
function patched(text: string, path: Path, value: Json | undefined): string {
  const now = parseForPatch(text) as JsonObject;
  if (value === undefined) return patch(text, withValueAt(now, path, undefined));
  const grown = patch(text, withValueAt(now, path, merged(valueAt(now, path), value)));
  return patch(grown, withValueAt(parseForPatch(grown) as JsonObject, path, value));
}

function merged(now: Json | undefined, wanted: Json): Json {
  if (!isObject(now) || !isObject(wanted)) return wanted;
  const names = [...new Set([...Object.keys(now), ...Object.keys(wanted)])];
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(wanted, name) ? merged(now[name], wanted[name]!) : now[name]!]),
  );
}

const HEADER = /^[ \t]*\[\[?(?<path>[^\]\n]+)\]\]?[ \t]*(#.*)?\r?$/gm;

/** The lines of one server: its tables where they follow one another, without the remarks that belong to what comes next. */
function regionOf(text: string, entry: Path): { readonly start: number; readonly end: number } | undefined {
  const headers = [...text.matchAll(HEADER)];
  const isOwn = headers.map(({ groups }) => beginsWith(keysOf(groups?.path ?? ''), entry));
  const first = isOwn.indexOf(true);
  const last = isOwn.lastIndexOf(true);
  if (first < 0 || isOwn.slice(first, last + 1).includes(false)) return undefined;
  const start = headers[first]!.index;
  const next = headers[last + 1]?.index ?? text.length;
  // Remarks right above the next table are its own.
  const block = text.slice(start, next).replace(next === text.length ? /\s+$/ : /(\r?\n[ \t]*(#[^\n]*)?)*$/, '');
  return { start, end: start + block.length };
}

/** `mcp_servers."a.b".env` as its keys; undefined where it is no path of keys. */
function keysOf(path: string): readonly string[] | undefined {
  const value = attempt(() => parse(`${path} = 1`));
  const keys: string[] = [];
  for (let inner: unknown = value; isObject(inner); inner = inner[keys.at(-1)!]) keys.push(Object.keys(inner)[0]!);
  return value === undefined ? undefined : keys;
}

function beginsWith(keys: readonly string[] | undefined, path: Path): boolean {
  return keys !== undefined && path.every((step, at) => keys[at] === step);
}

function tableLines(path: Path, value: JsonObject): readonly string[] {
  const members = Object.entries(value);
  return [
    `[${path.map(String).map(keyText).join('.')}]`,
    ...members.map(([key, inner]) => `${keyText(key)} = ${valueText(inner)}`),
  ];
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : valueText(key);
}

/** A TOML value in one line. JSON's escapes are TOML's, save for those of DEL, which TOML wants escaped. */
function valueText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${valueText(inner)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function readToml(name: string, text: string): Json {
  try {
    return plain(parse(text, { integersAsBigInt: 'asNeeded' }));
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const place = { file: name, line: thrown.line, column: thrown.column };
    const message = thrown.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
    throw configError([makeProblem({ kind: 'syntax', path: [], message, place, hint: 'Mend the file by hand.' })]);
  }
}

/** Dates and great numbers are compared by how they are written; none of ours is one. */
function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date || typeof value === 'bigint')
    return String(value instanceof Date ? value.toISOString() : value);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  }
  return value as Json;
}
