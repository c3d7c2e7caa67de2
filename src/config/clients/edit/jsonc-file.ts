import { createScanner, findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser';
import { type JsoncDocument, parseJsoncText } from '../../jsonc.js';
import { type Path, SourceText } from '../../place.js';
import { configError, makeProblem } from '../../problem.js';
import { isObject, type Json } from '../spec.js';
import type { EditableText } from './editable-text.js';
import { isEqual } from './equal.js';
import { endOfLine, indentAt, indentUnitOf, isFirstOnLine, lineEndingOf, splice } from './lines.js';

/**
 * JSON with comments. jsonc-parser's own `modify` is not used: it puts a new member between the last one and the comment
 * behind it, and takes comments away with what it removes.
 */
export class JsoncFile implements EditableText {
  readonly #name: string;
  readonly #lineEnding: string;
  readonly #unit: string;
  #text: string;
  #document: JsoncDocument;

  constructor(name: string, text: string) {
    this.#name = name;
    this.#lineEnding = lineEndingOf(text);
    this.#unit = indentUnitOf(text);
    this.#text = hasTokens(text) ? text : `${text}${this.#afterLine(text)}{}${this.#lineEnding}`;
    this.#document = this.#parse();
  }

  get text(): string {
    return this.#text;
  }

  get value(): Json {
    return getNodeValue(this.#document.root) as Json;
  }

  set(path: Path, value: Json): void {
    const found = this.#find(path);
    if (found === undefined) this.#add(path, value);
    else this.#change(path, found, value);
  }

  remove(path: Path): void {
    const node = this.#find(path);
    if (node === undefined || path.length === 0) return;
    const member = node.parent?.type === 'property' ? node.parent : node;
    this.#replaceText(this.#textWithout(member));
  }

  #afterLine(text: string): string {
    return text.trim() === '' || text.endsWith('\n') ? '' : this.#lineEnding;
  }

  #parse(): JsoncDocument {
    return parseJsoncText(new SourceText(this.#name, this.#text));
  }

  #replaceText(text: string): void {
    this.#text = text;
    this.#document = this.#parse();
  }

  /** Of a member that is written twice, the last one counts: that is how the file is read. */
  #find(path: Path): Node | undefined {
    let node: Node | undefined = this.#document.root;
    for (const step of path) {
      if (node === undefined) return undefined;
      node =
        typeof step === 'number'
          ? findNodeAtLocation(node, [step])
          : node.type === 'object'
            ? node.children?.findLast((property) => property.children?.[0]?.value === step)?.children?.[1]
            : undefined;
    }
    return node;
  }

  #change(path: Path, node: Node, value: Json): void {
    const now = getNodeValue(node) as Json;
    if (isEqual(now, value)) return;
    if (isObject(now) && isObject(value) && Object.keys(now).length > 0) {
      // What is new goes in first: an object that is emptied before would lose how it was laid out.
      for (const [name, inner] of Object.entries(value)) this.set([...path, name], inner);
      for (const name of Object.keys(now)) if (!Object.hasOwn(value, name)) this.remove([...path, name]);
      return;
    }
    const indent = indentAt(this.#text, node.offset);
    this.#replaceText(splice(this.#text, node.offset, node.offset + node.length, this.#render(value, indent)));
  }

  #add(path: Path, value: Json): void {
    let depth = path.length - 1;
    while (depth > 0 && this.#find(path.slice(0, depth)) === undefined) depth--;
    const parent = this.#find(path.slice(0, depth))!;
    const step = path[depth]!;
    const isFitting = typeof step === 'number' ? parent.type === 'array' : parent.type === 'object';
    if (!isFitting) throw this.#wrongParent(parent, path.slice(0, depth), typeof step === 'number');
    const inner = path.slice(depth + 1).reduceRight<Json>((value, name) => ({ [String(name)]: value }), value);
    this.#replaceText(this.#textWith(parent, typeof step === 'number' ? '' : `${JSON.stringify(step)}: `, inner));
  }

  #wrongParent(node: Node, path: Path, wantsArray: boolean) {
    const place = this.#document.source.placeOf(node.offset);
    const wanted = wantsArray ? 'an array' : 'an object';
    const article = /^[aou]/.test(node.type) ? 'an' : 'a';
    const message = node.type === 'null' ? `is null, not ${wanted}` : `is ${article} ${node.type}, not ${wanted}`;
    const hint = 'Mend the file by hand, then run this again.';
    return configError([makeProblem({ kind: 'wrong-type', path, place, message, hint })]);
  }

  #render(value: Json, indent: string): string {
    return JSON.stringify(value, null, this.#unit).replaceAll('\n', `${this.#lineEnding}${indent}`);
  }

  #textWith(parent: Node, key: string, value: Json): string {
    const text = this.#text;
    const outer = indentAt(text, parent.offset);
    const close = parent.offset + parent.length - 1;
    const last = parent.children?.at(-1);
    if (last === undefined) {
      const indent = outer + this.#unit;
      const inside = text.slice(parent.offset + 1, close).trimEnd();
      const member = `${this.#lineEnding}${indent}${key}${this.#render(value, indent)}${this.#lineEnding}${outer}`;
      return splice(text, parent.offset + 1 + inside.length, close, member);
    }
    const isOneLine = !text.slice(parent.offset, close).includes('\n');
    const { commaAt, end } = this.#behind(last, close);
    if (isOneLine) {
      const member = `${key}${JSON.stringify(value)}`;
      return commaAt === undefined
        ? splice(text, end, end, `, ${member}`)
        : splice(text, commaAt + 1, commaAt + 1, ` ${member}`);
    }
    return this.#textWithLine({ last, close, outer, key, value, commaAt });
  }

  /** Puts a member on a line of its own behind the last one, and behind what is noted beside that. */
  #textWithLine(spot: {
    readonly last: Node;
    readonly close: number;
    readonly outer: string;
    readonly key: string;
    readonly value: Json;
    readonly commaAt: number | undefined;
  }): string {
    const { last, close, outer, key, value, commaAt } = spot;
    const text = this.#text;
    const end = last.offset + last.length;
    const lineEnd = endOfLine(text, commaAt ?? end);
    // The closing bracket may stand on the same line, or a comment that goes on over several.
    const at =
      lineEnd > close || this.#isInComment(commaAt ?? end, lineEnd, close) ? (commaAt ?? end - 1) + 1 : lineEnd;
    const indent = isFirstOnLine(text, last.offset) ? indentAt(text, last.offset) : outer + this.#unit;
    const comma = commaAt === undefined ? '' : ',';
    const tail = at === lineEnd ? '' : `${this.#lineEnding}${outer}`;
    const member = `${this.#lineEnding}${indent}${key}${this.#render(value, indent)}${comma}${tail}`;
    const added = splice(text, at, at, member);
    return commaAt === undefined ? splice(added, end, end, ',') : added;
  }

  #isInComment(from: number, lineEnd: number, close: number): boolean {
    return tokensFrom(this.#text, from, close).some(
      ({ offset, end }) => offset < lineEnd && end > lineEnd && this.#text.startsWith('/*', offset),
    );
  }

  /** The comma behind a member, where there is one. */
  #behind({ offset, length }: Node, close: number): { readonly commaAt: number | undefined; readonly end: number } {
    const end = offset + length;
    const comma = tokensFrom(this.#text, end, close).find((token) => this.#text[token.offset] === ',');
    return { commaAt: comma?.offset, end };
  }

  #textWithout(member: Node): string {
    const text = this.#text;
    const parent = member.parent!;
    const siblings = parent.children ?? [];
    const at = siblings.indexOf(member);
    const close = parent.offset + parent.length - 1;
    const next = siblings[at + 1];
    const { commaAt, end } = this.#behind(member, next?.offset ?? close);
    // The comma goes first, since it stands behind: offsets before it stay true.
    let rest = commaAt === undefined ? text : splice(text, commaAt, commaAt + 1, '');
    rest = splice(rest, member.offset, end, '');
    rest = withoutBlankLine(rest, member.offset);
    const previous = siblings[at - 1];
    if (next !== undefined || previous === undefined || commaAt !== undefined) return rest;
    const before = this.#behind(previous, member.offset).commaAt;
    return before === undefined ? rest : splice(rest, before, before + 1, '');
  }
}

/** Takes the line out that `offset` is on, where nothing is left on it. */
function withoutBlankLine(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  if (start === 0 || end < 0 || text.slice(start, end).trim() !== '') {
    // Of two gaps between neighbours on one line, one is enough.
    return text[offset] === ' ' && text[offset - 1] === ' ' ? splice(text, offset, offset + 1, '') : text;
  }
  return splice(text, start, end + 1, '');
}

interface Token {
  readonly offset: number;
  readonly end: number;
}

/** The tokens from `start` up to `end`, comments and white space among them. */
function tokensFrom(text: string, start: number, end: number): readonly Token[] {
  const part = text.slice(start, end);
  const scanner = createScanner(part, false);
  const tokens: Token[] = [];
  for (scanner.scan(); scanner.getTokenOffset() < part.length; scanner.scan()) {
    const offset = start + scanner.getTokenOffset();
    tokens.push({ offset, end: offset + scanner.getTokenLength() });
  }
  return tokens;
}

/** Whether a file holds anything but comments. */
function hasTokens(text: string): boolean {
  const scanner = createScanner(text, true);
  scanner.scan();
  return scanner.getTokenOffset() < text.length;
}
