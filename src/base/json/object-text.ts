import { decodeText, OPEN_BRACE, QUOTE, type Span } from './bytes.js';
import { JsonScanner } from './scan.js';
import { type Edit, joinPieces, splice } from './splice.js';

/** One member of an object, by where it lies in the text. The value ends where the member does. */
export interface MemberSpan {
  readonly name: string;
  readonly nameStart: number;
  readonly valueStart: number;
  readonly end: number;
}

const scanner = new JsonScanner();

/**
 * The text of a JSON object, to be changed in a few places while every other byte stays as it was written. Places are
 * named by paths of member names; where a name occurs twice the last one counts, as for any reader.
 */
export class ObjectText {
  readonly #bytes: Uint8Array;
  readonly #edits: Edit[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether the object itself has a member of this name. */
  has(name: string): boolean {
    return this.#membersIn(this.#spanOf([])).some((member) => member.name === name);
  }

  /** Puts `member`, a name with its value as JSON text, in front of all other members of the object at `path`. */
  insertFirst(path: readonly string[], member: string): void {
    const span = this.#spanOf(path);
    const comma = this.#membersIn(span).length > 0 ? ',' : '';
    const at = this.#bytes.indexOf(OPEN_BRACE, span.start) + 1;
    this.#edits.push({ start: at, end: at, by: `${member}${comma}` });
  }

  /** Replaces the values of the object's members for which `by` has a text; it is given the value's first byte. */
  replaceValues(path: readonly string[], by: (firstByte: number) => string | undefined): void {
    for (const { valueStart, end } of this.#membersIn(this.#spanOf(path))) {
      const text = by(this.#bytes[valueStart]!);
      if (text !== undefined) this.#edits.push({ start: valueStart, end, by: text });
    }
  }

  /** Replaces the value of a member of the object itself. */
  replaceValue(name: string, text: string): void {
    const { start, end } = this.#spanOf([name]);
    this.#edits.push({ start, end, by: text });
  }

  /** Takes members out of the object at `path`, each with one comma. To be called once for an object. */
  drop(path: readonly string[], names: ReadonlySet<string>): void {
    this.#edits.push(...dropEdits(this.#membersIn(this.#spanOf(path)), names));
  }

  /** The text with all changes made; the very same bytes where there were none. */
  finish(): Uint8Array {
    if (this.#edits.length === 0) return this.#bytes;
    const edits = this.#edits.sort((a, b) => a.start - b.start);
    return joinPieces(splice(this.#bytes, 0, this.#bytes.length, edits));
  }

  #spanOf(path: readonly string[]): Span {
    let span: Span = { start: 0, end: this.#bytes.length };
    for (const name of path) {
      const member = findMember(this.#membersIn(span), name)!;
      span = { start: member.valueStart, end: member.end };
    }
    return span;
  }

  #membersIn({ start, end }: Span): MemberSpan[] {
    return membersOf(this.#bytes, start, end);
  }
}

/** The members of an object, in order, in a text whose grammar is known to be good; none where it is no object. */
export function membersOf(bytes: Uint8Array, start: number, end: number): MemberSpan[] {
  scanner.scan(bytes, start, end);
  const members: MemberSpan[] = [];
  for (let i = 0; i < scanner.count; i++) {
    if (scanner.level[i] !== 1) continue;
    const nameStart = scanner.nameStart[i]!;
    const name = JSON.parse(decodeText(bytes, nameStart, scanner.nameEnd[i]!)) as string;
    members.push({ name, nameStart, valueStart: scanner.valueStart[i]!, end: scanner.valueEnd[i]! });
  }
  return members;
}

/** The member of a name; of several the last one, as for any reader. */
export function findMember(members: readonly MemberSpan[], name: string): MemberSpan | undefined {
  return members.findLast((member) => member.name === name);
}

/** The string that a member's value is; undefined where it is none, or there is no member. */
export function stringOf(bytes: Uint8Array, member: MemberSpan | undefined): string | undefined {
  if (member === undefined || bytes[member.valueStart] !== QUOTE) return undefined;
  return JSON.parse(decodeText(bytes, member.valueStart, member.end)) as string;
}

/** Takes members out of an object, each with one comma. @param members all that it has */
export function dropEdits(members: readonly MemberSpan[], names: ReadonlySet<string>): Edit[] {
  const edits: Edit[] = [];
  let keptEnd: number | undefined;
  let behind = 0;
  for (const [i, { name, nameStart, end }] of members.entries()) {
    if (!names.has(name)) keptEnd = end;
    // Behind a member that stays, the comma before goes as well; before all that stay, the comma behind.
    else if (keptEnd !== undefined) edits.push({ start: behind, end, by: '' });
    else edits.push({ start: nameStart, end: members[i + 1]?.nameStart ?? end, by: '' });
    behind = end;
  }
  return edits;
}
