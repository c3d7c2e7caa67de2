/**
 * Takes an ECMAScript pattern apart, as far as deciding whether a string matches needs. What a set of characters holds is
 * left to the platform's RegExp: only where sets, groups and repeats begin and end is read here. The source must already
 * have been accepted by RegExp with the same flags.
 */

/** Nested groups deeper than this are not read. */
const MAX_NESTING = 100;

export type PatternNode =
  /** One character. `source` is a pattern for it; a plain character is its own code. */
  | { readonly kind: 'set'; readonly source: string; readonly code: number }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly branches: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly child: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'word' | 'notWord' }
  | { readonly kind: 'look'; readonly child: PatternNode; readonly isBehind: boolean; readonly isNegative: boolean };

/** The pattern needs something that cannot be matched in linear time, or is too large. */
export class UnsupportedPattern extends Error {}

/** @throws {UnsupportedPattern} for backreferences, and for groups nested too deeply */
export function parsePattern(source: string, isUnicode: boolean): PatternNode {
  return new PatternParser(source, isUnicode).parse();
}

const QUANTIFIER = /([*+?]|\{(\d+)(,?)(\d*)\})\??/y;
const GROUP = /\((?:\?(?::|(<?[=!])|<[^>]*>))?/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const UNICODE_ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])/uy;
const PLAIN_ESCAPE = /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|c|[\s\S])/y;

class PatternParser {
  readonly #source: string;
  readonly #isUnicode: boolean;
  #at = 0;
  #nesting = 0;

  constructor(source: string, isUnicode: boolean) {
    this.#source = source;
    this.#isUnicode = isUnicode;
  }

  parse(): PatternNode {
    const node = this.#either();
    if (this.#at < this.#source.length) throw new UnsupportedPattern(`unexpected character at ${this.#at}`);
    return node;
  }

  #either(): PatternNode {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new UnsupportedPattern('groups are nested too deeply');
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      branches.push(this.#sequence());
    }
    this.#nesting -= 1;
    return branches.length === 1 ? branches[0]! : { kind: 'either', branches };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      parts.push(this.#quantified(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #quantified(child: PatternNode): PatternNode {
    const match = this.#read(QUANTIFIER);
    if (match === null) return child;
    const [, symbol, least, comma, most] = match;
    if (symbol === '*') return { kind: 'repeat', child, min: 0, max: Number.POSITIVE_INFINITY };
    if (symbol === '+') return { kind: 'repeat', child, min: 1, max: Number.POSITIVE_INFINITY };
    if (symbol === '?') return { kind: 'repeat', child, min: 0, max: 1 };
    const min = Number(least);
    if (comma === '') return { kind: 'repeat', child, min, max: min };
    return { kind: 'repeat', child, min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }

  #atom(): PatternNode {
    const character = this.#source[this.#at]!;
    if (character === '(') return this.#group();
    if (character === '\\') return this.#escape();
    if (character === '[') return { kind: 'set', source: this.#read(CLASS)![0], code: -1 };
    const code = this.#isUnicode ? this.#source.codePointAt(this.#at)! : this.#source.charCodeAt(this.#at);
    this.#at += code > 0xffff ? 2 : 1;
    if (character === '^') return { kind: 'assert', what: 'start' };
    if (character === '$') return { kind: 'assert', what: 'end' };
    if (character === '.') return { kind: 'set', source: '.', code: -1 };
    return { kind: 'set', source: '', code };
  }

  #group(): PatternNode {
    const look = this.#read(GROUP)![1];
    const child = this.#either();
    this.#at += 1;
    if (look === undefined) return child;
    return { kind: 'look', child, isBehind: look.startsWith('<'), isNegative: look.endsWith('!') };
  }

  #escape(): PatternNode {
    const [text] = this.#read(this.#isUnicode ? UNICODE_ESCAPE : PLAIN_ESCAPE)!;
    if (text === '\\b') return { kind: 'assert', what: 'word' };
    if (text === '\\B') return { kind: 'assert', what: 'notWord' };
    const isOctal = text === '\\0' && /\d/.test(this.#source[this.#at] ?? '');
    if (/^\\[1-9k]/.test(text) || isOctal) throw new UnsupportedPattern(`${text} is a backreference`);
    if (text === '\\c') {
      // Without a letter after it the backslash stands for itself, and the c is a character of its own.
      this.#at -= 1;
      return { kind: 'set', source: '', code: 92 };
    }
    return { kind: 'set', source: text, code: -1 };
  }

  #read(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const match = token.exec(this.#source);
    if (match !== null) this.#at = token.lastIndex;
    return match;
  }
}
