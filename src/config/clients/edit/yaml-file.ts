import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
} from 'yaml';
import { type Path, SourceText } from '../../place.js';
import { configError, makeProblem } from '../../problem.js';
import { isObject, type Json } from '../spec.js';
import type { EditableText } from './editable-text.js';
import { isEqual, valueAt, withValueAt } from './equal.js';
import { endOfLine, indentAt, isFirstOnLine, lineEndingOf, splice } from './lines.js';
import { blockLines, inlineText } from './yaml-text.js';

/**
 * YAML. Members are put in and taken out as lines, so that all others stay as they are: the library, asked to write a
 * document, lays all of it out anew. It does so here only where lines would not say what is meant.
 */
export class YamlFile implements EditableText {
  readonly #name: string;
  readonly #lineEnding: string;
  #text: string;
  #document: Document;

  constructor(name: string, text: string) {
    this.#name = name;
    this.#lineEnding = lineEndingOf(text);
    this.#text = text;
    this.#document = this.#parse(text);
  }

  get text(): string {
    return this.#text;
  }

  get value(): Json {
    return this.#valueOf(this.#document);
  }

  #valueOf(document: Document): Json {
    try {
      return (document.toJS() ?? {}) as Json;
    } catch (thrown) {
      // Aliases may multiply without end, and refer to what is not there.
      throw this.#unreadable((thrown as Error).message);
    }
  }

  #unreadable(message: string, place = { file: this.#name, line: 1, column: 1 }) {
    return configError([makeProblem({ kind: 'syntax', path: [], message, place, hint: 'Mend the file by hand.' })]);
  }

  set(path: Path, value: Json): void {
    const now = valueAt(this.value, path);
    if (isEqual(now, value)) return;
    if (isObject(now) && isObject(value) && Object.keys(now).length > 0) {
      for (const [name, inner] of Object.entries(value)) this.set([...path, name], inner);
      for (const name of Object.keys(now)) if (!Object.hasOwn(value, name)) this.remove([...path, name]);
      return;
    }
    const wanted = withValueAt(this.value, path, value);
    this.#become(now === undefined ? this.#withMember(path, value) : this.#withValue(path, value), wanted, path, value);
  }

  remove(path: Path): void {
    if (valueAt(this.value, path) === undefined) return;
    this.#become(this.#without(path), withValueAt(this.value, path, undefined), path, undefined);
  }

  #parse(text: string): Document {
    const source = new SourceText(this.#name, text);
    const alone = /\r(?!\n)/.exec(text);
    // YAML says that a line ends there; this library does not, and would put a member into a comment or behind its end.
    if (alone !== null) throw this.#unreadable('a line ends with CR alone', source.placeOf(alone.index));
    // Silent, it would read the first of several documents and say nothing.
    const document = attempt(() => parseDocument(text, { prettyErrors: false, logLevel: 'error' }));
    // The parser recurses; only nesting of thousands of levels gets here.
    if (document === undefined) throw this.#unreadable('the file is nested too deeply');
    const [error] = document.errors;
    if (error === undefined) return document;
    const isSecond = error.code === 'MULTIPLE_DOCS';
    const message = isSecond ? 'a second document begins here: only one can be read' : error.message;
    throw this.#unreadable(message, source.placeOf(error.pos[0]));
  }

  #become(text: string | undefined, wanted: Json, path: Path, value: Json | undefined): void {
    const document = text === undefined ? undefined : attempt(() => this.#parse(text));
    if (text !== undefined && document !== undefined && isEqual(this.#valueOf(document), wanted)) {
      this.#text = text;
      this.#document = document;
      return;
    }
    this.#writeAnew(wanted, path, value);
  }

  /** The library's way. It keeps comments, though not every space. */
  #writeAnew(wanted: Json, path: Path, value: Json | undefined): void {
    const document = this.#parse(this.#text);
    this.#checkParents(path);
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
    const text = document.toString({ lineWidth: 0 }).replaceAll('\n', this.#lineEnding);
    if (!isEqual(attempt(() => this.#parse(text))?.toJS(), wanted)) {
      const place = { file: this.#name, line: 1, column: 1 };
      const message = 'this YAML cannot be changed in place';
      const hint = 'Print the block with --print, and put it into the file by hand.';
      throw configError([makeProblem({ kind: 'not-supported', path, place, message, hint })]);
    }
    this.#text = text;
    this.#document = this.#parse(text);
  }

  #checkParents(path: Path): void {
    for (let depth = 0; depth < path.length; depth++) {
      const node = depth === 0 ? this.#document.contents : this.#nodeAt(path.slice(0, depth));
      if (node === undefined || node === null || isNull(node)) continue;
      if (typeof path[depth] === 'number' ? isSeq(node) : isMap(node)) continue;
      const place = new SourceText(this.#name, this.#text).placeOf(node.range?.[0] ?? 0);
      const hint = 'Mend the file by hand, then run this again.';
      const above = path.slice(0, depth);
      const message = isAlias(node) ? `is *${node.source}: its members stand elsewhere` : 'holds no members';
      throw configError([makeProblem({ kind: 'wrong-type', path: above, place, message, hint })]);
    }
  }

  #nodeAt(path: Path): Node | undefined {
    if (path.length === 0) return this.#document.contents ?? undefined;
    const node: unknown = this.#document.getIn(path, true);
    return (node ?? undefined) as Node | undefined;
  }

  #pairAt(path: Path): Pair<Node, Node | null> | undefined {
    const parent = this.#nodeAt(path.slice(0, -1));
    if (!isMap<Node, Node | null>(parent)) return undefined;
    return parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  }

  #withValue(path: Path, value: Json): string | undefined {
    const node = this.#nodeAt(path);
    const range = node?.range;
    if (node === undefined || !range) return undefined;
    const isEmpty = isNull(node) || (isCollection(node) && node.items.length === 0);
    const pair = this.#pairAt(path);
    if (isEmpty && pair !== undefined && isObject(value)) return this.#withBlockFor(pair, range, value);
    return splice(this.#text, range[0], contentEnd(this.#text, range), inlineText(value));
  }

  /** `extensions:` or `extensions: {}` gets its first members below it. */
  #withBlockFor(pair: Pair<Node, Node | null>, range: readonly number[], value: Json): string {
    const indent = indentAt(this.#text, pair.key.range?.[0] ?? 0);
    const lines = blockLines(value, `${indent}  `).map((line) => this.#lineEnding + line);
    const start = range[0]!;
    const end = contentEnd(this.#text, range);
    const emptied = splice(this.#text, start, end, '');
    // Of the two spaces around what stood there, one is enough; at the end of the line, none.
    const isDouble = emptied[start - 1] === ' ' && /^(\s|$)/.test(emptied.slice(start, start + 1));
    const text = isDouble ? splice(emptied, start - 1, start, '') : emptied;
    const at = endOfLine(text, isDouble ? start - 1 : start);
    return splice(text, at, at, lines.join(''));
  }

  #withMember(path: Path, value: Json): string | undefined {
    let depth = path.length - 1;
    while (depth > 0 && this.#nodeAt(path.slice(0, depth)) === undefined) depth--;
    const above = path.slice(0, depth);
    const inner = path.slice(depth + 1).reduceRight<Json>((below, step) => ({ [String(step)]: below }), value);
    const step = path[depth]!;
    const member: Json = typeof step === 'number' ? [inner] : { [step]: inner };
    const parent = this.#nodeAt(above);
    if (parent === undefined || isNull(parent) || (isCollection(parent) && parent.items.length === 0)) {
      return above.length === 0 ? this.#atEnd(member, parent) : (this.#withValue(above, member) ?? undefined);
    }
    const fits = typeof step === 'number' ? isSeq(parent) : isMap(parent);
    if (!fits || !isCollection(parent) || parent.flow || !parent.range) return undefined;
    return this.#behindLast(parent.range, this.#columnOf(parent), member);
  }

  #atEnd(member: Json, root: Node | undefined): string {
    // An empty document may say so: `{}`.
    const text = root?.range ? splice(this.#text, root.range[0], contentEnd(this.#text, root.range), '') : this.#text;
    const gap = text === '' || text.endsWith('\n') ? '' : this.#lineEnding;
    return `${text}${gap}${blockLines(member, '').join(this.#lineEnding)}${this.#lineEnding}`;
  }

  /** The indentation of the members of a block. */
  #columnOf(parent: Node): string {
    const first = isMap<Node>(parent) ? parent.items[0]?.key : undefined;
    const start = first?.range?.[0] ?? parent.range?.[0] ?? 0;
    const lineStart = this.#text.lastIndexOf('\n', start - 1) + 1;
    return this.#text.slice(lineStart, start).replace(/[^\t]/g, ' ');
  }

  #behindLast(range: readonly number[], indent: string, member: Json): string {
    const at = endOfLine(this.#text, contentEnd(this.#text, range));
    const lines = blockLines(member, indent).map((line) => this.#lineEnding + line);
    return splice(this.#text, at, at, lines.join(''));
  }

  #without(path: Path): string | undefined {
    const pair = this.#pairAt(path);
    const start = pair?.key.range?.[0];
    if (pair === undefined || start === undefined || !isFirstOnLine(this.#text, start)) return undefined;
    const parent = this.#nodeAt(path.slice(0, -1));
    // The last member of a block has to leave something behind that says it is empty.
    if (!isMap(parent) || parent.flow || parent.items.length < 2) return undefined;
    const range = pair.value?.range ?? pair.key.range!;
    const end = contentEnd(this.#text, range);
    const lineStart = this.#text.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = endOfLine(this.#text, end);
    const remark = this.#text.slice(end, lineEnd).trim();
    if (remark.startsWith('#')) return splice(this.#text, start, lineEnd, remark);
    const next = this.#text.indexOf('\n', lineEnd);
    return splice(this.#text, lineStart, next < 0 ? this.#text.length : next + 1, '');
  }
}

function isNull(node: Node): boolean {
  return isScalar(node) && node.value === null;
}

/** Where a node's own text ends: the library counts the line break behind a block to it. */
function contentEnd(text: string, range: readonly number[]): number {
  let end = range[1]!;
  while (end > range[0]! && /\s/.test(text[end - 1]!)) end--;
  return end;
}

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
