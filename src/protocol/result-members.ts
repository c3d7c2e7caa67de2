import { decodeText, endOfString, endOfValue, type JsonSlice, SCAN, spells } from '../base/index.js';

/** Members of results that differ between the eras, in the order of their places. */
const NAMES = ['resultType', '_meta', 'content', 'structuredContent', 'ttlMs', 'cacheScope'] as const;
type ResultMember = (typeof NAMES)[number];

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CLOSE_BRACE = 0x7d;

/** A result of a call of which the scanner that read it has said where its members lie; -1 where one is absent. */
export interface LocatedResult extends JsonSlice {
  /** `SCAN` flags of the result. */
  readonly flags: number;
  readonly typeStart: number;
  readonly typeEnd: number;
  readonly metaStart: number;
  readonly metaEnd: number;
  readonly contentStart: number;
  readonly contentEnd: number;
}

/**
 * Where the members of a result lie that differ between the eras. One walk over its top level, nothing is made. One
 * object serves many results: what it says holds until the next `read`.
 */
export class ResultMembers {
  /** Members in all. */
  count = 0;
  /** By name, the offset of the value and of what is behind it; -1 where the member is absent. Of two the last one counts. */
  readonly start: Record<ResultMember, number> = none();
  readonly end: Record<ResultMember, number> = none();

  /**
   * Takes over where the members of a call's result lie, so that it need not be walked through once more.
   *
   * @returns false where it has to be: nothing was said, or not enough of it
   */
  take(result: JsonSlice | LocatedResult): boolean {
    // Of several members of one name it is for `read` to say which counts.
    if (!('typeStart' in result) || result.contentStart < 0 || result.flags & SCAN.duplicateName) return false;
    this.count = 1;
    for (const name of NAMES) this.start[name] = -1;
    this.#put('resultType', result.typeStart, result.typeEnd);
    this.#put('_meta', result.metaStart, result.metaEnd);
    this.#put('content', result.contentStart, result.contentEnd);
    return true;
  }

  #put(name: ResultMember, start: number, end: number): void {
    this.start[name] = start;
    this.end[name] = end;
  }

  /** Reads an object whose grammar is known to be good. */
  read({ bytes, start }: JsonSlice): void {
    this.count = 0;
    for (const name of NAMES) this.start[name] = -1;
    let at = skipSpace(bytes, start + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      const nameEnd = endOfString(bytes, at + 1);
      const name = findName(bytes, at, nameEnd);
      const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
      const valueEnd = endOfValue(bytes, valueStart);
      if (name !== undefined) {
        this.start[name] = valueStart;
        this.end[name] = valueEnd;
      }
      this.count++;
      at = skipSpace(bytes, valueEnd);
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    }
  }

  has(name: ResultMember): boolean {
    return this.start[name] >= 0;
  }

  /** The text of a member's value; undefined where it is absent. */
  textOf(bytes: Uint8Array, name: ResultMember): string | undefined {
    return this.has(name) ? decodeText(bytes, this.start[name], this.end[name]) : undefined;
  }

  /** Whether a member's value is spelled like this. */
  isText(bytes: Uint8Array, name: ResultMember, text: string): boolean {
    return this.has(name) && spells(bytes, this.start[name], this.end[name], text);
  }

  /** Whether a member's value begins with this byte, which tells its kind. */
  begins(bytes: Uint8Array, name: ResultMember, byte: number): boolean {
    return this.has(name) && bytes[this.start[name]] === byte;
  }
}

function none(): Record<ResultMember, number> {
  return { resultType: -1, _meta: -1, content: -1, structuredContent: -1, ttlMs: -1, cacheScope: -1 };
}

/** Which of the members a name is, quotes included; it may be spelled with escapes. */
function findName(bytes: Uint8Array, start: number, end: number): ResultMember | undefined {
  for (const name of NAMES) if (spells(bytes, start + 1, end - 1, name)) return name;
  // Not indexOf: it would look through all that comes behind.
  let at = start;
  while (at < end && bytes[at] !== BACKSLASH) at++;
  if (at === end) return undefined;
  const text = JSON.parse(decodeText(bytes, start, end)) as string;
  return NAMES.find((name) => name === text);
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  while (bytes[i]! <= SPACE) i++;
  return i;
}

/** Line breaks and tabs between tokens must not stand in a string. */
const ESCAPED: Readonly<Record<number, number>> = {
  9: 0x74,
  10: 0x6e,
  13: 0x72,
  [QUOTE]: QUOTE,
  [BACKSLASH]: BACKSLASH,
};

/** A JSON text as a JSON string: the same text within quotes. */
export function quoteJson(bytes: Uint8Array, start: number, end: number): JsonSlice {
  let length = end - start + 2;
  for (let i = start; i < end; i++) if (ESCAPED[bytes[i]!] !== undefined) length++;
  const quoted = new Uint8Array(length);
  let to = 0;
  quoted[to++] = QUOTE;
  for (let i = start; i < end; i++) {
    const escaped = ESCAPED[bytes[i]!];
    if (escaped === undefined) quoted[to++] = bytes[i]!;
    else {
      quoted[to++] = BACKSLASH;
      quoted[to++] = escaped;
    }
  }
  quoted[to] = QUOTE;
  return { bytes: quoted, start: 0, end: length };
}
